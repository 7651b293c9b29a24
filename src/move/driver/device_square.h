/* SPDX-License-Identifier: MIT
 *
 * move/driver/device_square.h - a move whose blocks follow each other in one loop in the
 * source, in another in the target: squares of blocks go through the memory that a group
 * of threads shares, read row by row and written column by column. Compiled as
 * device_move.h.
 */
#ifndef REDIST_MOVE_DRIVER_DEVICE_SQUARE_H
#define REDIST_MOVE_DRIVER_DEVICE_SQUARE_H

#include "move/driver/device_window.h"

enum {
    SQUARE_WIDE = 32,  /* units of a side, of 8 bytes or more, */
    SQUARE_SHORT = 64, /* or of fewer */
    SQUARE_LEAST = 16  /* units: shorter loops are not worth it */
};

/* A move of which level[0] is the loop of the source's neighbours, level[1] that of the
 * target's; a block is one unit. */
struct square_job {
    int32_t move;
    struct device_divisor across[2]; /* squares in each loop */
    uint32_t tiles;
};

/* Copy one square between a side and the shared memory. A square's rows in there are one
 * unit longer, so that its columns lie in different banks. `unit` is that of the move. */
DEVICE_INLINE void square_copy(const struct square_job *job,
                               const struct device_move *move, uint32_t tile,
                               uint32_t unit, int side, struct window_state *state,
                               uint32_t thread)
{
    struct window_units units;
    const struct device_level *level = move->level;
    uint32_t length = unit >= 8 ? SQUARE_WIDE : SQUARE_SHORT, begin[2], rest[2];
    int64_t at = 0;
    rest[0] = device_divide(tile, job->across[0]);
    begin[0] = (tile - rest[0] * job->across[0].value) * length;
    rest[1] = device_divide(rest[0], job->across[1]);
    begin[1] = (rest[0] - rest[1] * job->across[1].value) * length;
    for (int k = 2; k < move->n; k++) {
        uint32_t next = device_divide(rest[1], level[k].count);
        at += (int64_t)(rest[1] - next * level[k].count.value) * level[k].step[side];
        rest[1] = next;
    }
    uint32_t inner = thread % length; /* the neighbours of this side */
    for (uint32_t row = thread / length; row < length;
         row += DEVICE_EACH * (DEVICE_THREADS / length)) {
        DEVICE_UNROLL
        for (int k = 0; k < DEVICE_EACH; k++) {
            uint32_t outer = row + (uint32_t)k * (DEVICE_THREADS / length);
            uint32_t c[2] = {side ? outer : inner, side ? inner : outer};
            bool moves = outer < length && begin[0] + c[0] < level[0].count.value &&
                         begin[1] + c[1] < level[1].count.value;
            int64_t place = at + (int64_t)(begin[0] + c[0]) * level[0].step[side] +
                            (int64_t)(begin[1] + c[1]) * level[1].step[side];
            char *at_side = side ? move->to : (char *)(uintptr_t)move->from;
            units.far[k] = moves ? at_side + place : 0;
            units.here[k] = (c[1] * (length + 1) + c[0]) * unit;
        }
        window_pass(unit, &units, side == 0, state->data);
    }
}

#endif
