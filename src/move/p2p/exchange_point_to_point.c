/* SPDX-License-Identifier: MIT
 *
 * move/p2p/exchange_point_to_point.c - the exchanges that send each message from process
 * to process (pipeline.h). They differ in their policy alone.
 */
#include "move/p2p/pipeline.h"

/* Define exchange_<name>. Its policy is an initializer, in which `k` is the number after
 * the name; `number` is the default of k, or 0: it takes none. */
#define POINT_TO_POINT(id, number, text, ...)                                            \
    static struct pipeline_policy id##_policy(int k)                                     \
    {                                                                                    \
        (void)k;                                                                         \
        return (struct pipeline_policy){__VA_ARGS__};                                    \
    }                                                                                    \
    static bool id##_effort(const struct load *load, int k, struct effort *effort)       \
    {                                                                                    \
        const struct pipeline_policy policy = id##_policy(k);                            \
        return pipeline_effort(load, &policy, effort);                                   \
    }                                                                                    \
    static redist_err id##_make(const struct move *move, void **state)                   \
    {                                                                                    \
        const struct pipeline_policy policy = id##_policy(move->parameter);              \
        return pipeline_make(move, &policy, state);                                      \
    }                                                                                    \
    const struct exchange exchange_##id = {                                              \
        .name = #id,                                                                     \
        .what = text,                                                                    \
        .parameter = number,                                                             \
        .ordered = true,                                                                 \
        .reports_status = true,                                                          \
        .effort = id##_effort,                                                           \
        .make = id##_make,                                                               \
        .start = pipeline_start,                                                         \
        .progress = pipeline_progress,                                                   \
        .destroy = pipeline_destroy,                                                     \
    };

/* Walker and Otto 1996, section 2.2.1, version 2. */
POINT_TO_POINT(nonblocking, 0,
               "MPI_Isend and MPI_Irecv, as many outstanding as the staging memory holds",
               .window = INT64_MAX)

/* The way to follow schedules of start times. */
POINT_TO_POINT(window, 4, "MPI_Isend and MPI_Irecv, k of each outstanding, no barriers",
               .window = k)

/* Walker and Otto 1996, section 2.2.2. */
POINT_TO_POINT(sendrecv, 0, "a step at a time: one message each way, then the next step",
               .window = INT64_MAX, .stepwise = true)

/* Walker and Otto 1996, section 2.2.1, version 1: the message tells its sender, and
 * thereby its contents. */
POINT_TO_POINT(synchronous, 0, "one receive outstanding, from whoever sends next",
               .window = 1, .any_source = true)

/* Walker and Otto 1996, section 2.2.1. All messages not contiguous in the target must fit
 * into the staging memory at once. */
POINT_TO_POINT(ready, 0, "all receives posted, a barrier, then ready-mode sends",
               .window = INT64_MAX, .ready = true)
