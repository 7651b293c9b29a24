/* SPDX-License-Identifier: MIT */
#include "files/access/slab.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intmath.h"

/* Another dimension than the slowest possible is split if all writers then have at least
 * so many bytes. */
enum { PART_BYTES = 256 << 10 };

struct section section_whole(const redist_file *file)
{
    struct section whole = {.extent = {1}};
    for (int i = 0; i < REDIST_MAX_DIMS; i++) whole.stride[i] = 1;
    for (int i = 0; i < file->layout.ndims; i++) whole.extent[i] = file->layout.shape[i];
    return whole;
}

/* Find what the section touches. */
static void find_bounds(const redist_file *file, bool only_read, struct slabs *slabs)
{
    const redist_file_layout *layout = &file->layout;
    for (int i = 0; i < slabs->ndims; i++) {
        int64_t shape = layout->ndims ? layout->shape[i] : 1;
        int64_t chunk = slabs->chunk[i] = layout->ndims ? layout->chunk[i] : 1;
        int64_t start = slabs->section.start[i], n = slabs->section.extent[i];
        if (n == 0) {
            slabs->low[i] = slabs->high[i] = slabs->begin[i] = slabs->end[i] = 0;
            continue;
        }
        int64_t last = start + (n - 1) * slabs->section.stride[i];
        slabs->low[i] = start - start % chunk;
        int64_t rest = shape - last; /* what is left from the last element on */
        slabs->high[i] = int_min(last + int_min(chunk - last % chunk, rest), shape);
        slabs->begin[i] = only_read ? start : slabs->low[i];
        slabs->end[i] = only_read ? last + 1 : slabs->high[i];
    }
}

/* Elements of what is touched along dimension i, in whole chunks. */
static int64_t touched(const struct slabs *slabs, int i)
{
    return slabs->high[i] - slabs->low[i];
}

static int64_t chunks(const struct slabs *slabs, int i)
{
    return int_ceil_div(touched(slabs, i), slabs->chunk[i]);
}

/* Bytes of one chunk along the dimensions up to dim[k], which the writers share, and of
 * all that belongs to a part along the faster ones. */
static int64_t step_bytes(const struct slabs *slabs, int k, int64_t element)
{
    for (int j = 0; j < slabs->ndims; j++) {
        int i = slabs->dim[j];
        int64_t n = j == k ? touched(slabs, i) : slabs->end[i] - slabs->begin[i];
        if (j <= k) n = int_min(n, slabs->chunk[i]);
        if (!int_mul(element, n, &element)) return INT64_MAX;
    }
    return element;
}

/* Choose the slowest dimension of which a chunk fits; one with a chunk for every writer
 * if the parts are then not short. */
static redist_err choose_split(const redist_file *file, int64_t bytes,
                               struct slabs *slabs)
{
    int n = slabs->ndims, k = 0;
    int64_t chunk = file->element_bytes, step;
    for (int i = 0; i < n; i++)
        if (!int_mul(chunk, int_min(slabs->chunk[i], touched(slabs, i)), &chunk))
            chunk = INT64_MAX;
    if (chunk > bytes)
        return error_arg("%s: a chunk has %" PRId64 " bytes, staging_bytes must be at "
                         "least %" PRId64,
                         file->path, chunk,
                         chunk > INT64_MAX / 2 ? INT64_MAX : 2 * chunk);
    while (step_bytes(slabs, k, file->element_bytes) > bytes) k++; /* n - 1 at most */
    slabs->split = k;
    for (; k < n; k++) {
        int64_t parts = chunks(slabs, slabs->dim[k]);
        step = step_bytes(slabs, k, file->element_bytes);
        if (parts < slabs->writers || step > bytes || step > INT64_MAX / parts) continue;
        if (k == slabs->split || step * parts >= (int64_t)PART_BYTES * slabs->writers)
            slabs->split = k;
        break;
    }
    return REDIST_OK;
}

redist_err slabs_make(const redist_file *file, const struct section *section,
                      bool only_read, int64_t bytes, struct slabs *slabs)
{
    int n = file->layout.ndims ? file->layout.ndims : 1;
    *slabs = (struct slabs){.ndims = n,
                            .writers = file->writers,
                            .section = *section,
                            .order = file->layout.order};
    find_bounds(file, only_read, slabs);
    for (int k = 0; k < n; k++) {
        slabs->dim[k] = slabs->order == REDIST_COLUMN_MAJOR ? n - 1 - k : k;
        if (section->extent[k] == 0) return REDIST_OK; /* no slabs */
    }
    TRY(choose_split(file, bytes, slabs));
    int i = slabs->dim[slabs->split];
    int64_t step = step_bytes(slabs, slabs->split, file->element_bytes);
    int64_t all = chunks(slabs, i), most = int_max(bytes / step, 1) * slabs->writers;
    int64_t rounds = int_ceil_div(all, int_min(most, all));
    slabs->block =
        int_ceil_div(int_ceil_div(all, rounds), slabs->writers) * slabs->chunk[i];
    int64_t per_slab = slabs->block * slabs->writers;
    slabs->count = int_ceil_div(touched(slabs, i), per_slab);
    for (int k = 0; k < slabs->split; k++) slabs->count *= chunks(slabs, slabs->dim[k]);
    return REDIST_OK;
}

