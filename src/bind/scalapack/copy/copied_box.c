/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/copy/copied_box.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "move/walk/memory.h"

/* Copy a box of local elements from one place to another. */
static redist_err copy_box(const struct local_array *to, const struct local_array *from,
                           const struct box *box)
{
    struct nest nest = {.block = box->count[ROWS] * from->bytes};
    if (nest.block == 0 || box->count[COLUMNS] == 0) return REDIST_OK;
    char *first = element_at(to, box->begin[ROWS], box->begin[COLUMNS]);
    const char *own = element_at(from, box->begin[ROWS], box->begin[COLUMNS]);
    nest_push(&nest, box->count[COLUMNS], from->lld * from->bytes, to->lld * to->bytes);
    return memory_move(&nest, first, own);
}

/* Return the box of a piece of the target. */
static struct box box_of(const struct matrix *target, const struct piece *piece)
{
    return matrix_box(target, piece->at, piece->n);
}

/* Copy the part of a piece in the region: of each local column a part at its begin or at
 * its end. */
static redist_err copy_region(const struct planned *planned, const struct matrix *target,
                              const struct piece *piece, const struct local_array *to,
                              const struct local_array *from)
{
    struct box box = box_of(target, piece);
    for (int64_t j = 0; j < box.count[COLUMNS]; j++) {
        int64_t local = box.begin[COLUMNS] + j;
        int64_t column =
            spread_global(&target->spread[COLUMNS], local, target->mine[COLUMNS]);
        struct span span =
            region_column(&planned->problem, column - target->start[COLUMNS]);
        int64_t end = piece->at[ROWS] + piece->n[ROWS];
        const int64_t at[] = {int_min(end, int_max(span.begin, piece->at[ROWS])), 0};
        const int64_t n[] = {int_max(0, int_min(span.end, end) - at[ROWS]), 0};
        struct box part = matrix_box(target, at, n);
        part.begin[COLUMNS] = local;
        part.count[COLUMNS] = 1;
        TRY(copy_box(to, from, &part));
    }
    return REDIST_OK;
}

/* Copy the section of a side whose leading dimension differs from the plan's. */
static redist_err replace(const struct planned *planned, int side,
                          const struct matrix *matrix, struct copied_box *copied)
{
    const int64_t zero[] = {0, 0};
    const int64_t n[] = {problem_extent(&planned->problem, side, ROWS),
                         problem_extent(&planned->problem, side, COLUMNS)};
    struct box box = matrix_box(matrix, zero, n);
    struct local_array *place = &copied->place[side], own = *place;
    if (!matrix->member || matrix->lld == planned->lld[side]) return REDIST_OK;
    if (box.count[ROWS] == 0 || box.count[COLUMNS] == 0) return REDIST_OK;
    place->lld = planned->lld[side];
    int64_t elements = place->lld * (box.count[COLUMNS] - 1) + box.count[ROWS];
    copied->copy[side] = mem_alloc_sparse(NULL, elements, (size_t)place->bytes);
    if (!copied->copy[side]) return REDIST_ERR_MEMORY;
    place->origin = 0;
    place->origin = (uintptr_t)copied->copy[side] -
                    (uintptr_t)element_at(place, box.begin[ROWS], box.begin[COLUMNS]);
    return copy_box(place, &own, &box);
}

/* Allocate memory for a crossed piece, from the block on in which it begins. */
static redist_err make_room(const struct planned *planned, const struct matrix *target,
                            int k, struct copied_box *copied)
{
    const struct piece *piece = &planned->piece[k];
    int64_t begin[MATRIX_DIMS], count[MATRIX_DIMS];
    for (int d = 0; d < MATRIX_DIMS; d++) {
        struct cut cut = cut_of_cut(&planned->problem.side[REDIST_TARGET].cut[d],
                                    piece->at[d], piece->n[d]);
        count[d] = int_max(1, cut_count(&cut, target->mine[d]));
        begin[d] =
            spread_count(&target->spread[d], target->start[d] + piece->at[d] - cut.before,
                         target->mine[d]);
    }
    int bytes = types[planned->problem.type].bytes;
    copied->piece[k] = mem_alloc(NULL, count[ROWS] * count[COLUMNS], (size_t)bytes);
    if (!copied->piece[k]) return REDIST_ERR_MEMORY;
    struct local_array *place = &copied->crossed[k];
    *place = (struct local_array){0, count[ROWS], bytes};
    place->origin = (uintptr_t)copied->piece[k] -
                    (uintptr_t)element_at(place, begin[ROWS], begin[COLUMNS]);
    return REDIST_OK;
}

redist_err copied_box_make(const struct planned *planned, const struct work *work,
                           struct copied_box *copied)
{
    const struct matrix *target = work->matrix[REDIST_TARGET];
    memset(copied->copy, 0, sizeof copied->copy);
    memset(copied->piece, 0, (size_t)planned->npieces * sizeof *copied->piece);
    for (int s = 0; s < SIDES; s++) {
        const struct matrix *matrix = work->matrix[s];
        copied->place[s] = (struct local_array){(uintptr_t)matrix->memory, matrix->lld,
                                                types[planned->problem.type].bytes};
    }
    for (int s = 0; s < SIDES; s++) TRY(replace(planned, s, work->matrix[s], copied));
    for (int k = 0; k < planned->npieces && target->member; k++) {
        if (!planned->piece[k].crossed) continue;
        TRY(make_room(planned, target, k, copied));
        if (planned->problem.scaled) /* beta times the target's values */
            TRY(copy_region(planned, target, &planned->piece[k], &copied->crossed[k],
                            &copied->place[REDIST_TARGET]));
    }
    return REDIST_OK;
}

redist_err copied_box_return(const struct planned *planned, const struct work *work,
                             const struct copied_box *copied)
{
    const struct matrix *target = work->matrix[REDIST_TARGET];
    const struct local_array *place = &copied->place[REDIST_TARGET];
    const struct local_array own = {(uintptr_t)target->memory, target->lld, place->bytes};
    if (!target->member) return REDIST_OK;
    for (int k = 0; k < planned->npieces; k++) {
        const struct piece *piece = &planned->piece[k];
        struct box box = box_of(target, piece);
        if (piece->crossed)
            TRY(copy_region(planned, target, piece, &own, &copied->crossed[k]));
        else if (copied->copy[REDIST_TARGET])
            TRY(copy_box(&own, place, &box));
    }
    return REDIST_OK;
}

void copied_box_free(const struct planned *planned, struct copied_box *copied)
{
    for (int s = 0; s < SIDES; s++) mem_free(copied->copy[s]);
    for (int k = 0; k < planned->npieces; k++) mem_free(copied->piece[k]);
}
