/* SPDX-License-Identifier: MIT
 *
 * move/interleave/splice_table.c - the tables of a splice: which run of which partner
 * comes where.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "base/ablate.h"
#include "move/interleave/splice.h"
#include "move/runs/zips.h"

enum {
    LINE = SEAM_LINE,
    SHORT_RUN = 12,           /* bytes: the mean below which a weave is quicker */
    SHORT_ROW = 64 * LINE,    /* bytes: such a row takes longer to begin than to fill, */
    SHORTEST_ROW = 32 * LINE, /* unless elements are zipped, or pieces have a line */
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

/* Whether two walks have the same innermost axis. */
static bool same_axis(const struct walk *a, const struct walk *b)
{
    const struct axis *x = innermost(a), *y = innermost(b);
    bool same = a->inner == b->inner && a->grain == b->grain;
    for (int s = 0; s < SIDES; s++)
        same = same && x->scale[s] == y->scale[s] && x->unit[s] == y->unit[s];
    return same && same_runs(x->runs, y->runs);
}

/* Whether what lies side by side in a run does so in bytes, too. */
static bool has_runs(const struct walk *walk)
{
    const struct axis *axis = innermost(walk);
    int64_t row = walk->inner * walk->grain;
    return !walk_is_listed(walk) && axis->unit[REDIST_SOURCE] == row &&
           axis->unit[REDIST_TARGET] == row;
}

/* Pieces of one walk in a row: of a period, and behind `repeats` of them. */
struct count {
    int64_t period, rest;
};

static struct count count_pieces(const struct axis *axis, int64_t repeats)
{
    const struct runs *runs = axis->runs;
    struct cycle cycle = axis_cycle(axis);
    struct count count = {0, 0};
    for (int64_t j = 0; j < runs->nperiod; j++)
        count.period += cycle_run(&cycle, j).count;
    count.rest = (cycle.repeats - repeats) * count.period;
    for (int64_t j = 0; j < runs->ntail; j++)
        count.rest += runs->run[runs->nperiod + j].count;
    return count;
}

static struct piece *put(struct piece *piece, const struct axis *axis,
                         const struct run *run, int64_t rep, int64_t e, int partner)
{
    struct cycle cycle = axis_cycle(axis);
    for (int64_t c = 0; c < run->count; c++, e += run->length) {
        int64_t at[SIDES];
        for (int s = 0; s < SIDES; s++)
            at[s] = (run->local[s] + c * run->local_step[s] + rep * cycle.step[s]) *
                    axis->scale[s];
        *piece++ = (struct piece){.to = at[REDIST_TARGET],
                                  .from = {at[REDIST_SOURCE], e * axis->dense},
                                  .bytes = (int32_t)(run->length * axis->dense),
                                  .partner = partner};
    }
    return piece;
}

static int64_t elements_of(const struct run *run) { return run->length * run->count; }

/* List the pieces of repetition `rep`. */
static struct piece *put_period(struct piece *piece, const struct axis *axis, int64_t rep,
                                int partner)
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

static struct piece *put_rest(struct piece *piece, const struct axis *axis, int64_t rep,
                              int partner)
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
    const struct piece *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* Put pieces in their order. Returns whether they fill a stretch without a gap, and tells
 * how long it is. */
static bool sort(struct piece pieces[], int64_t n, int64_t *bytes)
{
    *bytes = 0;
    if (n == 0) return true;
    qsort(pieces, (size_t)n, sizeof *pieces, by_place);
    for (int64_t k = 1; k < n; k++)
        if (pieces[k].to != pieces[k - 1].to + pieces[k - 1].bytes) return false;
    *bytes = pieces[n - 1].to + pieces[n - 1].bytes - pieces[0].to;
    return true;
}

/* The number of each strand's partner, and one walk of each partner. Returns how many
 * there are; 0: strands have not the same shape. */
static int find_partners(const struct supply supplies[], int64_t n, int partner[],
                         const struct walk *walks[])
{
    int found = 0;
    const struct walk *first = supplies[0].copy;
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = supplies[k].copy, *packed = supplies[k].scatter;
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

static int64_t mean_piece(const struct splice *splice)
{
    return splice->bytes / (splice->repeats * splice->nperiod + splice->nrest);
}

/* Make room for the pieces of all partners, with so many periods. Returns false if they
 * are too many. */
static bool count_all(const struct walk *const walks[], int partners, int64_t repeats,
                      struct splice *splice)
{
    splice->repeats = repeats;
    splice->nperiod = splice->nrest = 0;
    for (int p = 0; p < partners; p++) {
        struct count count = count_pieces(innermost(walks[p]), repeats);
        if (count.period > MOST_PIECES || count.rest > MOST_PIECES) return false;
        splice->nperiod += repeats > 0 ? count.period : 0;
        splice->nrest += count.rest;
    }
    return splice->nperiod + splice->nrest <= MOST_PIECES;
}

/* Make room for the pieces of all partners, as many periods as all of them have. Returns
 * false if it does not pay. */
static bool plan(const struct walk *const walks[], int partners, struct splice *splice)
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
    splice->bytes = elements * dense;
    if (!count_all(walks, partners, repeats, splice) || longest > INT32_MAX / dense ||
        splice->bytes < SHORTEST_ROW)
        return false;
    int64_t mean = mean_piece(splice), pieces = splice->bytes / mean;
    if (splice->bytes < SHORT_ROW && mean >= SHORT_RUN && mean < LINE) return false;
    if (mean >= LINE && pieces <= MOST_PIECES) /* what comes behind each is known then */
        return count_all(walks, partners, 0, splice);
    return mean >= SHORT_RUN || splice->nperiod == partners;
}

