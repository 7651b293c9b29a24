/* SPDX-License-Identifier: MIT
 *
 * base/latch.h - a lock that is held for moments only. It starts as ATOMIC_FLAG_INIT.
 */
#ifndef REDIST_BASE_LATCH_H
#define REDIST_BASE_LATCH_H

#include <sched.h>
#include <stdatomic.h>

static inline void latch_lock(atomic_flag *latch)
{
    while (atomic_flag_test_and_set_explicit(latch, memory_order_acquire))
        (void)sched_yield();
}

static inline void latch_unlock(atomic_flag *latch)
{
    atomic_flag_clear_explicit(latch, memory_order_release);
}

#endif
