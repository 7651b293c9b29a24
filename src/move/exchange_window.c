/* SPDX-License-Identifier: MIT
 *
 * move/exchange_window.c - a few sends and a few receives outstanding, posted in the
 * order of the schedule, without barriers: how schedules of start times run.
 */
#include "move/lanes.h"

static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    const struct lanes_policy policy = {.window = parameter};
    return lanes_effort(load, &policy, effort);
}

static redist_err make(const struct move *move, void **state)
{
    const struct lanes_policy policy = {.window = move->parameter};
    return lanes_make(move, &policy, state);
}

const struct exchange exchange_window = {
    .name = "window",
    .what = "MPI_Isend and MPI_Irecv, k of each outstanding, no barriers",
    .parameter = 4,
    .ordered = true,
    .tells = true,
    .effort = effort,
    .make = make,
    .start = lanes_start,
    .progress = lanes_progress,
    .destroy = lanes_destroy,
};
