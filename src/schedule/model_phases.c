/* SPDX-License-Identifier: MIT
 *
 * schedule/model_phases.c - which dimensions to redistribute together: the best split of
 * every set of dimensions, from those of its subsets.
 */
#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "schedule/model.h"

/* The best split of a set of dimensions. */
struct split {
    double seconds;
    int phases;
    unsigned first; /* the dimensions of the phase of the lowest one */
};

/* The seconds of one phase of the dimensions in `set`. */
static double phase_time(int ndims, const int64_t degree[], int64_t length,
                         const struct model *model, unsigned set)
{
    double messages = 1;
    for (int i = 0; i < ndims; i++)
        if (set >> i & 1) messages *= (double)degree[i];
    return model->alpha * messages +
           (model->beta + 2 * model->gamma) * model->unit * (double)length;
}

/* Find the best split of `set`, of whose true subsets all splits are known; alone[set] is
 * what one phase of a set takes. */
static struct split best_split(unsigned set, const double alone[],
                               const struct split split[])
{
    struct split best = {.seconds = INFINITY};
    unsigned lowest = set & -set, others = set & ~lowest;
    /* All subsets of the others, from all of them down to none. */
    for (unsigned more = others;; more = (more - 1) & others) {
        unsigned first = lowest | more;
        const struct split *rest = &split[set & ~first];
        double seconds = alone[first] + rest->seconds;
        if (seconds < best.seconds ||
            (seconds == best.seconds && rest->phases + 1 < best.phases))
            best = (struct split){seconds, rest->phases + 1, first};
        if (more == 0) return best;
    }
}

redist_err model_phases(int ndims, const int64_t degree[], int64_t length,
                        const struct model *model, int phase[], double *seconds)
{
    assert(ndims >= 1 && ndims <= REDIST_MAX_DIMS);
    unsigned sets = 1U << ndims;
    double *alone = mem_alloc(NULL, sets, sizeof *alone);
    struct split *split = mem_alloc(NULL, sets, sizeof *split);
    bool ok = alone && split;
    for (unsigned set = 1; ok && set < sets; set++) {
        alone[set] = phase_time(ndims, degree, length, model, set);
        split[set] = best_split(set, alone, split);
    }
    if (ok) {
        *seconds = split[sets - 1].seconds;
        int count = 0;
        for (unsigned set = sets - 1; set; set &= ~split[set].first, count++)
            for (int i = 0; i < ndims; i++)
                if (split[set].first >> i & 1) phase[i] = count;
    }
    mem_free(alone);
    mem_free(split);
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}
