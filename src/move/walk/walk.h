/* SPDX-License-Identifier: MIT
 *
 * move/walk/walk.h - traverse the elements of one message in their agreed order: gather
 * them from memory into a dense buffer, scatter them from one, or copy them from array to
 * array. A walk counts in grains, of which an element has one or more. It can stop before
 * any grain and continue later, so a message can travel in pieces of any size.
 *
 *   axis 0   runs of dim 0     each element of an outer axis is one row of the inner ones
 *   axis 1   runs of dim 1     innermost dimensions that are whole and contiguous are
 *   ..                         not axes but `inner`: grains that always go together
 *
 * The walk knows the order, the kind of memory (memory.h) moves the bytes. A piece is cut
 * into boxes, which are products of ranges of the axes, and a box into nests of regular
 * loops. Within a nest the kernels may choose their own order.
 *
 * For index lists, a walk has lists (listed.h) instead of axes.
 */
#ifndef REDIST_MOVE_WALK_WALK_H
#define REDIST_MOVE_WALK_WALK_H

#include "base/lengths.h"
#include "intersect/overlap.h"
#include "move/runs/axis.h"
#include "move/walk/listed.h"
#include "move/walk/memory.h"

/* Non-temporal stores are used for targets of at least this many bytes, which the cache
 * would evict before they are read. */
enum { WALK_STREAM = LENGTH(8 << 20, 2 << 10) };

struct walk {
    int64_t grain;         /* bytes, in the source and in dense buffers */
    int64_t target;        /* its bytes in the target; other than grain if converted */
    int64_t inner;         /* grains at each step of the innermost axis */
    int64_t total;         /* grains of the message, or of the part it was cut to */
    int64_t first;         /* grains of the message before that part; 0 unless cut */
    int64_t done;          /* grains of the message already moved */
    int64_t offset[SIDES]; /* bytes from a buffer's start */
    bool stream;           /* the target is too large for the cache: write past it */
    struct memory *memory; /* of the sides that are in memory; not host memory
                                         if either is not */
    const struct listed *list[SIDES]; /* on sides that are in memory; NULL: views */
    int naxes;                        /* >= 1; with lists 0 */
    int64_t panel;     /* elements of the innermost axis: of all rows, so many travel
                          before the next ones; 0: rows travel whole */
    int rows;          /* with panels: the axis that is next to the innermost in them */
    int across;        /* the axis that is innermost in the source; naxes - 1 unless
                          transposed */
    struct axis *axis; /* [naxes], outermost first; provided by the caller, with room for
                          ndims */
};

/* One side of the calling process's memory. */
struct memory_side {
    const redist_view *view;
    struct layout layout;
};

/* Which sides are in memory. The other side is a dense buffer. */
enum way { WAY_GATHER, WAY_SCATTER, WAY_COPY };

static inline bool way_in_memory(enum way way, int s)
{
    return way == WAY_COPY || (way == WAY_GATHER) == (s == REDIST_SOURCE);
}

/* An element is one or more grains. With lists, a grain is one or more elements. */
struct sizes { /* bytes */
    int64_t element, grain;
    int64_t target; /* of an element of the target, if it is converted; else 0. A grain
                       is then whole elements */
};

/* The sizes on side `s`; those of messages are the source's. */
static inline int64_t sizes_element(struct sizes sizes, int s)
{
    return s == REDIST_TARGET && sizes.target ? sizes.target : sizes.element;
}
static inline int64_t sizes_grain(struct sizes sizes, int s)
{
    bool converted = s == REDIST_TARGET && sizes.target;
    return converted ? sizes.grain / sizes.element * sizes.target : sizes.grain;
}

/* Make the walk of `message`. `axis`[ndims] has the dimensions in the order of the
 * target's memory. Inner dimensions become `inner` where the sides in memory of `way`
 * allow it. With `panels`, long rows that lie across the source's travel panel by panel,
 * each of some columns of all rows, and within a panel those rows follow each other that
 * do so in the source: a piece then has parts of many rows, and is transposed by tiles.
 * Both ends of a message find the same panels. O(ndims^2). */
void walk_make(const struct overlap *overlap, const struct message *message,
               const struct memory_side sides[SIDES], struct sizes sizes, enum way way,
               bool panels, struct axis *axis, struct walk *walk);

/* Make the walk of a message by index lists. A grain is an element, or a block of them;
 * `list` is NULL for a side that is not in memory. O(1). */
void walk_make_listed(const struct listed *const list[SIDES], struct sizes sizes,
                      enum way way, struct walk *walk);
static inline bool walk_is_listed(const struct walk *walk)
{
    return walk->list[0] || walk->list[1];
}

static inline int64_t walk_grain(const struct walk *walk, int s)
{
    return s == REDIST_TARGET ? walk->target : walk->grain;
}

/* Tell whether all elements are contiguous on side `s`, from offset[s] + the place of the
 * first on; if so `*offset` is that place in bytes. */
bool walk_is_contiguous(const struct walk *walk, redist_side s, int64_t *offset);

/* Count the blocks of side `s` that are contiguous both there and in the message. O(runs
 * of one period). */
int64_t walk_blocks(const struct walk *walk, redist_side s);

/* ---- the place of a walk in memory ---- */

/* Find the bytes lo .. hi - 1 of side `s` that the walk lies within; the first and the
 * last of them are its own. Returns false if the elements do not ascend, or lie by lists.
 * O(dims). */
bool walk_bounds(const struct walk *walk, redist_side s, int64_t *lo, int64_t *hi);

/* Count the grains that lie before byte `at` of side `s`, where they ascend.
 * O(runs of a period). */
int64_t walk_before(const struct walk *walk, redist_side s, int64_t at);

/* Find the place of a grain. O(1) at the end of the last move, else O(runs of a
 * period). */
struct place walk_place(struct walk *walk, enum way way, int64_t grain);

/* Find the place in memory of local index 0 of the innermost axis, in row `row` of the
 * other axes. Cost as walk_place. */
struct place walk_row(struct walk *walk, int64_t row);

/* Return the mean bytes, over a period, that are contiguous on both sides. */
int64_t walk_mean_run(const struct walk *walk);

/* Tell whether n grains are packed by the table of a period (pack_periodic.h), and so are
 * written in order, line by line. O(runs of a period). */
bool walk_packs_periodic(const struct walk *walk, int64_t n);

/* ---- moving ---- */

/* Find the elements of the innermost axis that a transposed box traverses at a time. */
int64_t walk_strip(const struct walk *walk, const struct combine *combine);

/* Restrict the walk to `n` grains of the message, from grain `first` on. Use it for
 * moving only: queries of places still refer to the whole message. O(1). */
void walk_cut(struct walk *walk, int64_t first, int64_t n);

/* Copy a walk, with axes of its own in `axis`[naxes], so that both can move at once. */
struct walk walk_apart(const struct walk *walk, struct axis *axis);

/* Set the walk to grain `grain`. O(1); the next move takes O(runs) to find its place,
 * unless it is where the last move ended. */
void walk_seek(struct walk *walk, int64_t grain);

/* Move the next `n` grains (at most those left). `from` and `to` are each the buffer of
 * their side or, for a side that is not in memory, a dense buffer that begins with the
 * walk's next grain. */
void walk_move(struct walk *walk, enum way way, const void *from, void *to, int64_t n);

/* As walk_move, and combine the elements with the target's values; NULL: copy. A grain is
 * one or more numbers. Large amounts are split among threads (threads.h). */
void walk_combine(struct walk *walk, enum way way, const struct combine *combine,
                  const void *from, void *to, int64_t n);

#endif
