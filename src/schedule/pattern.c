/* SPDX-License-Identifier: MIT */
#include "schedule/pattern.h"

#include "base/error.h"
#include "base/intmath.h"

/* Whether one side is one regular dimension, all of it, over all of its grid. */
static bool is_plain(const redist_view *view)
{
    const redist_dist *dist = view->dist;
    return dist->ndims == 1 && dim_is_regular(&dist->dim[0]) &&
           dist->grid->size == dist->dim[0].procs && view->start[0] == 0 &&
           view->stride[0] == 1 && view->extent[0] == dist->dim[0].extent;
}

/* Find the classes of one period of two plain sides, if there is a whole one. */
static bool find_period(const redist_view *views[SIDES], struct classes *classes)
{
    const struct dim *source = &views[0]->dist->dim[0], *target = &views[1]->dist->dim[0];
    int64_t r = source->m, s = target->m, period = 0;
    /* To one process any block is as good; the other side's makes the shortest period. */
    if (source->procs == 1) r = s;
    if (target->procs == 1) s = r;
    return r > 0 && s > 0 && !classes_make(source->procs, r, target->procs, s, classes) &&
           int_mul(classes->length, classes->d, &period) && period <= source->extent;
}

redist_err pattern_make(const redist_view *source, const redist_view *target,
                        struct pattern *pattern)
{
    *pattern = (struct pattern){.first = {0, 0}};
    TRY(overlap_check(source, target));
    const redist_view *views[SIDES] = {source, target};
    for (int s = 0; s < SIDES; s++) pattern->ranks[s] = views[s]->dist->grid;
    if (!is_plain(source) || !is_plain(target)) return REDIST_OK;
    pattern->is_part = !find_period(views, &pattern->classes);
    if (pattern->is_part) return REDIST_OK;
    pattern->input.classes = &pattern->classes;
    for (int s = 0; s < SIDES; s++) pattern->first[s] = views[s]->dist->dim[0].first;
    return REDIST_OK;
}

/* Whether the grid of the classes has no more than `most` messages. */
static bool is_small(const struct classes *k, int64_t most)
{
    int64_t edges = 0;
    return int_mul(k->n * k->a, k->b, &edges) &&
           int_mul(edges, k->g / (k->u * k->t), &edges) && edges <= most;
}

redist_err pattern_build_grid(struct pattern *pattern, const redist_view *source,
                              const redist_view *target, int64_t most)
{
    if (!pattern->input.classes)
        TRY(comm_grid_from_views(source, target, most, &pattern->grid));
    else if (is_small(&pattern->classes, most))
        TRY(comm_grid_from_classes(&pattern->classes, &pattern->grid));
    if (pattern->grid.edge) pattern->input.grid = &pattern->grid;
    return REDIST_OK;
}

void pattern_free(struct pattern *pattern) { comm_grid_free(&pattern->grid); }

int pattern_rank(const struct pattern *pattern, redist_side side, int64_t c)
{
    const redist_grid *grid = pattern->ranks[side];
    return grid_rank_at(grid, (c + pattern->first[side]) % grid->size);
}

int64_t pattern_find(const struct pattern *pattern, redist_side side, int rank)
{
    const redist_grid *grid = pattern->ranks[side];
    int64_t position = grid_find(grid, rank);
    if (position < 0) return -1;
    return int_mod(position - pattern->first[side], grid->size);
}
