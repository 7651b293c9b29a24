/* SPDX-License-Identifier: MIT
 *
 * move/exchange_nonblocking.c - every message as nonblocking sends and receives
 * (Walker and Otto 1996, section 2.2.1, version 2), as many of them outstanding as the
 * staging memory holds.
 */
#include "move/lanes.h"

static const struct lanes_policy policy = {.window = INT64_MAX};

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    (void)parameter;
    return lanes_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **state)
{
    return lanes_make(move, &policy, state);
}

const struct exchange exchange_nonblocking = {
    .name = "nonblocking",
    .what = "MPI_Isend and MPI_Irecv, as many outstanding as the staging memory holds",
    .ordered = true,
    .tells = true,
    .effort = effort,
    .make = make,
    .start = lanes_start,
    .progress = lanes_progress,
    .destroy = lanes_destroy,
};
