/* SPDX-License-Identifier: MIT
 *
 * move/interleave/run_table_make.c - make a run table: which run of which partner comes
 * where.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ablate.h"
#include "base/intmath.h"
#include "move/interleave/run_table.h"
#include "move/runs/interleave_elements.h"

enum {
    LINE = LINE_BUFFER_LINE,
    SHORT_RUN = 12,        /* bytes: with a lesser mean, interleaving is faster */
    SHORT_ROW = 64 * LINE, /* bytes: a shorter row takes longer to begin than to fill, */
    SHORTEST_ROW =
        32 * LINE, /* unless elements are interleaved in registers, or runs have a line */
    MOST_PIECES = 2048
};

static const struct axis *innermost(const struct walk *walk)
{
    return &walk->axis[walk->naxes - 1];
}

static bool same_runs(const struct runs *a, const struct runs *b)
{
    if (a == b) return true;
    return a->nperiod == b->nperiod && a->ntail == b->ntail && a->repeats == b->repeats &&
           a->local_period[0] == b->local_period[0] &&
           a->local_period[1] == b->local_period[1] &&
           memcmp(a->run, b->run, (size_t)(a->nperiod + a->ntail) * sizeof *a->run) == 0;
}

/* Tell whether two walks have the same innermost axis. */
static bool same_axis(const struct walk *a, const struct walk *b)
{
    const struct axis *x = innermost(a), *y = innermost(b);
    bool same = a->inner == b->inner && a->grain == b->grain;
    for (int s = 0; s < SIDES; s++)
        same = same && x->scale[s] == y->scale[s] && x->unit[s] == y->unit[s];
    return same && same_runs(x->runs, y->runs);
}

/* Tell whether contiguous elements of a run are contiguous in bytes, too. */
static bool has_runs(const struct walk *walk)
{
    const struct axis *axis = innermost(walk);
    int64_t row = walk->inner * walk->grain;
    return !walk_is_listed(walk) && axis->unit[REDIST_SOURCE] == row &&
           axis->unit[REDIST_TARGET] == row;
}

/* Runs of one walk in a row: of a period, and after `repeats` of them. */
struct count {
    int64_t period, rest;
};

static struct count count_pieces(const struct axis *axis, int64_t repeats)
{
    const struct runs *runs = axis->runs;
    struct cycle cycle = axis_cycle(axis);
    struct count count = {cycle_runs(&cycle), 0};
    count.rest = (cycle.repeats - repeats) * count.period;
    for (int64_t j = 0; j < runs->ntail; j++)
        count.rest += runs->run[runs->nperiod + j].count;
    return count;
}

static struct table_run *put(struct table_run *piece, const struct axis *axis,
                             const struct run *run, int64_t rep, int64_t e, int partner)
{
    struct cycle cycle = axis_cycle(axis);
    for (int64_t c = 0; c < run->count; c++, e += run->length) {
        int64_t at[SIDES];
        for (int s = 0; s < SIDES; s++)
            at[s] = (run->local[s] + c * run->local_step[s] + rep * cycle.step[s]) *
                    axis->scale[s];
        *piece++ = (struct table_run){.to = at[REDIST_TARGET],
                                      .from = {at[REDIST_SOURCE], e * axis->dense},
                                      .bytes = (int32_t)(run->length * axis->dense),
                                      .partner = partner};
    }
    return piece;
}

static int64_t elements_of(const struct run *run) { return run->length * run->count; }

/* List the runs of repetition `rep`. */
static struct table_run *put_period(struct table_run *piece, const struct axis *axis,
                                    int64_t rep, int partner)
{
    struct cycle cycle = axis_cycle(axis);
    int64_t e = rep * cycle.elements;
    for (int64_t j = 0; j < axis->runs->nperiod; j++) {
        struct run run = cycle_run(&cycle, j);
        piece = put(piece, axis, &run, rep, e, partner);
        e += elements_of(&run);
    }
    return piece;
}

static struct table_run *put_rest(struct table_run *piece, const struct axis *axis,
                                  int64_t rep, int partner)
{
    const struct runs *runs = axis->runs;
    struct cycle cycle = axis_cycle(axis);
    for (; rep < cycle.repeats; rep++) piece = put_period(piece, axis, rep, partner);
    int64_t e = rep * cycle.elements;
    for (int64_t j = runs->nperiod; j < runs->nperiod + runs->ntail; j++) {
        piece = put(piece, axis, &runs->run[j], 0, e, partner);
        e += elements_of(&runs->run[j]);
    }
    return piece;
}