redist_err slabs_make_whole(const redist_file *file, int64_t bytes, struct slabs *slabs)
{
    const struct section whole = section_whole(file);
    return slabs_make(file, &whole, false, bytes, slabs);
}

/* The elements of the section from `low` to below `high` of dimension i. */
static void find_elements(const struct section *section, int i, int64_t low, int64_t high,
                          int64_t *first, int64_t *extent)
{
    int64_t start = section->start[i], stride = section->stride[i];
    *first = low > start ? int_ceil_div(low - start, stride) : 0;
    int64_t end = high > start ? int_ceil_div(high - start, stride) : 0;
    *extent = int_max(int_min(end, section->extent[i]) - *first, 0);
}

void slabs_get(const struct slabs *slabs, int64_t k, struct slab *slab)
{
    slab->covered = true;
    for (int j = slabs->ndims - 1; j >= 0; j--) {
        int i = slabs->dim[j];
        int64_t step = j < slabs->split    ? slabs->chunk[i]
                       : j == slabs->split ? slabs->block * slabs->writers
                                           : int_max(touched(slabs, i), 1);
        int64_t steps = int_ceil_div(touched(slabs, i), step);
        int64_t low = slabs->low[i] + k % steps * step;
        k /= steps;
        int64_t high = int_min(low + step, slabs->high[i]);
        if (j != slabs->split) {
            low = int_max(low, slabs->begin[i]);
            high = int_min(high, slabs->end[i]);
        }
        slab->box.start[i] = low;
        slab->box.extent[i] = high - low;
        find_elements(&slabs->section, i, low, high, &slab->first[i], &slab->extent[i]);
        if (slab->extent[i] != high - low) slab->covered = false;
    }
}

struct box slab_part(const struct slabs *slabs, const struct slab *slab, int writer)
{
    struct box part = slab->box;
    int i = slabs->dim[slabs->split];
    int64_t begin = writer < slabs->writers ? writer * slabs->block : part.extent[i];
    int64_t end = int_min(begin + slabs->block, part.extent[i]);
    part.start[i] += begin;
    part.extent[i] = int_max(end - begin, 0);
    return part;
}

int64_t slabs_part_bytes(const struct slabs *slabs, const redist_file *file)
{
    if (slabs->count == 0 || file->rank >= slabs->writers) return 0;
    int i = slabs->dim[slabs->split];
    return step_bytes(slabs, slabs->split, file->element_bytes) /
           int_min(slabs->chunk[i], touched(slabs, i)) *
           int_min(slabs->block, touched(slabs, i));
}

redist_err slab_access(redist_file *file, const struct box *part, void *elements,
                       bool write)
{
    const struct file_format *format = file->format;
    if (file->rank >= file->writers && !format->collective) return REDIST_OK;
    return write ? format->write(file, part, elements)
                 : format->read(file, part, elements);
}

redist_err slab_error(const struct slabs *slabs, const struct slab *slab, redist_err err)
{
    char place[REDIST_MAX_DIMS * 22] = "";
    size_t at = 0;
    for (int i = 0; i < slabs->ndims; i++)
        at += (size_t)snprintf(place + at, sizeof place - at, "%s%" PRId64, i ? ", " : "",
                               slab->box.start[i]);
    return error_prefix(err, "counted from element (%s) of the file", place);
}

redist_err slab_view(const struct slabs *slabs, const struct slab *slab,
                     redist_dist **dist, redist_view *view)
{
    redist_format formats[REDIST_MAX_DIMS];
    redist_grid *grid = NULL;
    for (int i = 0; i < slabs->ndims; i++) formats[i] = redist_collapsed();
    formats[slabs->dim[slabs->split]] = redist_block_of(slabs->block);
    TRY(redist_grid_create(1, &slabs->writers, REDIST_ROW_MAJOR, NULL, &grid));
    redist_err err =
        redist_dist_create(slabs->ndims, slab->box.extent, formats, grid, dist);
    redist_grid_destroy(&grid);
    if (!err) err = redist_view_init(*dist, view);
    if (!err) err = redist_view_set_order(view, slabs->order);
    for (int i = 0; !err && i < slabs->ndims; i++) {
        const struct section *section = &slabs->section;
        view->start[i] =
            section->start[i] + slab->first[i] * section->stride[i] - slab->box.start[i];
        view->extent[i] = slab->extent[i];
        view->stride[i] = section->stride[i];
    }
    if (err) redist_dist_destroy(dist);
    return err;
}
