/* SPDX-License-Identifier: MIT
 *
 * move/distance.h - how far the cores of two processes are from each other: whether they
 * share a cache shows in the time that a word takes from one to the other. No table of
 * the machine is as true: a virtual one tells of caches that its cores do not share.
 */
#ifndef REDIST_MOVE_DISTANCE_H
#define REDIST_MOVE_DISTANCE_H

#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    DISTANCE_TURNS = 4, /* of which the quickest counts: others may want the core */
    DISTANCE_WORDS = 16,
    DISTANCE_LOOKS = 1 << 20 /* at most, for a word: the other may wait for a core */
};

/* Seconds from one core to another: below, they share a cache. */
#define DISTANCE_NEAR 100e-9

/* Exchange words, which start as 0, with another process that does so at the same time:
 * the seconds that one takes, 0 if the other does not answer. */
static inline double distance_find(_Atomic int64_t *own, const _Atomic int64_t *other)
{
    double least = INFINITY;
    int64_t word = 0;
    for (int turn = 0; turn < DISTANCE_TURNS; turn++) {
        double begin = MPI_Wtime();
        for (int k = 0; k < DISTANCE_WORDS; k++) {
            int looks = 0;
            atomic_store_explicit(own, ++word, memory_order_release);
            while (atomic_load_explicit(other, memory_order_acquire) < word)
                if (++looks > DISTANCE_LOOKS) return 0;
        }
        least = fmin(least, (MPI_Wtime() - begin) / DISTANCE_WORDS);
    }
    return least;
}

#endif
