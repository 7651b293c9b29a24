/* SPDX-License-Identifier: MIT */
#include "move/interleave/run_table.h"

#include <string.h>

#include "base/intmath.h"

enum {
    LINE = LINE_BUFFER_LINE,
    LEAST_PERIODS = 4 /* fewer are not worth a period copy */
};

/* ---- a row ------------------------------------------------------------------------- */

/* A partner's part of a row. */
struct feed {
    const char *from;
    int64_t first, at; /* bytes from here to the row's local index 0; in this period */
    int packed;
};

/* Inline, as a compiler regards a function that only prefetches as without effect. */
static inline __attribute__((always_inline)) void ask(const struct table_run *piece,
                                                      const struct feed *feed)
{
    const char *from = feed->from + feed->at + piece->from[feed->packed];
    for (int64_t k = 0; k < piece->bytes; k += LINE) kernel_ask(from + k);
}

/* Copy bytes lo .. hi - 1 of a table. */
static void take_table_runs(const struct table_run *piece, int64_t n,
                            const struct feed feeds[], int64_t lo, int64_t hi,
                            struct line_buffer *buffer)
{
    int64_t end = n;
    for (int64_t k = 0; k + 1 < end;) { /* find the run that has lo */
        int64_t middle = (k + end) / 2;
        if (piece[middle].to > lo)
            end = middle;
        else
            k = middle;
        if (k + 1 == end) piece += k;
    }
    for (; lo < hi; piece++) {
        const struct feed *feed = &feeds[piece->partner];
        int64_t skip = lo - piece->to,
                bytes = int_min(piece->bytes, hi - piece->to) - skip;
        ask(piece + RUN_TABLE_AHEAD, &feeds[piece[RUN_TABLE_AHEAD].partner]);
        line_buffer_append(
            buffer, feed->from + feed->at + piece->from[feed->packed] + skip, bytes);
        lo += bytes;
    }
}

/* Periods copied by period_copy, the same in all rows except for packed data. */
struct periods {
    uint64_t packed;         /* partners with packed data, by bits */
    int64_t behind;          /* periods at the end of a row that are not copied so */
    struct period_copy copy; /* of period 0: none yet */
};

static void list_hops(const struct run_table *table, const struct feed feeds[],
                      struct period_copy *copy)
{
    copy->partners = table->partners;
    copy->period = table->period;
    copy->end = copy->run;
    copy->gather.cycle = 0;
    for (const struct table_run *piece = table->piece;
         piece < table->piece + table->nperiod; piece++)
        *copy->end++ = (struct period_run){piece->from[feeds[piece->partner].packed],
                                           piece->bytes, piece->partner};
}

/* Copy whole periods after which bytes can be read; `beyond` more bytes of the target are
 * ready. */
static void interleave_periods(const struct run_table *table, struct feed feeds[],
                               int64_t n, int64_t beyond, struct periods *periods,
                               struct line_buffer *buffer)
{
    struct period_copy *copy = &periods->copy;
    uint64_t packed = 0;
    for (int p = 0; p < table->partners; p++) packed |= (uint64_t)feeds[p].packed << p;
    if (copy->period == 0 || packed != periods->packed) list_hops(table, feeds, copy);
    periods->packed = packed;
    copy->beyond = beyond;
    for (int p = 0; p < table->partners; p++) {
        copy->begin[p] = feeds[p].from;
        copy->from[p] = feeds[p].from + feeds[p].at;
        copy->step[p] = table->step[p][feeds[p].packed];
        feeds[p].at += n * copy->step[p];
    }
    period_copy_append(copy, n, buffer);
}

/* Copy bytes lo .. hi - 1 of a row, after which `beyond` bytes are ready. Feeds are those
 * of all partners, then of the next row. */
