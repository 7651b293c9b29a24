/* SPDX-License-Identifier: MIT */
#include "files/zarr/copy.h"

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
        int64_t chunks = int_ceil_div(box->extent[i], c->chunk[i]);
        c->offset[i] = k % chunks * c->chunk[i];
        c->index[i] = box->start[i] / c->chunk[i] + k % chunks;
        c->extent[i] = int_min(c->chunk[i], box->extent[i] - c->offset[i]);
        c->cut = c->cut || c->extent[i] < c->chunk[i];
        k /= chunks;
    }
    return k == 0;
}

void common_copy(const struct common *c, const struct box *box, int64_t bytes,
                 char *chunk, char *elements, bool read)
{
    int64_t of_chunk[REDIST_MAX_DIMS], of_box[REDIST_MAX_DIMS];
    int64_t chunk_bytes = bytes, box_bytes = bytes, piece = bytes;
    int64_t at[REDIST_MAX_DIMS] = {0};
    int inner = 0; /* dimensions in a piece */
    for (int j = 0; j < c->ndims; j++) {
        int i = c->dim[j];
        if (inner == j && piece == chunk_bytes && piece == box_bytes) {
            piece *= c->extent[i];
            inner = j + 1;
        }
        of_chunk[j] = chunk_bytes;
        of_box[j] = box_bytes;
        elements += c->offset[i] * box_bytes;
        chunk_bytes *= c->chunk[i];
        box_bytes *= box->extent[i];
    }
    for (;;) {
        char *in_chunk = chunk, *in_box = elements;
        for (int j = inner; j < c->ndims; j++) {
            in_chunk += at[j] * of_chunk[j];
            in_box += at[j] * of_box[j];
        }
        memcpy(read ? in_box : in_chunk, read ? in_chunk : in_box, (size_t)piece);
        int j = inner;
        for (; j < c->ndims && ++at[j] == c->extent[c->dim[j]]; j++) at[j] = 0;
        if (j == c->ndims) return;
    }
}
