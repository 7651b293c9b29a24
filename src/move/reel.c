/* SPDX-License-Identifier: MIT */
#include "move/reel.h"

#include "base/intmath.h"
#include "base/lengths.h"

enum {
    SHORT_RUN = 12,                /* bytes: the mean below which a loop is quicker */
    LEAST = LENGTH(4 << 10, 256),  /* bytes of a row: a table takes as long to make */
    LEAST_PERIODS = LENGTH(64, 16) /* of a row; so many are a cycle at most (cuts.h) */
};

static int64_t count_runs(const struct cycle *cycle)
{
    int64_t n = 0;
    for (int64_t j = 0; j < cycle->runs->nperiod; j++) n += cycle_run(cycle, j).count;
    return n;
}

bool reel_pays(const struct axis *axis, int64_t inner, int64_t bytes)
{
    struct cycle cycle = axis_cycle(axis);
    if (!cuts_run_here() || cycle.repeats < LEAST_PERIODS ||
        axis->unit[REDIST_SOURCE] != inner)
        return false;
    int64_t runs = count_runs(&cycle), period = cycle.elements * axis->dense;
    int64_t row = period * cycle.repeats;
    return runs <= HOPS_MOST && period >= runs * SHORT_RUN && period < runs * SEAM_LINE &&
           int_min(row, bytes) >= LEAST;
}

void reel_begin(const struct axis *axis, bool past, struct reel *reel)
{
    struct hops *hops = &reel->hops;
    const struct cycle *cycle = &reel->cycle;
    reel->cycle = axis_cycle(axis);
    reel->dense = axis->dense;
    reel->scale = axis->scale[REDIST_SOURCE];
    reel->past = past;
    hops->end = hops->hop;
    for (int64_t j = 0; j < cycle->runs->nperiod; j++) {
        struct run run = cycle_run(cycle, j);
        for (int64_t c = 0; c < run.count; c++)
            *hops->end++ =
                (struct hop){.from = (run.local[0] + c * run.local_step[0]) * reel->scale,
                             .bytes = (int32_t)(run.length * axis->dense)};
    }
    hops->partners = 1;
    hops->whole = true;
    hops->period = cycle->elements * axis->dense;
    hops->step[0] = cycle->step[REDIST_SOURCE] * reel->scale;
    hops->cuts.cycle = 0;
    reel->reach = int_ceil_div(HOPS_BEYOND, hops->step[0]);
}

int64_t reel_on(struct reel *reel, const char *from, char *to, int64_t at, int64_t n)
{
    struct seam seam;
    struct hops *hops = &reel->hops;
    int64_t rep = at / reel->cycle.elements;
    int64_t periods =
        int_min(n / reel->cycle.elements, reel->cycle.repeats - reel->reach - rep);
    if (at % reel->cycle.elements > 0 || periods <= 0) return 0;
    hops->begin[0] = from;
    hops->from[0] = from + rep * hops->step[0];
    seam_begin(&seam, to, reel->past);
    hops_over(hops, periods, &seam);
    seam_finish(&seam);
    return periods * reel->cycle.elements;
}
