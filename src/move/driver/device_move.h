/* SPDX-License-Identifier: MIT
 *
 * move/driver/device_move.h - a nest as a device runs it: threads find a block, or a unit
 * of one, by its number. Compiled for the host and, as CUDA, for devices.
 *
 *   unit        the longest piece of 1, 2, 4, 8 or 16 bytes that is aligned everywhere
 *   row         a block, in units; number r of a row: the counters of the loops as mixed
 *               radix digits
 *
 * Threads work in groups, each of which takes a tile of a move. A short row is found by
 * each thread for each unit, a long one is cut into segments, each for 32 threads.
 */
#ifndef REDIST_MOVE_DRIVER_DEVICE_MOVE_H
#define REDIST_MOVE_DRIVER_DEVICE_MOVE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "move/driver/device_linear.h"

#ifdef __CUDACC__
#define DEVICE_INLINE static __device__ __forceinline__
#define DEVICE_UNROLL _Pragma("unroll")
#else
#define DEVICE_INLINE static inline
#define DEVICE_UNROLL
#endif

enum {
    DEVICE_LEVELS = 7,    /* most loops of a move */
    DEVICE_MOVES = 1024,  /* most moves of a launch */
    DEVICE_THREADS = 256, /* of a group */
    DEVICE_WARP = 32,     /* threads that take a segment */
    DEVICE_EACH = 4,      /* units that a thread moves at a time */
    DEVICE_TILE = DEVICE_THREADS * DEVICE_EACH,
    DEVICE_SEGMENT = DEVICE_WARP * DEVICE_EACH /* units */
};

/* Units of a move: their numbers, and quotients of them, fit 31 bits. */
#define DEVICE_MOST_UNITS ((int64_t)1 << 30)

/* Division of numbers below 2^31 by a constant: (high half of n * magic + n) >> shift. */
struct device_divisor {
    uint32_t value, magic, shift;
};

struct device_level {
    struct device_divisor count;
    int64_t step[2]; /* bytes: of the source, of the target */
};

struct device_move {
    char *to;
    const char *from;
    int32_t unit;                   /* bytes */
    int32_t linear;                 /* 1 + which coefficients combine it; 0: a copy */
    uint32_t units, tiles;          /* of all */
    uint32_t first;                 /* units of a round before it (device_window.h) */
    struct device_divisor row;      /* units of a block */
    struct device_divisor segments; /* of a long row; value 0: rows are short */
    int32_t n;
    struct device_level level[DEVICE_LEVELS]; /* [n], innermost first */
    /* Lists: the block of counter k of level 0 lies at place[k] blocks; NULL: as the
     * level's step says. */
    const uint32_t *place[2];
    int64_t block; /* bytes */
};

DEVICE_INLINE uint32_t device_divide(uint32_t n, struct device_divisor by)
{
#ifdef __CUDACC__
    uint32_t high = __umulhi(n, by.magic);
#else
    uint32_t high = (uint32_t)((uint64_t)n * by.magic >> 32);
#endif
    return (high + n) >> by.shift;
}

/* Find the last of n ascending numbers that is at most `at`, as the first is. They lie
 * `stride` bytes apart. */
DEVICE_INLINE int device_find_last(const uint32_t *numbers, size_t stride, int n,
                                   uint32_t at)
{
    int found = 0;
    while (n > 1) {
        const char *middle = (const char *)numbers + (size_t)(found + n / 2) * stride;
        bool before = *(const uint32_t *)(const void *)middle <= at;
        found += before ? n / 2 : 0;
        n = before ? n - n / 2 : n / 2;
    }
    return found;
}

/* Up to DEVICE_EACH units to copy: all are read before one is written. */
struct device_units {
    const char *from[DEVICE_EACH]; /* NULL: none */
    char *to[DEVICE_EACH];
};

