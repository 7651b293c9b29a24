/* SPDX-License-Identifier: MIT
 *
 * move/exchange_ready.c - all receives posted, a barrier, then sends in ready mode
 * (Walker and Otto 1996, section 2.2.1). All that is not contiguous in the target must
 * fit into the staging memory at once.
 */
#include "move/lanes.h"

static const struct lanes_policy policy = {.window = INT64_MAX, .ready = true};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return lanes_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **state)
{
    return lanes_make(move, &policy, state);
}

const struct exchange exchange_ready = {
    .name = "ready",
    .what = "all receives posted, a barrier, then ready-mode sends",
    .ordered = true,
    .tells = true,
    .effort = effort,
    .make = make,
    .start = lanes_start,
    .progress = lanes_progress,
    .destroy = lanes_destroy,
};
