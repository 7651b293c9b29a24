/* SPDX-License-Identifier: MIT */
#include "move/walk/walk.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"

enum {
    LINE = 64,   /* bytes: a cache line */
    AT_ONCE = 16 /* rows, or repetitions, where spans share no cache lines */
};

/* Bytes of a row of a panel, and the least bytes of a row that is cut: of shorter ones a
 * piece has several. */
enum { PANEL = LENGTH(512, 64), LONG_ROW = LENGTH(1 << 10, 128) };

/* Bytes of data that several spans traverse in turn. */
enum { BATCH = LENGTH(4 << 10, 256) };

/* Tell whether the elements of the innermost axis are contiguous on every side in memory,
 * so that the axis can become part of `inner`. */
static bool foldable(const struct walk *walk, enum way way)
{
    const struct axis *axis = &walk->axis[walk->naxes - 1];
    for (int s = 0; s < SIDES; s++)
        if (way_in_memory(way, s) &&
            (axis->unit[s] != walk->inner * walk_grain(walk, s) ||
             axis->unit[s] != axis->scale[s] || !runs_contiguous(axis->runs, s)))
            return false;
    return true;
}

/* Return the dimension of the section along dimension i of the dist. */
static int paired_with(const redist_view *view, int i)
{
    int j = 0;
    while (view->axes[j] != i) j++;
    return j;
}

/* Return the axis with the source's smallest step; the innermost if the sides agree. */
static int find_across(const struct walk *walk)
{
    int across = walk->naxes - 1;
    for (int k = across - 1; k >= 0; k--)
        if (walk->axis[k].unit[REDIST_SOURCE] < walk->axis[across].unit[REDIST_SOURCE])
            across = k;
    return across;
}

int64_t walk_mean_run(const struct walk *walk)
{
    const struct runs *runs = walk->axis[walk->naxes - 1].runs;
    int64_t n = 0;
    for (int64_t j = 0; j < runs->nperiod; j++) n += runs->run[j].count;
    return runs->period_elements * walk->inner * walk->grain / int_max(n, 1);
}

/* Tell whether rows of the target along axis k, which a transposed box has outside its
 * tiles, begin differently in their cache lines: strips then end at other elements. */
static bool rows_differ(const struct walk *walk, int k)
{
    int last = walk->naxes - 1;
    return walk->stream && walk->across < last && k < last && k != walk->across &&
           walk->axis[k].unit[REDIST_TARGET] % LINE != 0;
}

/* Find how to cut ranges of the axes. Data that several spans traverse in turn must stay
 * in the cache, if runs are shorter than its lines; otherwise a span should have several
 * runs, and more gain nothing. */
static void plan_cuts(struct walk *walk)
{
    int last = walk->naxes - 1;
    int64_t at_once = walk_mean_run(walk) < LINE ? 1 : AT_ONCE;
    int64_t row = walk->inner * walk->grain; /* bytes */
    int64_t near = row;                      /* of them, those traversed at a time */
    bool several = false;                    /* the inner axes take several spans */
    walk->across = find_across(walk);
    for (int k = last; k >= 0; k--) {
        struct axis *axis = &walk->axis[k];
        const struct runs *runs = axis->runs;
        int64_t batch = int_max(BATCH / near, 1);
        axis->dense = row;
        axis->most = several ? int_max(batch, at_once) : INT64_MAX;
        if (rows_differ(walk, k)) axis->most = 1;
        axis->period = INT64_MAX;
        if (runs->nperiod > 1 && last > 0)
            axis->period = batch;
        else if (runs->nperiod > 1 && runs->repeats > at_once)
            axis->period = int_max(batch, at_once * runs->period_elements);
        axis->at[0] = axis->at[1] = (struct cursor){.e = -1};
        several = several || runs->nperiod + runs->ntail > 1;
        near = row * runs->elements;
        if (k == last && walk->across < last)
            near = row * int_min(runs->elements, walk_strip(walk, NULL));
        row *= runs->elements;
    }
}

/* Return the innermost dimension of the section in a view's memory that has several
 * elements in the message; -1: none has. */
static int innermost(const struct overlap *overlap, const struct message *message,
                     const redist_view *view)
{
    for (int k = overlap->ndims - 1; k >= 0; k--) {
        int j = paired_with(view, view->order[k]);
        if (overlap_partner(overlap, message, j)->runs.elements > 1) return j;
    }
    return -1;
}

/* Return the axis of dimension j of the section. */
static int axis_along(const redist_view *target, int j)
{
    int k = 0;
    while (paired_with(target, target->order[k]) != j) k++;
    return k;
}

