/* SPDX-License-Identifier: MIT
 *
 * move/runs/axis.h - one axis of a walk: where its elements lie, range by range.
 *
 * A range of an axis is handed out as spans, each of which is three regular loops:
 *
 *   repetitions of the period  x  runs of one progression  x  elements of a run
 *
 *   runs    aaa bb bb . aaa bb bb . aaa bb bb .      3 repetitions of two progressions
 *   spans   aaa         aaa         aaa              1: 3 x 1 x 3
 *               bb bb       bb bb       bb bb        2: 3 x 2 x 2
 *
 * so that many small runs take few steps. Spans need not come in ascending order.
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

struct axis {
    const struct runs *runs; /* borrowed from the overlap */
    int64_t scale[SIDES];    /* bytes from one local index to the next */
    int64_t unit[SIDES];     /* bytes from one element of a run to the next */
    int64_t dense;           /* bytes from one element to the next in a dense buffer */
    int64_t most;            /* elements of one span */
    int64_t period;          /* elements of one span that goes over several repetitions */
    struct cursor at[2];     /* where the last range began, where it ended */
};

/* What is left of a range. */
struct spans {
    struct axis *axis;
    const bool *dense; /* [SIDES] */
    struct place base; /* of element 0 of a dense side, of local index 0 else */
    struct cursor at;
    int64_t end;
    int64_t reps; /* that the spans of the present period go over */
};

/* What repeats along an axis. One run a period is kept as one progression (runs.h): here
 * it is told as repetitions, as other messages have several runs in theirs. */
struct cycle {
    const struct runs *runs;
    int64_t repeats, elements; /* of one */
    int64_t step[SIDES];       /* local indices from one to the next */
    bool single;               /* it has one run */
};

struct cycle axis_cycle(const struct axis *axis);

/* Run j, 0 <= j < runs->nperiod, of the first repetition. */
static inline struct run cycle_run(const struct cycle *cycle, int64_t j)
{
    struct run run = cycle->runs->run[j];
    if (cycle->single) run.count = 1;
    return run;
}

/* Begin with elements lo .. hi - 1, lo < hi, of an axis that begins at `base`. O(1) where
 * the last range of the axis began or ended, else O(runs of a period). */
struct spans axis_spans(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t lo, int64_t hi);

/* Hand out the next span: its loops are pushed on the nest, `*first` is where it begins.
 * False behind the last. O(1). */
bool spans_next(struct spans *spans, struct nest *nest, struct place *first);

/* Find the place of element e, in the time that a range takes. */
struct place axis_place(struct axis *axis, const bool dense[SIDES], struct place base,
                        int64_t e);

/* Where on side `s`, in memory, the first and the last element begin, in bytes from local
 * index 0; false: elements do not ascend there. O(1). */
bool axis_bounds(const struct axis *axis, redist_side s, int64_t *first, int64_t *last);

/* Count the elements that begin before byte `at` of side `s`; `*last` is where the last
 * of them begins. Elements ascend. O(runs of a period). */
int64_t axis_before(const struct axis *axis, redist_side s, int64_t at, int64_t *last);

#endif
