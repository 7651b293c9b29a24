/* SPDX-License-Identifier: MIT */
#include "move/cuts.h"

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/hops.h"
#include "move/machine.h"

#if defined __x86_64__

#include <immintrin.h>

enum {
    LINE = SEAM_LINE,
    WIDE = CUTS_WIDE,
    AHEAD = 4 << 10, /* bytes of a partner's: so far on lines are asked for */
    ASKED = 8        /* partners, at most: their lines stay in the first-level cache */
};

/* Bytes of a partner's from which on lines are asked for: of fewer, what is asked for
 * lies for the most part behind them. */
enum { WORTH_ASKING = LENGTH(3 * AHEAD, AHEAD / 16) };

/* ---- the table --------------------------------------------------------------------- */

/* Cut a run, whose first byte comes to byte `at` of the first line, at registers 0 ..
 * `bytes` - 1. Returns false if there is no room. */
static bool cut_run(const struct hop *hop, int64_t from, int64_t at, int64_t bytes,
                    struct cuts *cuts)
{
    int64_t end = at + hop->bytes, first = int_max(at, 0);
    for (int64_t k = first - first % WIDE; k < int_min(end, bytes); k += WIDE) {
        int64_t begin = from + k - at;
        if (cuts->end == cuts->cut + CUTS_MOST || begin != (int32_t)begin) return false;
        *cuts->end++ = (struct cut){.from = (int32_t)begin,
                                    .partner = (uint8_t)hop->partner,
                                    .begin = (uint8_t)int_max(at - k, 0),
                                    .last = end >= k + WIDE};
    }
    return true;
}

/* List the cuts of a cycle that begins where `fill` bytes of its first line are there. */
static bool make(const struct hops *hops, int64_t fill, struct cuts *cuts)
{
    if (cuts->cycle == TOO_MANY_CUTS) return false;
    int64_t cycle = LINE / int_gcd(LINE, hops->period);
    int64_t behind = int_ceil_div(fill, hops->period), at = fill - behind * hops->period;
    cuts->cycle = TOO_MANY_CUTS;
    cuts->end = cuts->cut;
    for (int64_t rep = -behind; rep < cycle; rep++)
        for (const struct hop *hop = hops->hop; hop < hops->end; at += hop->bytes, hop++)
            if (!cut_run(hop, hop->from + rep * hops->step[hop->partner], at,
                         cycle * hops->period, cuts))
                return false;
    cuts->phase = fill;
    cuts->cycle = cycle;
    return true;
}

/* Find the first of a cycle's periods before which a line has `fill` bytes; -1: none. */
static int64_t find_period(const struct hops *hops, int64_t fill, const struct cuts *cuts)
{
    for (int64_t rep = 0; rep < cuts->cycle; rep++)
        if ((cuts->phase + rep * hops->period) % LINE == fill) return rep;
    return -1;
}

/* ---- lines ------------------------------------------------------------------------- */

/* Where in a cycle the next line begins. */
struct course {
    const struct cut *cut;
    alignas(LINE) const char *from[HOPS_PARTNERS]; /* the cycle's first period */
    int64_t ahead[HOPS_PARTNERS];                  /* bytes of some cycles */
};

/* Behind the last line of a cycle, enter the next. */
static inline void go_round(const struct hops *hops, struct course *course)
{
    if (course->cut < hops->cuts.end) return;
    course->cut = hops->cuts.cut;
    for (int p = 0; p < hops->partners; p++)
        course->from[p] += hops->step[p] * hops->cuts.cycle;
}

static void begin_course(const struct hops *hops, int64_t rep, struct course *course)
{
    const struct cuts *cuts = &hops->cuts;
    int64_t registers = (cuts->phase + rep * hops->period) / LINE * (LINE / WIDE);
    course->cut = cuts->cut;
    for (; registers > 0; course->cut++) registers -= course->cut->last;
    for (int p = 0; p < hops->partners; p++) {
        int64_t cycle = cuts->cycle * hops->step[p];
        course->from[p] = hops->from[p] - rep * hops->step[p];
        course->ahead[p] = int_ceil_div(AHEAD, cycle) * cycle;
    }
    go_round(hops, course); /* where the last periods may begin */
}

