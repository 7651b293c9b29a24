/* SPDX-License-Identifier: MIT */
#include "files/zarr/common.h"

#include <string.h>

#include "base/intmath.h"

bool common_find(const struct metadata *m, const int64_t chunk[], const struct box *box,
                 int64_t k, struct common *c)
{
    int n = m->ndims ? m->ndims : 1;
    *c = (struct common){.ndims = n};
    for (int j = 0; j < n; j++) {
        int i = c->dim[j] = m->order == REDIST_COLUMN_MAJOR ? j : n - 1 - j;
        c->chunk[i] = m->ndims ? chunk[i] : 1;
        int64_t begin = box->start[i], end = begin + box->extent[i];
        int64_t first = begin / c->chunk[i];
        int64_t chunks = (end - 1) / c->chunk[i] - first + 1;
        c->index[i] = first + k % chunks;
        int64_t low = c->index[i] * c->chunk[i];
        c->in_chunk[i] = int_max(begin - low, 0);
        c->in_box[i] = int_max(low - begin, 0);
        int64_t rest = end - low; /* which low + chunk may exceed */
        c->extent[i] = int_min(c->chunk[i], rest) - c->in_chunk[i];
        c->cut = c->cut || c->extent[i] < c->chunk[i];
        k /= chunks;
    }
    return k == 0;
}

/* Begin: a piece has the dimensions that are whole on both sides, and the next one. */
static void begin_pieces(const struct common *c, const struct box *box, int64_t bytes,
                         struct piece *piece)
{
    bool whole = true;
    piece->bytes = bytes;
    piece->count = 1;
    for (int j = 0; j < c->ndims; j++) {
        int i = c->dim[j];
        if (whole) {
            piece->bytes *= c->extent[i];
            piece->inner = j + 1;
        } else
            piece->count *= c->extent[i];
        whole = whole && c->extent[i] == c->chunk[i] && c->extent[i] == box->extent[i];
    }
}

bool common_next(const struct common *c, const struct box *box, int64_t bytes,
                 struct piece *piece)
{
    if (piece->count == 0)
        begin_pieces(c, box, bytes, piece);
    else {
        int j = piece->inner;
        for (; j < c->ndims && ++piece->at[j] == c->extent[c->dim[j]]; j++)
            piece->at[j] = 0;
        if (j == c->ndims) return false;
    }
    int64_t chunk_bytes = bytes, box_bytes = bytes;
    piece->in_chunk = piece->in_box = 0;
    for (int j = 0; j < c->ndims; j++) {
        int i = c->dim[j];
        piece->in_chunk += (c->in_chunk[i] + piece->at[j]) * chunk_bytes;
        piece->in_box += (c->in_box[i] + piece->at[j]) * box_bytes;
        chunk_bytes *= c->chunk[i];
        box_bytes *= box->extent[i];
    }
    return true;
}

void common_copy(const struct common *c, const struct box *box, int64_t bytes,
                 char *chunk, char *elements, bool read)
{
    for (struct piece piece = {0}; common_next(c, box, bytes, &piece);) {
        char *in_chunk = chunk + piece.in_chunk, *in_box = elements + piece.in_box;
        memcpy(read ? in_box : in_chunk, read ? in_chunk : in_box, (size_t)piece.bytes);
    }
}