/* Put the pieces of a period, and those behind the last, in their order. Returns whether
 * they fill a row without a gap. */
static bool order(const struct walk *walk, struct splice *splice)
{
    int64_t rest = 0, step = axis_cycle(innermost(walk)).step[REDIST_TARGET] *
                             innermost(walk)->scale[REDIST_TARGET];
    if (!sort(splice->piece, splice->nperiod, &splice->period) ||
        !sort(splice->rest, splice->nrest, &rest))
        return false;
    splice->begin = splice->nperiod > 0 ? splice->piece->to : splice->rest->to;
    int64_t behind = splice->begin + splice->repeats * splice->period;
    if (splice->repeats > 1 && splice->period != step) return false;
    if (splice->nrest > 0 && splice->rest->to != behind) return false;
    if (splice->repeats * splice->period + rest != splice->bytes) return false;
    for (int64_t k = 0; k < splice->nperiod; k++) splice->piece[k].to -= splice->begin;
    for (int64_t k = 0; k < splice->nrest; k++) splice->rest[k].to -= behind;
    return true;
}

/* Whether each partner has an element in each period, and all of its side by side. */
static bool can_zip(const struct splice *splice)
{
    int64_t size = splice->piece->bytes;
    bool can = splice->nperiod == splice->partners && zips_can(size, splice->partners);
    for (int64_t k = 0; k < splice->nperiod && can; k++)
        can = splice->piece[k].bytes == size && splice->step[k][0] == size &&
              splice->step[k][1] == size;
    return can;
}

/* Fill in the tables. Returns whether they are of any use. */
static bool fill(const struct walk *const walks[], int partners, struct splice *splice)
{
    struct piece *piece = splice->piece, *rest = splice->rest;
    for (int p = 0; p < partners; p++) {
        const struct axis *axis = innermost(walks[p]);
        const struct cycle cycle = axis_cycle(axis);
        if (splice->nperiod > 0) piece = put_period(piece, axis, 0, p);
        rest = put_rest(rest, axis, splice->repeats, p);
        splice->step[p][0] = cycle.step[REDIST_SOURCE] * axis->scale[REDIST_SOURCE];
        splice->step[p][1] = cycle.elements * axis->dense;
    }
    if (!order(walks[0], splice)) return false;
    if (mean_piece(splice) < SHORT_RUN && !can_zip(splice)) return false;
    splice->quick =
        splice->repeats > 1 && splice->nperiod <= HOPS_MOST && mean_piece(splice) < LINE;
    for (int p = 0; p < partners && splice->quick; p++)
        for (int d = 0; d < 2; d++)
            splice->reach =
                int_max(splice->reach, int_ceil_div(HOPS_BEYOND, splice->step[p][d]));
    int ahead = splice->nperiod > 0 ? SPLICE_AHEAD : 0; /* of the next periods */
    for (int k = 0; k < ahead; k++) {
        piece[k] = piece[k - splice->nperiod];
        for (int d = 0; d < 2; d++) piece[k].from[d] += splice->step[piece[k].partner][d];
    }
    ahead = splice->nrest > 0 ? SPLICE_AHEAD : 0; /* of the next row */
    for (int k = 0; k < ahead; k++) {
        rest[k] =
            splice->nperiod > 0 ? splice->piece[k] : splice->rest[k % splice->nrest];
        rest[k].partner += partners;
    }
    return true;
}

redist_err splice_make(struct mem_account *account, const struct supply supplies[],
                       int64_t n, struct splice *splice)
{
    const struct walk *walks[SPLICE_STRANDS];
    *splice = (struct splice){0};
    if (ABLATED(SPLICE) || n == 0 || n > SPLICE_STRANDS) return REDIST_OK;
    splice->partner = mem_alloc(account, n, sizeof *splice->partner);
    if (!splice->partner) return REDIST_ERR_MEMORY;
    int partners = find_partners(supplies, n, splice->partner, walks);
    splice->partners = partners;
    if (partners == 0 || !plan(walks, partners, splice)) return REDIST_OK;
    int64_t pieces = splice->nperiod + splice->nrest + 2 * SPLICE_AHEAD;
    splice->step = mem_alloc(account, partners, sizeof *splice->step);
    splice->piece = mem_alloc(account, pieces, sizeof *splice->piece);
    if (!splice->step || !splice->piece) return REDIST_ERR_MEMORY;
    splice->rest = splice->piece + splice->nperiod + SPLICE_AHEAD;
    if (fill(walks, partners, splice)) return REDIST_OK;
    mem_free(splice->piece);
    splice->piece = NULL;
    return REDIST_OK;
}

void splice_free(struct splice *splice)
{
    mem_free(splice->partner);
    mem_free(splice->step);
    mem_free(splice->piece);
    *splice = (struct splice){0};
}
