/* SPDX-License-Identifier: MIT
 *
 * move/kernel/kernels.c - copy blocks. With a size known to the compiler a copy is one or
 * a few moves, where a function call would cost more than the block. So there is a pair
 * of loops for each size up to 64 bytes, and two with prefetching for longer blocks.
 */
#include "move/kernel/kernels.h"

#include <string.h>

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/kernel/stream.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    LINE = 64,
    STREAM_LEAST = 4 * LINE, /* below, too many lines are written in two parts */
    READ_AHEAD = 16 << 10,   /* bytes; the second-level cache holds lines for so long, */
    WRITE_AHEAD = 8 << 10,   /* and the first-level cache those that are written */
    AHEAD_STEP = 8 * LINE    /* greater steps are between rows, not along one */
};

/* The hardware does not prefetch beyond the end of a block, or of a page. So blocks of
 * ASKED bytes or more are prefetched, PART bytes at a time, LEAD bytes ahead of the
 * copy. */
enum {
    ASKED = LENGTH(4 * LINE, 2 * LINE),
    PART = LENGTH(16 * LINE, 2 * LINE),
    LEAD = LENGTH(8 << 10, 5 * LINE)
};

/* Copy the first and the last `size` of n bytes; they may overlap in the middle. */
INLINE void copy_ends(char *to, const char *from, int64_t n, size_t size)
{
    char first[LINE], last[LINE];
    memcpy(first, from, size);
    memcpy(last, from + n - (int64_t)size, size);
    memcpy(to, first, size);
    memcpy(to + n - (int64_t)size, last, size);
}

/* Copy n <= 64 bytes, never a byte outside. */
INLINE void copy_short(char *to, const char *from, int64_t n)
{
    if (n >= 32)
        copy_ends(to, from, n, 32);
    else if (n >= 16)
        copy_ends(to, from, n, 16);
    else if (n >= 8)
        copy_ends(to, from, n, 8);
    else if (n >= 4)
        copy_ends(to, from, n, 4);
    else
        for (int64_t k = 0; k < n; k++) to[k] = from[k];
}

/* Copy n >= 64 bytes line by line; the last line ends at their end. */
INLINE void copy_lines(char *restrict to, const char *restrict from, int64_t n)
{
    for (int64_t k = 0; k < n - LINE; k += LINE) memcpy(to + k, from + k, LINE);
    memcpy(to + n - LINE, from + n - LINE, LINE);
}

/* Copy a block up to byte `end` past the cache, except for partial lines at its ends; the
 * bytes before `at` have been copied. Returns how many are copied then: a line that
 * continues after `end` is left. */
INLINE int64_t stream_on(char *restrict to, const char *restrict from, int64_t at,
                         int64_t end, int64_t block)
{
    int64_t past = (int64_t)((uintptr_t)(to + at) % LINE);
    if (past > 0) {
        copy_short(to + at, from + at, LINE - past);
        at += LINE - past;
    }
    for (; at + LINE <= end; at += LINE) stream_line(to + at, from + at);
    if (end < block || at == end) return at;
    copy_short(to + at, from + at, end - at);
    return end;
}

/* Tell whether the target begins a few bytes later within a page than the source. Long
 * blocks are one instruction in the memcpy of some libraries, which then takes ten times
 * as long on some processors. */
INLINE bool is_aliased(const char *to, const char *from)
{
    enum { PAGE = 4 << 10, FEW = 8 * LINE };
    uintptr_t later = ((uintptr_t)to - (uintptr_t)from) % PAGE;
    return later > 0 && later < FEW;
}

void kernel_bytes(char *to, const char *from, int64_t bytes)
{
    if (bytes <= LINE)
        copy_short(to, from, bytes);
    else if (bytes < PART || !is_aliased(to, from))
        memcpy(to, from, (size_t)bytes);
    else
        copy_lines(to, from, bytes);
}

/* Find how many bytes ahead the lines of a side are prefetched; 0: not at all. If short
 * runs of several lengths are copied in turn, the first loop touches all the lines and
 * would wait for each; the next batch begins where the loop ends. */
static int64_t bytes_ahead(const struct level *inner, redist_side s)
{
    int64_t step = inner->step[s];
    int64_t most = s == REDIST_SOURCE ? READ_AHEAD : WRITE_AHEAD;
    return step <= AHEAD_STEP ? int_min(inner->count * step, most) : 0;
}

typedef void kernel(char *restrict to, const char *restrict from,
                    const struct level *outer, const struct level *inner);

#define FIXED(size)                                                                      \
    static void blocks_of_##size(char *restrict to, const char *restrict from,           \
                                 const struct level *outer, const struct level *inner)   \
    {                                                                                    \
        const int64_t n = inner->count;                                                  \
        const int64_t reads = bytes_ahead(inner, REDIST_SOURCE),                         \
                      writes = bytes_ahead(inner, REDIST_TARGET);                        \
        const int64_t read = inner->step[REDIST_SOURCE],                                 \
                      write = inner->step[REDIST_TARGET];                                \
        for (int64_t k = 0; k < outer->count; k++) {                                     \
            const char *f = from + k * outer->step[REDIST_SOURCE];                       \
            char *t = to + k * outer->step[REDIST_TARGET];                               \
            for (int64_t i = 0; i < n; i++, f += read, t += write) {                     \
                memcpy(t, f, size);                                                      \
                kernel_ask(f + reads);                                                   \
                __builtin_prefetch(t + writes, 1);                                       \
            }                                                                            \
        }                                                                                \
    }

