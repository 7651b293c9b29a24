/* SPDX-License-Identifier: MIT
 *
 * move/walk/walk_move.c - move some grains of a walk: the boxes that they make, as nests
 * of loops for the memory's kind.
 */
#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/kernel/stream.h"
#include "move/kernel/threads.h"
#include "move/kernel/transpose.h"
#include "move/runs/pack_periodic.h"
#include "move/walk/memory.h"
#include "move/walk/walk.h"

enum {
    LINE = 64,       /* bytes: a cache line */
    STRIP = 128,     /* elements: high enough for a tile, narrow enough for the cache */
    UNIT = 256 << 10 /* bytes of a thread's share; with their sources they stay in the
                         cache */
};

/* Strips are high where each takes a while to begin, as irregular ones do; where tiles
 * are high, as those of arithmetic; and where all stays in the cache, so that no lines
 * have to be prefetched. */
int64_t walk_strip(const struct walk *walk, const struct combine *combine)
{
    int last = walk->naxes - 1;
    const struct axis *across = &walk->axis[walk->across];
    const struct runs *runs = walk->axis[last].runs;
    const bool adds = combine && !combine->convert;
    const bool cached = walk->total * walk->grain < WALK_STREAM;
    if (adds || cached || runs->nperiod + runs->ntail > 1) return STRIP;
    if (!walk->stream) return TRANSPOSE_LOW;
    return transpose_strip(walk->inner * walk->grain, walk->inner * walk->target,
                           across->unit[REDIST_TARGET]);
}

static bool is_host(const struct walk *walk) { return memory_is_host(walk->memory); }

static void move_nest(const struct walk *walk, const struct nest *nest, char *to,
                      const char *from)
{
    walk->memory->kind->move(walk->memory, nest, to, from);
}

/* A call of walk_move. */
struct mover {
    struct walk *walk;
    const char *from;
    char *to;
    bool dense[SIDES];          /* the sides that are not in memory */
    int64_t begin, end;         /* the elements of the innermost axis that rows have */
    int64_t lo, hi;             /* of them, those of a strip, before strip_end */
    struct nest nest;           /* the enclosing loops */
    struct pack_periodic *pack; /* packs rows of short runs, or NULL */
};

/* Return where a strip that would end at element `at` of the innermost axis ends: where a
 * cache line of the target begins, as tiles then write whole lines. */
static int64_t strip_end(const struct mover *mover, int64_t at, struct place place)
{
    const struct axis *last = &mover->walk->axis[mover->walk->naxes - 1];
    int64_t block = mover->walk->inner * mover->walk->target;
    if (at == mover->begin || at == mover->end) return at;
    int64_t to = place.target + at * block;
    if (!mover->dense[REDIST_TARGET])
        to += last->runs->run[0].local[REDIST_TARGET] * last->scale[REDIST_TARGET];
    int64_t past = (int64_t)(((uintptr_t)mover->to + (uintptr_t)to) % LINE);
    return past % block == 0 ? int_max(at - past / block, mover->begin) : at;
}

/* Move all elements lo .. hi - 1 of axis k; `place` is that of its element 0. */
static void move_axis(struct mover *mover, int k, int64_t lo, int64_t hi,
                      struct place place)
{
    struct nest *nest = &mover->nest;
    struct axis *axis = &mover->walk->axis[k];
    int inside = mover->walk->naxes - 1 - k, n = nest->n;
    struct level outer = n > 0 ? nest->level[n - 1] : (struct level){0};
    struct spans spans = axis_spans(axis, mover->dense, place, lo, hi);
    while (spans_next(&spans, nest, &place)) {
        if (inside == 0)
            move_nest(mover->walk, nest, mover->to + place.target,
                      mover->from + place.source);
        else if (inside == 1)
            move_axis(mover, k + 1, strip_end(mover, mover->lo, place),
                      strip_end(mover, mover->hi, place), place);
        else
            move_axis(mover, k + 1, 0, axis[1].runs->elements, place);
        nest->n = n; /* the last loop may have grown */
        if (n > 0) nest->level[n - 1] = outer;
    }
}

