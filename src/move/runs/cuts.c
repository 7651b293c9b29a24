/* SPDX-License-Identifier: MIT */
#include "move/runs/cuts.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "move/runs/hops.h"
#include "move/kernel/machine.h"

#if defined __x86_64__

#include <immintrin.h>

enum {
    LINE = SEAM_LINE,
    WIDE = CUTS_WIDE,
    AHEAD = 8 << 10 /* bytes of a partner's, at most: so far on lines are asked for */
};

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

/* Where in a cycle the next line begins. To look up where each cut's partner is takes
 * half as long again: so cuts know where they are, and all go on by as much. */
struct course {
    const struct cut *cut;
    int64_t on;   /* bytes, by which each is behind where it was aimed */
    int64_t step; /* bytes of a cycle, of all partners; 0: they differ */
};

/* Behind the last line of a cycle, enter the next. */
static inline void go_round(struct hops *hops, struct course *course)
{
    struct cuts *cuts = &hops->cuts;
    if (course->cut < cuts->end) return;
    course->cut = cuts->cut;
    course->on += course->step;
    for (struct cut *cut = cuts->cut; course->step == 0 && cut < cuts->end; cut++)
        cut->at += hops->step[cut->partner] * cuts->cycle;
}

/* Aim all cuts at the cycle of which `rep` periods are behind. */
static void begin_course(struct hops *hops, int64_t rep, struct course *course)
{
    struct cuts *cuts = &hops->cuts;
    int64_t registers = (cuts->phase + rep * hops->period) / LINE * (LINE / WIDE);
    *course = (struct course){.cut = cuts->cut, .step = hops->step[0] * cuts->cycle};
    for (int p = 1; p < hops->partners; p++)
        if (hops->step[p] != hops->step[0]) course->step = 0;
    for (struct cut *cut = cuts->cut; cut < cuts->end; cut++)
        cut->at = hops->from[cut->partner] + (cut->from - rep * hops->step[cut->partner]);
    for (; registers > 0; course->cut++) registers -= course->cut->last;
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
            memcpy(seam->room + LINE + to, cut->at + course->on + cut->begin, WIDE);
    }
    course->cut = cut;
}

/* The next register. Lines `ahead` bytes further on are asked for, unless that is 0. */
static inline __attribute__((always_inline, target("avx2"))) __m256i
put_together(struct course *course, int64_t ahead, __m256i ends)
{
    const struct cut *cut = course->cut;
    const int64_t on = course->on;
    if (ahead > 0) kernel_ask(cut->at + on + ahead);
    __m256i now = _mm256_loadu_si256((const __m256i *)(cut->at + on));
    while (!cut++->last) {
        if (ahead > 0) kernel_ask(cut->at + on + ahead);
        __m256i behind = _mm256_cmpgt_epi8(ends, _mm256_set1_epi8((char)cut->begin));
        __m256i then = _mm256_loadu_si256((const __m256i *)(cut->at + on));
        now = _mm256_blendv_epi8(now, then, behind);
    }
    course->cut = cut;
    return now;
}

/* Both halves of a line are written at a time: else it may go to memory in parts. */
static inline __attribute__((always_inline, target("avx2"))) void
put_lines(struct hops *hops, int64_t ahead, int64_t n, struct course *course,
          struct seam *seam)
{
    const __m256i ends = /* of bytes */
        _mm256_setr_epi8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                         19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
    struct course here = *course; /* in registers */
    const bool past = seam->past;
    char *to = seam->to;
    for (; n > 0; n--, to += LINE) {
        __m256i first = put_together(&here, ahead, ends);
        __m256i second = put_together(&here, ahead, ends);
        if (past) {
            _mm256_stream_si256((__m256i *)to, first);
            _mm256_stream_si256((__m256i *)(to + WIDE), second);
        } else {
            _mm256_store_si256((__m256i *)to, first);
            _mm256_store_si256((__m256i *)(to + WIDE), second);
        }
        go_round(hops, &here);
    }
    *course = here;
    seam->to = to;
}

/* Two functions, as one would find out for each cut whether to ask. */
__attribute__((target("avx2"))) static void put_asked(struct hops *hops, int64_t ahead,
                                                      int64_t n, struct course *course,
                                                      struct seam *seam)
{
    put_lines(hops, ahead, n, course, seam);
}

__attribute__((target("avx2"))) static void
put_unasked(struct hops *hops, int64_t n, struct course *course, struct seam *seam)
{
    put_lines(hops, 0, n, course, seam);
}

/* How far on lines of n periods are asked for, in whole cycles, which are alike. 0: not
 * at all. */
static int64_t find_ahead(const struct hops *hops, int64_t n, const struct course *course)
{
    if (course->step == 0) return 0;
    int64_t most = int_min(AHEAD, n * hops->step[0] / 2);
    return most - most % course->step;
}

/* How many of the next n lines of the target ask for what is needed so far on: not those
 * that would ask for lines of a ring which are still to be written, and take them from
 * who writes them. */
static int64_t count_asking(const struct hops *hops, int64_t n, int64_t ahead,
                            const struct course *course)
{
    if (ahead == 0) return 0;
    if (hops->whole) return n;
    int64_t on = ahead / course->step * hops->cuts.cycle * hops->period;
    int64_t late = int_ceil_div(int_max(on - hops->beyond, 0), LINE);
    return int_max(n - late, 0);
}

bool cuts_run_here(void) { return !ABLATED(CUTS) && machine_here() >= AVX2; }

bool cuts_over(struct hops *hops, int64_t n, struct seam *seam)
{
    struct cuts *cuts = &hops->cuts;
    int64_t rep = find_period(hops, seam->fill, cuts);
    struct course course;
    if (!cuts_run_here()) return false;
    if (rep < 0 && !make(hops, seam->fill, cuts)) return false;
    int64_t end = seam->fill + n * hops->period, lines = end / LINE;
    begin_course(hops, int_max(rep, 0), &course);
    if (lines > 0) {
        put_some(&course, seam->fill, LINE, seam);
        seam->fill = LINE;
        seam_flush(seam);
        go_round(hops, &course);
        int64_t ahead = find_ahead(hops, n, &course);
        int64_t asking = count_asking(hops, lines - 1, ahead, &course);
        put_asked(hops, ahead, asking, &course, seam);
        put_unasked(hops, lines - 1 - asking, &course, seam);
    }
    put_some(&course, seam->fill, end - lines * LINE, seam);
    seam->fill = end - lines * LINE;
    for (int p = 0; p < hops->partners; p++) hops->from[p] += n * hops->step[p];
    return true;
}

#else

bool cuts_run_here(void) { return false; }

bool cuts_over(struct hops *hops, int64_t n, struct seam *seam)
{
    (void)hops, (void)n, (void)seam;
    return false;
}

#endif
