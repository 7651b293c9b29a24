/* SPDX-License-Identifier: MIT */
#include "tool/format/part.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* The most bytes of a chunk. MPI keeps a list of the contiguous pieces of a chunk, of
 * some tens of bytes each: a small piece counts as PIECE_BYTES. */
enum { CHUNK_BYTES = 256 << 20, PIECE_BYTES = 256 };

/* ---- the part ---------------------------------------------------------------------- */

static int64_t own_count(const struct part *part, int i) { return part->layout.count[i]; }

/* Return the elements of a mean piece contiguous both in the file and in memory. */
static int64_t piece_elements(const struct part *part)
{
    int64_t piece = 1, dense = 1;
    for (int k = part->dist->ndims - 1; k >= 0; k--) {
        int i = part->dims[k];
        const struct dim *dim = &part->dist->dim[i];
        if (part->layout.stride[i] != dense) break;
        piece *= int_ceil_div(own_count(part, i), dim_block_count(dim, part->coords[i]));
        if (own_count(part, i) < dim->extent) break;
        dense *= own_count(part, i);
    }
    return piece;
}

static void cut_into_chunks(struct part *part)
{
    int ndims = part->dist->ndims;
    part->nchunks = 1;
    for (int i = 0; i < ndims; i++) part->nchunks *= own_count(part, i) > 0;
    if (part->nchunks == 0) return;
    int64_t weight =
        int_max(part->element_bytes, int_ceil_div(PIECE_BYTES, piece_elements(part)));
    int64_t left = int_max(CHUNK_BYTES / weight, 1);
    for (int k = ndims - 1; k >= 0; k--) {
        int i = part->dims[k];
        part->chunk[i] = int_min(own_count(part, i), left);
        left = part->chunk[i] < own_count(part, i) ? 1 : left / part->chunk[i];
        left = int_max(left, 1);
        part->nchunks *= int_ceil_div(own_count(part, i), part->chunk[i]);
    }
}

redist_err part_make(const redist_view *view, int rank, const struct npy *npy,
                     struct part *part)
{
    const redist_dist *dist = view->dist;
    *part = (struct part){.dist = dist, .element_bytes = npy->element_bytes};
    TRY(view_layout(view, rank, &part->layout));
    int grid_coords[REDIST_MAX_DIMS] = {0};
    bool member = redist_grid_coords(dist->grid, rank, grid_coords);
    int64_t stride = npy->element_bytes;
    for (int k = dist->ndims - 1; k >= 0; k--) {
        int i = npy->fortran_order ? dist->ndims - 1 - k : k;
        part->dims[k] = i;
        part->file_stride[i] = stride;
        part->coords[i] = member ? dist_coord(dist, i, grid_coords) : 0;
        stride *= dist->dim[i].extent;
    }
    cut_into_chunks(part);
    return REDIST_OK;
}

/* ---- a chunk as types -------------------------------------------------------------- */

/* The own blocks of one dimension that hold the local elements [low, high). */
struct stretch {
    const struct dim *dim;
    int coord;
    int64_t low, high;
    int64_t first, last; /* own blocks, both inclusive */
};

