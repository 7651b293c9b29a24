/* SPDX-License-Identifier: MIT */
#include "schedule/pattern.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/dims.h"

/* Whether one side is regular in all dimensions, all of it, over all of its grid. */
static bool is_plain(const redist_view *view)
{
    const redist_dist *dist = view->dist;
    bool plain = dist->nreplicas == 1;
    for (int i = 0; i < dist->ndims; i++)
        plain = plain && dim_is_regular(&dist->dim[i]) && view->start[i] == 0 &&
                view->stride[i] == 1 && view->extent[i] == dist->dim[i].extent;
    return plain;
}

/* The dimension of a side that is axis j of its section. */
static const struct dim *dim_at(const redist_view *view, int j)
{
    return &view->dist->dim[view->axes[j]];
}

/* Find the classes of one period of two plain dimensions, if there is a whole one. */
static bool find_period(const struct dim *source, const struct dim *target,
                        struct classes *classes, int64_t *period)
{
    int64_t r = source->m, s = target->m;
    /* To one process any block is as good; the other side's makes the shortest period. */
    if (source->procs == 1) r = s;
    if (target->procs == 1) s = r;
    return r > 0 && s > 0 && !classes_make(source->procs, r, target->procs, s, classes) &&
           int_mul(classes->length, classes->d, period) && *period <= source->extent;
}

/* Find one period of all dimensions of two plain sides, if there is a whole one. */
static bool find_periods(struct pattern *pattern)
{
    int naxes = pattern->view[0]->dist->ndims, ndims = 0;
    pattern->unit = 1;
    for (int j = 0; j < naxes; j++) {
        const struct dim *source = dim_at(pattern->view[0], j);
        const struct dim *target = dim_at(pattern->view[1], j);
        struct classes *dim = &pattern->dim[ndims];
        if (!find_period(source, target, dim, &pattern->period[j])) return false;
        pattern->unit *= dim->d;
        if (source->procs == 1 && target->procs == 1 && (ndims > 0 || j < naxes - 1))
            continue;
        pattern->axis[ndims++] = j;
    }
    pattern->input.dim = pattern->dim;
    pattern->input.ndims = ndims;
    return dims_fit(ndims, pattern->dim);
}

redist_err pattern_make(const redist_view *source, const redist_view *target,
                        struct pattern *pattern)
{
    *pattern = (struct pattern){.view = {source, target}};
    TRY(overlap_check(source, target));
    bool plain = is_plain(source) && is_plain(target);
    if (plain && find_periods(pattern)) return REDIST_OK;
    pattern->is_part = plain;
    pattern->unit = 1;
    pattern->input.ndims = 0;
    return REDIST_OK;
}

redist_err pattern_build_grid(struct pattern *pattern, int64_t most)
{
    struct schedule_input *input = &pattern->input;
    if (input->ndims == 0)
        TRY(comm_grid_from_views(pattern->view[0], pattern->view[1], most,
                                 &pattern->grid));
    else if (dims_messages(input->ndims, input->dim) <= most)
        TRY(comm_grid_from_dims(input->ndims, input->dim, &pattern->grid));
    if (pattern->grid.edge) input->grid = &pattern->grid;
    return REDIST_OK;
}

void pattern_free(struct pattern *pattern)
{
    comm_grid_free(&pattern->grid);
    for (int s = 0; s < SIDES; s++) mem_free(pattern->rank[s]);
}

/* The processes of a side that can have messages. */
static int64_t processes(const struct pattern *pattern, redist_side side)
{
    const struct schedule_input *input = &pattern->input;
    if (input->ndims > 0) return dims_processes(input->ndims, input->dim, side);
    return pattern->view[side]->dist->grid->size;
}

redist_err pattern_place(struct pattern *pattern, const redist_topology *topology)
{
    for (int s = 0; s < SIDES; s++) {
        int64_t n = processes(pattern, (redist_side)s);
        pattern->rank[s] = mem_alloc(NULL, n, sizeof *pattern->rank[s]);
        if (!pattern->rank[s]) return REDIST_ERR_MEMORY;
        for (int64_t c = 0; c < n; c++)
            pattern->rank[s][c] = pattern_rank(pattern, (redist_side)s, c);
        pattern->input.rank[s] = pattern->rank[s];
    }
    pattern->input.topology = topology;
    return REDIST_OK;
}

double pattern_unit_elements(const struct pattern *pattern)
{
    const struct schedule_input *input = &pattern->input;
    const redist_view *view = pattern->view[REDIST_SOURCE];
    double elements = 1;
    if (input->ndims == 0) return elements;
    for (int i = 0; i < view->dist->ndims; i++) elements *= (double)view->extent[i];
    return elements / (double)dims_length(input->ndims, input->dim);
}

bool pattern_packs(const struct pattern *pattern)
{
    return pattern->input.ndims > 0 || pattern->view[REDIST_SOURCE]->dist->ndims > 1;
}

int pattern_rank(const struct pattern *pattern, redist_side side, int64_t c)
{
    const redist_view *view = pattern->view[side];
    const struct schedule_input *input = &pattern->input;
    if (input->ndims == 0) return grid_rank_at(view->dist->grid, c);
    int64_t along[REDIST_MAX_DIMS];
    int coords[REDIST_MAX_DIMS] = {0};
    dims_coords(input->ndims, input->dim, side, c, along);
    for (int d = 0; d < input->ndims; d++) {
        int i = view->axes[pattern->axis[d]];
        const struct dim *dim = &view->dist->dim[i];
        coords[i] = (int)((along[d] + dim->first) % dim->procs);
    }
    return dist_rank(view->dist, coords, 0);
}

int64_t pattern_find(const struct pattern *pattern, redist_side side, int rank)
{
    const redist_view *view = pattern->view[side];
    const struct schedule_input *input = &pattern->input;
    int64_t c = grid_find(view->dist->grid, rank);
    if (c < 0 || input->ndims == 0) return c;
    int coords[REDIST_MAX_DIMS];
    grid_coords_at(view->dist->grid, c, coords);
    c = 0;
    for (int d = 0; d < input->ndims; d++) {
        int i = view->axes[pattern->axis[d]];
        const struct dim *dim = &view->dist->dim[i];
        c = c * dim->procs +
            int_mod(dist_coord(view->dist, i, coords) - dim->first, dim->procs);
    }
    return c;
}
