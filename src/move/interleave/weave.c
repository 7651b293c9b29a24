/* SPDX-License-Identifier: MIT */
#include "move/interleave/weave.h"

#include <stdalign.h>
#include <string.h>

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/kernel/kernels.h"
#include "move/interleave/splice.h"
#include "move/kernel/stream.h"
#include "move/kernel/threads.h"

enum {
    LINE = STREAM_LINE,
    FEW = 4,          /* strands; more go over half as much so often that it must stay in
                         the first-level cache */
    LONG_RUN = 1024,  /* bytes: such runs write mostly whole lines by themselves */
    MANY_RUNS = 1024, /* of a period: to find one's place among them takes too long */
    APART = 64        /* axes of all strands that a thread can have for itself */
};

/* Bytes that stay in the cache, and have several of most periods. */
enum { BATCH = LENGTH(64 << 10, 1 << 10) };

static bool has_many_runs(const struct walk *walk)
{
    for (int k = 0; k < walk->naxes; k++)
        if (walk->axis[k].runs->nperiod + walk->axis[k].runs->ntail > MANY_RUNS)
            return true;
    return false;
}

bool weave_make(const struct strand strands[], int64_t n, struct weave *weave)
{
    int64_t bytes = 0, runs = 0, lo = 0, hi = 0;
    if (n < 2 || ABLATED(WEAVE)) return false;
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = strands[k].walk;
        bool transposed = walk->across < walk->naxes - 1;
        if (transposed || has_many_runs(walk) ||
            !walk_bounds(walk, REDIST_TARGET, &lo, &hi))
            return false;
        weave->begin = k == 0 ? lo : int_min(weave->begin, lo);
        weave->end = k == 0 ? hi : int_max(weave->end, hi);
        bytes += walk->total * walk->grain;
        runs += walk->total * walk->grain / walk_mean_run(walk);
    }
    weave->at = weave->begin;
    weave->splice = NULL;
    return bytes == weave->end - weave->begin && bytes / LONG_RUN < runs;
}

/* How far all strands reach. */
static int64_t find_end(const struct weave *weave, const struct strand strands[],
                        int64_t n)
{
    int64_t end = weave->end;
    for (int64_t k = 0; k < n; k++) {
        struct walk *walk = strands[k].walk;
        if (strands[k].ready < walk->total)
            end = int_min(end, walk_place(walk, WAY_SCATTER, strands[k].ready).target);
    }
    return end;
}

/* Where the batch ends that begins here: behind whole periods or rows of some axis if
 * they are no longer than `batch`, for a part of one takes almost as long as many; behind
 * a whole grain in any case. */
static int64_t batch_end(const struct weave *weave, const struct walk *walk,
                         int64_t batch, int64_t end)
{
    int64_t origin = weave->begin;
    for (int k = 0; k < walk->naxes; k++) {
        const struct axis *axis = &walk->axis[k];
        int64_t row = k < walk->naxes - 1 ? axis->scale[REDIST_TARGET] : 0;
        int64_t period =
            axis->runs->local_period[REDIST_TARGET] * axis->scale[REDIST_TARGET];
        int64_t step = period > 0 && period <= batch ? period : row;
        int64_t behind = step > 0 ? (weave->at - origin) / step * step : 0;
        if (step > 0 && step <= batch)
            return int_min(origin + behind + batch / step * step, end);
        origin += behind;
        if (row > 0) end = int_min(end, origin + row);
    }
    return int_min(weave->at + batch - batch % walk->grain, end);
}

/* Bring a strand's part of bytes at .. end - 1 of the target to `batch`. */
static void bring(struct strand *strand, const struct combine *combine, int64_t at,
                  int64_t end, char *batch)
{
    struct walk walk = *strand->walk;
    int64_t n = walk_before(&walk, REDIST_TARGET, end) - walk.done;
    strand->brought = 0;
    if (n == 0) return;
    walk.offset[REDIST_TARGET] -= at;
    walk.stream = false;
    walk_combine(&walk, strand->way, combine, strand->from, batch, n);
    strand->walk->done = walk.done;
    if (strand->way != WAY_SCATTER) return;
    strand->brought = n * walk.grain;
    strand->from += strand->brought;
}

/* What was packed, perhaps by another core, and is needed next: of each strand as much as
 * it brought last. From arrays the kernels ask for themselves. */
struct wanted {
    const struct strand *strand, *end;
    int64_t at; /* bytes of the strand's that have been asked for */
};

/* Ask for a line of it. */
static inline void ask(struct wanted *wanted)
{
    while (wanted->strand < wanted->end && wanted->at >= wanted->strand->brought) {
        wanted->strand++;
        wanted->at = 0;
    }
    if (wanted->strand == wanted->end) return;
    __builtin_prefetch(wanted->strand->from + wanted->at);
    wanted->at += LINE;
}

/* Write bytes first .. end - 1 of a batch that begins with a line of the target. */
static void flush(const char *batch, char *to, int64_t first, int64_t end,
                  const struct strand strands[], int64_t n)
{
    struct wanted wanted = {strands, strands + n, 0};
    int64_t k = int_min(int_ceil_div(first, LINE) * LINE, end);
    if (k > first) kernel_bytes(to + first, batch + first, k - first);
    for (; k + LINE <= end; k += LINE) {
        stream_line(to + k, batch + k);
        ask(&wanted);
    }
    if (end > k) kernel_bytes(to + k, batch + k, end - k);
}

