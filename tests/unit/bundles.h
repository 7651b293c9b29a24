/* SPDX-License-Identifier: MIT
 *
 * tests/unit/bundles.h - what a process of the target gets from each of the source, as
 * walks each way, with the arrays that they go over.
 */
#ifndef REDIST_TESTS_BUNDLES_H
#define REDIST_TESTS_BUNDLES_H

#include <stdlib.h>

#include "unit/unit.h"

#include "intersect/overlap.h"
#include "move/interleave/interleave.h"
#include "move/walk/walk.h"

enum { SOURCES = 12 };

/* What one process of the source has for the target. */
struct bundle {
    struct overlap overlap;
    struct walk walk[3]; /* each way */
    struct axis axes[3][REDIST_MAX_DIMS];
    double *array, *packed;
};

struct problem {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    int rank;  /* of the target */
    int width; /* doubles of an element */
    int n;
    struct bundle bundle[SOURCES]; /* none is empty */
    int64_t span;                  /* doubles of the target */
};

/* Allocate n + 1 numbers from `first` on. */
static inline double *numbers(int64_t n, double first)
{
    double *array = malloc((size_t)(n + 1) * sizeof *array);
    assert_non_null(array);
    for (int64_t k = 0; k <= n; k++) array[k] = first + (double)k;
    return array;
}

/* Fill in what process p of the source has for the target. Returns whether it has
 * anything. */
static inline bool make_bundle(struct problem *problem, int p, struct bundle *bundle)
{
    const int64_t bytes = problem->width * (int64_t)sizeof(double);
    const struct sizes sizes = {bytes, bytes, 0};
    const redist_view *view = problem->view;
    struct memory_side sides[SIDES] = {{.view = &view[0]}, {.view = &view[1]}};
    const struct message *message = NULL;
    ok(view_layout(&view[0], p, &sides[0].layout));
    ok(view_layout(&view[1], problem->rank, &sides[1].layout));
    ok(overlap_make(NULL, &view[0], &view[1], REDIST_SOURCE, p, &bundle->overlap));
    problem->span = sides[1].layout.span * problem->width;
    for (int64_t k = 0; k < bundle->overlap.nmessages; k++)
        if (bundle->overlap.message[k].rank == problem->rank)
            message = &bundle->overlap.message[k];
    if (!message) {
        overlap_free(&bundle->overlap);
        return false;
    }
    for (int way = WAY_GATHER; way <= WAY_COPY; way++)
        walk_make(&bundle->overlap, message, sides, sizes, (enum way)way, false,
                  bundle->axes[way], &bundle->walk[way]);
    struct walk *gather = &bundle->walk[WAY_GATHER];
    bundle->array = numbers(sides[0].layout.span * problem->width, 1e7 * (p + 1));
    bundle->packed = numbers(gather->total * problem->width, 0);
    walk_move(gather, WAY_GATHER, bundle->array, bundle->packed, gather->total);
    return true;
}

static inline void parse_problem(int width, const char *source, const char *target,
                                 struct problem *problem)
{
    *problem = (struct problem){.width = width};
    ok(redist_view_parse(source, &problem->dist[0], &problem->view[0]));
    ok(redist_view_parse(target, &problem->dist[1], &problem->view[1]));
}

/* Make the bundles for problem->rank of the target. */
static inline void make_bundles(struct problem *problem)
{
    int64_t sources = redist_grid_size(redist_dist_grid(problem->dist[0]));
    for (int p = 0; p < sources; p++)
        problem->n += make_bundle(problem, p, &problem->bundle[problem->n]);
}

static inline void free_problem(struct problem *problem)
{
    for (int p = 0; p < problem->n; p++) {
        overlap_free(&problem->bundle[p].overlap);
        free(problem->bundle[p].array), free(problem->bundle[p].packed);
    }
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem->dist[s]);
}

/* Return a bundle as an input: its array, all of it ready, or its packed message, none
 * of it ready. */
static inline struct input input_of(struct bundle *bundle, bool packed)
{
    const enum way way = packed ? WAY_SCATTER : WAY_COPY;
    struct walk *walk = &bundle->walk[way];
    const double *from = packed ? bundle->packed : bundle->array;
    walk_seek(walk, 0);
    return (struct input){.walk = walk,
                          .way = way,
                          .from = (const char *)from,
                          .ready = packed ? 0 : walk->total};
}

#endif
