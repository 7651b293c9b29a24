/* SPDX-License-Identifier: MIT */
#include "files/access/between.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/arith/number_format.h"

/* What a chunk of the source more costs, as bytes that are read. */
static const double file_bytes = 128 << 10;

/* Bytes that are copied while a call begins. */
static const double call_bytes = 4 << 10;

/* Find what it costs to read a box of the source, as bytes: whole chunks of it; or, if it
 * is not compressed, what lies within the box, in pieces. */
static double cost_of(const redist_file *from, const struct box *box)
{
    double chunks = (double)from->element_bytes, elements = chunks, piece = chunks;
    bool has_chunks = false;
    bool whole = true; /* the box has all of a chunk along the faster dimensions */
    int n = from->layout.ndims;
    for (int j = n - 1; j >= 0; j--) {
        int i = from->layout.order == REDIST_COLUMN_MAJOR ? n - 1 - j : j;
        int64_t chunk = from->layout.chunk[i], shape = from->layout.shape[i];
        int64_t low = box->start[i], high = low + box->extent[i];
        low -= low % chunk;
        high = shape - high < chunk ? shape : int_ceil_div(high, chunk) * chunk;
        chunks *= (double)(high - low);
        elements *= (double)box->extent[i];
        has_chunks = has_chunks || chunk > 1;
        int64_t row = chunk == 1 ? shape : chunk; /* of a file without chunks */
        if (whole) piece *= (double)int_min(row, box->extent[i]);
        whole = whole && box->extent[i] >= row;
    }
    double pieces = elements * (piece < call_bytes ? call_bytes / piece : 1);
    if (from->layout.codec) return chunks;
    return has_chunks && chunks < pieces ? chunks : pieces;
}

static double cost_of_all(const redist_file *from, const struct slabs *slabs)
{
    double sum = 0;
    for (int64_t k = 0; k < slabs->count; k++) {
        struct slab slab;
        slabs_get(slabs, k, &slab);
        sum += cost_of(from, &slab.box);
    }
    return sum;
}

/* Set the chunk: what a slab of the one and of the other have in common, or less of it.
 * Returns how many chunks there are. */
static double set_chunk(const struct slabs *slabs[2], int64_t most_bytes, int64_t element,
                        redist_file_layout *layout)
{
    double count = 1;
    int64_t bytes = element;
    struct slab slab[2];
    for (int f = 0; f < 2; f++) slabs_get(slabs[f], 0, &slab[f]);
    for (int i = layout->ndims - 1; i >= 0; i--) {
        int64_t chunk = int_min(slab[0].box.extent[i], slab[1].box.extent[i]);
        layout->chunk[i] = int_max(int_min(chunk, most_bytes / bytes), 1);
        bytes *= layout->chunk[i];
        count *= (double)int_ceil_div(layout->shape[i], layout->chunk[i]);
    }
    return count;
}

bool between_numbers(const redist_file *from, const redist_file *to)
{
    struct format format;
    return format_parse(from->layout.type, &format) &&
           format_parse(to->layout.type, &format);
}

/* It costs to be written, and to be read: as much as its bytes read twice more. */
redist_err between_plan(const redist_file *from, const redist_file *to,
                        struct between *between, bool *pays)
{
    struct slabs slabs[2];
    int64_t bytes = int_min(from->staging_bytes, to->staging_bytes) / 2;
    redist_file_layout *layout = &between->layout;
    double whole = (double)from->element_bytes;
    *pays = false;
    TRY(slabs_make_whole(to, to->staging_bytes, &slabs[1]));
    between->slabs = slabs[1].count;
    for (int i = 0; i < from->layout.ndims; i++) whole *= (double)from->layout.shape[i];
    double saved = cost_of_all(from, &slabs[1]) - 3 * whole;
    if (saved <= 0 || slabs_make_whole(from, bytes, &slabs[0]) ||
        slabs_make_whole(to, bytes, &slabs[1]))
        return REDIST_OK;
    *layout = to->layout;
    layout->codec = NULL;
    layout->version = 3;
    layout->type = from->layout.type;
    if (!between_numbers(from, from)) {
        (void)snprintf(between->type, sizeof between->type, "|V%" PRId64,
                       from->element_bytes);
        layout->type = between->type;
    }
    const struct slabs *both[2] = {&slabs[0], &slabs[1]};
    double chunks = set_chunk(both, bytes / 2, from->element_bytes, layout);
    *pays = saved > chunks * file_bytes;
    return REDIST_OK;
}
