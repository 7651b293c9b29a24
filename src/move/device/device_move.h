/* SPDX-License-Identifier: MIT
 *
 * move/device/device_move.h - a nest as a device runs it: each thread copies some of its
 * units, which it finds by their number. Compiled for the host and, as CUDA, for devices.
 *
 *   unit        the longest piece of 1, 2, 4, 8 or 16 bytes that is aligned everywhere
 *   number u    a unit of the block, and the counters of the loops: mixed radix digits,
 *               the unit's first
 *
 * The units of a launch are dealt out in tiles, which blocks of threads take. Moves of
 * one message traverse the same memory, so their tiles are taken in turns.
 */
#ifndef REDIST_MOVE_DEVICE_DEVICE_MOVE_H
#define REDIST_MOVE_DEVICE_DEVICE_MOVE_H

#include <stdint.h>

#ifdef __CUDACC__
#define DEVICE_INLINE static __device__ __forceinline__
#else
#define DEVICE_INLINE static inline
#endif

enum {
    DEVICE_LEVELS = 7,   /* most loops of a move */
    DEVICE_MOVES = 1024, /* most moves of a launch */
    DEVICE_TILE = 2048   /* units */
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
    int32_t unit;              /* bytes */
    uint32_t units;            /* of all */
    struct device_divisor row; /* units of a block */
    int32_t n;
    struct device_level level[DEVICE_LEVELS]; /* [n], innermost first */
    /* Lists: the block of counter k of level 0 lies at place[k] blocks; NULL: as the
     * level's step says. */
    const int64_t *place[2];
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

/* Copy one unit. */
DEVICE_INLINE void device_copy(int unit, char *to, const char *from)
{
#ifdef __CUDACC__
    switch (unit) {
        case 16: *(int4 *)to = *(const int4 *)from; return;
        case 8: *(int64_t *)to = *(const int64_t *)from; return;
        case 4: *(int32_t *)to = *(const int32_t *)from; return;
        case 2: *(int16_t *)to = *(const int16_t *)from; return;
        default: *to = *from; return;
    }
#else
    __builtin_memcpy(to, from, (size_t)unit);
#endif
}

/* Move unit number u. */
DEVICE_INLINE void device_move_unit(const struct device_move *move, uint32_t u)
{
    uint32_t rest = device_divide(u, move->row);
    int64_t within = (int64_t)(u - rest * move->row.value) * move->unit;
    int64_t source = within, target = within;
    for (int k = 0; k < move->n; k++) {
        const struct device_level *level = &move->level[k];
        uint32_t next = device_divide(rest, level->count);
        int64_t c = rest - next * level->count.value;
        rest = next;
        source += k == 0 && move->place[0] ? move->place[0][c] * move->block
                                           : c * level->step[0];
        target += k == 0 && move->place[1] ? move->place[1][c] * move->block
                                           : c * level->step[1];
    }
    device_copy(move->unit, move->to + target, move->from + source);
}

#endif
