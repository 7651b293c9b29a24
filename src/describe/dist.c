/* SPDX-License-Identifier: MIT */
#include "describe/dist.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- making ------------------------------------------------------------------------ */

static size_t dist_bytes(int ndims)
{
    return sizeof(redist_dist) + (size_t)ndims * sizeof(struct dim);
}

/* Give dimension i the grid axis `axis`; `user`[naxes] is the dimension of each axis, -1:
 * none. */
static redist_err take_axis(const redist_dist *dist, int i, int axis, int user[])
{
    int naxes = dist->grid->naxes;
    if (axis < 0 || axis >= naxes)
        return error_arg("dim %d: needs axis %d of the grid, which has %d %s", i, axis,
                         naxes, naxes == 1 ? "axis" : "axes");
    if (user[axis] >= 0)
        return error_arg("dim %d: axis %d of the grid is taken by dim %d", i, axis,
                         user[axis]);
    user[axis] = i;
    return REDIST_OK;
}

/* Find the grid axis of each dimension, -1 if collapsed, and the axes left over. Named
 * axes are assigned first; other dimensions take free axes in order. */
static redist_err assign_axes(redist_dist *dist, const redist_format formats[],
                              int axes[])
{
    int naxes = dist->grid->naxes, user[REDIST_MAX_DIMS], next = 0;
    for (int axis = 0; axis < naxes; axis++) user[axis] = -1;
    for (int i = 0; i < dist->ndims; i++) {
        axes[i] = -1;
        if (formats[i].kind == REDIST_COLLAPSED || formats[i].axis == REDIST_NEXT_AXIS)
            continue;
        axes[i] = formats[i].axis;
        TRY(take_axis(dist, i, axes[i], user));
    }
    for (int i = 0; i < dist->ndims; i++) {
        if (formats[i].kind == REDIST_COLLAPSED || axes[i] >= 0) continue;
        while (next < naxes && user[next] >= 0) next++;
        axes[i] = next;
        TRY(take_axis(dist, i, axes[i], user));
    }
    dist->nreplicas = 1;
    for (int axis = 0; axis < naxes; axis++) {
        if (user[axis] >= 0) continue;
        dist->replica_axes[dist->nreplica_axes++] = axis;
        dist->nreplicas *= dist->grid->shape[axis];
    }
    return REDIST_OK;
}

static redist_err make_dims(redist_dist *dist, const int64_t extents[],
                            const redist_format formats[])
{
    int axes[REDIST_MAX_DIMS];
    TRY(assign_axes(dist, formats, axes));
    int64_t elements = 1;
    for (int i = 0; i < dist->ndims; i++) {
        int procs = axes[i] < 0 ? 1 : dist->grid->shape[axes[i]];
        TRY(dim_make(i, extents[i], &formats[i], procs, axes[i], &dist->dim[i]));
        if (!int_mul(elements, int_max(extents[i], 1), &elements))
            return error_arg("the array has more than 2^63 elements");
    }
    return REDIST_OK;
}

redist_err redist_dist_create(int ndims, const int64_t extents[],
                              const redist_format formats[], const redist_grid *grid,
                              redist_dist **dist)
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    if (ndims < 1 || ndims > REDIST_MAX_DIMS)
        return error_arg("ndims is %d, must be 1 to %d", ndims, REDIST_MAX_DIMS);
    if (!extents) return error_arg("extents is NULL");
    if (!formats) return error_arg("formats is NULL");
    if (!grid) return error_arg("grid is NULL");
    redist_dist *made = mem_alloc(NULL, 1, dist_bytes(ndims));
    if (!made) return REDIST_ERR_MEMORY;
    made->ndims = ndims;
    redist_err err = grid_copy(NULL, grid, &made->grid);
    if (!err) err = make_dims(made, extents, formats);
    if (err) {
        redist_dist_destroy(&made);
        return err;
    }
    *dist = made;
    return REDIST_OK;
}

redist_err dist_from_blocks(int64_t extent, int procs, const int ranks[], int64_t n,
                            const struct block blocks[], redist_dist **dist)
{
    *dist = NULL;
    redist_dist *made = mem_alloc(NULL, 1, dist_bytes(1));
    if (!made) return REDIST_ERR_MEMORY;
    made->nreplicas = 1;
    redist_err err = redist_grid_create(1, &procs, REDIST_ROW_MAJOR, ranks, &made->grid);
    if (!err) err = dim_from_blocks(extent, procs, n, blocks, &made->dim[0]);
    if (err) {
        redist_dist_destroy(&made);
        return err;
    }
    made->ndims = 1;
    *dist = made;
    return REDIST_OK;
}

