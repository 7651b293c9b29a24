/* SPDX-License-Identifier: MIT */
#include "describe/dim.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- making ------------------------------------------------------------------------ */

static redist_err make_regular(int i, const redist_format *format, struct dim *dim)
{
    int64_t m = format->block;
    bool even = dim->kind == REDIST_BLOCK && m == REDIST_EVEN_BLOCK;
    if (even || dim->kind == REDIST_COLLAPSED)
        m = int_max(int_ceil_div(dim->extent, dim->procs), 1);
    if (m < 1)
        return error_arg("dim %d: %s is %" PRId64 ", must be >= 1", i,
                         dim->kind == REDIST_CYCLIC ? "cyclic block" : "block", m);
    if (dim->kind == REDIST_BLOCK && int_ceil_div(dim->extent, m) > dim->procs)
        return error_arg("dim %d: block(%" PRId64
                         ") onto %d processes does not cover %" PRId64 " elements",
                         i, m, dim->procs, dim->extent);
    dim->written = even ? REDIST_EVEN_BLOCK : m;
    /* On one coordinate all blocks are contiguous, and become one. */
    int64_t whole = int_max(dim->extent, 1);
    dim->m = dim->procs == 1 ? whole : int_min(m, whole);
    return REDIST_OK;
}

static redist_err reserve_blocks(struct dim *dim, int64_t nblocks)
{
    int64_t nowners = int_min(nblocks, dim->procs);
    dim->blocks = mem_alloc(NULL, nblocks, sizeof *dim->blocks);
    dim->own = mem_alloc(NULL, nblocks, sizeof *dim->own);
    dim->owners = mem_alloc(NULL, nowners, sizeof *dim->owners);
    dim->own_begin = mem_alloc(NULL, nowners + 1, sizeof *dim->own_begin);
    return dim->blocks && dim->own && dim->owners && dim->own_begin ? REDIST_OK
                                                                    : REDIST_ERR_MEMORY;
}

static void append_block(struct dim *dim, int owner, int64_t size)
{
    int64_t begin = dim->nblocks ? dim->blocks[dim->nblocks - 1].end : 0;
    dim->blocks[dim->nblocks++] = (struct block){begin, begin + size, 0, owner};
}

/* Sort the ids of the blocks by owner, and leave those of one owner in their order: a
 * radix sort, whose time and memory do not depend on how many coordinates there are.
 * O(blocks log procs). MEMORY. */
static redist_err sort_by_owner(struct dim *dim)
{
    enum { BITS = 8, DIGITS = 1 << BITS };
    int64_t n = dim->nblocks, *from = dim->own;
    int64_t *to = mem_alloc(NULL, n, sizeof *to);
    if (!to) return REDIST_ERR_MEMORY;
    for (int64_t b = 0; b < n; b++) from[b] = b;
    for (int shift = 0; ((int64_t)dim->procs - 1) >> shift > 0; shift += BITS) {
        int64_t end[DIGITS + 1] = {0};
        for (int64_t b = 0; b < n; b++)
            end[(dim->blocks[b].owner >> shift) % DIGITS + 1]++;
        for (int digit = 0; digit < DIGITS; digit++) end[digit + 1] += end[digit];
        for (int64_t j = 0; j < n; j++)
            to[end[(dim->blocks[from[j]].owner >> shift) % DIGITS]++] = from[j];
        int64_t *sorted = to;
        to = from;
        from = sorted;
    }
    dim->own = from;
    mem_free(to);
    return REDIST_OK;
}

/* Group the blocks by owner, and find where each lies in its owner's local array. */
static redist_err index_blocks(struct dim *dim)
{
    TRY(sort_by_owner(dim));
    int64_t local = 0;
    for (int64_t j = 0; j < dim->nblocks; j++) {
        struct block *block = &dim->blocks[dim->own[j]];
        if (dim->nowners == 0 || dim->owners[dim->nowners - 1] != block->owner) {
            dim->owners[dim->nowners] = block->owner;
            dim->own_begin[dim->nowners++] = j;
            local = 0;
        }
        block->local = local;
        local += block->end - block->begin;
    }
    dim->own_begin[dim->nowners] = dim->nblocks;
    return REDIST_OK;
}

static redist_err make_gen_block(int i, const redist_format *format, struct dim *dim)
{
    if (!format->sizes) return error_arg("dim %d: gen_block sizes is NULL", i);
    int64_t sum = 0, nblocks = 0;
    for (int k = 0; k < dim->procs; k++) {
        int64_t size = format->sizes[k];
        if (size < 0)
            return error_arg("dim %d: gen_block size %d is %" PRId64 ", must be >= 0", i,
                             k, size);
        if (!int_add(sum, size, &sum)) sum = INT64_MAX;
        nblocks += size > 0;
    }
    if (sum != dim->extent)
        return error_arg("dim %d: gen_block sizes sum to %" PRId64
                         ", the extent is %" PRId64,
                         i, sum, dim->extent);
    TRY(reserve_blocks(dim, nblocks));
    for (int k = 0; k < dim->procs; k++) {
        int owner = (int)(((int64_t)dim->first + k) % dim->procs);
        if (format->sizes[k] > 0) append_block(dim, owner, format->sizes[k]);
    }
    return index_blocks(dim);
}

