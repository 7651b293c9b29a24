/* SPDX-License-Identifier: MIT */
#include "move/interleave/splice.h"

#include <string.h>

#include "base/intmath.h"

enum {
    LINE = SEAM_LINE,
    LEAST_PERIODS = 4 /* for which it pays to go over them quickly */
};

/* ---- a row ------------------------------------------------------------------------- */

/* Where a partner's part of a row is. */
struct feed {
    const char *from;
    int64_t first, at; /* bytes from there to the row's local index 0; in this period */
    int packed;
};

/* Inline, as a compiler takes what only asks for one without any effect. */
static inline __attribute__((always_inline)) void ask(const struct piece *piece,
                                                      const struct feed *feed)
{
    const char *from = feed->from + feed->at + piece->from[feed->packed];
    for (int64_t k = 0; k < piece->bytes; k += LINE) kernel_ask(from + k);
}

/* Bytes lo .. hi - 1 of a table. */
static void splice_pieces(const struct piece *piece, int64_t n, const struct feed feeds[],
                          int64_t lo, int64_t hi, struct seam *seam)
{
    int64_t end = n;
    for (int64_t k = 0; k + 1 < end;) { /* the piece that has lo */
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
        ask(piece + SPLICE_AHEAD, &feeds[piece[SPLICE_AHEAD].partner]);
        seam_append(seam, feed->from + feed->at + piece->from[feed->packed] + skip,
                    bytes);
        lo += bytes;
    }
}

/* Periods that are gone over quickly, in all rows alike but for what is packed. */
struct periods {
    uint64_t packed;  /* partners, by bits */
    int64_t behind;   /* periods at the end of a row that are not */
    struct hops hops; /* of period 0: there are none yet */
};

static void list_hops(const struct splice *splice, const struct feed feeds[],
                      struct hops *hops)
{
    hops->partners = splice->partners;
    hops->period = splice->period;
    hops->end = hops->hop;
    hops->cuts.cycle = 0;
    for (const struct piece *piece = splice->piece;
         piece < splice->piece + splice->nperiod; piece++)
        *hops->end++ = (struct hop){piece->from[feeds[piece->partner].packed],
                                    piece->bytes, piece->partner};
}

/* So many whole periods, behind which something can be read; of the target `beyond` bytes
 * more are ready. */
static void splice_periods(const struct splice *splice, struct feed feeds[], int64_t n,
                           int64_t beyond, struct periods *periods, struct seam *seam)
{
    struct hops *hops = &periods->hops;
    uint64_t packed = 0;
    for (int p = 0; p < splice->partners; p++) packed |= (uint64_t)feeds[p].packed << p;
    if (hops->period == 0 || packed != periods->packed) list_hops(splice, feeds, hops);
    periods->packed = packed;
    hops->beyond = beyond;
    for (int p = 0; p < splice->partners; p++) {
        hops->begin[p] = feeds[p].from;
        hops->from[p] = feeds[p].from + feeds[p].at;
        hops->step[p] = splice->step[p][feeds[p].packed];
        feeds[p].at += n * hops->step[p];
    }
    hops_over(hops, n, seam);
}

/* Bytes lo .. hi - 1 of a row, behind which so many are ready. Feeds are those of all
 * partners, then of the next row. */
static void splice_row(const struct splice *splice, struct feed feeds[], int64_t lo,
                       int64_t hi, int64_t beyond, struct periods *periods,
                       struct seam *seam)
{
    int64_t rep = splice->repeats > 0 ? int_min(lo / splice->period, splice->repeats) : 0;
    int64_t base = rep * splice->period;
    const int partners = splice->partners;
    if (rep < splice->repeats)
        for (int p = 0; p < partners; p++)
            feeds[p].at += rep * splice->step[p][feeds[p].packed];
    while (lo < hi && rep < splice->repeats) {
        int64_t whole = int_min(splice->repeats - rep, (hi - base) / splice->period);
        if (lo == base && splice->quick && whole >= periods->behind + LEAST_PERIODS) {
            whole -= periods->behind;
            base += whole * splice->period;
            splice_periods(splice, feeds, whole, beyond + hi - base, periods, seam);
            rep += whole;
            lo = base;
            continue;
        }
        rep++;
        int64_t end = int_min(hi, base + splice->period);
        splice_pieces(splice->piece, splice->nperiod, feeds, lo - base, end - base, seam);
        for (int p = 0; p < partners; p++)
            feeds[p].at += splice->step[p][feeds[p].packed];
        lo = end;
        base += splice->period;
    }
    if (lo == hi) return;
    for (int p = 0; p < partners; p++) feeds[p].at = feeds[p].first;
    splice_pieces(splice->rest, splice->nrest, feeds, lo - base, hi - base, seam);
}

