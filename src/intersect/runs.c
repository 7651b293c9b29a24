/* SPDX-License-Identifier: MIT */
#include "intersect/runs.h"

#include "base/error.h"
#include "base/intmath.h"

/* Return the j-th run of a progression and all after it. */
static struct run run_from(struct run run, int64_t j)
{
    run.at += j * run.step;
    run.count -= j;
    for (int s = 0; s < SIDES; s++) run.local[s] += j * run.local_step[s];
    return run;
}

/* Behind the last run there may be no place, nor a number for one. */
static bool continues(const struct run *progression, const struct run *next)
{
    struct run last = run_from(*progression, progression->count - 1);
    bool ok = last.length == next->length && next->at - last.at == last.step;
    for (int s = 0; s < SIDES; s++)
        ok = ok && next->local[s] - last.local[s] == last.local_step[s];
    return ok;
}

static bool same_steps(const struct run *a, const struct run *b)
{
    return a->step == b->step && a->local_step[0] == b->local_step[0] &&
           a->local_step[1] == b->local_step[1];
}

redist_err runs_append(struct runs_builder *builder, struct run run)
{
    struct run *last = builder->n > 0 ? &builder->run[builder->n - 1] : NULL;
    if (last && last->count == 1 && last->length == run.length) {
        /* Any two runs of one length make a progression; the first fixes the steps. */
        struct run joined = *last;
        joined.step = run.at - last->at;
        for (int s = 0; s < SIDES; s++)
            joined.local_step[s] = run.local[s] - last->local[s];
        if (run.count == 1 || same_steps(&joined, &run)) {
            joined.count += run.count;
            *last = joined;
            return REDIST_OK;
        }
    } else if (last && continues(last, &run) &&
               (run.count == 1 || same_steps(last, &run))) {
        last->count += run.count;
        return REDIST_OK;
    }
    return mem_append(builder->account, &builder->run, &builder->n, &builder->room, &run,
                      sizeof run);
}

/* Append the part of a progression before section element `end`. */
static redist_err append_before(struct runs_builder *builder, struct run run, int64_t end)
{
    if (run.at >= end) return REDIST_OK;
    int64_t whole = 0;
    if (run.length <= end - run.at)
        whole = run.count == 1 ? 1 : (end - run.at - run.length) / run.step + 1;
    whole = int_min(whole, run.count);
    if (whole > 0) {
        struct run first = run;
        first.count = whole;
        TRY(runs_append(builder, first));
    }
    if (whole == run.count) return REDIST_OK;
    if (whole > 0) {
        run = run_from(run, whole - 1);
        if (run.step >= end - run.at) return REDIST_OK;
        run = run_from(run, 1);
    }
    run.length = end - run.at;
    run.count = 1;
    return runs_append(builder, run);
}

/* One run a period becomes a single progression. */
static void unroll(struct runs *runs, int64_t period)
{
    struct run *run = runs->run;
    if (runs->nperiod != 1 || run->count != 1 || runs->repeats < 2) return;
    run->count = runs->repeats;
    run->step = period;
    for (int s = 0; s < SIDES; s++) run->local_step[s] = runs->local_period[s];
    runs->period_elements *= runs->repeats;
    runs->repeats = 1;
}

redist_err runs_finish(struct runs_builder *builder, const struct side sides[SIDES],
                       int64_t period, int64_t extent, struct runs *runs)
{
    *runs = (struct runs){.repeats = 1, .nperiod = builder->n};
    for (int64_t j = 0; j < builder->n; j++)
        runs->period_elements += builder->run[j].length * builder->run[j].count;
    runs->elements = runs->period_elements;
    redist_err err = REDIST_OK;
    if (period < extent) {
        runs->repeats = extent / period;
        int64_t behind = runs->repeats * period, rest = extent - behind;
        for (int s = 0; s < SIDES; s++)
            runs->local_period[s] = side_local_advance(&sides[s], period);
        /* The tail must not join the last run of the period: a builder of its own. */
        struct runs_builder tail = {.account = builder->account};
        for (int64_t j = 0; !err && j < runs->nperiod; j++) {
            struct run run = builder->run[j];
            if (run.at >= rest) break;
            run.at += behind;
            for (int s = 0; s < SIDES; s++)
                run.local[s] += runs->repeats * runs->local_period[s];
            err = append_before(&tail, run, extent);
        }
        runs->elements *= runs->repeats;
        for (int64_t j = 0; j < tail.n; j++)
            runs->elements += tail.run[j].length * tail.run[j].count;
        runs->ntail = tail.n;
        if (!err && tail.n > 0) {
            struct run *all =
                mem_reserve(builder->account, builder->run, builder->n + tail.n,
                            &builder->room, sizeof *all);
            if (all) {
                builder->run = all;
                for (int64_t j = 0; j < tail.n; j++) all[runs->nperiod + j] = tail.run[j];
            } else {
                err = REDIST_ERR_MEMORY;
            }
        }
        mem_free(tail.run);
    }
    runs->run = builder->run;
    *builder = (struct runs_builder){.account = builder->account};
    if (err) {
        runs_free(runs);
        return err;
    }
    unroll(runs, period);
    return REDIST_OK;
}

bool runs_contiguous(const struct runs *runs, int s)
{
    int64_t next = runs->run[0].local[s];
    for (int64_t j = 0; j < runs->nperiod + runs->ntail; j++) {
        const struct run *run = &runs->run[j];
        if (j == runs->nperiod)
            next = runs->run[0].local[s] + runs->repeats * runs->period_elements;
        if (run->local[s] != next) return false;
        if (run->count > 1 && run->local_step[s] != run->length) return false;
        next += run->length * run->count;
    }
    return runs->repeats == 1 || runs->local_period[s] == runs->period_elements;
}

void runs_free(struct runs *runs)
{
    mem_free(runs->run);
    *runs = (struct runs){0};
}
