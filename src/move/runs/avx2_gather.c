/* SPDX-License-Identifier: MIT */
#include "move/runs/avx2_gather.h"

#include "base/ablate.h"
#include "base/intmath.h"
#include "move/kernel/machine.h"
#include "move/runs/period_copy.h"

#if defined __x86_64__

#include <immintrin.h>

enum {
    LINE = LINE_BUFFER_LINE,
    WIDE = AVX2_GATHER_WIDE,
    AHEAD = 8 << 10 /* bytes of a partner, at most, that are prefetched ahead */
};

/* ---- the table --------------------------------------------------------------------- */

/* Cut a run, whose first byte is byte `at` of the first line, at the ends of registers 0
 * .. `bytes` - 1. Returns false if there is no room. */
static bool cut_run(const struct period_run *run, int64_t from, int64_t at, int64_t bytes,
                    struct avx2_gather *gather)
{
    int64_t end = at + run->bytes, first = int_max(at, 0);
    for (int64_t k = first - first % WIDE; k < int_min(end, bytes); k += WIDE) {
        int64_t begin = from + k - at;
        if (gather->end == gather->part + AVX2_GATHER_MOST || begin != (int32_t)begin)
            return false;
        *gather->end++ = (struct gather_part){.from = (int32_t)begin,
                                              .partner = (uint8_t)run->partner,
                                              .begin = (uint8_t)int_max(at - k, 0),
                                              .last = end >= k + WIDE};
    }
    return true;
}

/* List the parts of a cycle that begins with `fill` bytes in its first line. */
static bool make(const struct period_copy *copy, int64_t fill, struct avx2_gather *gather)
{
    if (gather->cycle == TOO_MANY_PARTS) return false;
    int64_t cycle = LINE / int_gcd(LINE, copy->period);
    int64_t behind = int_ceil_div(fill, copy->period), at = fill - behind * copy->period;
    gather->cycle = TOO_MANY_PARTS;
    gather->end = gather->part;
    for (int64_t rep = -behind; rep < cycle; rep++)
        for (const struct period_run *run = copy->run; run < copy->end;
             at += run->bytes, run++)
            if (!cut_run(run, run->from + rep * copy->step[run->partner], at,
                         cycle * copy->period, gather))
                return false;
    gather->phase = fill;
    gather->cycle = cycle;
    return true;
}

/* Find the first period of a cycle before which a line has `fill` bytes; -1: none. */
static int64_t find_period(const struct period_copy *copy, int64_t fill,
                           const struct avx2_gather *gather)
{
    for (int64_t rep = 0; rep < gather->cycle; rep++)
        if ((gather->phase + rep * copy->period) % LINE == fill) return rep;
    return -1;
}

/* ---- lines ------------------------------------------------------------------------- */

/* The begin of the next line in a cycle. Looking up each part's partner takes half as
 * long again, so parts hold addresses, and all advance by the same amount. */
struct cursor {
    const struct gather_part *part;
    int64_t on;   /* bytes that each part's address is behind */
    int64_t step; /* bytes of a cycle, of all partners; 0: they differ */
};

/* After the last line of a cycle, enter the next cycle. */
static inline void go_round(struct period_copy *copy, struct cursor *cursor)
{
    struct avx2_gather *gather = &copy->gather;
    if (cursor->part < gather->end) return;
    cursor->part = gather->part;
    cursor->on += cursor->step;
    for (struct gather_part *part = gather->part; cursor->step == 0 && part < gather->end;
         part++)
        part->at += copy->step[part->partner] * gather->cycle;
}

/* Set the addresses of all parts for the cycle after `rep` periods. */
static void begin_cursor(struct period_copy *copy, int64_t rep, struct cursor *cursor)
{
    struct avx2_gather *gather = &copy->gather;
    int64_t registers = (gather->phase + rep * copy->period) / LINE * (LINE / WIDE);
    *cursor =
        (struct cursor){.part = gather->part, .step = copy->step[0] * gather->cycle};
    for (int p = 1; p < copy->partners; p++)
        if (copy->step[p] != copy->step[0]) cursor->step = 0;
    for (struct gather_part *part = gather->part; part < gather->end; part++)
        part->at =
            copy->from[part->partner] + (part->from - rep * copy->step[part->partner]);
    for (; registers > 0; cursor->part++) registers -= cursor->part->last;
    go_round(copy, cursor); /* the last periods may begin inside a cycle */
}

/* Copy bytes lo .. hi - 1 of a line into the line buffer's room, run by run, and more
 * behind them. */
static void put_some(struct cursor *cursor, int64_t lo, int64_t hi,
                     struct line_buffer *buffer)
{
    const struct gather_part *part = cursor->part;
    for (int64_t k = 0; k < LINE; k += part++->last ? WIDE : 0) {
        int64_t to = k + part->begin;
        if (to >= lo && to < hi)
            memcpy(buffer->room + LINE + to, part->at + cursor->on + part->begin, WIDE);
    }
    cursor->part = part;
}

