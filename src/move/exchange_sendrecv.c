/* SPDX-License-Identifier: MIT
 *
 * move/exchange_sendrecv.c - a step at a time: a process sends to one other and
 * receives from one other, and goes on when both are done (Walker and Otto 1996, section
 * 2.2.2).
 */
#include "move/lanes.h"

static const struct lanes_policy policy = {.window = INT64_MAX, .stepwise = true};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return lanes_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **state)
{
    return lanes_make(move, &policy, state);
}

const struct exchange exchange_sendrecv = {
    .name = "sendrecv",
    .what = "a step at a time: one message each way, then the next step",
    .ordered = true,
    .tells = true,
    .effort = effort,
    .make = make,
    .start = lanes_start,
    .progress = lanes_progress,
    .destroy = lanes_destroy,
};
