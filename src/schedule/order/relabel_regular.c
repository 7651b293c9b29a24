/* SPDX-License-Identifier: MIT
 *
 * The messages of a class have one length (classes.h), so it is optimal if every place
 * keeps one of a heaviest class. Where u = t = 1 along each dimension every process has
 * messages of every class: p and q have one of class z if
 *
 *   p r = q s + z (mod g)      g = gcd(P, Q)
 *
 * which pairs the residues mod g, the P / g sources of one with the Q / g targets of one.
 * With several dimensions and equally many processes on both sides, equally many of each
 * side have the same residues along each dimension; they can be paired in any order. So
 * the heaviest messages alone contain a perfect matching.
 *
 *   2 x 4 -> 4 x 2, blocks of one size: g = 2 and 2; the 1 x 2 sources (0,0) and (0,2)
 *   go together with the 2 x 1 targets (0,0) and (2,0)
 */
#include "schedule/order/relabel.h"

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/dims.h"
#include "schedule/core/pattern.h"

/* A heaviest class, 0 if that is one. */
static int64_t heaviest(const struct classes *k)
{
    int64_t z = 0, most = classes_weight(k, 0);
    for (int64_t c = k->first; c < k->first + k->n; c++) {
        int64_t weight = classes_weight(k, c);
        if (weight > most) z = c, most = weight;
    }
    return z;
}

static bool holds_whole_periods(const struct pattern *pattern)
{
    const redist_view *view = pattern->view[REDIST_SOURCE];
    for (int j = 0; j < view->dist->ndims; j++)
        if (view->extent[view->axes[j]] % pattern->period[j] != 0) return false;
    return true;
}

static bool is_regular(const struct pattern *pattern)
{
    int ndims = pattern->input.ndims;
    const struct classes *dim = pattern->input.dim;
    bool regular = ndims > 0 && holds_whole_periods(pattern);
    for (int d = 0; d < ndims; d++) regular = regular && dim[d].u == 1 && dim[d].t == 1;
    return regular && dims_processes(ndims, dim, REDIST_SOURCE) ==
                          dims_processes(ndims, dim, REDIST_TARGET);
}

/* The source whose message of the classes `z` target q keeps: both have the same number
 * among those of the same residues. */
static int64_t partner(const struct schedule_input *input, const int64_t z[], int64_t q)
{
    int64_t coords[REDIST_MAX_DIMS], number = 0, p = 0, weight = 1;
    dims_coords(input->ndims, input->dim, REDIST_TARGET, q, coords);
    for (int d = 0; d < input->ndims; d++)
        number = number * input->dim[d].b +
                 classes_copy(&input->dim[d], REDIST_TARGET, coords[d]);
    for (int d = input->ndims - 1; d >= 0; d--) {
        const struct classes *k = &input->dim[d];
        int64_t copy = number % k->a;
        number /= k->a;
        p += weight * (classes_partner(k, REDIST_TARGET, coords[d], z[d]) + k->g * copy);
        weight *= k->P;
    }
    return p;
}

/* What source p has for target q in a period. */
static int64_t length(const struct schedule_input *input, int64_t p, int64_t q)
{
    int64_t from[REDIST_MAX_DIMS], to[REDIST_MAX_DIMS], product = 1;
    dims_coords(input->ndims, input->dim, REDIST_SOURCE, p, from);
    dims_coords(input->ndims, input->dim, REDIST_TARGET, q, to);
    for (int d = 0; d < input->ndims; d++) {
        const struct classes *k = &input->dim[d];
        int64_t z = int_mulmod(from[d], k->r, k->g) - int_mulmod(to[d], k->s, k->g);
        product *= classes_weight(k, z);
    }
    return product;
}

/* Assign, and find whether more stays than before. */
static bool assign(const struct pattern *pattern, int assigned[], bool *gains)
{
    const struct schedule_input *input = &pattern->input;
    const redist_grid *grid = pattern->view[REDIST_TARGET]->dist->grid;
    int64_t z[REDIST_MAX_DIMS], most = 1;
    *gains = false;
    for (int d = 0; d < input->ndims; d++) {
        z[d] = heaviest(&input->dim[d]);
        most *= classes_weight(&input->dim[d], z[d]);
    }
    for (int64_t q = 0; q < grid->size; q++) {
        int rank = pattern_rank(pattern, REDIST_TARGET, q);
        int64_t p = pattern_find(pattern, REDIST_SOURCE, rank);
        if (p < 0) return false; /* ranks differ between the sides */
        *gains = *gains || length(input, p, q) < most;
        p = partner(input, z, q);
        assigned[grid_find(grid, rank)] =
            (int)grid_find(grid, pattern_rank(pattern, REDIST_SOURCE, p));
    }
    return true;
}

redist_err relabel_regular(const redist_view *source, const redist_view *target,
                           int assigned[], bool *applies)
{
    struct pattern pattern;
    bool gains = false;
    TRY(pattern_make(source, target, &pattern));
    *applies = is_regular(&pattern) && assign(&pattern, assigned, &gains);
    if (*applies && !gains)
        for (int64_t k = 0; k < target->dist->grid->size; k++) assigned[k] = (int)k;
    pattern_free(&pattern);
    return REDIST_OK;
}
