/* SPDX-License-Identifier: MIT
 *
 * move/node/status_flag.h - a word in shared memory that tells other processes of the
 * node, in each run, that its process has begun the run, and whether its buffers are
 * invalid. It serves processes that have no channel (channel.h) from this one.
 *
 *   word    run 8   run 7        two words, for even and odd runs
 *
 * A run ends after all processes have begun it. So no process is more than one run ahead,
 * and a word is overwritten only when all have read it.
 */
#ifndef REDIST_MOVE_NODE_STATUS_FLAG_H
#define REDIST_MOVE_NODE_STATUS_FLAG_H

#include "move/node/channel.h"

/* In the memory of the process that writes it. Starts zeroed. */
struct status_flag {
    alignas(CHANNEL_LINE) _Atomic int64_t word[2];
    bool holds; /* its process has elements of the arrays; known before the first run */
};

/* Announce run 1, 2, .. */
static inline void status_flag_post(struct status_flag *flag, int64_t run,
                                    bool buffers_invalid)
{
    atomic_store_explicit(&flag->word[run % 2], 2 * run + buffers_invalid,
                          memory_order_release);
}

/* Tell whether the flag's process has begun that run; if so, whether its buffers are
 * invalid. */
static inline bool status_flag_read(const struct status_flag *flag, int64_t run,
                                    bool *buffers_invalid)
{
    int64_t word = atomic_load_explicit(&flag->word[run % 2], memory_order_acquire);
    *buffers_invalid = word % 2;
    return word / 2 == run;
}

#endif
