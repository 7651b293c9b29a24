/* SPDX-License-Identifier: MIT
 *
 * move/p2p/exchange_point_to_point.c - the exchanges that send each message from process
 * to process (pipeline.h). They differ in their policy alone.
 */
#include "move/p2p/pipeline.h"

/* Define exchange_<name>. Its policy is an initializer, in which `k` is the number after
 * the name; `number` is the default of k, or 0: it takes none. */
#define POINT_TO_POINT(id, number, ...)                                                  \
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
        .parameter = number,                                                             \
        .ordered = true,                                                                 \
        .reports_status = true,                                                          \
        .effort = id##_effort,                                                           \
        .make = id##_make,                                                               \
        .start = pipeline_start,                                                         \
        .progress = pipeline_progress,                                                   \
        .destroy = pipeline_destroy,                                                     \
    };

/* MPI_Isend and MPI_Irecv, as many outstanding as the staging memory holds (Walker and
 * Otto 1996, section 2.2.1, version 2). */
POINT_TO_POINT(nonblocking, 0, .window = INT64_MAX)

/* k of each outstanding, no barriers: the way to follow schedules of start times. */
POINT_TO_POINT(window, 4, .window = k)

/* A step at a time: one message each way, then the next step (Walker and Otto 1996,
 * section 2.2.2). */
POINT_TO_POINT(sendrecv, 0, .window = INT64_MAX, .stepwise = true)

/* One receive outstanding, from any sender: the message tells who sent it, and thereby
 * its contents (Walker and Otto 1996, section 2.2.1, version 1). */
POINT_TO_POINT(synchronous, 0, .window = 1, .any_source = true)

/* All receives posted, a barrier, then sends in ready mode (Walker and Otto 1996, section
 * 2.2.1). All messages not contiguous in the target must fit into the staging memory at
 * once. */
POINT_TO_POINT(ready, 0, .window = INT64_MAX, .ready = true)
