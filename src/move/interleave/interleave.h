/* SPDX-License-Identifier: MIT
 *
 * move/interleave/interleave.h - walks that fill one stretch of the target without a gap,
 * and write each of its cache lines once: what they bring is put together in a small
 * piece of memory that stays in the cache, and goes to the target from there, past the
 * cache.
 *
 *   inputs   a . . a . .       b . b b . b       . . c . . c
 *                     \             |            /
 *   in cache             a b c a b c a b c ..             a batch at a time
 *                               |
 *   target    .. a b c a b c a b c a b c a b c            whole lines, never read
 *
 * One walk after the other would read and write back each of these lines for each of
 * them. What the inputs bring may come bit by bit: the cloth grows as far as all of
 * them reach.
 */
#ifndef REDIST_MOVE_INTERLEAVE_INTERLEAVE_H
#define REDIST_MOVE_INTERLEAVE_INTERLEAVE_H

#include "move/walk/walk.h"

struct run_table; /* run_table.h */

/* A walk, and what it moves from. */
struct input {
    struct walk *walk;
    enum way way;     /* WAY_COPY; or WAY_SCATTER */
    const char *from; /* the buffer of the source; or of the walk's next grain on */
    int64_t ready;    /* grains from the walk's beginning that are there */
    int64_t
        brought; /* interleave_advance's: bytes of what was packed, in the last batch */
};

/* Bytes of the target that are filled, and how far they have been. */
struct interleave {
    int64_t begin, at, end;
    const struct run_table
        *table; /* of the inputs, if what is copied can be interleaved by table */
};

/* Find out whether inputs fill a stretch of the target without a gap, in ascending order
 * and in pieces so short that to interleave them pays; if so, `*interleave` is before it.
 * O(n dims). */
bool interleave_make(const struct input inputs[], int64_t n,
                     struct interleave *interleave);

/* Fill the target as far as all the inputs are ready; what is combined must replace what
 * is there. What is large goes in shares, each by a thread (threads.h). Returns whether
 * it went on.
 * O(n (runs of a period)) for each batch. */
bool interleave_advance(struct interleave *interleave, struct input inputs[], int64_t n,
                        const struct combine *combine, char *to);

/* Move all elements of all inputs, which are of WAY_COPY and all there, to `to`,
 * combining them with what is there; `combine` NULL: they replace it. What fills a large
 * target is interleaved if that pays. */
void interleave_all(struct input inputs[], int64_t n, const struct combine *combine,
                    void *to);

#endif