static redist_err make_indirect(int i, const redist_format *format, struct dim *dim)
{
    if (!format->owners && dim->extent > 0)
        return error_arg("dim %d: indirect owners is NULL", i);
    const int *owners = format->owners;
    int64_t nblocks = 0;
    for (int64_t e = 0; e < dim->extent; e++) {
        if (owners[e] < 0 || owners[e] >= dim->procs)
            return error_arg("dim %d: owner of element %" PRId64
                             " is %d, must be 0 to %d",
                             i, e, owners[e], dim->procs - 1);
        nblocks += e == 0 || owners[e] != owners[e - 1];
    }
    TRY(reserve_blocks(dim, nblocks));
    for (int64_t e = 0; e < dim->extent; e++) {
        if (e == 0 || owners[e] != owners[e - 1])
            append_block(dim, owners[e], 1);
        else
            dim->blocks[dim->nblocks - 1].end++;
    }
    return index_blocks(dim);
}

redist_err dim_make(int i, int64_t extent, const redist_format *format, int procs,
                    int axis, struct dim *dim)
{
    *dim = (struct dim){.kind = format->kind,
                        .extent = extent,
                        .procs = procs,
                        .axis = axis,
                        .first = format->first};
    if (extent < 0)
        return error_arg("dim %d: extent is %" PRId64 ", must be >= 0", i, extent);
    bool movable = format->kind != REDIST_COLLAPSED && format->kind != REDIST_INDIRECT;
    int last_first = movable ? procs - 1 : 0;
    if (format->first < 0 || format->first > last_first)
        return error_arg("dim %d: the first owner is coordinate %d, must be 0 to %d", i,
                         format->first, last_first);
    redist_err err = REDIST_OK;
    switch (format->kind) {
        case REDIST_COLLAPSED:
        case REDIST_BLOCK:
        case REDIST_CYCLIC: err = make_regular(i, format, dim); break;
        case REDIST_GEN_BLOCK: err = make_gen_block(i, format, dim); break;
        case REDIST_INDIRECT: err = make_indirect(i, format, dim); break;
        default: err = error_arg("dim %d: unknown format kind %d", i, (int)format->kind);
    }
    if (err) dim_free(dim);
    return err;
}

void dim_free(struct dim *dim)
{
    mem_free(dim->blocks);
    mem_free(dim->own);
    mem_free(dim->owners);
    mem_free(dim->own_begin);
    dim->blocks = NULL;
    dim->owners = NULL;
    dim->own = dim->own_begin = NULL;
}

/* Contiguous blocks of one owner become one, as if given as a list of owners. */
static redist_err take_blocks(int64_t n, const struct block blocks[], struct dim *dim)
{
    TRY(reserve_blocks(dim, n));
    for (int64_t b = 0; b < n; b++) {
        const struct block *block = &blocks[b];
        struct block *last = dim->nblocks ? &dim->blocks[dim->nblocks - 1] : NULL;
        if (block->begin == block->end) continue;
        if (last && last->end == block->begin && last->owner == block->owner)
            last->end = block->end;
        else
            dim->blocks[dim->nblocks++] = *block;
    }
    return index_blocks(dim);
}

redist_err dim_from_blocks(int64_t extent, int procs, int64_t n,
                           const struct block blocks[], struct dim *dim)
{
    *dim = (struct dim){.kind = REDIST_INDIRECT, .extent = extent, .procs = procs};
    redist_err err = take_blocks(n, blocks, dim);
    if (err) dim_free(dim);
    return err;
}

redist_err dim_copy(struct mem_account *account, const struct dim *dim, struct dim *copy)
{
    *copy = *dim;
    if (dim_is_regular(dim)) return REDIST_OK;
    copy->blocks = mem_copy(account, dim->blocks, dim->nblocks, sizeof *dim->blocks);
    copy->own = mem_copy(account, dim->own, dim->nblocks, sizeof *dim->own);
    copy->owners = mem_copy(account, dim->owners, dim->nowners, sizeof *dim->owners);
    copy->own_begin =
        mem_copy(account, dim->own_begin, dim->nowners + 1, sizeof *dim->own_begin);
    if (copy->blocks && copy->own && copy->owners && copy->own_begin) return REDIST_OK;
    dim_free(copy);
    return REDIST_ERR_MEMORY;
}

