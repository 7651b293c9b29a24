/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/run/heap.h - allocations by this thread outside of MPI, whoever makes them,
 * and what of them lives. Where the C library is not glibc, or a sanitizer has malloc,
 * none is counted: HEAP_COUNTS says whether. For one file of a program that has trace.h.
 */
#ifndef REDIST_TESTS_HEAP_H
#define REDIST_TESTS_HEAP_H

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi/trace.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_COUNTS 0
#endif
#endif
#if !defined(HEAP_COUNTS)
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HEAP_COUNTS 1
#else
#define HEAP_COUNTS 0
#endif
#endif

static _Thread_local struct heap {
    int counting; /* > 0: allocations are counted */
    int allocations;
    int64_t bytes, blocks; /* more than when counting began */
    int64_t peak;          /* the most bytes at a time */
} heap;

#if HEAP_COUNTS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static inline int heap_counts(void) { return heap.counting && !trace.inside; }

/* A block, which may be NULL, comes (1) or goes (-1). */
static inline void heap_move(void *block, int sign)
{
    if (!block || !heap_counts()) return;
    heap.bytes += sign * (int64_t)malloc_usable_size(block);
    heap.blocks += sign;
    if (heap.bytes > heap.peak) heap.peak = heap.bytes;
}

static inline void *heap_add(void *block)
{
    heap.allocations += heap_counts();
    heap_move(block, 1);
    return block;
}

/* The C library names the parameters with underscores.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
void *malloc(size_t size) { return heap_add(__libc_malloc(size)); }

void *calloc(size_t n, size_t size) { return heap_add(__libc_calloc(n, size)); }

void *realloc(void *block, size_t size)
{
    heap_move(block, -1);
    return heap_add(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return heap_add(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = heap_add(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

void free(void *block)
{
    heap_move(block, -1);
    __libc_free(block);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#endif
#endif
