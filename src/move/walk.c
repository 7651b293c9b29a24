/* SPDX-License-Identifier: MIT */
#include "move/walk.h"

#include "base/intmath.h"
#include "move/copy.h"

static bool in_memory(enum way way, int s)
{
    return way == WAY_COPY || (way == WAY_GATHER) == (s == REDIST_SOURCE);
}

/* Whether the elements of the innermost axis lie side by side on every side that is in
 * memory, so that the axis can be part of `inner`. */
static bool foldable(const struct walk *walk, enum way way)
{
    const struct axis *axis = &walk->axis[walk->naxes - 1];
    for (int s = 0; s < SIDES; s++)
        if (in_memory(way, s) &&
            (axis->unit[s] != walk->inner * (int64_t)walk->element ||
             axis->unit[s] != axis->scale[s] || !runs_contiguous(axis->runs, s)))
            return false;
    return true;
}

/* The dimension of the section that runs along dimension i of the dist. */
static int paired_with(const redist_view *view, int i)
{
    int j = 0;
    while (view->axes[j] != i) j++;
    return j;
}

void walk_make(const struct overlap *overlap, const struct message *message,
               const struct memory_side sides[SIDES], size_t element, enum way way,
               struct axis *axis, struct walk *walk)
{
    const redist_view *target = sides[REDIST_TARGET].view;
    *walk = (struct walk){.element = element,
                          .inner = 1,
                          .total = message->elements,
                          .naxes = overlap->ndims,
                          .axis = axis};
    for (int k = 0; k < overlap->ndims; k++) {
        int j = paired_with(target, target->order[k]);
        axis[k] = (struct axis){.runs = &overlap_partner(overlap, message, j)->runs};
        for (int s = 0; s < SIDES; s++) {
            const redist_view *view = sides[s].view;
            int i = view->axes[j];
            axis[k].scale[s] = sides[s].layout.stride[i] * (int64_t)element;
            axis[k].unit[s] = axis[k].scale[s] * view->stride[i];
        }
    }
    for (int s = 0; s < SIDES; s++)
        walk->offset[s] = sides[s].layout.offset * (int64_t)element;
    while (walk->naxes > 1 && foldable(walk, way)) {
        const struct axis *last = &walk->axis[--walk->naxes];
        walk->inner *= last->runs->elements;
        for (int s = 0; s < SIDES; s++)
            walk->offset[s] += last->runs->run[0].local[s] * last->scale[s];
    }
    walk_seek(walk, 0);
}

bool walk_is_contiguous(const struct walk *walk, redist_side s, int64_t *offset)
{
    enum way way = s == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER;
    const struct axis *axis = &walk->axis[0];
    if (walk->naxes > 1 || !foldable(walk, way)) return false;
    *offset = walk->offset[s] + axis->runs->run[0].local[s] * axis->scale[s];
    return true;
}

/* ---- going ------------------------------------------------------------------------- */

static bool at_end(const struct axis *axis)
{
    return axis->at.rep == axis->runs->repeats &&
           axis->at.j == axis->runs->nperiod + axis->runs->ntail;
}

/* Put a cursor on element e of its axis: entries before it are skipped one by one. */
static void axis_seek(struct axis *axis, int64_t inner, int64_t e)
{
    const struct runs *runs = axis->runs;
    int64_t per_period = runs->period_elements * inner;
    axis->at = (struct cursor){
        .rep = per_period > 0 ? int_min(e / per_period, runs->repeats) : runs->repeats};
    e -= axis->at.rep * per_period;
    if (axis->at.rep == runs->repeats) axis->at.j = runs->nperiod;
    int64_t end = runs->nperiod + (axis->at.rep == runs->repeats ? runs->ntail : 0);
    for (; axis->at.j < end; axis->at.j++) {
        const struct run *run = &runs->run[axis->at.j];
        int64_t length = run->length * inner, whole = length * run->count;
        if (e < whole) {
            axis->at.c = e / length;
            axis->at.x = e % length;
            return;
        }
        e -= whole;
    }
}

/* One element on; false, and back at the beginning, behind the last. */
static bool axis_step(struct axis *axis)
{
    const struct runs *runs = axis->runs;
    struct cursor *at = &axis->at;
    const struct run *run = &runs->run[at->j];
    if (++at->x < run->length) return true;
    at->x = 0;
    if (++at->c < run->count) return true;
    at->c = 0;
    at->j++;
    if (at->rep < runs->repeats && at->j == runs->nperiod)
        at->j = ++at->rep < runs->repeats ? 0 : runs->nperiod;
    if (!at_end(axis)) return true;
    axis_seek(axis, 1, 0);
    return false;
}

static int64_t place(const struct axis *axis, int s)
{
    const struct runs *runs = axis->runs;
    const struct run *run = &runs->run[axis->at.j];
    int64_t local = run->local[s] + axis->at.c * run->local_step[s];
    if (axis->at.rep < runs->repeats) local += axis->at.rep * runs->local_period[s];
    return local * axis->scale[s] + axis->at.x * axis->unit[s];
}

void walk_seek(struct walk *walk, int64_t element)
{
    if (element == walk->done && element > 0) return;
    walk->done = element;
    for (int k = walk->naxes - 1; k >= 0; k--) {
        struct axis *axis = &walk->axis[k];
        int64_t inner = k == walk->naxes - 1 ? walk->inner : 1;
        int64_t width = axis->runs->elements * inner;
        axis_seek(axis, inner, k == 0 ? element : element % width);
        element /= width;
    }
}

void walk_move(struct walk *walk, enum way way, const void *from, void *to, int64_t n)
{
    struct axis *row = &walk->axis[walk->naxes - 1];
    const char *read = from;
    char *write = to;
    while (n > 0) {
        int64_t offset[SIDES] = {walk->offset[0], walk->offset[1]};
        for (struct axis *axis = walk->axis; axis < row; axis++)
            for (int s = 0; s < SIDES; s++) offset[s] += place(axis, s);
        const char *source = way == WAY_SCATTER ? read : read + offset[REDIST_SOURCE];
        char *target = way == WAY_GATHER ? write : write + offset[REDIST_TARGET];
        int64_t moved = memory_host.row(walk, row, way, source, target, n);
        if (way == WAY_SCATTER) read += moved * (int64_t)walk->element;
        if (way == WAY_GATHER) write += moved * (int64_t)walk->element;
        n -= moved;
        walk->done += moved;
        if (!at_end(row)) continue;
        axis_seek(row, walk->inner, 0);
        int k = walk->naxes - 2;
        while (k >= 0 && !axis_step(&walk->axis[k])) k--;
    }
}