static int by_place(const void *a, const void *b)
{
    const struct table_run *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* Sort runs. Returns whether they fill a contiguous part without gaps, and its length. */
static bool sort(struct table_run pieces[], int64_t n, int64_t *bytes)
{
    *bytes = 0;
    if (n == 0) return true;
    qsort(pieces, (size_t)n, sizeof *pieces, by_place);
    for (int64_t k = 1; k < n; k++)
        if (pieces[k].to != pieces[k - 1].to + pieces[k - 1].bytes) return false;
    *bytes = pieces[n - 1].to + pieces[n - 1].bytes - pieces[0].to;
    return true;
}

/* Number each input's partner, and find one walk of each partner. Returns their number;
 * 0: inputs have different shapes. */
static int find_partners(const struct table_input table_inputs[], int64_t n,
                         int partner[], const struct walk *walks[])
{
    int found = 0;
    const struct walk *first = table_inputs[0].copy;
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = table_inputs[k].copy, *packed = table_inputs[k].scatter;
        if (!has_runs(walk) || walk->naxes != first->naxes || walk->inner != first->inner)
            return 0;
        if (packed && (packed->naxes != walk->naxes || packed->inner != walk->inner ||
                       packed->axis[walk->naxes - 1].runs != innermost(walk)->runs))
            return 0;
        int p = 0;
        while (p < found && !same_axis(walks[p], walk)) p++;
        if (p == found) walks[found++] = walk;
        partner[k] = p;
    }
    return found;
}

static int64_t mean_piece(const struct run_table *table)
{
    return table->bytes / (table->repeats * table->nperiod + table->nrest);
}

/* Count the runs of all partners, for so many periods. Returns false if they are too
 * many. */
static bool count_all(const struct walk *const walks[], int partners, int64_t repeats,
                      struct run_table *table)
{
    table->repeats = repeats;
    table->nperiod = table->nrest = 0;
    for (int p = 0; p < partners; p++) {
        struct count count = count_pieces(innermost(walks[p]), repeats);
        if (count.period > MOST_PIECES || count.rest > MOST_PIECES) return false;
        table->nperiod += repeats > 0 ? count.period : 0;
        table->nrest += count.rest;
    }
    return table->nperiod + table->nrest <= MOST_PIECES;
}

/* Make room for the runs of all partners, for as many periods as all of them have.
 * Returns false if a table does not pay. */
static bool plan(const struct walk *const walks[], int partners, struct run_table *table)
{
    const struct cycle first = axis_cycle(innermost(walks[0]));
    int64_t repeats = first.repeats, elements = 0, longest = 0;
    for (int p = 0; p < partners; p++) {
        const struct axis *axis = innermost(walks[p]);
        const struct cycle cycle = axis_cycle(axis);
        repeats = int_min(repeats, cycle.repeats);
        if (cycle.step[REDIST_TARGET] != first.step[REDIST_TARGET]) repeats = 0;
        elements += axis->runs->elements;
        for (int64_t j = 0; j < axis->runs->nperiod + axis->runs->ntail; j++)
            longest = int_max(longest, axis->runs->run[j].length);
    }
    int64_t dense = innermost(walks[0])->dense;
    table->bytes = elements * dense;
    if (!count_all(walks, partners, repeats, table) || longest > INT32_MAX / dense ||
        table->bytes < SHORTEST_ROW)
        return false;
    int64_t mean = mean_piece(table), pieces = table->bytes / mean;
    if (table->bytes < SHORT_ROW && mean >= SHORT_RUN && mean < LINE) return false;
    if (mean >= LINE && pieces <= MOST_PIECES) /* what comes after each is known then */
        return count_all(walks, partners, 0, table);
    return mean >= SHORT_RUN || table->nperiod == partners;
}

/* Sort the runs of a period, and those after the last one. Returns whether they fill a
 * row without gaps. */
