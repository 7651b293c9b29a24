/* SPDX-License-Identifier: MIT
 *
 * move/node/status_flag.h - a word in shared memory by which a process lets others of its
 * node know in each run that it has come, and whether it must not use its buffers. It is
 * for those to whom no channel (channel.h) tells that.
 *
 *   word    run 8   run 7        of two runs in turn
 *
 * Nobody ends a run before all have begun it, so none is more than one ahead of another,
 * and a word is written over when all are done with it.
 */
#ifndef REDIST_MOVE_NODE_STATUS_FLAG_H
#define REDIST_MOVE_NODE_STATUS_FLAG_H

#include "move/node/channel.h"

/* In the memory of the process that writes it. Starts zeroed. */
struct status_flag {
    alignas(CHANNEL_LINE) _Atomic int64_t word[2];
    bool holds; /* something of the arrays; known before the first run */
};

/* Begin run 1, 2, .. */
static inline void status_flag_post(struct status_flag *flag, int64_t run,
                                    bool buffers_invalid)
{
    atomic_store_explicit(&flag->word[run % 2], 2 * run + buffers_invalid,
                          memory_order_release);
}

/* Whether its process has begun that run; if so, whether it is mute. */
static inline bool status_flag_read(const struct status_flag *flag, int64_t run,
                                    bool *buffers_invalid)
{
    int64_t word = atomic_load_explicit(&flag->word[run % 2], memory_order_acquire);
    *buffers_invalid = word % 2;
    return word / 2 == run;
}

#endif
