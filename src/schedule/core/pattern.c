/* SPDX-License-Identifier: MIT */
#include "schedule/core/pattern.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/core/dims.h"

/* For an array that does not end with a period: the most runs of the rest; the number of
 * whole periods from which on a period's lengths are used; the most messages of a period
 * for which each process colours the array's own ones; and, without a whole period, for
 * which it searches them for the array's. */
enum {
    MOST_RUNS = 1 << 20,
    MANY_PERIODS = 4,
    MOST_WEIGHED = 1 << 13,
    MOST_OF_PART = 1 << 16
};

/* Tell whether one side is regular in all dimensions, whole, and over its whole grid. */
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

/* Find the classes of two plain dimensions, their period, and the number of periods. */
static bool find_period(const struct dim *source, const struct dim *target,
                        struct classes *classes, int64_t *period, struct periods *periods)
{
    int64_t r = source->m, s = target->m;
    /* One process can have any block; the other side's makes the shortest period. */
    if (source->procs == 1) r = s;
    if (target->procs == 1) s = r;
    if (r < 1 || s < 1 || source->extent == 0) return false;
    if (classes_make(source->procs, r, target->procs, s, classes) ||
        !int_mul(classes->length, classes->d, period))
        return false;
    *periods = (struct periods){source->extent / *period, source->extent % *period};
    return true;
}

/* Find the classes of all dimensions of two plain sides. */
static bool find_classes(struct pattern *pattern)
{
    int naxes = pattern->view[0]->dist->ndims, ndims = 0;
    pattern->unit = pattern->alone = 1;
    for (int j = 0; j < naxes; j++) {
        const struct dim *source = dim_at(pattern->view[0], j);
        const struct dim *target = dim_at(pattern->view[1], j);
        struct classes *dim = &pattern->dim[ndims];
        if (!find_period(source, target, dim, &pattern->period[j],
                         &pattern->periods[ndims]))
            return false;
        pattern->unit *= dim->d;
        if (source->procs == 1 && target->procs == 1 && (ndims > 0 || j < naxes - 1)) {
            pattern->alone *= source->extent;
            continue;
        }
        pattern->axis[ndims++] = j;
    }
    pattern->input.dim = pattern->dim;
    pattern->input.ndims = ndims;
    return dims_fit(ndims, pattern->dim);
}

/* Find how the array ends, and whether it has so few periods that schedules use the
 * lengths of its own messages. False: neither these nor a period's can be used. */
static bool find_rest(struct pattern *pattern)
{
    struct schedule_input *input = &pattern->input;
    int64_t fewest = INT64_MAX, runs = 0, longest = 1;
    bool fits = true;
    for (int j = 0; j < input->ndims; j++) {
        const struct classes *dim = &pattern->dim[j];
        const struct periods *periods = &pattern->periods[j];
        fits = fits && int_mul(longest, dim->least, &longest) &&
               int_mul(longest, periods_stretch(dim, periods), &longest);
        if (periods->rest == 0) continue;
        fewest = int_min(fewest, periods->whole);
        runs = int_max(runs, periods_runs(dim, periods));
    }
    int64_t most = fewest > 0 ? MOST_WEIGHED : MOST_OF_PART;
    input->is_part = fewest == 0;
    pattern->is_ragged = fits && runs > 0 && runs <= MOST_RUNS;
    input->by_grid = pattern->is_ragged && fewest < MANY_PERIODS &&
                     dims_messages(input->ndims, input->dim) <= most;
    return fewest > 0 || input->by_grid;
}

redist_err pattern_make(const redist_view *source, const redist_view *target,
                        struct pattern *pattern)
{
    *pattern = (struct pattern){.view = {source, target}};
    TRY(overlap_check(source, target));
    bool is_part = false;
    if (is_plain(source) && is_plain(target)) {
        if (find_classes(pattern) && find_rest(pattern)) return REDIST_OK;
        is_part = true;
    }
    pattern->is_ragged = false;
    pattern->unit = 1;
    pattern->input = (struct schedule_input){.is_part = is_part};
    return REDIST_OK;
}

/* Build the grid of an array that does not end with a period. */
static redist_err build_ragged(struct pattern *pattern, int64_t most)
{
    struct schedule_input *input = &pattern->input;
    TRY(comm_grid_from_dims(input->ndims, input->dim, pattern->periods, most,
                            &pattern->grid));
    if (!pattern->grid.edge) return REDIST_OK;
    input->periods = pattern->periods;
    pattern->unit = pattern->alone;
    return REDIST_OK;
}

redist_err pattern_build_grid(struct pattern *pattern, int64_t most)
{
    struct schedule_input *input = &pattern->input;
    bool part = input->by_grid; /* it may have fewer messages than a period */
    if (input->ndims == 0)
        TRY(comm_grid_from_views(pattern->view[0], pattern->view[1], most,
                                 &pattern->grid));
    else if (!part && dims_messages(input->ndims, input->dim) > most)
        return REDIST_OK;
    else if (pattern->is_ragged)
        TRY(build_ragged(pattern, most));
    else
        TRY(comm_grid_from_dims(input->ndims, input->dim, NULL, most, &pattern->grid));
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
    if (input->periods) return (double)pattern->unit;
    for (int i = 0; i < view->dist->ndims; i++) elements *= (double)view->extent[i];
    return elements / (double)dims_length(input->ndims, input->dim);
}

/* Tell whether a view of one dimension has at most one block of each coordinate. */
static bool has_single_blocks(const redist_view *view)
{
    const struct dim *dim = &view->dist->dim[0];
    bool single = dim_is_regular(dim) ? int_ceil_div(dim->extent, dim->m) <= dim->procs
                                      : dim->nblocks == dim->nowners;
    return single && view->stride[0] == 1;
}

bool pattern_packs(const struct pattern *pattern)
{
    const struct classes *k = schedule_classes(&pattern->input);
    const struct periods *periods = pattern->periods;
    if (pattern->view[REDIST_SOURCE]->dist->ndims > 1) return true;
    if (k) /* one run a period, if the class of the ends has one */
        return periods->whole + (periods->rest > 0) > 1 || k->r + k->s - 1 > k->g;
    return !has_single_blocks(pattern->view[REDIST_SOURCE]) ||
           !has_single_blocks(pattern->view[REDIST_TARGET]);
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
