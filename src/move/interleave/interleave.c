/* SPDX-License-Identifier: MIT */
#include "move/interleave/interleave.h"

#include <sched.h>
#include <stdalign.h>
#include <string.h>

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"
#include "move/arith/combine.h"
#include "move/interleave/run_table.h"
#include "move/kernel/kernels.h"
#include "move/kernel/stream.h"
#include "move/kernel/threads.h"

enum {
    LINE = STREAM_LINE,
    FEW = 4,          /* inputs; more of them traverse half a batch so often that it must
                         stay in the first-level cache */
    LONG_RUN = 1024,  /* bytes: longer runs write mostly whole lines by themselves */
    MANY_RUNS = 1024, /* of a period: finding a place among more takes too long */
    APART = 64        /* axes of all inputs that a thread can have */
};

/* Bytes that stay in the cache and cover several of most periods. */
enum { BATCH = LENGTH(64 << 10, 1 << 10) };

/* Bytes of a turn: switching processes takes as long as some KiB. */
enum { TURN = LENGTH(512 << 10, 1 << 10) };

static bool has_many_runs(const struct walk *walk)
{
    for (int k = 0; k < walk->naxes; k++)
        if (walk->axis[k].runs->nperiod + walk->axis[k].runs->ntail > MANY_RUNS)
            return true;
    return false;
}

bool interleave_make(const struct input inputs[], int64_t n,
                     struct interleave *interleave)
{
    int64_t bytes = 0, runs = 0, lo = 0, hi = 0;
    if (n < 2 || ABLATED(INTERLEAVE)) return false;
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = inputs[k].walk;
        bool transposed = walk->across < walk->naxes - 1;
        if (!memory_is_host(walk->memory) || transposed || has_many_runs(walk) ||
            !walk_bounds(walk, REDIST_TARGET, &lo, &hi))
            return false;
        interleave->begin = k == 0 ? lo : int_min(interleave->begin, lo);
        interleave->end = k == 0 ? hi : int_max(interleave->end, hi);
        bytes += walk->total * walk->grain;
        runs += walk->total * walk->grain / walk_mean_run(walk);
    }
    interleave->at = interleave->begin;
    interleave->table = NULL;
    return bytes == interleave->end - interleave->begin && bytes / LONG_RUN < runs;
}

/* Find how far all inputs are complete. */
static int64_t find_end(const struct interleave *interleave, const struct input inputs[],
                        int64_t n)
{
    int64_t end = interleave->end;
    for (int64_t k = 0; k < n; k++) {
        struct walk *walk = inputs[k].walk;
        if (inputs[k].ready < walk->total)
            end = int_min(end, walk_place(walk, WAY_SCATTER, inputs[k].ready).target);
    }
    return end;
}

/* Find the end of the batch that begins here: after whole periods or rows of some axis if
 * they have at most `batch` bytes, as a part of one takes almost as long as many; in any
 * case after a whole grain. */
static int64_t batch_end(const struct interleave *interleave, const struct walk *walk,
                         int64_t batch, int64_t end)
{
    int64_t origin = interleave->begin;
    for (int k = 0; k < walk->naxes; k++) {
        const struct axis *axis = &walk->axis[k];
        int64_t row = k < walk->naxes - 1 ? axis->scale[REDIST_TARGET] : 0;
        int64_t period =
            axis->runs->local_period[REDIST_TARGET] * axis->scale[REDIST_TARGET];
        int64_t step = period > 0 && period <= batch ? period : row;
        int64_t behind = step > 0 ? (interleave->at - origin) / step * step : 0;
        if (step > 0 && step <= batch)
            return int_min(origin + behind + batch / step * step, end);
        origin += behind;
        if (row > 0) end = int_min(end, origin + row);
    }
    return int_min(interleave->at + batch - batch % walk->grain, end);
}

/* Bring an input's part of bytes at .. end - 1 of the target to `batch`. */
static void bring(struct input *input, const struct combine *combine, int64_t at,
                  int64_t end, char *batch)
{
    struct walk walk = *input->walk;
    int64_t n = walk_before(&walk, REDIST_TARGET, end) - walk.done;
    input->brought = 0;
    if (n == 0) return;
    walk.offset[REDIST_TARGET] -= at;
    walk.stream = false;
    walk_combine(&walk, input->way, combine, input->from, batch, n);
    input->walk->done = walk.done;
    if (input->way != WAY_SCATTER) return;
    input->brought = n * walk.grain;
    input->from += input->brought;
}

/* Packed data, perhaps by another core, needed next: of each input as much as it brought
 * last. Kernels prefetch arrays themselves. */
struct wanted {
    const struct input *input, *end;
    int64_t at; /* bytes of the input that were prefetched */
};

/* Prefetch a line of it. */
static inline void ask(struct wanted *wanted)
{
    while (wanted->input < wanted->end && wanted->at >= wanted->input->brought) {
        wanted->input++;
        wanted->at = 0;
    }
    if (wanted->input == wanted->end) return;
    __builtin_prefetch(wanted->input->from + wanted->at);
    wanted->at += LINE;
}

/* Write bytes first .. end - 1 of a batch that begins at a line of the target. */
static void flush(const char *batch, char *to, int64_t first, int64_t end,
                  const struct input inputs[], int64_t n)
{
    struct wanted wanted = {inputs, inputs + n, 0};
    int64_t k = int_min(int_ceil_div(first, LINE) * LINE, end);
    if (k > first) kernel_bytes(to + first, batch + first, k - first);
    for (; k + LINE <= end; k += LINE) {
        stream_line(to + k, batch + k);
        ask(&wanted);
    }
    if (end > k) kernel_bytes(to + k, batch + k, end - k);
}

