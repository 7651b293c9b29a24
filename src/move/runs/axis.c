/* SPDX-License-Identifier: MIT */
#include "move/runs/axis.h"

#include <string.h>

#include "base/intmath.h"

/* Entries before element e are skipped one by one. */
static struct cursor find(const struct runs *runs, int64_t e)
{
    struct cursor at = {.e = e, .rep = runs->repeats, .j = runs->nperiod};
    int64_t end = runs->nperiod + runs->ntail;
    if (e < runs->repeats * runs->period_elements) {
        at.rep = e / runs->period_elements;
        at.j = 0;
        end = runs->nperiod;
    }
    e -= at.rep * runs->period_elements;
    for (; at.j < end; at.j++) {
        const struct run *run = &runs->run[at.j];
        int64_t whole = run->length * run->count;
        if (e < whole) {
            at.c = e / run->length;
            at.x = e % run->length;
            break;
        }
        e -= whole;
    }
    return at;
}

struct spans axis_spans(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t lo, int64_t hi)
{
    if (axis->at[1].e == lo)
        axis->at[0] = axis->at[1];
    else if (axis->at[0].e != lo)
        axis->at[0] = find(axis->runs, lo);
    return (struct spans){axis, dense, base, axis->at[0], hi, 1};
}

/* The steps of one side in the loops of a span, and its begin. */
struct steps {
    int64_t place, period, run, element;
};

static inline struct steps steps_of(const struct spans *spans, const struct run *run,
                                    redist_side s)
{
    const struct axis *axis = spans->axis;
    const struct runs *runs = axis->runs;
    const struct cursor *at = &spans->at;
    if (spans->dense[s])
        return (struct steps){at->e * axis->dense, runs->period_elements * axis->dense,
                              run->length * axis->dense, axis->dense};
    int64_t local = run->local[s] + at->c * run->local_step[s];
    if (at->rep < runs->repeats) local += at->rep * runs->local_period[s];
    return (struct steps){local * axis->scale[s] + at->x * axis->unit[s],
                          runs->local_period[s] * axis->scale[s],
                          run->local_step[s] * axis->scale[s], axis->unit[s]};
}

/* Describe the loops over `reps` x `count` x `length` elements from the cursor on. */
static void describe(const struct spans *spans, const struct run *run, int64_t count,
                     int64_t length, struct nest *nest, struct place *first)
{
    struct steps source = steps_of(spans, run, REDIST_SOURCE),
                 target = steps_of(spans, run, REDIST_TARGET);
    first->source = spans->base.source + source.place;
    first->target = spans->base.target + target.place;
    nest_push(nest, spans->reps, source.period, target.period);
    nest_push(nest, count, source.run, target.run);
    nest_push(nest, length, source.element, target.element);
}

static void advance(struct spans *spans, const struct run *run, int64_t count,
                    int64_t length)
{
    const struct runs *runs = spans->axis->runs;
    struct cursor *at = &spans->at;
    at->e += count * length;
    at->x += length;
    if (at->x < run->length) return;
    at->x = 0;
    at->c += count;
    if (at->c < run->count) return;
    at->c = 0;
    at->j++;
    if (at->rep == runs->repeats || at->j < runs->nperiod) return;
    at->rep += spans->reps;
    at->e += (spans->reps - 1) * runs->period_elements;
    spans->reps = 1;
    if (at->rep < runs->repeats) at->j = 0;
}

bool spans_next(struct spans *spans, struct nest *nest, struct place *first)
{
    struct axis *axis = spans->axis;
    const struct runs *runs = axis->runs;
    const struct cursor *at = &spans->at;
    int64_t left = int_min(spans->end - at->e, axis->most), count = 1;
    if (left <= 0) {
        axis->at[1] = *at;
        return false;
    }
    const struct run *run = &runs->run[at->j];
    if (at->j == 0 && at->c == 0 && at->x == 0) { /* and in a period: not in the tail */
        int64_t whole = int_min(left, axis->period) / runs->period_elements;
        spans->reps = int_max(int_min(whole, runs->repeats - at->rep), 1);
    }
    int64_t length = run->length - at->x;
    if (spans->reps > 1)
        count = run->count;
    else if (at->x > 0 || left < length)
        length = int_min(length, left);
    else
        count = int_min(run->count - at->c, left / length);
    describe(spans, run, count, length, nest, first);
    advance(spans, run, count, length);
    return true;
}

