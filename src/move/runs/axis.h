/* SPDX-License-Identifier: MIT
 *
 * move/runs/axis.h - one axis of a walk: where its elements lie, range by range.
 *
 * A range of an axis is handed out as spans. A span is three nested regular loops:
 *
 *   repetitions of the period  x  runs of one progression  x  elements of a run
 *
 *   runs    aaa bb bb . aaa bb bb . aaa bb bb .      3 repetitions of two progressions
 *   spans   aaa         aaa         aaa              1: 3 x 1 x 3
 *               bb bb       bb bb       bb bb        2: 3 x 2 x 2
 *
 * Many small runs thus take few steps. Spans need not come in ascending order.
 */
#ifndef REDIST_MOVE_RUNS_AXIS_H
#define REDIST_MOVE_RUNS_AXIS_H

#include "move/kernel/nest.h"

/* Element `e` of an axis is element x of the c-th run of entry j, in repetition rep;
 * rep = repeats while in the tail. */
struct cursor {
    int64_t e, rep, j, c, x;
};

/* Bytes from where each side begins. */
struct place {
    int64_t source, target;
};

/* Where the last count of elements ended; the next one continues there. */
struct mark {
    int64_t j, before; /* an entry; elements of those before it, in the period or tail */
};

struct axis {
    const struct runs *runs; /* borrowed from the overlap */
    int64_t scale[SIDES];    /* bytes from one local index to the next */
    int64_t unit[SIDES];     /* bytes from one element of a run to the next */
    int64_t dense;           /* bytes from one element to the next in a dense buffer */
    int64_t most;            /* most elements of one span */
    int64_t period;          /* most elements of a span of several repetitions */
    struct cursor at[2];     /* at the begin of the last range; at its end */
    struct mark mark;        /* of axis_before */
};

/* What is left of a range. */
struct spans {
    struct axis *axis;
    const bool *dense; /* [SIDES] */
    struct place base; /* of element 0 on a dense side, of local index 0 on the other */
    struct cursor at;
    int64_t end;
    int64_t reps; /* repetitions in the spans of the current progression */
};

/* The repeating part of an axis. Runs stored as one progression (runs.h), one run a
 * period, are returned as repetitions, as in messages with several runs a period. */
struct cycle {
    const struct runs *runs;
    int64_t repeats, elements; /* of one repetition */
    int64_t step[SIDES];       /* local indices from one repetition to the next */
    bool single;               /* a repetition has one run */
};

struct cycle axis_cycle(const struct axis *axis);

/* Run j, 0 <= j < runs->nperiod, of the first repetition. */
static inline struct run cycle_run(const struct cycle *cycle, int64_t j)
{
    struct run run = cycle->runs->run[j];
    if (cycle->single) run.count = 1;
    return run;
}

/* Count the runs of a repetition. O(runs of a period). */
int64_t cycle_runs(const struct cycle *cycle);

/* Begin with elements lo .. hi - 1, lo < hi, of an axis that begins at `base`. O(1) if lo
 * is where the last range of the axis began or ended, else O(runs of a period). */
struct spans axis_spans(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t lo, int64_t hi);

/* Hand out the next span: push its loops on the nest and set `*first` to its begin.
 * Returns false after the last one. O(1). */
bool spans_next(struct spans *spans, struct nest *nest, struct place *first);

/* Find the place of element e. Cost as axis_spans. */
struct place axis_place(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t e);

/* Find where the first and the last element begin on side `s`, which is in memory, in
 * bytes from local index 0. Returns false if elements do not ascend there. O(1). */
bool axis_bounds(const struct axis *axis, redist_side s, int64_t *first, int64_t *last);

/* Count the elements that begin before byte `at` of side `s`, where elements ascend;
 * `*last` is the begin of the last of them. O(runs of a period); O(1) a run where the
 * places of several counts ascend. */
int64_t axis_before(struct axis *axis, redist_side s, int64_t at, int64_t *last);

#endif