/* Fill the target as far as byte `stop`, to which all inputs are ready, in batches. */
static void interleave_batches(struct interleave *interleave, int64_t stop,
                               struct input inputs[], int64_t n,
                               const struct combine *combine, char *to)
{
    alignas(LINE) char batch[BATCH + 2 * LINE];
    int64_t first = (int64_t)((uintptr_t)(to + interleave->at) % LINE);
    int64_t origin = interleave->at - first; /* the place of `batch` */
    while (interleave->at < stop) {
        int64_t end =
            batch_end(interleave, inputs[0].walk, n > FEW ? BATCH / 2 : BATCH, stop);
        for (int64_t k = 0; k < n; k++) bring(&inputs[k], combine, origin, end, batch);
        int64_t bytes = end - origin, over = end < stop ? bytes % LINE : 0;
        flush(batch, to + origin, first, bytes - over, inputs, n);
        memcpy(batch, batch + bytes - over, (size_t)over);
        origin = end - over;
        if (bytes > over) first = 0;
        interleave->at = end;
    }
    stream_fence();
}

/* Advance an input past what it has before byte `at` of the target. */
static void pass(struct input *input, int64_t at)
{
    struct walk *walk = input->walk;
    int64_t n = walk_before(walk, REDIST_TARGET, at) - walk->done;
    walk->done += n;
    if (input->way == WAY_SCATTER) input->from += n * walk->grain;
}

static void interleave_step(struct interleave *interleave, int64_t stop,
                            struct input inputs[], int64_t n,
                            const struct combine *combine, char *to)
{
    if (!interleave->table || combine) {
        interleave_batches(interleave, stop, inputs, n, combine, to);
        return;
    }
    run_table_interleave(interleave->table, inputs, n, interleave->at, stop, to);
    for (int64_t k = 0; k < n; k++) pass(&inputs[k], stop);
    interleave->at = stop;
}

/* Yield after each turn: processes that share a core then find in the cache what the
 * first of them has fetched, as a line of a source with short runs has data for
 * several. */
static void interleave_to(struct interleave *interleave, int64_t stop,
                          struct input inputs[], int64_t n, const struct combine *combine,
                          char *to)
{
    int64_t turn = ABLATED(TURNS) ? INT64_MAX / 2 : TURN - TURN % inputs->walk->grain;
    for (;;) {
        interleave_step(interleave, int_min(interleave->at + turn, stop), inputs, n,
                        combine, to);
        if (interleave->at == stop) return;
        (void)sched_yield();
    }
}

/* ---- by several threads ------------------------------------------------------------ */

/* A call of interleave_advance that is split among threads. */
struct split_call {
    const struct interleave *interleave;
    int64_t stop;
    const struct input *inputs;
    int64_t n;
    const struct combine *combine;
    char *to;
};

/* The begin of share k of n: a grain, as close to the begin of a cache line as
 * possible. */
static int64_t share_begin(const struct split_call *call, int k, int n)
{
    int64_t at = call->interleave->at, bytes = call->stop - at;
    int64_t begin = at + (int64_t)((int128)bytes * k / n);
    begin -= (int64_t)((uintptr_t)(call->to + begin) % LINE);
    begin -= (begin - at) % call->inputs->walk->grain;
    return k == 0 ? at : k == n ? call->stop : begin;
}

static void interleave_share(void *context, int k, int n)
{
    const struct split_call *call = context;
    struct input inputs[APART];
    struct walk walks[APART];
    struct axis axes[APART], *axis = axes;
    struct interleave interleave = *call->interleave;
    interleave.at = share_begin(call, k, n);
    for (int64_t i = 0; i < call->n; i++) {
        inputs[i] = call->inputs[i];
        walks[i] = walk_apart(inputs[i].walk, axis);
        inputs[i].walk = &walks[i];
        axis += walks[i].naxes;
        pass(&inputs[i], interleave.at);
    }
    interleave_to(&interleave, share_begin(call, k + 1, n), inputs, call->n,
                  call->combine, call->to);
}

static int64_t axes_of(const struct input inputs[], int64_t n)
{
    int64_t axes = 0;
    for (int64_t k = 0; k < n; k++) axes += inputs[k].walk->naxes;
    return axes;
}

bool interleave_advance(struct interleave *interleave, struct input inputs[], int64_t n,
                        const struct combine *combine, char *to)
{
    int64_t stop = find_end(interleave, inputs, n);
    if (interleave->at >= stop) return false;
    int threads = threads_for(stop - interleave->at);
    if (threads == 1 || axes_of(inputs, n) > APART) {
        interleave_to(interleave, stop, inputs, n, combine, to);
        return true;
    }
    struct split_call call = {interleave, stop, inputs, n, combine, to};
    threads_run(threads, interleave_share, &call);
    for (int64_t k = 0; k < n; k++) pass(&inputs[k], stop);
    interleave->at = stop;
    return true;
}

void interleave_all(struct input inputs[], int64_t n, const struct combine *combine,
                    void *to)
{
    struct interleave interleave;
    int64_t bytes = 0;
    for (int64_t k = 0; k < n; k++) {
        walk_seek(inputs[k].walk, 0);
        bytes += inputs[k].walk->total * inputs[k].walk->grain;
    }
    if (bytes >= WALK_STREAM && (!combine || combine->replaces) &&
        interleave_make(inputs, n, &interleave)) {
        (void)interleave_advance(&interleave, inputs, n, combine, to);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        struct walk *walk = inputs[k].walk;
        walk->stream = bytes >= WALK_STREAM;
        walk_combine(walk, WAY_COPY, combine, inputs[k].from, to, walk->total);
    }
}