redist_err dist_copy(struct mem_account *account, const redist_dist *dist,
                     redist_dist **copy)
{
    *copy = NULL;
    redist_dist *made = mem_copy(account, dist, 1, dist_bytes(dist->ndims));
    if (!made) return REDIST_ERR_MEMORY;
    made->ndims = 0; /* grows with the dimensions that are already the copy's own */
    made->grid = NULL;
    redist_err err = grid_copy(account, dist->grid, &made->grid);
    for (int i = 0; !err && i < dist->ndims; i++) {
        err = dim_copy(account, &dist->dim[i], &made->dim[i]);
        made->ndims += !err;
    }
    if (err) {
        redist_dist_destroy(&made);
        return err;
    }
    *copy = made;
    return REDIST_OK;
}

void redist_dist_destroy(redist_dist **dist)
{
    if (!dist || !*dist) return;
    for (int i = 0; i < (*dist)->ndims; i++) dim_free(&(*dist)->dim[i]);
    redist_grid_destroy(&(*dist)->grid);
    mem_free(*dist);
    *dist = NULL;
}

/* ---- queries ----------------------------------------------------------------------- */

int redist_dist_ndims(const redist_dist *dist) { return dist ? dist->ndims : 0; }

int64_t redist_dist_extent(const redist_dist *dist, int dim)
{
    return dist && dim >= 0 && dim < dist->ndims ? dist->dim[dim].extent : 0;
}

const redist_grid *redist_dist_grid(const redist_dist *dist)
{
    return dist ? dist->grid : NULL;
}

int64_t dist_elements(const redist_dist *dist)
{
    int64_t elements = 1;
    for (int i = 0; i < dist->ndims; i++) elements *= dist->dim[i].extent;
    return elements;
}

int dist_coord(const redist_dist *dist, int i, const int grid_coords[])
{
    return dist->dim[i].axis < 0 ? 0 : grid_coords[dist->dim[i].axis];
}

int64_t dist_replica(const redist_dist *dist, const int grid_coords[])
{
    int64_t replica = 0;
    for (int k = 0; k < dist->nreplica_axes; k++) {
        int axis = dist->replica_axes[k];
        replica = replica * dist->grid->shape[axis] + grid_coords[axis];
    }
    return replica;
}

/* Make the grid of one replica: that of all, cut to one coordinate along the axes that
 * replicate. */
static redist_err grid_of_replica(const redist_dist *dist, int64_t replica,
                                  redist_grid **made)
{
    const redist_grid *grid = dist->grid;
    int shape[REDIST_MAX_DIMS], at[REDIST_MAX_DIMS], coords[REDIST_MAX_DIMS];
    int first[REDIST_MAX_DIMS] = {0};
    for (int axis = 0; axis < grid->naxes; axis++) shape[axis] = grid->shape[axis];
    for (int k = 0; k < dist->nreplica_axes; k++) shape[dist->replica_axes[k]] = 1;
    if (replica < 0 || replica >= dist->nreplicas)
        return error_arg("replica is %" PRId64 ", must be 0 to %" PRId64, replica,
                         dist->nreplicas - 1);
    (void)redist_grid_coords(grid, dist_rank(dist, first, replica), first);
    TRY(redist_grid_create(grid->naxes, shape, grid->order, NULL, made));
    int *ranks = mem_alloc(NULL, (*made)->size, sizeof *ranks);
    for (int64_t k = 0; ranks && k < (*made)->size; k++) {
        grid_coords_at(*made, k, at);
        for (int axis = 0; axis < grid->naxes; axis++)
            coords[axis] = shape[axis] > 1 ? at[axis] : first[axis];
        ranks[k] = redist_grid_rank(grid, coords);
    }
    redist_grid_destroy(made);
    if (!ranks) return REDIST_ERR_MEMORY;
    redist_err err = redist_grid_create(grid->naxes, shape, grid->order, ranks, made);
    mem_free(ranks);
    return err;
}

redist_err dist_of_replica(const redist_dist *dist, int64_t replica, redist_dist **made)
{
    redist_grid *grid = NULL;
    TRY(dist_copy(NULL, dist, made));
    redist_err err = grid_of_replica(dist, replica, &grid);
    if (err) {
        redist_dist_destroy(made);
        return err;
    }
    redist_grid_destroy(&(*made)->grid);
    (*made)->grid = grid;
    (*made)->nreplicas = 1;
    return REDIST_OK;
}