/* Find how panels are cut, from what both ends know; none if rows travel whole. */
static void find_panel(struct walk *walk, const struct overlap *overlap,
                       const struct message *message,
                       const struct memory_side sides[SIDES], int64_t element)
{
    const redist_view *target = sides[REDIST_TARGET].view;
    int last = walk->naxes - 1;
    int columns = innermost(overlap, message, target);
    int rows = innermost(overlap, message, sides[REDIST_SOURCE].view);
    if (columns == rows || axis_along(target, columns) != last ||
        walk->axis[last].runs->elements <= LONG_ROW / element ||
        walk_mean_run(walk) < PANEL)
        return;
    walk->panel = int_max(PANEL / element, 1);
    walk->rows = axis_along(target, rows);
}

void walk_make(const struct overlap *overlap, const struct message *message,
               const struct memory_side sides[SIDES], struct sizes sizes, enum way way,
               bool panels, struct axis *axis, struct walk *walk)
{
    const redist_view *target = sides[REDIST_TARGET].view;
    int64_t grains = sizes.element / sizes.grain; /* of an element */
    if (way == WAY_GATHER) sizes.target = 0;
    *walk = (struct walk){.grain = sizes.grain,
                          .target = sizes_grain(sizes, REDIST_TARGET),
                          .inner = grains,
                          .total = message->elements * grains,
                          .memory = &memory_host,
                          .naxes = overlap->ndims,
                          .axis = axis};
    for (int k = 0; k < overlap->ndims; k++) {
        int j = paired_with(target, target->order[k]);
        axis[k] = (struct axis){.runs = &overlap_partner(overlap, message, j)->runs};
        for (int s = 0; s < SIDES; s++) {
            const redist_view *view = sides[s].view;
            int i = view->axes[j];
            axis[k].scale[s] = sides[s].layout.stride[i] * sizes_element(sizes, s);
            axis[k].unit[s] = axis[k].scale[s] * view->stride[i];
        }
    }
    for (int s = 0; s < SIDES; s++)
        walk->offset[s] = sides[s].layout.offset * sizes_element(sizes, s);
    if (panels) find_panel(walk, overlap, message, sides, sizes.element);
    while (walk->naxes > 1 && !walk->panel && foldable(walk, way)) {
        const struct axis *last = &walk->axis[--walk->naxes];
        walk->inner *= last->runs->elements;
        for (int s = 0; s < SIDES; s++)
            walk->offset[s] += last->runs->run[0].local[s] * last->scale[s];
    }
    walk->stream =
        way == WAY_COPY && !ABLATED(STREAM) && walk->total * walk->target >= WALK_STREAM;
    plan_cuts(walk);
}

void walk_make_listed(const struct listed *const list[SIDES], struct sizes sizes,
                      enum way way, struct walk *walk)
{
    const struct listed *any = list[0] ? list[0] : list[1];
    if (way == WAY_GATHER) sizes.target = 0;
    const int64_t target = sizes_grain(sizes, REDIST_TARGET);
    *walk =
        (struct walk){.grain = sizes.grain,
                      .target = target,
                      .inner = 1,
                      .total = any->elements,
                      .stream = !ABLATED(STREAM) && any->elements * target >= WALK_STREAM,
                      .memory = &memory_host,
                      .list = {list[0], list[1]}};
}

int64_t walk_blocks(const struct walk *walk, redist_side s)
{
    const struct listed *list = walk->list[s];
    if (list) return list->place ? list->elements : list->nruns;
    const struct axis *last = &walk->axis[walk->naxes - 1];
    const struct runs *runs = last->runs;
    int64_t blocks = runs->elements, outer = walk->total / walk->inner / runs->elements;
    if (last->unit[s] == walk->inner * walk_grain(walk, (int)s)) {
        blocks = 0;
        for (int64_t j = 0; j < runs->nperiod + runs->ntail; j++)
            blocks += runs->run[j].count * (j < runs->nperiod ? runs->repeats : 1);
        if (walk->panel) /* each but the first may begin within a run */
            blocks = int_min(blocks + runs->elements / walk->panel, runs->elements);
    }
    return outer * blocks;
}

void walk_cut(struct walk *walk, int64_t first, int64_t n)
{
    walk->first = first;
    walk->total = n;
}

struct walk walk_apart(const struct walk *walk, struct axis *axis)
{
    struct walk apart = *walk;
    apart.axis = axis;
    for (int k = 0; k < walk->naxes; k++) axis[k] = walk->axis[k];
    return apart;
}

void walk_seek(struct walk *walk, int64_t grain) { walk->done = walk->first + grain; }

bool walk_is_contiguous(const struct walk *walk, redist_side s, int64_t *offset)
{
    if (walk_is_listed(walk)) {
        int64_t place = 0;
        bool is = listed_is_contiguous(walk->list[s], &place);
        *offset = place * walk_grain(walk, (int)s);
        return is;
    }
    enum way way = s == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER;
    const struct axis *axis = &walk->axis[0];
    if (walk->naxes > 1 || !foldable(walk, way)) return false;
    *offset = walk->offset[s] + axis->runs->run[0].local[s] * axis->scale[s];
    return true;
}
