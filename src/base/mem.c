/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined __linux__
#include <sys/mman.h>
#endif

#include "base/error.h"
#include "base/intmath.h"

/* Precedes each block, for the account and the free function. Its size keeps the
 * alignment of malloc. */
struct header {
    struct mem_account *account;
    size_t bytes;
    char *raw;                       /* address returned by the C library or the source */
    const struct mem_source *source; /* NULL: the C library */
};
enum { LINE = 64, SHORT = 1 << 10 /* bytes */ };
static_assert(sizeof(struct header) % _Alignof(max_align_t) == 0, "keeps the alignment");
static_assert(sizeof(struct header) <= LINE, "the header must fit before the block");

/* Atomic counts for tests begin when a test first asks. */
static atomic_bool watched;
static _Thread_local int64_t fail_countdown;
static _Thread_local struct mem_account *rest;
static _Atomic int64_t live_blocks;

static bool is_watched(void)
{
    return atomic_load_explicit(&watched, memory_order_relaxed);
}

void mem_fail_at(int64_t k)
{
    atomic_store(&watched, true);
    fail_countdown = k;
}

int64_t mem_fail_left(void) { return fail_countdown; }

void mem_charge_rest_to(struct mem_account *account)
{
    atomic_store(&watched, true);
    rest = account;
}

int64_t mem_live_blocks(void)
{
    atomic_store(&watched, true);
    return atomic_load(&live_blocks);
}

static struct header *header_of(void *block) { return (struct header *)block - 1; }

void mem_charge(struct mem_account *account, int64_t bytes)
{
    if (!account) return;
    account->bytes += bytes;
    account->peak = int_max(account->peak, account->bytes);
}

static const struct mem_source *elements_source;

void mem_take_elements_from(const struct mem_source *source) { elements_source = source; }

/* Return the bytes before a block. */
static int64_t room_before(int64_t bytes)
{
    return (int64_t)sizeof(struct header) + (bytes < SHORT ? 0 : LINE);
}

/* Allocate from a source, unless the block is too short for it; not zeroed or, if
 * `sparse`, zeroed by the system without writing. */
static void *alloc_from(const struct mem_source *source, bool sparse,
                        struct mem_account *account, int64_t count, size_t size)
{
    int64_t bytes = 0, whole = 0;
    bool fits = count >= 0 && int_mul(count, (int64_t)size, &bytes) &&
                int_add(bytes, room_before(bytes), &whole) &&
                (int64_t)(size_t)whole == whole;
    char *raw = NULL;
    if (source && whole < source->least) source = NULL;
    /* glibc caches small blocks for malloc, not for aligned_alloc or calloc: plans of
     * small arrays are made in a fraction of the time */
    if (fits && !(is_watched() && fail_countdown > 0 && --fail_countdown == 0))
        raw = source   ? source->take((size_t)whole)
              : sparse ? calloc(1, (size_t)whole)
                       : malloc((size_t)whole);
    if (!raw) {
        (void)error_set(REDIST_ERR_MEMORY,
                        "out of memory: %" PRId64 " elements of %zu bytes", count, size);
        return NULL;
    }
    if (!account && is_watched()) account = rest;
    char *block = raw + sizeof(struct header);
    if (bytes >= SHORT) block += (LINE - (uintptr_t)block % LINE) % LINE;
    *header_of(block) = (struct header){account, (size_t)bytes, raw, source};
    mem_charge(account, bytes);
    if (is_watched()) (void)atomic_fetch_add(&live_blocks, 1);
    return block;
}

static void *zeroed(void *block)
{
    return block ? memset(block, 0, header_of(block)->bytes) : NULL;
}

void *mem_alloc(struct mem_account *account, int64_t count, size_t size)
{
    return zeroed(alloc_from(NULL, false, account, count, size));
}

void *mem_alloc_sparse(struct mem_account *account, int64_t count, size_t size)
{
    return alloc_from(NULL, true, account, count, size);
}

void *mem_alloc_elements(struct mem_account *account, int64_t bytes)
{
    return alloc_from(elements_source, false, account, bytes, 1);
}

/* Ask for large pages if a block is long. NULL-safe. */
static void *with_large_pages(char *block)
{
#if defined MADV_HUGEPAGE
    enum { PAGE = 4 << 10, LONG = 4 << 20 };
    if (!block || header_of(block)->bytes < LONG) return block;
    char *page = block + (PAGE - (uintptr_t)block % PAGE) % PAGE;
    (void)madvise(page, header_of(block)->bytes - (size_t)(page - block), MADV_HUGEPAGE);
#endif
    return block;
}

void *mem_alloc_list(struct mem_account *account, int64_t count, size_t size)
{
    return with_large_pages(alloc_from(NULL, false, account, count, size));
}

void *mem_alloc_table(struct mem_account *account, int64_t count, size_t size)
{
    return with_large_pages(alloc_from(NULL, true, account, count, size));
}

void *mem_copy(struct mem_account *account, const void *array, int64_t count, size_t size)
{
    void *copy = alloc_from(NULL, false, account, count, size);
    if (copy && count > 0) memcpy(copy, array, (size_t)count * size);
    return copy;
}

void *mem_resize(struct mem_account *account, void *block, int64_t count, size_t size)
{
    void *fresh = mem_alloc(account, count, size);
    if (fresh && block) {
        size_t old = header_of(block)->bytes, bytes = header_of(fresh)->bytes;
        memcpy(fresh, block, old < bytes ? old : bytes);
        mem_free(block);
    }
    return fresh;
}

void *mem_reserve(struct mem_account *account, void *array, int64_t need, int64_t *room,
                  size_t size)
{
    if (array && need <= *room) return array;
    int64_t grown = int_max(int_max(need, *room + *room / 2), 4);
    void *fresh = mem_resize(account, array, grown, size);
    if (fresh) *room = grown;
    return fresh;
}

void mem_sort(void *list, int64_t n, size_t size,
              int (*order)(const void *a, const void *b))
{
    if (n > 1) qsort(list, (size_t)n, size, order);
}

redist_err mem_alloc_parts(struct mem_account *account, const struct mem_part parts[])
{
    enum { UNIT = _Alignof(max_align_t) };
    int64_t units = 0, bytes = 0;
    bool fits = true;
    for (const struct mem_part *part = parts; part->to && fits; part++)
        fits = int_mul(part->count, (int64_t)part->size, &bytes) &&
               int_add(units, int_ceil_div(bytes, UNIT), &units);
    char *block = mem_alloc(account, fits ? units : INT64_MAX, UNIT);
    if (!block) return REDIST_ERR_MEMORY;
    for (const struct mem_part *part = parts; part->to; part++) {
        memcpy(part->to, &block, sizeof block);
        block += int_ceil_div(part->count * (int64_t)part->size, UNIT) * UNIT;
    }
    return REDIST_OK;
}

void mem_free(void *block)
{
    if (!block) return;
    struct header *header = header_of(block);
    const struct mem_source *source = header->source;
    mem_charge(header->account, -(int64_t)header->bytes);
    if (is_watched()) (void)atomic_fetch_sub(&live_blocks, 1);
    if (source)
        source->give(header->raw);
    else
        free(header->raw);
}
