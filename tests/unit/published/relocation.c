/* SPDX-License-Identifier: MIT
 *
 * The longest message that has no step goes into the first step in which both its ends
 * are free. Where there is none, its source has a free step a and its target a free step
 * b: the messages that stand in its way change between the two. The papers that tell of
 * it leave open which: here it is the pair after which the sum of the longest messages is
 * least, and all that conflict change, so that Delta steps are always enough.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "unit/published/published.h"

/* The message of a process in a step, or -1. */
static int64_t find(const struct comm_grid *grid, const int64_t step[], bool source,
                    int process, int64_t in)
{
    for (int64_t e = 0; e < grid->nedges; e++)
        if (step[e] == in && (source ? grid->edge[e].p : grid->edge[e].q) == process)
            return e;
    return -1;
}

/* Move the message of source p in step b to step a, the one that it meets there to b, and
 * so on. */
static void relocate(const struct comm_grid *grid, int64_t step[], int p, int64_t a,
                     int64_t b)
{
    int64_t e = find(grid, step, true, p, b);
    bool source = false; /* where e may meet another */
    while (e >= 0) {
        int64_t to = step[e] == a ? b : a;
        int64_t met =
            find(grid, step, source, source ? grid->edge[e].p : grid->edge[e].q, to);
        step[e] = to;
        e = met;
        source = !source;
    }
}

static int64_t sum_of_longest(const struct comm_grid *grid, const int64_t step[])
{
    int64_t sum = 0;
    for (int64_t k = 0; k < grid->degree; k++) {
        int64_t longest = 0;
        for (int64_t e = 0; e < grid->nedges; e++)
            if (step[e] == k) longest = int_max(longest, grid->edge[e].weight);
        sum += longest;
    }
    return sum;
}

static void place(const struct comm_grid *grid, int64_t step[], int64_t e)
{
    int p = grid->edge[e].p, q = grid->edge[e].q;
    int64_t least = INT64_MAX, from = -1, to = -1;
    for (int64_t k = 0; k < grid->degree; k++)
        if (find(grid, step, true, p, k) < 0 && find(grid, step, false, q, k) < 0) {
            step[e] = k;
            return;
        }
    for (int64_t a = 0; a < grid->degree; a++)
        for (int64_t b = 0; b < grid->degree; b++) {
            if (find(grid, step, true, p, a) >= 0 || find(grid, step, false, q, b) >= 0)
                continue;
            relocate(grid, step, p, a, b);
            step[e] = b;
            int64_t sum = sum_of_longest(grid, step);
            step[e] = -1;
            relocate(grid, step, p, b, a); /* back */
            if (sum >= least) continue;
            least = sum;
            from = a;
            to = b;
        }
    relocate(grid, step, p, from, to);
    step[e] = to;
}

void published_relocation(const struct comm_grid *grid, int64_t step[])
{
    int64_t *id = calloc((size_t)grid->nedges, sizeof *id);
    assert_non_null(id);
    for (int64_t e = 0; e < grid->nedges; e++) {
        id[e] = e;
        step[e] = -1;
    }
    published_sort(grid, grid->nedges, id);
    for (int64_t i = 0; i < grid->nedges; i++) place(grid, step, id[i]);
    free(id);
}
