/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/heap.h - allocations by this thread outside of MPI, whoever makes them. Where
 * the C library is not glibc, or a sanitizer has malloc, none is counted: HEAP_COUNTS
 * says whether. For one file of a program that has trace.h.
 */
#ifndef REDIST_TESTS_HEAP_H
#define REDIST_TESTS_HEAP_H

#include <errno.h>
#include <stdlib.h>

#include "trace.h"

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
} heap;

#if HEAP_COUNTS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static inline void heap_count(void)
{
    heap.allocations += heap.counting && !trace.inside;
}

/* The C library names the parameters with underscores.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
void *malloc(size_t size)
{
    heap_count();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    heap_count();
    return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    heap_count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    heap_count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    heap_count();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#endif
#endif