/* Load the next register. Prefetch lines `ahead` bytes further, unless that is 0. */
static inline __attribute__((always_inline, target("avx2"))) __m256i
put_together(struct cursor *cursor, int64_t ahead, __m256i ends)
{
    const struct gather_part *part = cursor->part;
    const int64_t on = cursor->on;
    if (ahead > 0) kernel_ask(part->at + on + ahead);
    __m256i now = _mm256_loadu_si256((const __m256i *)(part->at + on));
    while (!part++->last) {
        if (ahead > 0) kernel_ask(part->at + on + ahead);
        __m256i behind = _mm256_cmpgt_epi8(ends, _mm256_set1_epi8((char)part->begin));
        __m256i then = _mm256_loadu_si256((const __m256i *)(part->at + on));
        now = _mm256_blendv_epi8(now, then, behind);
    }
    cursor->part = part;
    return now;
}

/* Write both halves of a line together: otherwise it may go to memory in parts. */
static inline __attribute__((always_inline, target("avx2"))) void
put_lines(struct period_copy *copy, int64_t ahead, int64_t n, struct cursor *cursor,
          struct line_buffer *buffer)
{
    const __m256i ends = /* of bytes */
        _mm256_setr_epi8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                         19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
    struct cursor here = *cursor; /* a copy, kept in registers */
    const bool past = buffer->past;
    char *to = buffer->to;
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
        go_round(copy, &here);
    }
    *cursor = here;
    buffer->to = to;
}

/* Two functions, to avoid a test of `ahead` for each part. */
__attribute__((target("avx2"))) static void put_asked(struct period_copy *copy,
                                                      int64_t ahead, int64_t n,
                                                      struct cursor *cursor,
                                                      struct line_buffer *buffer)
{
    put_lines(copy, ahead, n, cursor, buffer);
}

__attribute__((target("avx2"))) static void put_unasked(struct period_copy *copy,
                                                        int64_t n, struct cursor *cursor,
                                                        struct line_buffer *buffer)
{
    put_lines(copy, 0, n, cursor, buffer);
}

/* Find how far ahead lines of n periods are prefetched, in whole cycles, which are alike.
 * 0: not at all. */
static int64_t find_ahead(const struct period_copy *copy, int64_t n,
                          const struct cursor *cursor)
{
    if (cursor->step == 0) return 0;
    int64_t most = int_min(AHEAD, n * copy->step[0] / 2);
    return most - most % cursor->step;
}

/* Count the lines, of the next n of the target, that prefetch so far ahead. Lines of a
 * ring that its sender has still to write are not prefetched, as that would take them
 * from the sender's cache. */
static int64_t count_asking(const struct period_copy *copy, int64_t n, int64_t ahead,
                            const struct cursor *cursor)
{
    if (ahead == 0) return 0;
    if (copy->whole) return n;
    int64_t on = ahead / cursor->step * copy->gather.cycle * copy->period;
    int64_t late = int_ceil_div(int_max(on - copy->beyond, 0), LINE);
    return int_max(n - late, 0);
}

bool avx2_gather_is_available(void)
{
    return !ABLATED(AVX2_GATHER) && machine_here() >= AVX2;
}

bool avx2_gather_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer)
{
    struct avx2_gather *gather = &copy->gather;
    int64_t rep = find_period(copy, buffer->fill, gather);
    struct cursor cursor;
    if (!avx2_gather_is_available()) return false;
    if (rep < 0 && !make(copy, buffer->fill, gather)) return false;
    int64_t end = buffer->fill + n * copy->period, lines = end / LINE;
    begin_cursor(copy, int_max(rep, 0), &cursor);
    if (lines > 0) {
        put_some(&cursor, buffer->fill, LINE, buffer);
        buffer->fill = LINE;
        line_buffer_flush(buffer);
        go_round(copy, &cursor);
        int64_t ahead = find_ahead(copy, n, &cursor);
        int64_t asking = count_asking(copy, lines - 1, ahead, &cursor);
        put_asked(copy, ahead, asking, &cursor, buffer);
        put_unasked(copy, lines - 1 - asking, &cursor, buffer);
    }
    put_some(&cursor, buffer->fill, end - lines * LINE, buffer);
    buffer->fill = end - lines * LINE;
    for (int p = 0; p < copy->partners; p++) copy->from[p] += n * copy->step[p];
    return true;
}

#else

bool avx2_gather_is_available(void) { return false; }

bool avx2_gather_append(struct period_copy *copy, int64_t n, struct line_buffer *buffer)
{
    (void)copy, (void)n, (void)buffer;
    return false;
}

#endif
