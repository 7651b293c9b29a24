/* SPDX-License-Identifier: MIT */
#include "move/runs/pack_periodic.h"

#include <string.h>

#include "base/ablate.h"
#include "base/intmath.h"
#include "base/lengths.h"

enum {
    SHORT_RUN = 12,               /* bytes: with a lesser mean a loop is faster, */
    LONG_RUN = 512,               /* and with a greater one */
    AHEAD = 24,                   /* runs of a line or more that are prefetched */
    LEAST = LENGTH(4 << 10, 256), /* bytes of a row; for shorter ones a table takes as
                                     long to make */
    LEAST_PERIODS =
        LENGTH(64, 16) /* of a row; a cycle has at most so many (avx2_gather.h) */
};

/* Tell whether runs have at least a cache line, so that each is copied by itself. */
static bool has_lines(const struct cycle *cycle, int64_t dense, int64_t runs)
{
    return cycle->elements * dense >= runs * LINE_BUFFER_LINE;
}

bool pack_periodic_pays(const struct axis *axis, int64_t inner, int64_t bytes)
{
    struct cycle cycle = axis_cycle(axis);
    if (ABLATED(PACK_PERIODIC) || cycle.repeats < LEAST_PERIODS ||
        axis->unit[REDIST_SOURCE] != inner)
        return false;
    int64_t runs = cycle_runs(&cycle), period = cycle.elements * axis->dense;
    int64_t row = period * cycle.repeats;
    bool well = has_lines(&cycle, axis->dense, runs) || avx2_gather_is_available();
    return well && runs <= PERIOD_COPY_RUNS && period >= runs * SHORT_RUN &&
           period < runs * LONG_RUN && int_min(row, bytes) >= LEAST;
}

void pack_periodic_begin(const struct axis *axis, bool past, struct pack_periodic *pack)
{
    struct period_copy *copy = &pack->copy;
    const struct cycle *cycle = &pack->cycle;
    pack->cycle = axis_cycle(axis);
    pack->dense = axis->dense;
    pack->scale = axis->scale[REDIST_SOURCE];
    pack->past = past;
    copy->end = copy->run;
    for (int64_t j = 0; j < cycle->runs->nperiod; j++) {
        struct run run = cycle_run(cycle, j);
        for (int64_t c = 0; c < run.count; c++)
            *copy->end++ = (struct period_run){
                .from = (run.local[0] + c * run.local_step[0]) * pack->scale,
                .bytes = (int32_t)(run.length * axis->dense)};
    }
    copy->partners = 1;
    copy->whole = true;
    copy->period = cycle->elements * axis->dense;
    copy->step[0] = cycle->step[REDIST_SOURCE] * pack->scale;
    copy->gather.cycle = 0;
    pack->lines = has_lines(cycle, pack->dense, copy->end - copy->run);
    pack->overread = pack->lines ? 0 : int_ceil_div(PERIOD_COPY_BEYOND, copy->step[0]);
}

/* Copy a run. A partial line is copied with the last whole one. */
static inline void copy_run(char *to, const char *from, int64_t bytes)
{
    if (bytes < LINE_BUFFER_LINE) {
        kernel_bytes(to, from, bytes);
        return;
    }
    for (int64_t k = 0; k + LINE_BUFFER_LINE <= bytes; k += LINE_BUFFER_LINE)
        memcpy(to + k, from + k, LINE_BUFFER_LINE);
    memcpy(to + bytes - LINE_BUFFER_LINE, from + bytes - LINE_BUFFER_LINE,
           LINE_BUFFER_LINE);
}

/* Copy n periods run by run, past the cache through a buffer, or to `to`. */
static void copy_runs(const struct period_copy *copy, int64_t n,
                      struct line_buffer *buffer, char *to)
{
    const int64_t nruns = copy->end - copy->run, step = copy->step[0];
    /* The run to prefetch: one of the period that lies there. */
    int64_t next = AHEAD % nruns;
    const char *ahead = copy->from[0] + AHEAD / nruns * step;
    for (const char *from = copy->from[0]; n > 0; n--, from += step)
        for (const struct period_run *run = copy->run; run < copy->end; run++) {
            for (int64_t k = 0; k < copy->run[next].bytes; k += LINE_BUFFER_LINE)
                kernel_ask(ahead + copy->run[next].from + k);
            if (++next == nruns) next = 0, ahead += step;
            if (buffer->past)
                line_buffer_append(buffer, from + run->from, run->bytes);
            else
                copy_run(to, from + run->from, run->bytes);
            to += run->bytes;
        }
}

int64_t pack_periodic_append(struct pack_periodic *pack, const char *from, char *to,
                             int64_t at, int64_t n)
{
    struct line_buffer buffer;
    struct period_copy *copy = &pack->copy;
    int64_t rep = at / pack->cycle.elements;
    int64_t periods =
        int_min(n / pack->cycle.elements, pack->cycle.repeats - pack->overread - rep);
    if (at % pack->cycle.elements > 0 || periods <= 0) return 0;
    copy->begin[0] = from;
    copy->from[0] = from + rep * copy->step[0];
    line_buffer_begin(&buffer, to, pack->past);
    if (pack->lines)
        copy_runs(copy, periods, &buffer, to);
    else
        period_copy_append(copy, periods, &buffer);
    line_buffer_finish(&buffer);
    return periods * pack->cycle.elements;
}