/* Move a box: elements lo .. hi - 1 of axis k with all inner axes. A transposed box is
 * moved in strips of the innermost axis, so that the rest of the source's cache lines is
 * still in the cache when it is needed. */
static void move_box(struct mover *mover, int k, int64_t lo, int64_t hi,
                     struct place place)
{
    const struct walk *walk = mover->walk;
    int last = walk->naxes - 1;
    int64_t all = mover->end - mover->begin, strip = all;
    if (k == last) {
        move_axis(mover, k, lo, hi, place);
        return;
    }
    if (k <= walk->across && walk->across < last && mover->nest.block < 2 * LINE)
        strip = walk_strip(walk, mover->nest.combine);
    for (int64_t at = mover->begin; at < mover->end; at += strip) {
        mover->lo = at;
        mover->hi = int_min(at + strip, mover->end);
        move_axis(mover, k, lo, hi, place);
    }
}

/* Pack at most n elements of a row from `at` on. Returns how many were packed. */
static int64_t pack_periods(struct mover *mover, int64_t at, int64_t n,
                            struct place place)
{
    const struct pack_periodic *pack = mover->pack;
    int last = mover->walk->naxes - 1;
    int64_t within = at % pack->cycle.elements;
    int64_t packed =
        pack_periodic_append(mover->pack, mover->from + place.source,
                             mover->to + place.target + at * pack->dense, at, n);
    if (packed > 0) return packed;
    if (within > 0) n = int_min(n, pack->cycle.elements - within);
    move_box(mover, last, at, at + n, place);
    return n;
}

/* Move grains lo .. hi - 1 of axis k and its inner axes: in as few boxes as possible, or
 * row by row with `pack`. */
static void move_range(struct mover *mover, int k, int64_t lo, int64_t hi,
                       struct place place)
{
    const struct walk *walk = mover->walk;
    int64_t grain = walk->grain;
    if (k == walk->naxes) { /* a part of `inner` */
        struct nest bytes;  /* of no loops */
        bytes.block = (hi - lo) * grain;
        bytes.n = 0;
        bytes.stream = mover->nest.stream;
        bytes.combine = mover->nest.combine;
        move_nest(walk, &bytes, mover->to + place.target + lo * walk->target,
                  mover->from + place.source + lo * grain);
        return;
    }
    struct axis *axis = &walk->axis[k];
    int64_t width = axis->dense / grain;
    if (k == walk->naxes - 1) lo += mover->begin * width, hi += mover->begin * width;
    while (lo < hi) {
        int64_t at = lo / width, within = lo % width, n = hi - lo;
        if (within > 0 || n < width || (mover->pack && k < walk->naxes - 1)) {
            n = int_min(n, width - within);
            move_range(mover, k + 1, within, within + n,
                       axis_place(axis, mover->dense, place, at));
        } else if (mover->pack) {
            n = pack_periods(mover, at, n / width, place) * width;
        } else {
            n -= n % width;
            move_box(mover, k, at, at + n / width, place);
        }
        lo += n;
    }
}

void walk_move(struct walk *walk, enum way way, const void *from, void *to, int64_t n)
{
    walk_combine(walk, way, NULL, from, to, n);
}

/* As move_range, for a walk with lists. */
static void move_listed(const struct walk *walk, enum way way,
                        const struct combine *combine, const char *from, char *to,
                        int64_t n)
{
    const struct listed *source = walk->list[0], *target = walk->list[1];
    const bool streams = walk->stream && !combine && way != WAY_GATHER;
    const struct filling filling = {combine,
                                    streams && listed_streams(target, walk->target)};
    if (way == WAY_GATHER)
        listed_gather(source, walk->done, n, walk->grain, from, to);
    else if (way == WAY_SCATTER)
        listed_scatter(target, walk->done, n, walk->target, filling, from, to);
    else
        listed_copy(source, target, walk->done, n, walk->target, filling, from, to);
    if (filling.stream) stream_fence();
}

