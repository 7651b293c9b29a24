/* SPDX-License-Identifier: MIT
 *
 * plan/directory/indices.h - the indices that a process gave, in any form, as pieces:
 * consecutive indices at consecutive places of its local array.
 */
#ifndef REDIST_PLAN_DIRECTORY_INDICES_H
#define REDIST_PLAN_DIRECTORY_INDICES_H

#include <redist/redist.h>

#include "base/intmath.h"
#include "describe/dist.h"

struct piece {
    int64_t first, count; /* indices */
    int64_t place;        /* of the first in the local array */
};

/* An iteration over the pieces. */
struct pieces {
    const redist_indices *indices;
    int64_t n;     /* list and ranges: entries; dist: own blocks */
    int64_t next;  /* the next of these */
    int64_t place; /* its place */
    int coord;     /* dist: of the process */
};

/* Check what process `rank` of `nranks` gave, for an index space of `extent`, and set
 * `*pieces` before the first piece; `name` is for messages. Count elements and pieces.
 * O(indices or ranges or own blocks). ARG. */
struct indices_count {
    int64_t elements, pieces;
};
redist_err indices_check(const redist_indices *indices, const char *name, int64_t extent,
                         int rank, int nranks, struct pieces *pieces,
                         struct indices_count *count);

/* Find the greatest number that divides the first index and the length of every piece,
 * and so their places; 0: no pieces. O(indices or ranges or own blocks). */
int64_t indices_divisor(struct pieces pieces);

/* Find the next non-empty piece; false: none is left. */
static inline bool pieces_next(struct pieces *pieces, struct piece *piece)
{
    const redist_indices *indices = pieces->indices;
    piece->count = 0;
    piece->place = pieces->place;
    while (piece->count == 0 && pieces->next < pieces->n) {
        int64_t k = pieces->next++;
        if (indices->list) {
            const int64_t *list = indices->list;
            int64_t end = k + 1;
            while (end < pieces->n && list[end] - 1 == list[end - 1]) end++;
            *piece = (struct piece){list[k], end - k, piece->place};
            pieces->next = end;
        } else if (indices->ranges) {
            piece->first = indices->ranges[k].first;
            piece->count = indices->ranges[k].count;
        } else {
            struct block block = dim_block(&indices->dist->dim[0], pieces->coord, k);
            *piece = (struct piece){block.begin, block.end - block.begin, block.local};
        }
    }
    pieces->place += piece->count;
    return piece->count > 0;
}

/* Read indices one by one, in the order of their places, which count from 0. If `block`
 * divides indices_divisor, read block by block; both are then counted in blocks. */
struct indices_reader {
    struct pieces pieces;
    int64_t block;
    struct piece rest; /* of input that is not a list */
    int64_t room[512];
};

static inline struct indices_reader indices_read_from(const struct pieces *pieces,
                                                      int64_t block)
{
    return (struct indices_reader){.pieces = *pieces, .block = block};
}

/* The next piece, in blocks. */
static inline bool indices_read_piece(struct indices_reader *reader)
{
    struct piece *rest = &reader->rest;
    if (!pieces_next(&reader->pieces, rest)) return false;
    rest->first /= reader->block;
    rest->count /= reader->block;
    return true;
}

/* Read the next *n indices, 1 .. most of them; *n = 0: none is left. They are valid until
 * the next call. */
static inline const int64_t *indices_read(struct indices_reader *reader, int64_t most,
                                          int64_t *n)
{
    enum { ROOM = sizeof reader->room / sizeof *reader->room };
    struct pieces *pieces = &reader->pieces;
    struct piece *rest = &reader->rest;
    const int64_t *list = pieces->indices->list;
    if (list && reader->block == 1) {
        list += pieces->next;
        *n = int_min(most, pieces->n - pieces->next);
        pieces->next += *n;
        return list;
    }
    *n = 0;
    most = int_min(most, ROOM);
    for (; list && *n < most && pieces->next < pieces->n; pieces->next += reader->block)
        reader->room[(*n)++] = list[pieces->next] / reader->block;
    while (*n < most && (rest->count > 0 || indices_read_piece(reader)))
        for (; *n < most && rest->count > 0; rest->count--)
            reader->room[(*n)++] = rest->first++;
    return reader->room;
}

#endif