/* ---- queries ----------------------------------------------------------------------- */

/* The place of a coordinate in the cycle that begins at `first`. */
static int64_t turn_of(const struct dim *dim, int c)
{
    return c >= dim->first ? c - dim->first : c - dim->first + dim->procs;
}

static struct block regular_block(const struct dim *dim, int64_t number)
{
    int64_t begin = number * dim->m, turn = number % dim->procs;
    return (struct block){
        .begin = begin,
        .end = dim->m < dim->extent - begin ? begin + dim->m : dim->extent,
        .local = number / dim->procs * dim->m,
        .owner = (int)((turn + dim->first) % dim->procs),
    };
}

/* Return the index of coordinate c in `owners`, or -1: it owns nothing. If every
 * coordinate owns something, it is c. */
static int64_t find_owner(const struct dim *dim, int c)
{
    if (c < dim->nowners && dim->owners[c] == c) return c;
    int64_t low = 0, high = int_min(c, dim->nowners);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (dim->owners[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < dim->nowners && dim->owners[low] == c ? low : -1;
}

int64_t dim_count(const struct dim *dim, int c)
{
    int64_t n = dim_block_count(dim, c);
    if (n == 0) return 0;
    struct block last = dim_block(dim, c, n - 1);
    return last.local + (last.end - last.begin);
}

struct block dim_block_at(const struct dim *dim, int64_t i)
{
    if (dim_is_regular(dim)) return regular_block(dim, i / dim->m);
    int64_t low = 0, high = dim->nblocks - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (dim->blocks[middle].end > i)
            high = middle;
        else
            low = middle + 1;
    }
    return dim->blocks[low];
}

int64_t dim_block_count(const struct dim *dim, int c)
{
    if (!dim_is_regular(dim)) {
        int64_t k = find_owner(dim, c);
        return k < 0 ? 0 : dim->own_begin[k + 1] - dim->own_begin[k];
    }
    int64_t blocks = int_ceil_div(dim->extent, dim->m), turn = turn_of(dim, c);
    return blocks / dim->procs + (turn < blocks % dim->procs);
}

struct block dim_block(const struct dim *dim, int c, int64_t j)
{
    if (dim_is_regular(dim)) return regular_block(dim, j * dim->procs + turn_of(dim, c));
    return dim->blocks[dim->own[dim->own_begin[find_owner(dim, c)] + j]];
}

int64_t dim_global(const struct dim *dim, int c, int64_t local)
{
    if (dim_is_regular(dim))
        return dim_block(dim, c, local / dim->m).begin + local % dim->m;
    int64_t low = 0, high = dim_block_count(dim, c) - 1;
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (dim_block(dim, c, middle).local <= local)
            low = middle;
        else
            high = middle - 1;
    }
    struct block block = dim_block(dim, c, low);
    return block.begin + (local - block.local);
}

/* A regular format distributes its blocks cyclically from the first coordinate, so the
 * last of the cycle has the least. In an irregular one, a coordinate not among the owners
 * has nothing. */
int dim_extreme(const struct dim *dim, int sign)
{
    int best = 0, last = dim->first > 0 ? dim->first - 1 : dim->procs - 1;
    if (dim_is_regular(dim)) return sign > 0 ? dim->first : last;
    for (int64_t k = 0; k < dim->nowners; k++) {
        if (sign < 0 && dim->owners[k] != k) return (int)k;
        int64_t more = dim_count(dim, dim->owners[k]) - dim_count(dim, best);
        if (sign * more > 0) best = dim->owners[k];
    }
    return sign < 0 && dim->nowners < dim->procs ? (int)dim->nowners : best;
}

/* Equal regular formats have blocks of one size. With different numbers of coordinates,
 * they are equal only before the smaller one's last coordinate has been passed. */
static bool regular_equal(const struct dim *a, const struct dim *b)
{
    if (a->m != b->m || a->first != b->first) return false;
    int64_t least = int_min(a->procs, b->procs) - a->first;
    return a->procs == b->procs || int_ceil_div(a->extent, a->m) <= least;
}

/* Formats that differ in name may agree in effect: block onto 1 and *, cyclic(m) with
 * one block a coordinate and block(m), an indirect list that happens to be blocks. So
 * irregular ones are compared block by block. */
bool dim_equal(const struct dim *a, const struct dim *b)
{
    if (a->extent != b->extent) return false;
    if (a->extent == 0) return true;
    if (dim_is_regular(a) && dim_is_regular(b)) return regular_equal(a, b);
    for (int64_t i = 0; i < a->extent;) {
        struct block x = dim_block_at(a, i), y = dim_block_at(b, i);
        if (x.owner != y.owner || x.local - x.begin != y.local - y.begin) return false;
        i = int_min(x.end, y.end);
    }
    return true;
}