int dist_rank(const redist_dist *dist, const int coords[], int64_t replica)
{
    int grid_coords[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++)
        if (dist->dim[i].axis >= 0) grid_coords[dist->dim[i].axis] = coords[i];
    for (int k = dist->nreplica_axes - 1; k >= 0; k--) {
        int axis = dist->replica_axes[k], shape = dist->grid->shape[axis];
        grid_coords[axis] = (int)(replica % shape);
        replica /= shape;
    }
    return grid_rank_at(dist->grid, grid_position(dist->grid, grid_coords));
}

int redist_dist_equal(const redist_dist *a, const redist_dist *b)
{
    if (!a || !b) return a == b;
    if (a->ndims != b->ndims || !grid_equal(a->grid, b->grid)) return 0;
    for (int i = 0; i < a->ndims; i++) {
        bool same_axis = a->dim[i].axis == b->dim[i].axis;
        bool one_each = a->dim[i].procs == 1 && b->dim[i].procs == 1;
        if (!(same_axis || one_each) || !dim_equal(&a->dim[i], &b->dim[i])) return 0;
    }
    return 1;
}

uint64_t dist_hash(const redist_dist *dist)
{
    uint64_t hash = hash_int(HASH_START, dist->ndims);
    for (int i = 0; i < dist->ndims; i++) {
        const struct dim *dim = &dist->dim[i];
        hash = hash_int(hash_int(hash_int(hash, dim->extent), dim->procs), dim->axis);
        hash = hash_int(hash_int(hash_int(hash, dim->m), dim->first), dim->nblocks);
        for (int64_t b = 0; b < dim->nblocks; b++)
            hash = hash_int(hash_int(hash, dim->blocks[b].end), dim->blocks[b].owner);
    }
    const redist_grid *grid = dist->grid;
    hash = hash_int(hash_int(hash, grid->order), grid->naxes);
    for (int axis = 0; axis < grid->naxes; axis++)
        hash = hash_int(hash, grid->shape[axis]);
    for (int64_t k = 0; grid->ranks && k < grid->size; k++)
        hash = hash_int(hash, grid->ranks[k]);
    return hash;
}

redist_err redist_dist_local_extents(const redist_dist *dist, int rank, int64_t local[])
{
    if (!dist) return error_arg("dist is NULL");
    if (!local) return error_arg("local is NULL");
    int coords[REDIST_MAX_DIMS];
    bool member = redist_grid_coords(dist->grid, rank, coords);
    for (int i = 0; i < dist->ndims; i++)
        local[i] = member ? dim_count(&dist->dim[i], dist_coord(dist, i, coords)) : 0;
    return REDIST_OK;
}

redist_err redist_dist_owner(const redist_dist *dist, const int64_t index[], int *rank,
                             int64_t local[])
{
    if (!dist) return error_arg("dist is NULL");
    if (!index) return error_arg("index is NULL");
    if (!rank) return error_arg("rank is NULL");
    int coords[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++) {
        const struct dim *dim = &dist->dim[i];
        if (index[i] < 0 || index[i] >= dim->extent)
            return error_arg("dim %d: index is %" PRId64 ", must be >= 0 and < %" PRId64,
                             i, index[i], dim->extent);
        struct block block = dim_block_at(dim, index[i]);
        coords[i] = block.owner;
        if (local) local[i] = block.local + (index[i] - block.begin);
    }
    *rank = dist_rank(dist, coords, 0);
    return REDIST_OK;
}

redist_err redist_dist_index(const redist_dist *dist, int rank, const int64_t local[],
                             int64_t index[])
{
    if (!dist) return error_arg("dist is NULL");
    if (!local) return error_arg("local is NULL");
    if (!index) return error_arg("index is NULL");
    int coords[REDIST_MAX_DIMS];
    if (!redist_grid_coords(dist->grid, rank, coords))
        return error_arg("rank %d is not in the grid", rank);
    for (int i = 0; i < dist->ndims; i++) {
        int c = dist_coord(dist, i, coords);
        int64_t count = dim_count(&dist->dim[i], c);
        if (local[i] < 0 || local[i] >= count)
            return error_arg("dim %d: local index is %" PRId64 ", rank %d holds %" PRId64,
                             i, local[i], rank, count);
        index[i] = dim_global(&dist->dim[i], c, local[i]);
    }
    return REDIST_OK;
}