struct cycle axis_cycle(const struct axis *axis)
{
    const struct runs *runs = axis->runs;
    const struct run *run = runs->run;
    struct cycle cycle = {.runs = runs,
                          .repeats = runs->repeats,
                          .elements = runs->period_elements,
                          .single = runs->nperiod == 1 && runs->repeats == 1};
    memcpy(cycle.step, runs->local_period, sizeof cycle.step);
    if (!cycle.single || run->count == 1) return cycle;
    cycle.repeats = run->count;
    cycle.elements = run->length;
    memcpy(cycle.step, run->local_step, sizeof cycle.step);
    return cycle;
}

int64_t cycle_runs(const struct cycle *cycle)
{
    int64_t n = 0;
    for (int64_t j = 0; j < cycle->runs->nperiod; j++) n += cycle_run(cycle, j).count;
    return n;
}

struct place axis_place(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t e)
{
    struct spans spans = axis_spans(axis, dense, base, e, e + 1);
    const struct run *run = &axis->runs->run[spans.at.j];
    base.source += steps_of(&spans, run, REDIST_SOURCE).place;
    base.target += steps_of(&spans, run, REDIST_TARGET).place;
    advance(&spans, run, 1, 1);
    axis->at[1] = spans.at;
    return base;
}

/* ---- from places to elements ------------------------------------------------------- */

/* The begin of an element of an entry on side `s`. */
static int64_t place_on(const struct axis *axis, redist_side s, const struct run *run,
                        int64_t c, int64_t x)
{
    return (run->local[s] + c * run->local_step[s]) * axis->scale[s] + x * axis->unit[s];
}

bool axis_bounds(const struct axis *axis, redist_side s, int64_t *first, int64_t *last)
{
    const struct runs *runs = axis->runs;
    const struct run *end = &runs->run[runs->nperiod + runs->ntail - 1];
    *first = place_on(axis, s, &runs->run[0], 0, 0);
    *last = place_on(axis, s, end, end->count - 1, end->length - 1);
    if (runs->ntail == 0)
        *last += (runs->repeats - 1) * runs->local_period[s] * axis->scale[s];
    return runs->elements == 1 || axis->unit[s] > 0;
}

/* Count the elements of an entry that begin before `at`, as its first does. */
static int64_t run_before(const struct axis *axis, redist_side s, const struct run *run,
                          int64_t at, int64_t *last)
{
    int64_t step = run->local_step[s] * axis->scale[s];
    int64_t unit = axis->unit[s], c = 0, x = 0;
    at -= place_on(axis, s, run, 0, 0);
    if (run->count > 1) c = int_min((at - 1) / step, run->count - 1);
    if (run->length > 1) x = int_min((at - c * step - 1) / unit, run->length - 1);
    *last = place_on(axis, s, run, c, x);
    return c * run->length + x + 1;
}

int64_t axis_before(struct axis *axis, redist_side s, int64_t at, int64_t *last)
{
    const struct runs *runs = axis->runs;
    int64_t period = runs->local_period[s] * axis->scale[s];
    int64_t rep = 0, n = 0, here = 0, end = runs->nperiod;
    struct mark mark = {0, 0};
    if (at <= place_on(axis, s, &runs->run[0], 0, 0)) return 0;
    if (runs->ntail > 0 && at > place_on(axis, s, &runs->run[end], 0, 0)) {
        n = runs->repeats * runs->period_elements;
        mark.j = end;
        end += runs->ntail;
    } else if (runs->repeats > 1) {
        rep = (at - 1 - place_on(axis, s, &runs->run[0], 0, 0)) / period;
        rep = int_min(rep, runs->repeats - 1);
        n = rep * runs->period_elements;
    }
    at -= rep * period;
    const struct mark *known = &axis->mark;
    if (known->j > mark.j && known->j < end &&
        at > place_on(axis, s, &runs->run[known->j], 0, 0))
        mark = *known;
    for (;; mark.j++, mark.before += here) {
        const struct run *run = &runs->run[mark.j];
        here = run_before(axis, s, run, at, last);
        if (mark.j + 1 == end || at <= place_on(axis, s, run + 1, 0, 0)) break;
    }
    axis->mark = mark;
    *last += rep * period;
    return n + mark.before + here;
}