#define EIGHT(X, a, b, c, d, e, f, g, h) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
#define SIZES(X)                                                                         \
    EIGHT(X, 1, 2, 3, 4, 5, 6, 7, 8)                                                     \
    EIGHT(X, 9, 10, 11, 12, 13, 14, 15, 16)                                              \
    EIGHT(X, 17, 18, 19, 20, 21, 22, 23, 24)                                             \
    EIGHT(X, 25, 26, 27, 28, 29, 30, 31, 32)                                             \
    EIGHT(X, 33, 34, 35, 36, 37, 38, 39, 40)                                             \
    EIGHT(X, 41, 42, 43, 44, 45, 46, 47, 48)                                             \
    EIGHT(X, 49, 50, 51, 52, 53, 54, 55, 56)                                             \
    EIGHT(X, 57, 58, 59, 60, 61, 62, 63, 64)

SIZES(FIXED)

#define ENTRY(size) blocks_of_##size,
static kernel *const fixed[LINE] = {SIZES(ENTRY)};

/* Copy blocks of more than a line, prefetching each while the one before it is copied.
 * Prefetching further ahead took longer if another process on the same core owns what
 * lies between. */
static void middle_blocks(char *restrict to, const char *restrict from,
                          const struct level *outer, const struct level *inner,
                          int64_t block)
{
    for (int64_t k = 0; k < outer->count; k++)
        for (int64_t i = 0; i < inner->count; i++) {
            const char *f = from + k * outer->step[0] + i * inner->step[0];
            char *t = to + k * outer->step[1] + i * inner->step[1];
            for (int64_t b = 0; b < block; b += LINE)
                __builtin_prefetch(f + inner->step[0] + b);
            copy_lines(t, f, block);
        }
}

/* The position of prefetching, ahead of the copy, through all blocks in order. */
struct lead {
    const struct level *outer, *inner;
    int64_t block, k, i;            /* of its block */
    const char *from, *begin, *end; /* of all blocks; the rest of its block */
    int64_t ahead;                  /* bytes prefetched and not yet copied */
};

INLINE void lead_enter(struct lead *lead)
{
    lead->begin =
        lead->from + lead->k * lead->outer->step[0] + lead->i * lead->inner->step[0];
    lead->end = lead->begin + lead->block;
}

/* Prefetch further, as the next `bytes` are copied. */
INLINE void lead_on(struct lead *lead, int64_t bytes)
{
    lead->ahead -= bytes;
    while (lead->ahead < LEAD) {
        int64_t n = int_min(LEAD - lead->ahead, lead->end - lead->begin);
        for (int64_t b = 0; b < n; b += LINE) kernel_ask(lead->begin + b);
        lead->ahead += n;
        lead->begin += n;
        if (lead->begin < lead->end) return;
        if (++lead->i == lead->inner->count) {
            lead->i = 0;
            lead->k++;
        }
        if (lead->k == lead->outer->count)
            lead->ahead = INT64_MAX;
        else
            lead_enter(lead);
    }
}

/* Copy a block in the parts that are prefetched. */
INLINE void long_block(char *restrict to, const char *restrict from, int64_t block,
                       bool stream, struct lead *lead)
{
    int64_t at = 0;
    for (int64_t begin = 0; begin < block; begin += PART) {
        int64_t end = int_min(begin + PART, block);
        lead_on(lead, end - begin);
        if (stream)
            at = stream_on(to, from, at, end, block);
        else
            kernel_bytes(to + begin, from + begin, end - begin);
    }
}

static void long_blocks(char *restrict to, const char *restrict from,
                        const struct level *outer, const struct level *inner,
                        int64_t block, bool stream)
{
    struct lead lead = {.outer = outer, .inner = inner, .block = block, .from = from};
    bool rows = inner->count == 1 || inner->step[0] == block;
    bool foreseen = rows && (outer->count == 1 || outer->step[0] == inner->count * block);
    if (foreseen)
        lead.ahead = INT64_MAX;
    else
        lead_enter(&lead);
    for (int64_t k = 0; k < outer->count; k++)
        for (int64_t i = 0; i < inner->count; i++)
            long_block(to + k * outer->step[1] + i * inner->step[1],
                       from + k * outer->step[0] + i * inner->step[0], block, stream,
                       &lead);
}

void kernel_blocks(char *to, const char *from, const struct level *outer,
                   const struct level *inner, int64_t block, bool stream)
{
    stream = stream && block >= STREAM_LEAST;
    if (block <= LINE)
        fixed[block - 1](to, from, outer, inner);
    else if (block < ASKED)
        middle_blocks(to, from, outer, inner, block);
    else
        long_blocks(to, from, outer, inner, block, stream);
}
