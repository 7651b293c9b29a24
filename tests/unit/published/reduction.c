/* SPDX-License-Identifier: MIT
 *
 * While some process has d > 2 messages left: each that has d, the one with most to do
 * first, gives its shortest message that meets no other to the step; then others that are
 * no longer than the step's longest and meet none of it join. So the step lowers d by
 * one. What is left are paths, which take two steps in turn: of each path, the way round
 * that makes the second shorter.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "unit/published/published.h"

static bool shares_end(const struct edge *a, const struct edge *b)
{
    return a->p == b->p || a->q == b->q;
}

/* Whether message e has no step and meets none of step k. */
static bool fits(const struct comm_grid *grid, const int64_t step[], int64_t e, int64_t k)
{
    if (step[e] >= 0) return false;
    for (int64_t i = 0; i < grid->nedges; i++)
        if (step[i] == k && shares_end(&grid->edge[i], &grid->edge[e])) return false;
    return true;
}

/* Processes 0 .. P - 1 are the sources, the others the targets. */
static bool is_of(const struct comm_grid *grid, int64_t e, int process)
{
    return process < grid->P ? grid->edge[e].p == process
                             : grid->edge[e].q == process - grid->P;
}

/* How many messages a process has left, and how much they are. */
static int64_t degree_of(const struct comm_grid *grid, const int64_t step[], int process,
                         int64_t *load)
{
    int64_t n = 0;
    *load = 0;
    for (int64_t e = 0; e < grid->nedges; e++)
        if (step[e] < 0 && is_of(grid, e, process)) {
            n++;
            *load += grid->edge[e].weight;
        }
    return n;
}

/* The shortest message of a process that fits into step k, or -1. */
static int64_t shortest(const struct comm_grid *grid, const int64_t step[], int process,
                        int64_t k)
{
    int64_t best = -1;
    for (int64_t e = 0; e < grid->nedges; e++)
        if (is_of(grid, e, process) && fits(grid, step, e, k) &&
            (best < 0 || grid->edge[e].weight < grid->edge[best].weight))
            best = e;
    return best;
}

/* The process with the most to do of those with d messages left that have none in step k,
 * or -1. `degree` and `load` are those before the step. */
static int busiest(const struct comm_grid *grid, const int64_t step[], int64_t k,
                   const int64_t degree[], const int64_t load[], int64_t d)
{
    int best = -1;
    for (int v = 0; v < grid->P + grid->Q; v++) {
        bool served = degree[v] != d;
        for (int64_t e = 0; e < grid->nedges && !served; e++)
            served = step[e] == k && is_of(grid, e, v);
        if (!served && (best < 0 || load[v] > load[best])) best = v;
    }
    return best;
}

static void fill_step(const struct comm_grid *grid, int64_t step[], int64_t k, int64_t d)
{
    int n = grid->P + grid->Q;
    int64_t *degree = calloc(2 * (size_t)n, sizeof *degree), *load = degree + n;
    int64_t longest = 0;
    assert_non_null(degree);
    for (int v = 0; v < n; v++) degree[v] = degree_of(grid, step, v, &load[v]);
    for (int v; (v = busiest(grid, step, k, degree, load, d)) >= 0;) {
        int64_t e = shortest(grid, step, v, k);
        assert_true(e >= 0); /* d > 2: one leads to a partner without others */
        step[e] = k;
        longest = int_max(longest, grid->edge[e].weight);
    }
    free(degree);
    for (int64_t e = 0; e < grid->nedges; e++)
        if (grid->edge[e].weight <= longest && fits(grid, step, e, k)) step[e] = k;
}

/* Colour the paths: neighbours on a path are neighbours in the order of the messages. */
static void color_paths(const struct comm_grid *grid, int64_t step[], int64_t first)
{
    for (int64_t e = 0, next; e < grid->nedges; e = next) {
        next = e + 1;
        if (step[e] >= 0) continue;
        int64_t longest[2] = {0, 0}, turn = 0, last = e;
        for (int64_t i = e; i < grid->nedges; i++) {
            if (step[i] >= 0) continue;
            if (i > e && !shares_end(&grid->edge[last], &grid->edge[i])) break;
            step[i] = first + turn;
            longest[turn] = int_max(longest[turn], grid->edge[i].weight);
            turn = 1 - turn;
            last = i;
        }
        if (longest[1] <= longest[0]) continue;
        /* Of e .. last, those of the path have one of the last two steps. */
        for (int64_t i = e; i <= last; i++)
            if (step[i] >= first) step[i] = 2 * first + 1 - step[i];
    }
}

void published_reduction(const struct comm_grid *grid, int64_t step[])
{
    int64_t k = 0;
    for (int64_t e = 0; e < grid->nedges; e++) step[e] = -1;
    for (int64_t d = grid->degree; d > 2; d--) fill_step(grid, step, k++, d);
    color_paths(grid, step, k);
}
