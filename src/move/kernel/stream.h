/* SPDX-License-Identifier: MIT
 *
 * move/kernel/stream.h - stores that go past the cache, where the machine has them.
 *
 * An ordinary store reads its cache line before it writes it. Past the cache it does not,
 * as long as whole lines are written; but whoever reads them next finds them in memory.
 * Such stores are seen by others in any order, up to the next stream_fence.
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

/* The same of a part of one: the others should follow soon, or it goes to memory by
 * itself. */
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
