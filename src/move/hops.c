/* SPDX-License-Identifier: MIT */
#include "move/hops.h"

#include "move/lines.h"
#include "move/machine.h"

enum { AHEAD = 1 << 10 }; /* bytes: so far on lines are asked for */

/* Lines of a partner's that are asked for as the target grows, all of them in their
 * order, those between its runs too: memory brings these sooner than those alone. */
struct wanted {
    const char *next;
    int64_t rate; /* bytes for each 256 of the target */
};

static inline void ask_on(struct wanted wanted[], int partners, int64_t bytes)
{
    for (int p = 0; p < partners; p++) {
        const char *end = wanted[p].next + (bytes * wanted[p].rate >> 8);
        for (const char *line = wanted[p].next; line < end; line += SEAM_LINE)
            __builtin_prefetch(line);
        wanted[p].next = end;
    }
}

/* Copy n <= 64 bytes, or more. */
static inline void copy_over(char *to, const char *from, int64_t n)
{
    enum { HALF = SEAM_LINE / 2 };
    memcpy(to, from, HALF);
    if (n > HALF) memcpy(to + HALF, from + HALF, HALF);
}

static void step_on(struct hops *hops)
{
    for (int p = 0; p < hops->partners; p++) hops->from[p] += hops->step[p];
}

/* In the seam's room. */
static void over_in_room(struct hops *hops, int64_t n, struct seam *seam)
{
    struct wanted wanted[HOPS_PARTNERS];
    const struct hop *end = hops->end;
    const int asked = hops->asks ? hops->partners : 0;
    for (int p = 0; p < asked; p++) wanted[p].rate = hops->step[p] * 256 / hops->period;
    char *to = seam_end(seam);
    const char *full = to + (SEAM_ROOM - seam->fill);
    for (; n > 0; n--) {
        for (int p = 0; p < asked; p++) wanted[p].next = hops->from[p] + AHEAD;
        for (const struct hop *hop = hops->hop; hop < end; hop++) {
            const char *at = hops->from[hop->partner] + hop->from;
            ask_on(wanted, asked, hop->bytes);
            if (hop->bytes <= SEAM_LINE) {
                copy_over(to, at, hop->bytes);
                to += hop->bytes;
                if (to < full) continue;
                seam->fill = SEAM_ROOM + (to - full);
                seam_flush(seam);
            } else {
                seam->fill = SEAM_ROOM + (to - full);
                seam_append_long(seam, at, hop->bytes);
            }
            to = seam_end(seam);
        }
        step_on(hops);
    }
    seam->fill = SEAM_ROOM + (to - full);
}

#if defined __x86_64__

#include <immintrin.h>

enum { WIDE = 32 }; /* bytes of a register */

/* Whether so much can be read before each run, too. */
static bool is_inside(const struct hops *hops)
{
    for (const struct hop *hop = hops->hop; hop < hops->end; hop++) {
        const char *from = hops->from[hop->partner] + hop->from;
        if (from - hops->begin[hop->partner] < WIDE) return false;
    }
    return true;
}

/* In a register, from where the seam is within a line that is all its own. A run is put
 * over all that lies behind its place, in as many as it fills. Both halves of a line are
 * written at a time: else it may go to memory in parts. */
__attribute__((target("avx2"))) static void over_in_register(struct hops *hops, int64_t n,
                                                             struct seam *seam)
{
    const __m256i place =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                         19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const struct hop *end = hops->end;
    char *to = seam->to, *room = seam->room + SEAM_LINE;
    int64_t fill = seam->fill;
    bool second = fill >= WIDE;
    __m256i first = _mm256_load_si256((const __m256i *)room), now = first;
    if (second) {
        now = _mm256_load_si256((const __m256i *)(room + WIDE));
        fill -= WIDE;
    }
    for (; n > 0; n--) {
        for (const struct hop *hop = hops->hop; hop < end; hop++) {
            const char *at = hops->from[hop->partner] + hop->from - fill;
            __m256i behind = _mm256_cmpgt_epi8(place, _mm256_set1_epi8((char)(fill - 1)));
            __m256i next = _mm256_loadu_si256((const __m256i *)at);
            now = _mm256_blendv_epi8(now, next, behind);
            for (fill += hop->bytes; fill >= WIDE; fill -= WIDE) {
                if (second) {
                    _mm256_stream_si256((__m256i *)to, first);
                    _mm256_stream_si256((__m256i *)(to + WIDE), now);
                    to += SEAM_LINE;
                } else {
                    first = now;
                }
                second = !second;
                at += WIDE;
                now = _mm256_loadu_si256((const __m256i *)at);
            }
        }
        step_on(hops);
    }
    if (second) {
        _mm256_store_si256((__m256i *)room, first);
        room += WIDE;
        fill += WIDE;
    }
    _mm256_store_si256((__m256i *)room, now);
    seam->to = to;
    seam->fill = fill;
}

#endif

void hops_over(struct hops *hops, int64_t n, struct seam *seam)
{
#if defined __x86_64__
    if (!hops->asks && machine_here() >= AVX2) {
        seam_flush(seam);
        for (; n > 0 && (seam->skip > 0 || !is_inside(hops)); n--) {
            over_in_room(hops, 1, seam);
            seam_flush(seam);
        }
        int64_t before = lines_before(hops, n);
        if (before > 0) {
            over_in_register(hops, before, seam);
            n -= before;
            n -= lines_over(hops, n, seam);
        }
        if (n > 0) over_in_register(hops, n, seam);
        return;
    }
#endif
    over_in_room(hops, n, seam);
}