/* Put bytes lo .. hi - 1 of a line into the seam's room, from run to run, and what lies
 * behind them. */
static void put_some(struct course *course, int64_t lo, int64_t hi, struct seam *seam)
{
    const struct cut *cut = course->cut;
    for (int64_t k = 0; k < LINE; k += cut++->last ? WIDE : 0) {
        int64_t to = k + cut->begin;
        if (to >= lo && to < hi)
            memcpy(seam->room + LINE + to,
                   course->from[cut->partner] + cut->from + cut->begin, WIDE);
    }
    course->cut = cut;
}

/* The next register. The lines that its cuts need some cycles later are asked for; but
 * those that are still to be written, as of a ring, would be taken from who writes. */
static inline __attribute__((always_inline, target("avx2"))) __m256i
put_together(struct course *course, bool asks, __m256i place)
{
    const struct cut *cut = course->cut;
    const char *at = course->from[cut->partner] + cut->from;
    if (asks) __builtin_prefetch(at + course->ahead[cut->partner]);
    __m256i now = _mm256_loadu_si256((const __m256i *)at);
    while (!cut++->last) {
        at = course->from[cut->partner] + cut->from;
        if (asks) __builtin_prefetch(at + cut->begin + course->ahead[cut->partner]);
        __m256i before = _mm256_set1_epi8((char)(cut->begin - 1));
        now = _mm256_blendv_epi8(now, _mm256_loadu_si256((const __m256i *)at),
                                 _mm256_cmpgt_epi8(place, before));
    }
    course->cut = cut;
    return now;
}

/* Both halves of a line are written at a time: else it may go to memory in parts. */
static inline __attribute__((always_inline, target("avx2"))) void
put_lines(const struct hops *hops, bool asks, int64_t n, struct course *course,
          struct seam *seam)
{
    const __m256i place =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                         19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    char *to = seam->to;
    for (; n > 0; n--, to += LINE) {
        __m256i first = put_together(course, asks, place);
        __m256i second = put_together(course, asks, place);
        _mm256_stream_si256((__m256i *)to, first);
        _mm256_stream_si256((__m256i *)(to + WIDE), second);
        go_round(hops, course);
    }
    seam->to = to;
}

__attribute__((target("avx2"))) static void
put_arrays(const struct hops *hops, int64_t n, struct course *course, struct seam *seam)
{
    put_lines(hops, true, n, course, seam);
}

__attribute__((target("avx2"))) static void
put_pieces(const struct hops *hops, int64_t n, struct course *course, struct seam *seam)
{
    put_lines(hops, false, n, course, seam);
}

/* Whether lines of n periods are asked for. Of many partners to ask takes longer than it
 * saves: each run has a line of its own. */
static bool asks_ahead(const struct hops *hops, int64_t n)
{
    return hops->whole && hops->partners <= ASKED && n * hops->step[0] >= WORTH_ASKING;
}

bool cuts_over(struct hops *hops, int64_t n, struct seam *seam)
{
    struct cuts *cuts = &hops->cuts;
    int64_t rep = find_period(hops, seam->fill, cuts);
    struct course course;
    if (machine_here() < AVX2) return false;
    if (rep < 0 && !make(hops, seam->fill, cuts)) return false;
    int64_t end = seam->fill + n * hops->period, lines = end / LINE;
    begin_course(hops, int_max(rep, 0), &course);
    if (lines > 0) {
        put_some(&course, seam->fill, LINE, seam);
        seam->fill = LINE;
        seam_flush(seam);
        go_round(hops, &course);
        (asks_ahead(hops, n) ? put_arrays : put_pieces)(hops, lines - 1, &course, seam);
    }
    put_some(&course, seam->fill, end - lines * LINE, seam);
    seam->fill = end - lines * LINE;
    for (int p = 0; p < hops->partners; p++) hops->from[p] += n * hops->step[p];
    return true;
}

#else

bool cuts_over(struct hops *hops, int64_t n, struct seam *seam)
{
    (void)hops, (void)n, (void)seam;
    return false;
}

#endif
