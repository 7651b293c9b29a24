/* SPDX-License-Identifier: MIT
 *
 * move/interleave/interleave.h - interleave several walks that together fill a contiguous
 * part of the target without gaps. Each cache line of the target is written once. A batch
 * is assembled in a buffer that stays in the cache and is then written past the cache.
 *
 *   inputs   a . . a . .       b . b b . b       . . c . . c
 *                     \             |            /
 *   in cache             a b c a b c a b c ..             a batch at a time
 *                               |
 *   target    .. a b c a b c a b c a b c a b c            whole lines, never read
 *
 * Run one after the other, the walks would each read and write back each of these lines.
 * Inputs may arrive bit by bit: the target is filled as far as all of them are complete.
 */
#ifndef REDIST_MOVE_INTERLEAVE_INTERLEAVE_H
#define REDIST_MOVE_INTERLEAVE_INTERLEAVE_H

#include "move/walk/walk.h"

struct run_table; /* run_table.h */

/* A walk and its source. */
struct input {
    struct walk *walk;
    enum way way;     /* WAY_COPY; or WAY_SCATTER */
    const char *from; /* the source's buffer, or packed data from the walk's next grain
                         on */
    int64_t ready;    /* grains from the walk's beginning that are complete */
    int64_t brought;  /* for interleave_advance: bytes it packed in the last batch */
};

/* Bytes begin .. end - 1 of the target; those before `at` are filled. */
struct interleave {
    int64_t begin, at, end;
    const struct run_table
        *table; /* of the inputs, if copies can be interleaved by table */
};

/* Tell whether the inputs fill a contiguous part of the target without gaps, in ascending
 * order, by runs so short that interleaving pays. If so, `*interleave` is set to its
 * beginning. O(n dims). */
bool interleave_make(const struct input inputs[], int64_t n,
                     struct interleave *interleave);

/* Fill the target as far as all inputs are ready. `combine` must replace the target's
 * values. Large amounts are split among threads (threads.h). Returns whether anything was
 * filled.
 * O(n (runs of a period)) for each batch. */
bool interleave_advance(struct interleave *interleave, struct input inputs[], int64_t n,
                        const struct combine *combine, char *to);

/* Move all elements of all inputs, which are complete and of WAY_COPY, to `to`. They are
 * combined with the target's values; `combine` NULL: they replace them. Large targets are
 * interleaved if that pays. */
void interleave_all(struct input inputs[], int64_t n, const struct combine *combine,
                    void *to);

#endif