/* Fill the target as far as byte `stop`, to which all strands are ready, in batches. */
static void weave_batches(struct weave *weave, int64_t stop, struct strand strands[],
                          int64_t n, const struct combine *combine, char *to)
{
    alignas(LINE) char batch[BATCH + 2 * LINE];
    int64_t first = (int64_t)((uintptr_t)(to + weave->at) % LINE);
    int64_t origin = weave->at - first; /* where `batch` comes to lie */
    while (weave->at < stop) {
        int64_t end =
            batch_end(weave, strands[0].walk, n > FEW ? BATCH / 2 : BATCH, stop);
        for (int64_t k = 0; k < n; k++) bring(&strands[k], combine, origin, end, batch);
        int64_t bytes = end - origin, over = end < stop ? bytes % LINE : 0;
        flush(batch, to + origin, first, bytes - over, strands, n);
        memcpy(batch, batch + bytes - over, (size_t)over);
        origin = end - over;
        if (bytes > over) first = 0;
        weave->at = end;
    }
    stream_fence();
}

/* Put a strand behind what it has before byte `at` of the target. */
static void pass(struct strand *strand, int64_t at)
{
    struct walk *walk = strand->walk;
    int64_t n = walk_before(walk, REDIST_TARGET, at) - walk->done;
    walk->done += n;
    if (strand->way == WAY_SCATTER) strand->from += n * walk->grain;
}

static void weave_step(struct weave *weave, int64_t stop, struct strand strands[],
                       int64_t n, const struct combine *combine, char *to)
{
    if (!weave->splice || combine) {
        weave_batches(weave, stop, strands, n, combine, to);
        return;
    }
    splice_strands(weave->splice, strands, n, weave->at, stop, to);
    for (int64_t k = 0; k < n; k++) pass(&strands[k], stop);
    weave->at = stop;
}

/* ---- by several threads ------------------------------------------------------------ */

/* One call of weave_on that goes in shares. */
struct shares {
    const struct weave *weave;
    int64_t stop;
    const struct strand *strands;
    int64_t n;
    const struct combine *combine;
    char *to;
};

/* Share k of n begins with a grain, as near to the beginning of a cache line as there is
 * one before it. */
static int64_t share_begin(const struct shares *shares, int k, int n)
{
    int64_t at = shares->weave->at, bytes = shares->stop - at;
    int64_t begin = at + (int64_t)((int128)bytes * k / n);
    begin -= (int64_t)((uintptr_t)(shares->to + begin) % LINE);
    begin -= (begin - at) % shares->strands->walk->grain;
    return k == 0 ? at : k == n ? shares->stop : begin;
}

static void weave_share(void *context, int k, int n)
{
    const struct shares *shares = context;
    struct strand strands[APART];
    struct walk walks[APART];
    struct axis axes[APART], *axis = axes;
    struct weave weave = *shares->weave;
    weave.at = share_begin(shares, k, n);
    for (int64_t i = 0; i < shares->n; i++) {
        strands[i] = shares->strands[i];
        walks[i] = walk_apart(strands[i].walk, axis);
        strands[i].walk = &walks[i];
        axis += walks[i].naxes;
        pass(&strands[i], weave.at);
    }
    weave_step(&weave, share_begin(shares, k + 1, n), strands, shares->n, shares->combine,
               shares->to);
}

static int64_t axes_of(const struct strand strands[], int64_t n)
{
    int64_t axes = 0;
    for (int64_t k = 0; k < n; k++) axes += strands[k].walk->naxes;
    return axes;
}

bool weave_on(struct weave *weave, struct strand strands[], int64_t n,
              const struct combine *combine, char *to)
{
    int64_t stop = find_end(weave, strands, n);
    if (weave->at >= stop) return false;
    int threads = threads_for(stop - weave->at);
    if (threads == 1 || axes_of(strands, n) > APART) {
        weave_step(weave, stop, strands, n, combine, to);
        return true;
    }
    struct shares shares = {weave, stop, strands, n, combine, to};
    threads_run(threads, weave_share, &shares);
    for (int64_t k = 0; k < n; k++) pass(&strands[k], stop);
    weave->at = stop;
    return true;
}

void weave_all(struct strand strands[], int64_t n, const struct combine *combine,
               void *to)
{
    struct weave weave;
    int64_t bytes = 0;
    for (int64_t k = 0; k < n; k++) {
        walk_seek(strands[k].walk, 0);
        bytes += strands[k].walk->total * strands[k].walk->grain;
    }
    if (bytes >= WALK_STREAM && (!combine || combine->replaces) &&
        weave_make(strands, n, &weave)) {
        (void)weave_on(&weave, strands, n, combine, to);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        struct walk *walk = strands[k].walk;
        walk->stream = bytes >= WALK_STREAM;
        walk_combine(walk, WAY_COPY, combine, strands[k].from, to, walk->total);
    }
}
