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
        return error_set(REDIST_ERR_ARG, "dim %d: %s is %" PRId64 ", must be >= 1", i,
                         dim->kind == REDIST_CYCLIC ? "cyclic block" : "block", m);
    if (dim->kind == REDIST_BLOCK && int_ceil_div(dim->extent, m) > dim->procs)
        return error_set(REDIST_ERR_ARG,
                         "dim %d: block(%" PRId64
                         ") onto %d processes does not cover %" PRId64 " elements",
                         i, m, dim->procs, dim->extent);
    dim->written = even ? REDIST_EVEN_BLOCK : m;
    /* On one coordinate all blocks lie side by side: they are one. */
    int64_t whole = int_max(dim->extent, 1);
    dim->m = dim->procs == 1 ? whole : int_min(m, whole);
    return REDIST_OK;
}

static redist_err reserve_blocks(struct dim *dim, int64_t nblocks)
{
    dim->blocks = mem_alloc(NULL, nblocks, sizeof *dim->blocks);
    dim->own = mem_alloc(NULL, nblocks, sizeof *dim->own);
    dim->own_begin = mem_alloc(NULL, dim->procs + 1, sizeof *dim->own_begin);
    return dim->blocks && dim->own && dim->own_begin ? REDIST_OK : REDIST_ERR_MEMORY;
}

static void append_block(struct dim *dim, int owner, int64_t size)
{
    int64_t begin = dim->nblocks ? dim->blocks[dim->nblocks - 1].end : 0;
    dim->blocks[dim->nblocks++] = (struct block){begin, begin + size, 0, owner};
}

/* Group the blocks by owner, and find where each lies in its owner's local array. */
static void index_blocks(struct dim *dim)
{
    int64_t *begin = dim->own_begin;
    for (int64_t b = 0; b < dim->nblocks; b++) begin[dim->blocks[b].owner + 1]++;
    for (int c = 0; c < dim->procs; c++) begin[c + 1] += begin[c];
    for (int64_t b = 0; b < dim->nblocks; b++)
        dim->own[begin[dim->blocks[b].owner]++] = b;
    memmove(begin + 1, begin, (size_t)dim->procs * sizeof *begin);
    begin[0] = 0;
    for (int c = 0; c < dim->procs; c++) {
        int64_t local = 0;
        for (int64_t j = begin[c]; j < begin[c + 1]; j++) {
            struct block *block = &dim->blocks[dim->own[j]];
            block->local = local;
            local += block->end - block->begin;
        }
    }
}

static redist_err make_gen_block(int i, const redist_format *format, struct dim *dim)
{
    if (!format->sizes)
        return error_set(REDIST_ERR_ARG, "dim %d: gen_block sizes is NULL", i);
    int64_t sum = 0;
    for (int k = 0; k < dim->procs; k++) {
        int64_t size = format->sizes[k];
        if (size < 0)
            return error_set(REDIST_ERR_ARG,
                             "dim %d: gen_block size %d is %" PRId64 ", must be >= 0", i,
                             k, size);
        if (!int_add(sum, size, &sum)) sum = INT64_MAX;
    }
    if (sum != dim->extent)
        return error_set(REDIST_ERR_ARG,
                         "dim %d: gen_block sizes sum to %" PRId64
                         ", the extent is %" PRId64,
                         i, sum, dim->extent);
    TRY(reserve_blocks(dim, dim->procs));
    for (int k = 0; k < dim->procs; k++) {
        int owner = (int)(((int64_t)dim->first + k) % dim->procs);
        if (format->sizes[k] > 0) append_block(dim, owner, format->sizes[k]);
    }
    index_blocks(dim);
    return REDIST_OK;
}

