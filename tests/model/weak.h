/* SPDX-License-Identifier: MIT
 *
 * The flags of the node path (src/move/node) as Relacy sees them. Relacy runs threads in
 * many orders and lets each load return any value that C11's memory order allows. It
 * reports an access to plain data that is not ordered with a write, a thread that waits
 * forever, and a wrong value. README.md describes how the sources come here.
 */
#ifndef REDIST_MODEL_WEAK_H
#define REDIST_MODEL_WEAK_H

#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <relacy/relacy.hpp>

using rl::mo_acquire;
using rl::mo_relaxed;
using rl::mo_release;

/* Data that is not atomic. */
template <class T> struct plain {
    rl::var<int> at;
    operator T() const { return (T)at($).load(); }
    plain &operator=(T value)
    {
        at($) = (int)value;
        return *this;
    }
};

template <class T>
T atomic_load_explicit(const rl::atomic<T> *from, rl::memory_order order,
                       rl::debug_info_param info)
{
    return from->load(order, info);
}

template <class T, class V>
void atomic_store_explicit(rl::atomic<T> *to, V value, rl::memory_order order,
                           rl::debug_info_param info)
{
    to->store((T)value, order, info);
}

#include "move/node/channel.h"
#include "move/node/status_flag.h"

static inline void zero(struct channel *channel)
{
    atomic_store_explicit(&channel->posted, 0, memory_order_relaxed);
    atomic_store_explicit(&channel->taken, 0, memory_order_relaxed);
    atomic_store_explicit(&channel->core, 0, memory_order_relaxed);
}

static inline void zero(struct status_flag *flag)
{
    for (int k = 0; k < 2; k++)
        atomic_store_explicit(&flag->word[k], 0, memory_order_relaxed);
}

/* A number below `limit`, which follows from the number of the run. */
static inline unsigned draw(unsigned limit) { return rl::rand(limit); }

#endif
