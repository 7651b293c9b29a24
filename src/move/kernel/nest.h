/* SPDX-License-Identifier: MIT
 *
 * move/kernel/nest.h - perfectly nested loops over blocks of bytes, the unit of work of
 * the kernels.
 *
 *   for c0 in 0 .. level[0].count - 1
 *     for c1 in 0 .. level[1].count - 1
 *       ..  copy `block` bytes
 *             from + c0 level[0].step[SOURCE] + c1 level[1].step[SOURCE] ..
 *             to   + c0 level[0].step[TARGET] + c1 level[1].step[TARGET] ..
 *
 * or combine them with the target's values. No two blocks of a nest share a byte of the
 * target, so the loops may run in any order.
 */
#ifndef REDIST_MOVE_KERNEL_NEST_H
#define REDIST_MOVE_KERNEL_NEST_H

#include "intersect/runs.h"

struct combine; /* combine.h */

struct level {
    int64_t count;
    int64_t step[SIDES]; /* bytes */
};

/* Each axis of a walk makes up to three loops: repetitions, runs, elements of a run. */
enum { NEST_MAX_LEVELS = 3 * REDIST_MAX_DIMS };

struct nest {
    int64_t block;                 /* contiguous bytes on both sides */
    bool stream;                   /* the target is too large to stay in the cache */
    const struct combine *combine; /* with the target's values; NULL: copy */
    int n;
    struct level level[NEST_MAX_LEVELS]; /* [n], outermost first */
};

/* Add a loop inside all others. It is merged with the last one if they continue each
 * other on both sides, and omitted if it runs once. Steps are passed one by one, never as
 * a struct: a compiler copies a struct as one vector, which must wait for the separate
 * stores before it. On short nests this takes longer than all the rest. */
static inline void nest_push(struct nest *nest, int64_t count, int64_t source_step,
                             int64_t target_step)
{
    if (count == 1) return;
    struct level *last = nest->n > 0 ? &nest->level[nest->n - 1] : NULL;
    if (last && last->step[0] == count * source_step &&
        last->step[1] == count * target_step)
        count *= last->count;
    else
        last = &nest->level[nest->n++];
    last->count = count;
    last->step[REDIST_SOURCE] = source_step;
    last->step[REDIST_TARGET] = target_step;
}

#endif
