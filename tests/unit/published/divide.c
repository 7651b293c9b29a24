/* SPDX-License-Identifier: MIT
 *
 * The messages of a process that has several are neighbours in the order of the array: a
 * set, in which the k-th longest goes into step k. A set and the next have at most one
 * message in common. Two stretches of sets are merged: the steps of the second are
 * renamed so that the common message has one step; the others are paired, the longest of
 * the one with the longest of the other.
 */
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "unit/published/published.h"

struct set {
    int64_t first, end; /* messages first .. end - 1 */
};

struct divide {
    const struct comm_grid *grid;
    int64_t *step;
    struct set *set;
    int64_t nsets;
};

static void add_sets(struct divide *d, int64_t processes, const int64_t begin[])
{
    for (int64_t c = 0; c < processes; c++)
        if (begin[c + 1] - begin[c] > 1)
            d->set[d->nsets++] = (struct set){begin[c], begin[c + 1]};
}

/* A message that is alone at both ends is a set too. */
static void add_single_messages(struct divide *d)
{
    const struct comm_grid *grid = d->grid;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        if (grid->by_source[edge->p + 1] - grid->by_source[edge->p] == 1 &&
            grid->by_target[edge->q + 1] - grid->by_target[edge->q] == 1)
            d->set[d->nsets++] = (struct set){e, e + 1};
    }
}

static int by_first(const void *a, const void *b)
{
    const struct set *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Order the steps of the messages first .. end - 1: those of the longest first. */
static void order_steps(const struct divide *d, int64_t first, int64_t end,
                        int64_t order[])
{
    int64_t n = d->grid->degree;
    int64_t *longest = calloc((size_t)n, sizeof *longest);
    assert_non_null(longest);
    for (int64_t e = first; e < end; e++) {
        int64_t *known = &longest[d->step[e]];
        *known = int_max(*known, d->grid->edge[e].weight);
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (; at > 0 && longest[order[at - 1]] < longest[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    free(longest);
}

/* Merge the messages first .. end - 1 with middle .. end - 1, whose steps are their own.
 * The message `middle` had step `link` in the former, if it was there, else -1. */
static void merge(struct divide *d, int64_t first, int64_t middle, int64_t end,
                  int64_t link)
{
    int64_t n = d->grid->degree, k = 0;
    int64_t own = d->step[middle]; /* the link's in the second part */
    int64_t *order = calloc((size_t)(3 * n), sizeof *order);
    assert_non_null(order);
    int64_t *second = order + n, *rename = order + 2 * n;
    order_steps(d, first, middle, order);
    order_steps(d, middle, end, second);
    if (link >= 0) rename[own] = link;
    for (int64_t i = 0; i < n; i++) {
        if (link >= 0 && second[i] == own) continue;
        if (link >= 0 && order[k] == link) k++;
        rename[second[i]] = order[k++];
    }
    for (int64_t e = middle; e < end; e++) d->step[e] = rename[d->step[e]];
    free(order);
}

/* Schedule the sets from .. to - 1. */
static void solve(struct divide *d, int64_t from, int64_t to)
{
    if (to - from == 1) {
        struct set set = d->set[from];
        int64_t n = set.end - set.first;
        int64_t *id = calloc((size_t)n, sizeof *id);
        assert_non_null(id);
        for (int64_t i = 0; i < n; i++) id[i] = set.first + i;
        published_sort(d->grid, n, id);
        for (int64_t i = 0; i < n; i++) d->step[id[i]] = i;
        free(id);
        return;
    }
    int64_t half = from + (to - from) / 2;
    solve(d, from, half);
    int64_t middle = d->set[half].first;
    int64_t link = d->set[half - 1].end > middle ? d->step[middle] : -1;
    solve(d, half, to);
    merge(d, d->set[from].first, middle, d->set[to - 1].end, link);
}

void published_divide(const struct comm_grid *grid, int64_t step[])
{
    struct divide d = {grid, step, NULL, 0};
    d.set = calloc((size_t)grid->nedges, sizeof *d.set);
    assert_non_null(d.set);
    add_sets(&d, grid->P, grid->by_source);
    add_sets(&d, grid->Q, grid->by_target);
    add_single_messages(&d);
    qsort(d.set, (size_t)d.nsets, sizeof *d.set, by_first);
    solve(&d, 0, d.nsets);
    free(d.set);
}
