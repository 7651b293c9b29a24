/* SPDX-License-Identifier: MIT
 *
 * move/kernel/stream.h - non-temporal stores, which bypass the cache, where the machine
 * has them.
 *
 * An ordinary store reads its cache line before it writes it. A non-temporal store does
 * not, as long as whole lines are written; but the next reader finds the line in memory.
 * Other cores see such stores in any order, up to the next stream_fence.
 */
#ifndef REDIST_MOVE_KERNEL_STREAM_H
#define REDIST_MOVE_KERNEL_STREAM_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STREAM_LINE = 64, STREAM_PART = 16 };

static inline int stream_aligned(const void *to)
{
    return (uintptr_t)to % STREAM_LINE == 0;
}

/* Copy one cache line to an address that is a multiple of its size. */
static inline void stream_line(void *restrict to, const void *restrict from)
{
#ifdef __SSE2__
    for (int k = 0; k < STREAM_LINE / 16; k++)
        _mm_stream_si128((__m128i *)to + k, _mm_loadu_si128((const __m128i *)from + k));
#else
    memcpy(to, from, STREAM_LINE);
#endif
}

/* Copy a part of a cache line. The other parts should follow soon, else it is written to
 * memory by itself. */
static inline void stream_part(void *restrict to, const void *restrict from)
{
#ifdef __SSE2__
    _mm_stream_si128(to, _mm_loadu_si128(from));
#else
    memcpy(to, from, STREAM_PART);
#endif
}

static inline void stream_fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
