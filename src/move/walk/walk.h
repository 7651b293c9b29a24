/* SPDX-License-Identifier: MIT
 *
 * move/walk/walk.h - go over the elements of one message in their agreed order, where
 * they lie in memory: gather them into a dense buffer, scatter them from one, or copy
 * them from place to place. A walk counts in grains, of which an element has one or more:
 * it can stop before any of them and go on, so a message can travel in pieces of any
 * size.
 *
 *   axis 0   runs of dim 0     each element of an outer axis is one row of the inner ones
 *   axis 1   runs of dim 1     innermost dimensions that are whole and contiguous are
 *   ..                         not axes but `inner`: grains that always go together
 *
 * The walk knows the order, the kernels (copy.h) move the bytes: a piece is cut into
 * boxes, which are products of ranges of the axes, and a box into nests of regular loops.
 * Within a nest the kernels are free to choose their own order.
 *
 * Where elements lie anywhere, a walk has no axes, but lists (listed.h) in their place.
 */
#ifndef REDIST_MOVE_WALK_WALK_H
#define REDIST_MOVE_WALK_WALK_H

#include "base/lengths.h"
#include "intersect/overlap.h"
#include "move/runs/axis.h"
#include "move/walk/listed.h"
#include "move/walk/memory.h"

/* From so many bytes on writes go past the cache: what was written would be gone from it
 * before anyone reads it. */
enum { WALK_STREAM = LENGTH(8 << 20, 2 << 10) };

struct walk {
    int64_t grain;         /* bytes */
    int64_t inner;         /* grains at each step of the innermost axis */
    int64_t total;         /* grains of the message, or of its part */
    int64_t first;         /* grains of the message before it; 0 unless it was cut */
    int64_t done;          /* grains of the message that lie behind the walk */
    int64_t offset[SIDES]; /* bytes from a buffer's start */
    bool stream;           /* the target is too large for the cache: write past it */
    const struct memory_kind *memory; /* of the sides that are in memory, if any is not in
                                         host memory: its functions take both */
    const struct listed *list[SIDES]; /* of the sides that are in memory, or NULL */
    int naxes;                        /* >= 1; with lists 0 */
    int across; /* the axis that is the source's innermost; naxes - 1 unless transposed */
    struct axis *axis; /* [naxes], outermost first; the caller's room for ndims */
};

/* One side of the memory of the calling process. */
struct memory_side {
    const redist_view *view;
    struct layout layout;
};

/* Which sides are in memory; a side that is not is a dense buffer. */
enum way { WAY_GATHER, WAY_SCATTER, WAY_COPY };

static inline bool way_in_memory(enum way way, int s)
{
    return way == WAY_COPY || (way == WAY_GATHER) == (s == REDIST_SOURCE);
}

/* An element is one or more whole grains, or, where there are lists, a grain elements. */
struct sizes { /* bytes */
    int64_t element, grain;
};

/* Make the walk of `message` in `axis`[ndims], the dimensions in the order of the
 * target's memory. Dimensions are folded into `inner` where the sides that `way` needs
 * allow it.
 * O(ndims). */
void walk_make(const struct overlap *overlap, const struct message *message,
               const struct memory_side sides[SIDES], struct sizes sizes, enum way way,
               struct axis *axis, struct walk *walk);

/* Make the walk of a message that has lists instead. A grain is an element of `size`
 * bytes, or a block of them; `list` is NULL for a side that is not in memory.
 * O(1). */
void walk_make_listed(const struct listed *const list[SIDES], int64_t size,
                      struct walk *walk);
static inline bool walk_is_listed(const struct walk *walk)
{
    return walk->list[0] || walk->list[1];
}

/* Whether all elements lie side by side on side `s`, from offset[s] + the place of the
 * first on; if so `*offset` is that place in bytes. */
bool walk_is_contiguous(const struct walk *walk, redist_side s, int64_t *offset);

/* The stretches of side `s` in which the elements lie that are side by side both there
 * and in the message. O(runs of one period). */
int64_t walk_blocks(const struct walk *walk, redist_side s);

/* ---- where a walk lies in memory ---- */

/* Find the bytes lo .. hi - 1 of side `s` between which it lies, the first and the last
 * of them its own; false: they do not ascend as it goes, or it goes by lists.
 * O(dims). */
bool walk_bounds(const struct walk *walk, redist_side s, int64_t *lo, int64_t *hi);

/* Count the grains that lie before byte `at` of side `s`. They ascend.
 * O(runs of a period). */
int64_t walk_before(const struct walk *walk, redist_side s, int64_t at);

/* Find where a grain lies. O(1) where the last move ended, else O(runs of a period). */
struct place walk_place(struct walk *walk, enum way way, int64_t grain);

/* Find where local index 0 of the innermost axis lies, in memory, in row `row` of those
 * that the other axes make. As walk_place. */
struct place walk_row(struct walk *walk, int64_t row);

/* The bytes that lie side by side on both sides, on the average of a period. */
int64_t walk_mean_run(const struct walk *walk);

/* Whether n grains are packed by the table of a period (pack_periodic.h), and so written
 * in their order, line by line. O(runs of a period). */
bool walk_packs_periodic(const struct walk *walk, int64_t n);

/* ---- moving ---- */

/* Go over `n` grains of the message only, from grain `first` on: only to be moved, as all
 * that is said of where it lies is of the whole. O(1). */
void walk_cut(struct walk *walk, int64_t first, int64_t n);

/* Count the grains of a part that is quick to begin and to end: a whole period or row of
 * the outermost axis of which one is no more than `most` bytes. O(dims). */
int64_t walk_unit(const struct walk *walk, int64_t most);

/* The same walk with axes of its own, in `axis`[naxes], to be moved beside it.
 * O(dims). */
struct walk walk_apart(const struct walk *walk, struct axis *axis);

/* Put the walk before grain `grain` of those it goes over. O(1); the next move finds its
 * place in O(runs) if it is not where the last one ended. */
void walk_seek(struct walk *walk, int64_t grain);

/* Move the next `n` grains (no more than are left): from `from` to `to`, each of which
 * is the buffer of its side or, where the way has it so, a dense buffer whose first
 * grain is the next of the walk. */
void walk_move(struct walk *walk, enum way way, const void *from, void *to, int64_t n);

/* The same, combining what it moves with what is there; NULL: it copies. A grain is a
 * number, or several. What is large goes in shares, each by a thread (threads.h). */
void walk_combine(struct walk *walk, enum way way, const struct combine *combine,
                  const void *from, void *to, int64_t n);

#endif
