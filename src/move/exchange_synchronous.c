/* SPDX-License-Identifier: MIT
 *
 * move/exchange_synchronous.c - one send and one receive outstanding, the receive from
 * whoever sends next: the message tells who that was, and thereby what it holds (Walker
 * and Otto 1996, section 2.2.1, version 1).
 */
#include "move/lanes.h"

static const struct lanes_policy policy = {.window = 1, .any_source = true};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return lanes_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **state)
{
    return lanes_make(move, &policy, state);
}

const struct exchange exchange_synchronous = {
    .name = "synchronous",
    .what = "one receive outstanding, from whoever sends next",
    .ordered = true,
    .tells = true,
    .effort = effort,
    .make = make,
    .start = lanes_start,
    .progress = lanes_progress,
    .destroy = lanes_destroy,
};