/* ---- all strands ------------------------------------------------------------------- */

/* Where a strand's next row is. */
struct row {
    int64_t number;
    int64_t target; /* bytes: its local index 0; INT64_MAX: there is none */
    int64_t source; /* from what the strand is from */
};

/* Elements of a row, in grains. */
static int64_t row_width(const struct walk *walk)
{
    return walk->axis[walk->naxes - 1].runs->elements * walk->inner;
}

static void enter_row(const struct strand *strand, int64_t number, struct row *row)
{
    struct walk *walk = strand->walk;
    int64_t width = row_width(walk);
    row->number = number;
    row->target = INT64_MAX;
    if (number * width >= walk->total) return;
    struct place place = walk_row(walk, number);
    row->target = place.target;
    row->source = strand->way == WAY_COPY ? place.source
                                          : (number * width - walk->done) * walk->grain;
}

/* Find the row that comes next: where each partner's part of it is, of those of whom
 * there is anything yet. Returns its local index 0, as `target` of struct row. */
static int64_t next_row(const struct splice *splice, const struct strand strands[],
                        const struct row rows[], int64_t n, struct feed feeds[])
{
    int64_t target = INT64_MAX;
    for (int64_t k = 0; k < n; k++) target = int_min(target, rows[k].target);
    for (int64_t k = 0; k < n; k++)
        if (rows[k].target == target && strands[k].from)
            feeds[splice->partner[k]] =
                (struct feed){strands[k].from, rows[k].source, rows[k].source,
                              strands[k].way == WAY_SCATTER};
    return target;
}

/* Go on to the next row of those who have that one. Returns whether all have one, so far
 * behind it that as much can be read there. */
static bool leave_row(const struct strand strands[], struct row rows[], int64_t n,
                      int64_t target)
{
    bool more = true;
    for (int64_t k = 0; k < n; k++) {
        const struct row row = rows[k];
        if (row.target != target) continue;
        enter_row(&strands[k], row.number + 1, &rows[k]);
        more = more && rows[k].target < INT64_MAX &&
               rows[k].source - row.source >= HOPS_BEYOND;
    }
    return more;
}

void splice_strands(const struct splice *splice, const struct strand strands[], int64_t n,
                    int64_t at, int64_t stop, char *to)
{
    struct row rows[SPLICE_STRANDS];
    struct feed feeds[2 * SPLICE_STRANDS], *next = feeds + splice->partners;
    struct periods periods; /* to clear all of it may take as long as a row */
    struct seam seam;
    periods.hops.period = 0;
    periods.hops.whole = true;
    seam_begin(&seam, to + at, true);
    for (int p = 0; p < splice->partners; p++) /* some have no more of the first row */
        next[p] = (struct feed){.from = to};
    for (int64_t k = 0; k < n; k++) {
        const struct walk *walk = strands[k].walk;
        enter_row(&strands[k], walk->done / row_width(walk), &rows[k]);
        if (strands[k].ready < walk->total) periods.hops.whole = false;
    }
    int64_t target = next_row(splice, strands, rows, n, next);
    while (at < stop) {
        int64_t begin = target + splice->begin;
        int64_t end = int_min(begin + splice->bytes, stop);
        memcpy(feeds, next, (size_t)splice->partners * sizeof *feeds);
        periods.behind = leave_row(strands, rows, n, target) ? 0 : splice->reach;
        target = next_row(splice, strands, rows, n, next);
        splice_row(splice, feeds, at - begin, end - begin, stop - end, &periods, &seam);
        at = end;
    }
    seam_finish(&seam);
}