bool walk_packs_periodic(const struct walk *walk, int64_t n)
{
    const struct axis *last = &walk->axis[walk->naxes - 1];
    return walk->across == walk->naxes - 1 &&
           pack_periodic_pays(last, walk->inner * walk->grain, n * walk->grain);
}

/* A function of its own, as a struct pack_periodic is large. */
static __attribute__((noinline)) void move_periodic(const struct mover *mover, int64_t n,
                                                    struct place first)
{
    struct pack_periodic pack;
    struct mover packing = *mover;
    const struct walk *walk = mover->walk;
    pack_periodic_begin(&walk->axis[walk->naxes - 1], mover->nest.stream, &pack);
    packing.pack = &pack;
    move_range(&packing, 0, walk->done, walk->done + n, first);
}

/* The number of axis k in panels: `rows` is next to the innermost. */
static int number_in_panels(const struct walk *walk, int k)
{
    int next = walk->naxes - 2;
    if (k < walk->rows || k > next) return k;
    return k == walk->rows ? next : k - 1;
}

/* As move_range, of all axes, panel by panel: in each, the innermost axis has fewer
 * elements. */
static void move_panels(struct mover *mover, int64_t lo, int64_t hi, struct place first)
{
    struct walk *walk = mover->walk;
    struct axis axes[REDIST_MAX_DIMS];
    struct walk panel = *walk;
    int last = walk->naxes - 1;
    int64_t elements = walk->axis[last].runs->elements, element = walk->axis[last].dense;
    int64_t column = walk->axis[0].dense / elements * walk->axis[0].runs->elements;
    panel.axis = axes;
    panel.across = number_in_panels(walk, walk->across);
    for (int k = 0; k <= last; k++) axes[number_in_panels(walk, k)] = walk->axis[k];
    mover->walk = &panel;
    while (lo < hi) { /* a column has an element of each row */
        int64_t at = lo / (walk->panel * (column / walk->grain)) * walk->panel;
        int64_t n = int_min(walk->panel, elements - at);
        int64_t begin = at * (column / walk->grain);
        int64_t end = int_min(hi, begin + n * (column / walk->grain));
        struct place place = first;
        if (mover->dense[REDIST_SOURCE]) place.source += at * (column - element);
        if (mover->dense[REDIST_TARGET]) place.target += at * (column - element);
        int64_t row = n * element;
        for (int k = last - 1; k >= 0; k--) {
            axes[k].dense = row;
            row *= axes[k].runs->elements;
        }
        mover->begin = at;
        mover->end = at + n;
        move_range(mover, 0, lo - begin, end - begin, place);
        lo = end;
    }
    mover->walk = walk;
    for (int k = 0; k <= last; k++)
        for (int s = 0; s < SIDES; s++)
            walk->axis[k].at[s] = axes[number_in_panels(walk, k)].at[s];
}

static void move_axes(struct walk *walk, enum way way, const struct combine *combine,
                      const void *from, void *to, int64_t n)
{
    struct mover mover;
    int64_t offset[SIDES];
    mover.walk = walk;
    mover.from = from;
    mover.to = to;
    mover.nest.block = walk->inner * walk->grain;
    mover.nest.n = 0;
    mover.nest.combine = combine;
    mover.nest.stream = walk->stream && is_host(walk);
    for (int s = 0; s < SIDES; s++) {
        mover.dense[s] = !way_in_memory(way, s);
        offset[s] = mover.dense[s] ? -walk->done * walk->grain : walk->offset[s];
    }
    mover.pack = NULL;
    mover.begin = 0;
    mover.end = walk->axis[walk->naxes - 1].runs->elements;
    struct place first = {offset[0], offset[1]};
    if (walk->panel)
        move_panels(&mover, walk->done, walk->done + n, first);
    else if (way == WAY_GATHER && !combine && is_host(walk) &&
             walk_packs_periodic(walk, n))
        move_periodic(&mover, n, first);
    else
        move_range(&mover, 0, walk->done, walk->done + n, first);
    if (mover.nest.stream) stream_fence();
}

/* As move_axes, in other than host memory: as nests that are as large as possible, as
 * their kind knows best how to cut them. */
