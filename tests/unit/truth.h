/* SPDX-License-Identifier: MIT
 *
 * tests/unit/truth.h - who has what for whom in a drawn problem, counted element by
 * element, and what no schedule of that can undercut.
 */
#ifndef REDIST_TESTS_UNIT_TRUTH_H
#define REDIST_TESTS_UNIT_TRUTH_H

#include "unit/drawn.h"

struct truth {
    int n;                                   /* ranks */
    int64_t weight[MOST_RANKS * MOST_RANKS]; /* [from n + to] */
    int64_t messages;
    int64_t delta, w, sb;
    int64_t product_delta, product_w; /* of these along each dimension alone */
};

/* Where the elements of one axis lie in the grid of each side. */
struct truth_axis {
    int64_t n;
    int at[2][MOST_ALONG];
};

/* The owners of the first `n` elements of axis j. */
static inline void truth_locate(const struct drawn *x, int j, int64_t n,
                                struct truth_axis *axis)
{
    axis->n = n;
    for (int s = 0; s < 2; s++) {
        const struct drawn_side *side = &x->side[s];
        const struct drawn_dim *dim = &side->dim[side->axes[j]];
        int apart = dim->grid_axis < 0 ? 0 : drawn_apart(side, dim->grid_axis);
        for (int64_t k = 0; k < n; k++)
            axis->at[s][k] = drawn_owner(dim, dim->start + k * dim->stride) * apart;
    }
}

/* Whether elements of an axis that lie a period apart have the same owners. */
static inline bool truth_repeats(const struct drawn *x, int j, int64_t period)
{
    struct truth_axis axis;
    truth_locate(x, j, x->extent[j], &axis);
    for (int s = 0; s < 2; s++)
        for (int64_t k = period; k < axis.n; k++)
            if (axis.at[s][k] != axis.at[s][k - period]) return false;
    return true;
}

/* Count one element, at positions of both grids; the target's may repeat. */
static inline void truth_count(const struct drawn *x, int from, int to,
                               struct truth *truth)
{
    const struct drawn_side *target = &x->side[1];
    int copies = 1, apart = 0;
    if (target->replica_axis >= 0) {
        copies = target->shape[target->replica_axis];
        apart = drawn_apart(target, target->replica_axis);
    }
    int64_t *row = &truth->weight[x->side[0].rank[from] * truth->n];
    for (int c = 0; c < copies; c++) row[target->rank[to + c * apart]]++;
}

static inline int truth_descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* The messages of one process, longest first, at steps `apart` of a matrix: raise the
 * bounds to what it needs. */
static inline void truth_bound(const int64_t weight[], int n, int apart, int64_t *delta,
                               int64_t *w, int64_t longest[])
{
    int64_t own[MOST_RANKS], load = 0;
    int degree = 0;
    for (int k = 0; k < n; k++)
        if (weight[k * apart] > 0) load += own[degree++] = weight[k * apart];
    if (*delta < degree) *delta = degree;
    if (*w < load) *w = load;
    if (!longest) return;
    qsort(own, (size_t)degree, sizeof *own, truth_descending);
    for (int k = 0; k < degree; k++)
        if (longest[k] < own[k]) longest[k] = own[k];
}

/* Delta and W along one axis, of whatever place the owners have in their grids. */
static inline void truth_bound_axis(const struct truth_axis *axis, struct truth *truth)
{
    int64_t weight[MOST_RANKS * MOST_RANKS] = {0}, delta = 0, w = 0;
    for (int64_t k = 0; k < axis->n; k++)
        weight[axis->at[0][k] * MOST_RANKS + axis->at[1][k]]++;
    for (int c = 0; c < MOST_RANKS; c++) {
        truth_bound(&weight[c * MOST_RANKS], MOST_RANKS, 1, &delta, &w, NULL);
        truth_bound(&weight[c], MOST_RANKS, MOST_RANKS, &delta, &w, NULL);
    }
    truth->product_delta *= delta;
    truth->product_w *= w;
}

/* Count the elements of the section in [0, box[j]) along each axis j. */
static inline void truth_make(const struct drawn *x, const int64_t box[],
                              struct truth *truth)
{
    static struct truth_axis axis[MOST_AXES];
    int64_t longest[MOST_RANKS] = {0};
    int n = truth->n = x->nranks;
    memset(truth, 0, sizeof *truth);
    truth->n = n;
    truth->product_delta = truth->product_w = 1;
    for (int j = 0; j < MOST_AXES; j++)
        axis[j].n = 1, axis[j].at[0][0] = axis[j].at[1][0] = 0;
    for (int j = 0; j < x->ndims; j++) truth_locate(x, j, box[j], &axis[j]);
    for (int64_t a = 0; a < axis[0].n; a++)
        for (int64_t b = 0; b < axis[1].n; b++)
            for (int64_t c = 0; c < axis[2].n; c++)
                truth_count(x, axis[0].at[0][a] + axis[1].at[0][b] + axis[2].at[0][c],
                            axis[0].at[1][a] + axis[1].at[1][b] + axis[2].at[1][c],
                            truth);
    for (int j = 0; j < x->ndims; j++) truth_bound_axis(&axis[j], truth);
    for (int r = 0; r < n; r++) {
        truth_bound(&truth->weight[r * n], n, 1, &truth->delta, &truth->w, longest);
        truth_bound(&truth->weight[r], n, n, &truth->delta, &truth->w, longest);
    }
    for (int k = 0; k < n * n; k++) truth->messages += truth->weight[k] > 0;
    for (int k = 0; k < n; k++) truth->sb += longest[k];
}

#endif
