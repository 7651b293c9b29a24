/* SPDX-License-Identifier: MIT
 *
 * move/interleave/weave.h - walks that fill one stretch of the target without a gap, and
 * write each of its cache lines once: what they bring is put together in a small piece of
 * memory that stays in the cache, and goes to the target from there, past the cache.
 *
 *   strands   a . . a . .       b . b b . b       . . c . . c
 *                     \             |            /
 *   in cache             a b c a b c a b c ..             a batch at a time
 *                               |
 *   target    .. a b c a b c a b c a b c a b c            whole lines, never read
 *
 * One walk after the other would read and write back each of these lines for each of
 * them. What the strands bring may come bit by bit: the cloth grows as far as all of
 * them reach.
 */
#ifndef REDIST_MOVE_INTERLEAVE_WEAVE_H
#define REDIST_MOVE_INTERLEAVE_WEAVE_H

#include "move/walk/walk.h"

struct splice; /* splice.h */

/* A walk, and what it moves from. */
struct strand {
    struct walk *walk;
    enum way way;     /* WAY_COPY; or WAY_SCATTER */
    const char *from; /* the buffer of the source; or of the walk's next grain on */
    int64_t ready;    /* grains from the walk's beginning that are there */
    int64_t brought;  /* weave_on's: bytes of what was packed, in the last batch */
};

/* Bytes of the target that are filled, and how far they have been. */
struct weave {
    int64_t begin, at, end;
    const struct splice *splice; /* of the strands, if what is copied can be spliced */
};

/* Find out whether strands fill a stretch of the target without a gap, in ascending order
 * and in pieces so short that to weave them pays; if so, `*weave` is before it.
 * O(n dims). */
bool weave_make(const struct strand strands[], int64_t n, struct weave *weave);

/* Fill the target as far as all the strands are ready; what is combined must replace what
 * is there. What is large goes in shares, each by a thread (threads.h). Returns whether
 * it went on.
 * O(n (runs of a period)) for each batch. */
bool weave_on(struct weave *weave, struct strand strands[], int64_t n,
              const struct combine *combine, char *to);

/* Move all elements of all strands, which are of WAY_COPY and all there, to `to`,
 * combining them with what is there; `combine` NULL: they replace it. What fills a large
 * target is woven if that pays. */
void weave_all(struct strand strands[], int64_t n, const struct combine *combine,
               void *to);

#endif