static redist_err make_indirect(int i, const redist_format *format, struct dim *dim)
{
    if (!format->owners && dim->extent > 0)
        return error_set(REDIST_ERR_ARG, "dim %d: indirect owners is NULL", i);
    const int *owners = format->owners;
    int64_t nblocks = 0;
    for (int64_t e = 0; e < dim->extent; e++) {
        if (owners[e] < 0 || owners[e] >= dim->procs)
            return error_set(REDIST_ERR_ARG,
                             "dim %d: owner of element %" PRId64
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
    index_blocks(dim);
    return REDIST_OK;
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
        return error_set(REDIST_ERR_ARG, "dim %d: extent is %" PRId64 ", must be >= 0", i,
                         extent);
    bool movable = format->kind != REDIST_COLLAPSED && format->kind != REDIST_INDIRECT;
    int last_first = movable ? procs - 1 : 0;
    if (format->first < 0 || format->first > last_first)
        return error_set(REDIST_ERR_ARG,
                         "dim %d: the first owner is coordinate %d, must be 0 to %d", i,
                         format->first, last_first);
    redist_err err = REDIST_OK;
    switch (format->kind) {
        case REDIST_COLLAPSED:
        case REDIST_BLOCK:
        case REDIST_CYCLIC: err = make_regular(i, format, dim); break;
        case REDIST_GEN_BLOCK: err = make_gen_block(i, format, dim); break;
        case REDIST_INDIRECT: err = make_indirect(i, format, dim); break;
        default:
            err = error_set(REDIST_ERR_ARG, "dim %d: unknown format kind %d", i,
                            (int)format->kind);
    }
    if (err) dim_free(dim);
    return err;
}

void dim_free(struct dim *dim)
{
    mem_free(dim->blocks);
    mem_free(dim->own);
    mem_free(dim->own_begin);
    dim->blocks = NULL;
    dim->own = dim->own_begin = NULL;
}

/* Blocks of one owner side by side are one, as if they had come as a list of owners. */
redist_err dim_from_blocks(int64_t extent, int procs, int64_t n,
                           const struct block blocks[], struct dim *dim)
{
    *dim = (struct dim){.kind = REDIST_INDIRECT, .extent = extent, .procs = procs};
    if (reserve_blocks(dim, n)) {
        dim_free(dim);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t b = 0; b < n; b++) {
        const struct block *block = &blocks[b];
        struct block *last = dim->nblocks ? &dim->blocks[dim->nblocks - 1] : NULL;
        if (block->begin == block->end) continue;
        if (last && last->end == block->begin && last->owner == block->owner)
            last->end = block->end;
        else
            dim->blocks[dim->nblocks++] = *block;
    }
    index_blocks(dim);
    return REDIST_OK;
}

redist_err dim_copy(struct mem_account *account, const struct dim *dim, struct dim *copy)
{
    *copy = *dim;
    if (dim_is_regular(dim)) return REDIST_OK;
    copy->blocks = mem_copy(account, dim->blocks, dim->nblocks, sizeof *dim->blocks);
    copy->own = mem_copy(account, dim->own, dim->nblocks, sizeof *dim->own);
    copy->own_begin =
        mem_copy(account, dim->own_begin, dim->procs + 1, sizeof *dim->own_begin);
    if (copy->blocks && copy->own && copy->own_begin) return REDIST_OK;
    dim_free(copy);
    return REDIST_ERR_MEMORY;
}

/* ---- asking ------------------------------------------------------------------------ */

/* The place of a coordinate in the cycle that starts at `first`. */
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
    if (!dim_is_regular(dim)) return dim->own_begin[c + 1] - dim->own_begin[c];
    int64_t blocks = int_ceil_div(dim->extent, dim->m), turn = turn_of(dim, c);
    return blocks / dim->procs + (turn < blocks % dim->procs);
}

struct block dim_block(const struct dim *dim, int c, int64_t j)
{
    if (dim_is_regular(dim)) return regular_block(dim, j * dim->procs + turn_of(dim, c));
    return dim->blocks[dim->own[dim->own_begin[c] + j]];
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

/* Formats that differ in name may agree in effect: block onto 1 and *, cyclic(m) with
 * one block a coordinate and block(m), an indirect list that happens to be blocks. So
 * compare block by block; regular ones of other m or procs differ within the first
 * turn. */
bool dim_equal(const struct dim *a, const struct dim *b)
{
    if (a->extent != b->extent) return false;
    if (dim_is_regular(a) && dim_is_regular(b) && a->m == b->m && a->procs == b->procs)
        return a->first == b->first || a->extent == 0;
    for (int64_t i = 0; i < a->extent;) {
        struct block x = dim_block_at(a, i), y = dim_block_at(b, i);
        if (x.owner != y.owner || x.local - x.begin != y.local - y.begin) return false;
        i = int_min(x.end, y.end);
    }
    return true;
}
