/* SPDX-License-Identifier: MIT */
#include "move/runs/reel.h"

#include <string.h>

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"

enum {
    SHORT_RUN = 12,                /* bytes: the mean below which a loop is quicker, */
    LONG_RUN = 512,                /* and from which on */
    AHEAD = 24,                    /* runs of a line or more that are asked for */
    LEAST = LENGTH(4 << 10, 256),  /* bytes of a row: a table takes as long to make */
    LEAST_PERIODS = LENGTH(64, 16) /* of a row; so many are a cycle at most (cuts.h) */
};

static int64_t count_runs(const struct cycle *cycle)
{
    int64_t n = 0;
    for (int64_t j = 0; j < cycle->runs->nperiod; j++) n += cycle_run(cycle, j).count;
    return n;
}

/* Whether runs have a cache line and more, so that each is copied by itself. */
static bool has_lines(const struct cycle *cycle, int64_t dense, int64_t runs)
{
    return cycle->elements * dense >= runs * SEAM_LINE;
}

bool reel_pays(const struct axis *axis, int64_t inner, int64_t bytes)
{
    struct cycle cycle = axis_cycle(axis);
    if (ABLATED(REEL) || cycle.repeats < LEAST_PERIODS ||
        axis->unit[REDIST_SOURCE] != inner)
        return false;
    int64_t runs = count_runs(&cycle), period = cycle.elements * axis->dense;
    int64_t row = period * cycle.repeats;
    bool well = has_lines(&cycle, axis->dense, runs) || cuts_run_here();
    return well && runs <= HOPS_MOST && period >= runs * SHORT_RUN &&
           period < runs * LONG_RUN && int_min(row, bytes) >= LEAST;
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
    reel->lines = has_lines(cycle, reel->dense, hops->end - hops->hop);
    reel->reach = reel->lines ? 0 : int_ceil_div(HOPS_BEYOND, hops->step[0]);
}

/* Copy a run. What is no whole line is copied with the last one. */
static inline void copy_run(char *to, const char *from, int64_t bytes)
{
    if (bytes < SEAM_LINE) {
        kernel_bytes(to, from, bytes);
        return;
    }
    for (int64_t k = 0; k + SEAM_LINE <= bytes; k += SEAM_LINE)
        memcpy(to + k, from + k, SEAM_LINE);
    memcpy(to + bytes - SEAM_LINE, from + bytes - SEAM_LINE, SEAM_LINE);
}

/* Copy n periods run by run, past the cache by way of a seam, or to `to`. */
static void copy_runs(const struct hops *hops, int64_t n, struct seam *seam, char *to)
{
    const int64_t nruns = hops->end - hops->hop, step = hops->step[0];
    /* What is asked for: a run of the period that lies there. */
    int64_t next = AHEAD % nruns;
    const char *ahead = hops->from[0] + AHEAD / nruns * step;
    for (const char *from = hops->from[0]; n > 0; n--, from += step)
        for (const struct hop *hop = hops->hop; hop < hops->end; hop++) {
            for (int64_t k = 0; k < hops->hop[next].bytes; k += SEAM_LINE)
                kernel_ask(ahead + hops->hop[next].from + k);
            if (++next == nruns) next = 0, ahead += step;
            if (seam->past)
                seam_append(seam, from + hop->from, hop->bytes);
            else
                copy_run(to, from + hop->from, hop->bytes);
            to += hop->bytes;
        }
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
    if (reel->lines)
        copy_runs(hops, periods, &seam, to);
    else
        hops_over(hops, periods, &seam);
    seam_finish(&seam);
    return periods * reel->cycle.elements;
}
