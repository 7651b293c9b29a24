/* SPDX-License-Identifier: MIT */
#include "intersect/merge.h"

#include "base/error.h"
#include "base/intmath.h"

/* Some runs, with the coordinate that shares them. */
struct piece {
    int coord;
    struct run run;
};

struct merge {
    struct mem_account *account;
    struct side side[SIDES];
    redist_side own, other;
    int c;          /* the own coordinate */
    int64_t window; /* one period, or all if shorter */
    int64_t n, room;
    struct piece *piece;
};

static redist_err emit(struct merge *merge, int coord, struct run run)
{
    const struct piece piece = {coord, run};
    return mem_append(merge->account, &merge->piece, &merge->n, &merge->room, &piece,
                      sizeof piece);
}

/* The local index of section element k, which lies in `block`. */
static int64_t local_in(const struct side *side, const struct block *block, int64_t k)
{
    return block->local + (k - block->begin) * side->stride;
}

/* Where a coordinate has one run in each period of its side, those within a long block of
 * the other side form a progression, except for partial ones at the long block's ends:
 *
 *   long    |=====================|      head, body (here 3 runs), tail
 *   small  xx..xxx..xxx..xxx..xxx..xxx
 */
static redist_err emit_nested(struct merge *merge, int coord, redist_side small,
                              int small_coord, const struct block *within, int64_t from)
{
    const struct side *s = &merge->side[small], *l = &merge->side[!small];
    int64_t period = side_period(s), end = int_min(within->end, merge->window);
    int64_t k = side_next_owned(s, small_coord, from);
    while (k < end) {
        struct block block = side_block_at(s, k);
        int64_t length = int_min(block.end, end) - k;
        struct run run = {.at = k, .length = length, .count = 1};
        run.local[small] = local_in(s, &block, k);
        run.local[!small] = local_in(l, within, k);
        k = side_next_owned(s, small_coord, k + length);
        if (k == run.at + period && end - k >= length) { /* whole, as the next ones are */
            run.count = (end - run.at - length) / period + 1;
            run.step = period;
            run.local_step[small] = side_local_advance(s, period);
            run.local_step[!small] = period * l->stride;
            int64_t last = run.at + (run.count - 1) * period;
            k = side_next_owned(s, small_coord, last + length);
        }
        TRY(emit(merge, coord, run));
    }
    return REDIST_OK;
}

/* Tell whether a side's period fits into the block at least twice. */
static bool nests(const struct merge *merge, redist_side small,
                  const struct block *within)
{
    return (within->end - within->begin) / 2 >= side_period(&merge->side[small]);
}

/* Cut one own block at the ends of the other side's blocks. */
static redist_err emit_cut(struct merge *merge, const struct block *block, int64_t from)
{
    int64_t end = int_min(block->end, merge->window);
    for (int64_t k = from; k < end;) {
        const struct side *own = &merge->side[merge->own],
                          *other = &merge->side[merge->other];
        struct block cut = side_block_at(other, k);
        struct run run = {.at = k, .length = int_min(cut.end, end) - k, .count = 1};
        run.local[merge->own] = local_in(own, block, k);
        run.local[merge->other] = local_in(other, &cut, k);
        TRY(emit(merge, cut.owner, run));
        k += run.length;
    }
    return REDIST_OK;
}

static redist_err walk(struct merge *merge)
{
    const struct side *own = &merge->side[merge->own],
                      *other = &merge->side[merge->other];
    redist_err err = REDIST_OK;
    int64_t k = side_next_owned(own, merge->c, 0);
    while (!err && k < merge->window) {
        struct block theirs = side_block_at(other, k), block = side_block_at(own, k);
        if (nests(merge, merge->own, &theirs)) {
            err = emit_nested(merge, theirs.owner, merge->own, merge->c, &theirs, k);
            k = theirs.end;
        } else if (nests(merge, merge->other, &block)) {
            for (int q = 0; !err && q < other->dim->procs; q++)
                err = emit_nested(merge, q, merge->other, q, &block, k);
            k = block.end;
        } else {
            err = emit_cut(merge, &block, k);
            k = block.end;
        }
        k = side_next_owned(own, merge->c, k);
    }
    return err;
}

static int by_coord(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->coord != y->coord) return x->coord < y->coord ? -1 : 1;
    return (x->run.at > y->run.at) - (x->run.at < y->run.at);
}

static redist_err group(struct merge *merge, struct partners *partners)
{
    mem_sort(merge->piece, merge->n, sizeof *merge->piece, by_coord);
    struct runs_builder builder = {.account = merge->account};
    redist_err err = REDIST_OK;
    for (int64_t j = 0; !err && j < merge->n; j++) {
        const struct piece *piece = &merge->piece[j];
        err = runs_append(&builder, piece->run);
        bool last = j + 1 == merge->n || piece[1].coord != piece->coord;
        if (!err && last)
            err = partners_append(partners, piece->coord, &builder, merge->side,
                                  merge->window);
    }
    mem_free(builder.run);
    return err;
}

redist_err merge_partners(const struct side sides[SIDES], redist_side own, int c,
                          struct partners *partners)
{
    struct merge merge = {
        .account = partners->account,
        .side = {sides[0], sides[1]},
        .own = own,
        .other = own == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE,
        .c = c,
    };
    int64_t period = INT64_MAX, x = side_period(&sides[0]), y = side_period(&sides[1]);
    if (x < INT64_MAX && y < INT64_MAX) (void)int_lcm(x, y, &period);
    merge.window = int_min(period, sides[0].extent);
    redist_err err = walk(&merge);
    if (!err) err = group(&merge, partners);
    mem_free(merge.piece);
    return err;
}