static void interleave_row(const struct run_table *table, struct feed feeds[], int64_t lo,
                           int64_t hi, int64_t beyond, struct periods *periods,
                           struct line_buffer *buffer)
{
    int64_t rep = table->repeats > 0 ? int_min(lo / table->period, table->repeats) : 0;
    int64_t base = rep * table->period;
    const int partners = table->partners;
    if (rep < table->repeats)
        for (int p = 0; p < partners; p++)
            feeds[p].at += rep * table->step[p][feeds[p].packed];
    while (lo < hi && rep < table->repeats) {
        int64_t whole = int_min(table->repeats - rep, (hi - base) / table->period);
        if (lo == base && table->by_periods && whole >= periods->behind + LEAST_PERIODS) {
            whole -= periods->behind;
            base += whole * table->period;
            interleave_periods(table, feeds, whole, beyond + hi - base, periods, buffer);
            rep += whole;
            lo = base;
            continue;
        }
        rep++;
        int64_t end = int_min(hi, base + table->period);
        take_table_runs(table->piece, table->nperiod, feeds, lo - base, end - base,
                        buffer);
        for (int p = 0; p < partners; p++) feeds[p].at += table->step[p][feeds[p].packed];
        lo = end;
        base += table->period;
    }
    if (lo == hi) return;
    for (int p = 0; p < partners; p++) feeds[p].at = feeds[p].first;
    take_table_runs(table->rest, table->nrest, feeds, lo - base, hi - base, buffer);
}

/* ---- all inputs ------------------------------------------------------------------- */

/* The place of an input's next row. */
struct row {
    int64_t number;
    int64_t target; /* bytes: its local index 0; INT64_MAX: none */
    int64_t source; /* from the input's source */
};

/* Elements of a row, in grains. */
static int64_t row_width(const struct walk *walk)
{
    return walk->axis[walk->naxes - 1].runs->elements * walk->inner;
}

static void enter_row(const struct input *input, int64_t number, struct row *row)
{
    struct walk *walk = input->walk;
    int64_t width = row_width(walk);
    *row = (struct row){number, INT64_MAX, 0}; /* a source that may be prefetched */
    if (number * width >= walk->total) return;
    struct place place = walk_row(walk, number);
    row->target = place.target;
    row->source = input->way == WAY_COPY ? place.source
                                         : (number * width - walk->done) * walk->grain;
}

/* Find the next row: the place of each partner's part, for partners with any data left.
 * Returns its local index 0, as `target` of struct row. */
static int64_t next_row(const struct run_table *table, const struct input inputs[],
                        const struct row rows[], int64_t n, struct feed feeds[])
{
    int64_t target = INT64_MAX;
    for (int64_t k = 0; k < n; k++) target = int_min(target, rows[k].target);
    for (int64_t k = 0; k < n; k++)
        if (rows[k].target == target && inputs[k].from)
            feeds[table->partner[k]] =
                (struct feed){inputs[k].from, rows[k].source, rows[k].source,
                              inputs[k].way == WAY_SCATTER};
    return target;
}

/* Advance the inputs that have this row to their next one. Returns whether all have one,
 * far enough behind it that as much can be read there. */
static bool leave_row(const struct input inputs[], struct row rows[], int64_t n,
                      int64_t target)
{
    bool more = true;
    for (int64_t k = 0; k < n; k++) {
        const struct row row = rows[k];
        if (row.target != target) continue;
        enter_row(&inputs[k], row.number + 1, &rows[k]);
        more = more && rows[k].target < INT64_MAX &&
               rows[k].source - row.source >= PERIOD_COPY_BEYOND;
    }
    return more;
}

void run_table_interleave(const struct run_table *table, const struct input inputs[],
                          int64_t n, int64_t at, int64_t stop, char *to)
{
    struct row rows[RUN_TABLE_INPUTS];
    struct feed feeds[2 * RUN_TABLE_INPUTS], *next = feeds + table->partners;
    struct periods periods; /* to clear all of it may take as long as a row */
    struct line_buffer buffer;
    periods.copy.period = 0;
    periods.copy.whole = true;
    line_buffer_begin(&buffer, to + at, true);
    for (int p = 0; p < table->partners; p++) /* some have no more of the first row */
        next[p] = (struct feed){.from = to};
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = inputs[k].walk;
        enter_row(&inputs[k], walk->done / row_width(walk), &rows[k]);
        if (inputs[k].ready < walk->total) periods.copy.whole = false;
    }
    int64_t target = next_row(table, inputs, rows, n, next);
    while (at < stop) {
        int64_t begin = target + table->begin;
        int64_t end = int_min(begin + table->bytes, stop);
        memcpy(feeds, next, (size_t)table->partners * sizeof *feeds);
        periods.behind = leave_row(inputs, rows, n, target) ? 0 : table->overread;
        target = next_row(table, inputs, rows, n, next);
        interleave_row(table, feeds, at - begin, end - begin, stop - end, &periods,
                       &buffer);
        at = end;
    }
    line_buffer_finish(&buffer);
}