#ifdef __CUDACC__
template <typename unit>
DEVICE_INLINE void device_copy_as(const struct device_units *units)
{
    unit value[DEVICE_EACH];
    DEVICE_UNROLL
    for (int k = 0; k < DEVICE_EACH; k++)
        if (units->from[k]) value[k] = *(const unit *)units->from[k];
    DEVICE_UNROLL
    for (int k = 0; k < DEVICE_EACH; k++)
        if (units->from[k]) *(unit *)units->to[k] = value[k];
}

DEVICE_INLINE void device_copy(int unit, const struct device_units *units)
{
    switch (unit) {
        case 16: device_copy_as<int4>(units); return;
        case 8: device_copy_as<int64_t>(units); return;
        case 4: device_copy_as<int32_t>(units); return;
        case 2: device_copy_as<int16_t>(units); return;
        default: device_copy_as<char>(units); return;
    }
}
#else
DEVICE_INLINE void device_copy(int unit, const struct device_units *units)
{
    for (int k = 0; k < DEVICE_EACH; k++) {
        if (!units->from[k]) continue;
        assert(((uintptr_t)units->from[k] | (uintptr_t)units->to[k]) % (unsigned)unit ==
               0);
        __builtin_memcpy(units->to[k], units->from[k], (size_t)unit);
    }
}
#endif

/* Find row number `row`: bytes from the move's begin on each side. */
DEVICE_INLINE void device_find_row(const struct device_move *move, uint32_t row,
                                   int64_t at[2])
{
    at[0] = at[1] = 0;
    for (int k = 0; k < move->n; k++) {
        const struct device_level *level = &move->level[k];
        uint32_t next = device_divide(row, level->count);
        int64_t c = row - next * level->count.value;
        row = next;
        for (int s = 0; s < 2; s++)
            at[s] += k == 0 && move->place[s] ? move->place[s][c] * move->block
                                              : c * level->step[s];
    }
}

/* Find unit number u so. */
DEVICE_INLINE void device_find_unit(const struct device_move *move, uint32_t u,
                                    int64_t at[2])
{
    uint32_t row = device_divide(u, move->row);
    int64_t within = (int64_t)(u - row * move->row.value) * move->unit;
    device_find_row(move, row, at);
    at[0] += within;
    at[1] += within;
}

/* Combine units, each a number. */
DEVICE_INLINE void device_combine(const struct device_linear *by,
                                  const struct device_units *units)
{
    DEVICE_UNROLL
    for (int k = 0; k < DEVICE_EACH; k++)
        if (units->from[k]) device_linear_run(by, units->to[k], units->from[k]);
}

/* The part of a thread in a tile. `linear`: the coefficients of the launch. */
DEVICE_INLINE void device_move_tile(const struct device_move *move,
                                    const struct device_linear linear[], uint32_t tile,
                                    uint32_t thread)
{
    struct device_units units;
    int64_t at[2];
    if (move->segments.value == 0) {
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++) {
            uint32_t u = tile * DEVICE_TILE + (uint32_t)k * DEVICE_THREADS + thread;
            units.from[k] = 0;
            if (u >= move->units) continue;
            device_find_unit(move, u, at);
            units.from[k] = move->from + at[0];
            units.to[k] = move->to + at[1];
        }
    } else {
        uint32_t segment = (tile * DEVICE_THREADS + thread) / DEVICE_WARP;
        uint32_t row = device_divide(segment, move->segments);
        uint32_t u = (segment - row * move->segments.value) * DEVICE_SEGMENT +
                     thread % DEVICE_WARP;
        if (row * move->row.value >= move->units) return;
        device_find_row(move, row, at);
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++, u += DEVICE_WARP) {
            int64_t within = (int64_t)u * move->unit;
            units.from[k] = u < move->row.value ? move->from + at[0] + within : 0;
            units.to[k] = move->to + at[1] + within;
        }
    }
    if (move->linear > 0)
        device_combine(&linear[move->linear - 1], &units);
    else
        device_copy(move->unit, &units);
}

#endif