static void move_axes_anywhere(struct walk *walk, enum way way,
                               const struct combine *combine, const void *from, void *to,
                               int64_t n)
{
    struct axis axes[REDIST_MAX_DIMS];
    struct walk uncut = walk_apart(walk, axes);
    for (int k = 0; k < walk->naxes; k++) axes[k].most = axes[k].period = INT64_MAX;
    uncut.across = walk->naxes - 1;
    move_axes(&uncut, way, combine, from, to, n);
}

/* The same of a walk that goes by lists, in memory of any kind. What goes to a block of
 * the target's goes where it belongs. */
static void move_listed_anywhere(const struct walk *walk, enum way way,
                                 const struct combine *combine, const char *from,
                                 char *to, int64_t n)
{
    const struct memory_kind *kind = walk->memory->kind;
    struct blocks blocks = {.nest = {.block = walk->grain,
                                     .combine = combine,
                                     .n = 1,
                                     .level = {{n, {walk->grain, walk->grain}}}},
                            .first = walk->done};
    for (int s = 0; s < SIDES; s++)
        if (way_in_memory(way, s)) blocks.list[s] = walk->list[s];
    (kind->move_blocks ? kind->move_blocks : memory_move_blocks)(walk->memory, &blocks,
                                                                 to, from);
}

/* Without threads. */
static void move_alone(struct walk *walk, enum way way, const struct combine *combine,
                       const char *from, char *to, int64_t n)
{
    if (n > 0 && walk_is_listed(walk) && !is_host(walk))
        move_listed_anywhere(walk, way, combine, from, to, n);
    else if (n > 0 && walk_is_listed(walk))
        move_listed(walk, way, combine, from, to, n);
    else if (n > 0 && !is_host(walk))
        move_axes_anywhere(walk, way, combine, from, to, n);
    else if (n > 0)
        move_axes(walk, way, combine, from, to, n);
    walk->done += n;
}

/* Count the grains of a part that starts and ends at a period or row boundary: a whole
 * period or row of the outermost axis on which one is at most `most` bytes. O(dims). */
static int64_t unit_of(const struct walk *walk, int64_t most)
{
    int64_t found = 1;
    for (int k = walk->naxes - 1; k >= 0; k--) {
        const struct axis *axis = &walk->axis[k];
        int64_t bytes = 0;
        if (!int_mul(axis->runs->period_elements, axis->dense, &bytes) || bytes > most)
            break;
        found = bytes / walk->grain;
    }
    return found;
}

/* A call of walk_combine that is split among threads. */
struct split_call {
    const struct walk *walk;
    enum way way;
    const struct combine *combine;
    const char *from;
    char *to;
    int64_t n;
};

/* The begin of share k of n, in grains from the walk's position. */
static int64_t share_begin(const struct split_call *call, int k, int n)
{
    int64_t done = call->walk->done, unit = unit_of(call->walk, UNIT);
    int64_t at = done + (int64_t)((int128)call->n * k / n);
    return k == n ? call->n : int_max(at - at % unit - done, 0);
}

static void move_share(void *context, int k, int n)
{
    const struct split_call *call = context;
    struct axis axis[REDIST_MAX_DIMS];
    struct walk walk = walk_apart(call->walk, axis);
    int64_t lo = share_begin(call, k, n), hi = share_begin(call, k + 1, n);
    int64_t bytes = lo * walk.grain; /* of a dense buffer */
    walk.done += lo;
    move_alone(&walk, call->way, call->combine,
               call->from + (call->way == WAY_SCATTER ? bytes : 0),
               call->to + (call->way == WAY_GATHER ? bytes : 0), hi - lo);
}

void walk_combine(struct walk *walk, enum way way, const struct combine *combine,
                  const void *from, void *to, int64_t n)
{
    bool alone = (combine && combine->calls) || !is_host(walk);
    int threads = alone ? 1 : threads_for(n * int_max(walk->grain, walk->target));
    if (threads == 1) {
        move_alone(walk, way, combine, from, to, n);
        return;
    }
    struct split_call call = {walk, way, combine, from, to, n};
    threads_run(threads, move_share, &call);
    walk->done += n;
}