static int64_t block_of_local(const struct dim *dim, int coord, int64_t local)
{
    int64_t low = 0, high = dim_block_count(dim, coord);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (dim_block(dim, coord, middle).local <= local)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return own block j, cut to the range. */
static struct block cut_block(const struct stretch *s, int64_t j)
{
    struct block b = dim_block(s->dim, s->coord, j);
    int64_t length = b.end - b.begin;
    int64_t from = int_max(s->low - b.local, 0);
    int64_t to = int_min(s->high - b.local, length);
    return (struct block){b.begin + from, b.begin + to, b.local + from, b.owner};
}

/* Make the type of n = last - first + 1 cut blocks, as a list, with elements `step` bytes
 * apart. */
static redist_err list_type(const struct stretch *s, int64_t step, MPI_Datatype inner,
                            MPI_Datatype *type)
{
    int64_t n = s->last - s->first + 1;
    int *lengths = mem_alloc(NULL, n, sizeof *lengths);
    MPI_Aint *places = mem_alloc(NULL, n, sizeof *places);
    bool there = lengths && places;
    for (int64_t k = 0; there && k < n; k++) {
        struct block b = cut_block(s, s->first + k);
        lengths[k] = (int)(b.end - b.begin);
        places[k] = (MPI_Aint)(b.begin * step);
    }
    if (there) MPI_Type_create_hindexed((int)n, lengths, places, inner, type);
    mem_free(lengths);
    mem_free(places);
    return there ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* As list_type, for a regular dimension in O(1): all blocks between the first and the
 * last are whole and a cycle apart. At least three blocks. */
static void regular_type(const struct stretch *s, int64_t step, MPI_Datatype inner,
                         MPI_Datatype *type)
{
    struct block head = cut_block(s, s->first), tail = cut_block(s, s->last);
    struct block body = cut_block(s, s->first + 1);
    int64_t cycle = s->dim->m * s->dim->procs;
    MPI_Datatype middle;
    MPI_Type_create_hvector((int)(s->last - s->first - 1), (int)(body.end - body.begin),
                            (MPI_Aint)(cycle * step), inner, &middle);
    int lengths[3] = {(int)(head.end - head.begin), 1, (int)(tail.end - tail.begin)};
    MPI_Aint places[3] = {(MPI_Aint)(head.begin * step), (MPI_Aint)(body.begin * step),
                          (MPI_Aint)(tail.begin * step)};
    MPI_Datatype types[3] = {inner, middle, inner};
    MPI_Type_create_struct(3, lengths, places, types, type);
    MPI_Type_free(&middle);
}

/* Replace *type, one element of dimension i in the file, by the chunk's local elements
 * [low, high) of it, and free the old type. */
static redist_err nest_in_file(const struct part *part, int i, int64_t low, int64_t high,
                               MPI_Datatype *type)
{
    const struct dim *dim = &part->dist->dim[i];
    struct stretch s = {dim, part->coords[i], low, high, 0, 0};
    s.first = block_of_local(dim, s.coord, low);
    s.last = block_of_local(dim, s.coord, high - 1);
    MPI_Datatype inner = *type, blocks = MPI_DATATYPE_NULL;
    redist_err err = REDIST_OK;
    if (dim_is_regular(dim) && s.last - s.first >= 2)
        regular_type(&s, part->file_stride[i], inner, &blocks);
    else
        err = list_type(&s, part->file_stride[i], inner, &blocks);
    if (err) return err;
    MPI_Type_free(&inner);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)(dim->extent * part->file_stride[i]),
                            type);
    MPI_Type_free(&blocks);
    return REDIST_OK;
}

static void nest_in_memory(int64_t count, int64_t stride, MPI_Datatype *type)
{
    MPI_Datatype inner = *type;
    MPI_Type_create_hvector((int)count, 1, (MPI_Aint)stride, inner, type);
    MPI_Type_free(&inner);
}

redist_err part_chunk(const struct part *part, int64_t k, struct chunk *chunk)
{
    redist_err err = REDIST_OK;
    int64_t offset = part->layout.offset;
    MPI_Type_contiguous((int)part->element_bytes, MPI_BYTE, &chunk->file);
    MPI_Type_dup(chunk->file, &chunk->memory);
    for (int j = part->dist->ndims - 1; j >= 0 && !err; j--) {
        int i = part->dims[j];
        int64_t nalong = int_ceil_div(own_count(part, i), part->chunk[i]);
        int64_t low = k % nalong * part->chunk[i];
        int64_t high = int_min(low + part->chunk[i], own_count(part, i));
        k /= nalong;
        offset += low * part->layout.stride[i];
        nest_in_memory(high - low, part->layout.stride[i] * part->element_bytes,
                       &chunk->memory);
        err = nest_in_file(part, i, low, high, &chunk->file);
    }
    chunk->offset = offset * part->element_bytes;
    MPI_Type_commit(&chunk->file);
    MPI_Type_commit(&chunk->memory);
    if (err) chunk_free(chunk);
    return err;
}

void chunk_free(struct chunk *chunk)
{
    MPI_Type_free(&chunk->file);
    MPI_Type_free(&chunk->memory);
}