static bool order(const struct walk *walk, struct run_table *table)
{
    int64_t rest = 0, step = axis_cycle(innermost(walk)).step[REDIST_TARGET] *
                             innermost(walk)->scale[REDIST_TARGET];
    if (!sort(table->piece, table->nperiod, &table->period) ||
        !sort(table->rest, table->nrest, &rest))
        return false;
    table->begin = table->nperiod > 0 ? table->piece->to : table->rest->to;
    int64_t behind = table->begin + table->repeats * table->period;
    if (table->repeats > 1 && table->period != step) return false;
    if (table->nrest > 0 && table->rest->to != behind) return false;
    if (table->repeats * table->period + rest != table->bytes) return false;
    for (int64_t k = 0; k < table->nperiod; k++) table->piece[k].to -= table->begin;
    for (int64_t k = 0; k < table->nrest; k++) table->rest[k].to -= behind;
    return true;
}

/* Tell whether each partner has an element in each period, and all of them contiguous. */
static bool can_interleave_elements(const struct run_table *table)
{
    int64_t size = table->piece->bytes;
    bool can = table->nperiod == table->partners &&
               interleave_elements_can(size, table->partners);
    for (int64_t k = 0; k < table->nperiod && can; k++)
        can = table->piece[k].bytes == size && table->step[k][0] == size &&
              table->step[k][1] == size;
    return can;
}

/* Fill in the tables. Returns whether they can be used. */
static bool fill(const struct walk *const walks[], int partners, struct run_table *table)
{
    struct table_run *piece = table->piece, *rest = table->rest;
    for (int p = 0; p < partners; p++) {
        const struct axis *axis = innermost(walks[p]);
        const struct cycle cycle = axis_cycle(axis);
        if (table->nperiod > 0) piece = put_period(piece, axis, 0, p);
        rest = put_rest(rest, axis, table->repeats, p);
        table->step[p][0] = cycle.step[REDIST_SOURCE] * axis->scale[REDIST_SOURCE];
        table->step[p][1] = cycle.elements * axis->dense;
    }
    if (!order(walks[0], table)) return false;
    if (mean_piece(table) < SHORT_RUN && !can_interleave_elements(table)) return false;
    table->by_periods = table->repeats > 1 && table->nperiod <= PERIOD_COPY_RUNS &&
                        mean_piece(table) < LINE;
    for (int p = 0; p < partners && table->by_periods; p++)
        for (int d = 0; d < 2; d++)
            table->overread = int_max(
                table->overread, int_ceil_div(PERIOD_COPY_BEYOND, table->step[p][d]));
    int ahead = table->nperiod > 0 ? RUN_TABLE_AHEAD : 0; /* of the next periods */
    for (int k = 0; k < ahead; k++) {
        piece[k] = piece[k - table->nperiod];
        for (int d = 0; d < 2; d++) piece[k].from[d] += table->step[piece[k].partner][d];
    }
    ahead = table->nrest > 0 ? RUN_TABLE_AHEAD : 0; /* of the next row */
    for (int k = 0; k < ahead; k++) {
        rest[k] = table->nperiod > 0 ? table->piece[k] : table->rest[k % table->nrest];
        rest[k].partner += partners;
    }
    return true;
}

redist_err run_table_make(struct mem_account *account,
                          const struct table_input table_inputs[], int64_t n,
                          struct run_table *table)
{
    const struct walk *walks[RUN_TABLE_INPUTS];
    *table = (struct run_table){0};
    if (ABLATED(RUN_TABLE) || n == 0 || n > RUN_TABLE_INPUTS) return REDIST_OK;
    table->partner = mem_alloc(account, n, sizeof *table->partner);
    if (!table->partner) return REDIST_ERR_MEMORY;
    int partners = find_partners(table_inputs, n, table->partner, walks);
    table->partners = partners;
    if (partners == 0 || !plan(walks, partners, table)) return REDIST_OK;
    int64_t pieces = table->nperiod + table->nrest + 2 * RUN_TABLE_AHEAD;
    table->step = mem_alloc(account, partners, sizeof *table->step);
    table->piece = mem_alloc(account, pieces, sizeof *table->piece);
    if (!table->step || !table->piece) return REDIST_ERR_MEMORY;
    table->rest = table->piece + table->nperiod + RUN_TABLE_AHEAD;
    if (fill(walks, partners, table)) return REDIST_OK;
    mem_free(table->piece);
    table->piece = NULL;
    return REDIST_OK;
}

void run_table_free(struct run_table *table)
{
    mem_free(table->partner);
    mem_free(table->step);
    mem_free(table->piece);
    *table = (struct run_table){0};
}
