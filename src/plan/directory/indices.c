/* SPDX-License-Identifier: MIT */
#include "plan/directory/indices.h"

#include "base/error.h"

static redist_err check_dist(const redist_dist *dist, int64_t extent, int rank,
                             int nranks, struct pieces *pieces)
{
    int coords[REDIST_MAX_DIMS];
    if (dist->ndims != 1)
        return error_arg("the dist has %d dimensions, must have one", dist->ndims);
    if (dist->dim[0].extent != extent)
        return error_arg("the dist is of %" PRId64 " elements, must be of all %" PRId64,
                         dist->dim[0].extent, extent);
    int most = grid_max_rank(dist->grid);
    if (most >= nranks)
        return error_arg("the grid has rank %d, the communicator only 0 to %d", most,
                         nranks - 1);
    if (!redist_grid_coords(dist->grid, rank, coords)) return REDIST_OK;
    pieces->coord = dist_coord(dist, 0, coords);
    pieces->n = dim_block_count(&dist->dim[0], pieces->coord);
    return REDIST_OK;
}

static redist_err check_form(const redist_indices *indices, int64_t extent, int rank,
                             int nranks, struct pieces *pieces)
{
    if (!indices) return error_arg("the indices are NULL");
    int forms = !!indices->list + !!indices->ranges + !!indices->dist;
    *pieces = (struct pieces){.indices = indices};
    if (indices->dist && forms == 1)
        return check_dist(indices->dist, extent, rank, nranks, pieces);
    if (indices->n < 0) return error_arg("n is %" PRId64 ", must be >= 0", indices->n);
    if (forms != 1 && (forms > 1 || indices->n > 0))
        return error_arg("the indices have %d of list, ranges and dist, must have one",
                         forms);
    pieces->n = indices->n;
    return REDIST_OK;
}

/* Check that ranges lie within 0 .. extent - 1 and have no negative length. */
static redist_err check_ranges(const redist_indices *indices, int64_t extent)
{
    for (int64_t k = 0; indices->ranges && k < indices->n; k++) {
        const redist_range *range = &indices->ranges[k];
        if (range->count < 0)
            return error_arg("ranges[%" PRId64 "] has a count of %" PRId64
                             ", must be >= 0",
                             k, range->count);
        if (range->count > 0 &&
            (range->first < 0 || range->first > extent - range->count))
            return error_arg("ranges[%" PRId64 "] are %" PRId64 " indices from %" PRId64
                             " on, must be within 0 .. %" PRId64,
                             k, range->count, range->first, extent - 1);
    }
    return REDIST_OK;
}

static redist_err report_outside(const int64_t list[], int64_t extent)
{
    int64_t k = 0;
    while (list[k] >= 0 && list[k] < extent) k++;
    return error_arg("list[%" PRId64 "] is %" PRId64 ", must be 0 .. %" PRId64, k,
                     list[k], extent - 1);
}

/* Check the bounds of a list, and count: one pass without branches and without
 * dependences from one to the next, so that several are processed at a time. */
static redist_err check_list(const int64_t list[], int64_t n, int64_t extent,
                             struct indices_count *count)
{
    uint64_t last = (uint64_t)extent - 1;
    uint64_t outside = 0, apart = 0; /* signs */
    if (n > 0) outside = (uint64_t)list[0] | (last - (uint64_t)list[0]);
    for (int64_t k = 1; k < n; k++) {
        uint64_t index = (uint64_t)list[k], gap = index - (uint64_t)list[k - 1] - 1;
        outside |= index | (last - index);
        apart += (gap | -gap) >> 63;
    }
    *count = (struct indices_count){n, (int64_t)apart + (n > 0)};
    return outside >> 63 ? report_outside(list, extent) : REDIST_OK;
}

static redist_err count_pieces(struct pieces pieces, struct indices_count *count)
{
    struct piece piece;
    for (*count = (struct indices_count){0}; pieces_next(&pieces, &piece);
         count->pieces++)
        if (!int_add(count->elements, piece.count, &count->elements))
            return error_arg("the indices are more than 2^63 - 1");
    return REDIST_OK;
}

int64_t indices_divisor(struct pieces pieces)
{
    struct piece piece;
    int64_t found = 0;
    while (found != 1 && pieces_next(&pieces, &piece))
        if (found == 0 || piece.first % found != 0 || piece.count % found != 0)
            found = int_gcd(int_gcd(piece.first, piece.count), found);
    return found;
}

redist_err indices_check(const redist_indices *indices, const char *name, int64_t extent,
                         int rank, int nranks, struct pieces *pieces,
                         struct indices_count *count)
{
    redist_err err = check_form(indices, extent, rank, nranks, pieces);
    if (!err) err = check_ranges(indices, extent);
    if (!err && indices->list)
        err = check_list(indices->list, indices->n, extent, count);
    else if (!err)
        err = count_pieces(*pieces, count);
    return err ? error_prefix(err, "%s", name) : REDIST_OK;
}
