/* SPDX-License-Identifier: MIT
 *
 * schedule/model/model_phases.c - which dimensions to redistribute together, and in which
 * order: the best way to each set of dimensions, from those to its subsets.
 */
#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/model/model.h"

/* The best way to redistribute the dimensions of a set. */
struct way {
    double seconds; /* INFINITY: there is none */
    int phases;
    unsigned last; /* the dimensions of its last phase */
};

/* Count the messages to other processes of a phase of the dimensions in `set`: the
 * product of their degrees, minus one that stays. */
static double messages(const struct model_ways *ways, unsigned set)
{
    double product[SIDES] = {1, 1};
    for (int s = 0; s < SIDES; s++)
        for (int i = 0; i < ways->ndims; i++)
            if (set >> i & 1) product[s] *= (double)ways->degree[s][i];
    return fmax(product[0], product[1]) - 1;
}

/* Return the units of room that the array between two phases takes. */
static int64_t between(const struct model_ways *ways, unsigned set)
{
    unsigned all = (1U << ways->ndims) - 1;
    return set == 0 || set == all ? 0 : ways->held[set];
}

/* Whether there is room for a phase from one set to another. */
static bool fits(const struct model_ways *ways, unsigned from, unsigned to)
{
    int64_t a = between(ways, from), b = between(ways, to);
    return a >= 0 && b >= 0 && a <= ways->room && b <= ways->room - a;
}

/* Find the best way to `set`, given those to all its proper subsets; startups[set] is the
 * startup time of a phase. */
static struct way best_way(const struct model_ways *ways, const struct model *model,
                           unsigned set, const double startups[], const struct way way[])
{
    struct way best = {.seconds = INFINITY};
    double unit = (model->beta + 2 * model->gamma) * model->unit;
    for (unsigned last = set; last; last = (last - 1) & set) {
        unsigned from = set & ~last;
        if (!fits(ways, from, set)) continue;
        double most = (double)int_max(ways->held[from], ways->held[set]);
        double seconds = way[from].seconds + startups[last] + unit * most;
        int phases = way[from].phases + 1;
        if (seconds < best.seconds || (seconds == best.seconds && phases < best.phases))
            best = (struct way){seconds, phases, last};
    }
    return best;
}

redist_err model_phases(const struct model_ways *ways, const struct model *model,
                        int phase[], double *seconds)
{
    assert(ways->ndims >= 1 && ways->ndims <= REDIST_MAX_DIMS);
    unsigned sets = 1U << ways->ndims, all = sets - 1;
    double *startups = NULL;
    struct way *way = NULL;
    const struct mem_part room[] = {MEM_PART(startups, sets), MEM_PART(way, sets), {0}};
    TRY(mem_alloc_parts(NULL, room));
    for (unsigned set = 1; set < sets; set++) {
        startups[set] = model->alpha * messages(ways, set);
        way[set] = best_way(ways, model, set, startups, way);
    }
    *seconds = way[all].seconds;
    int number = way[all].phases;
    for (unsigned set = all; set; set &= ~way[set].last) {
        number--;
        for (int i = 0; i < ways->ndims; i++)
            if (way[set].last >> i & 1) phase[i] = number;
    }
    mem_free(startups); /* and the ways */
    return REDIST_OK;
}
