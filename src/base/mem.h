/* SPDX-License-Identifier: MIT
 *
 * base/mem.h - the only allocator of the library.
 *
 * Every block is charged to an account, so that a plan can report its memory and its
 * peak. A test can make the k-th allocation of its thread fail.
 */
#ifndef REDIST_BASE_MEM_H
#define REDIST_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <redist/describe.h>

/* Bytes in use, and their maximum so far. Starts as {0, 0}. */
struct mem_account {
    int64_t bytes, peak;
};

/* Allocate `count` elements of `size` bytes, zeroed. They are aligned to 64 bytes if they
 * take 1 KiB or more, else as by malloc. They are charged to `account`, which may be NULL
 * (not counted) and must outlive the block. A count of 0 returns a block, too. Returns
 * NULL, with the error message set (code MEMORY), if out of memory. */
void *mem_alloc(struct mem_account *account, int64_t count, size_t size);

/* As mem_alloc, for blocks that are mostly not written: unwritten parts of a long block
 * take no memory. */
void *mem_alloc_sparse(struct mem_account *account, int64_t count, size_t size);

/* As mem_alloc, for `bytes` of elements only, which are written before they are read: not
 * zeroed. */
void *mem_alloc_elements(struct mem_account *account, int64_t bytes);

/* As mem_alloc, for a long list that is written before it is read: not zeroed, and in
 * large pages where the system has them on request, so that allocation and random access
 * are fast. */
void *mem_alloc_list(struct mem_account *account, int64_t count, size_t size);

/* As mem_alloc, for a table: zeroed by the system alone if it is long. */
void *mem_alloc_table(struct mem_account *account, int64_t count, size_t size);

/* Allocate a copy of an array of `count` elements, which may be NULL if count is 0. */
void *mem_copy(struct mem_account *account, const void *array, int64_t count,
               size_t size);

/* From now on allocate long blocks of elements from this source instead of the C library.
 * `take` returns memory aligned to 64 bytes, of which at least the first 64 keep what is
 * written there, or NULL. The source must outlive all its blocks. */
struct mem_source {
    int64_t least; /* bytes of a long block */
    void *(*take)(size_t bytes);
    void (*give)(void *memory);
};
void mem_take_elements_from(const struct mem_source *source);

/* Resize a block of mem_alloc (or NULL) to `count` elements of `size` bytes; new bytes
 * are zeroed. On failure returns NULL, with the error message set, and keeps the old
 * block. */
void *mem_resize(struct mem_account *account, void *block, int64_t count, size_t size);

/* Charge an account, which may be NULL, for memory from elsewhere, such as MPI's; credit
 * it if `bytes` is negative. */
void mem_charge(struct mem_account *account, int64_t bytes);

/* Free a block and credit its account. NULL-safe. */
void mem_free(void *block);

/* Set *array to at least `need` elements; a block of *room elements grows by half at a
 * time. Returns the array, or NULL as mem_resize does. */
void *mem_reserve(struct mem_account *account, void *array, int64_t need, int64_t *room,
                  size_t size);

/* Append an item of `size` bytes to a list of *n, as mem_reserve makes room; `list` is
 * the address of the pointer to it. MEMORY: the list is unchanged. */
static inline redist_err mem_append(struct mem_account *account, void *list, int64_t *n,
                                    int64_t *room, const void *item, size_t size)
{
    char *array;
    memcpy(&array, list, sizeof array);
    array = mem_reserve(account, array, *n + 1, room, size);
    if (!array) return REDIST_ERR_MEMORY;
    memcpy(array + (size_t)(*n)++ * size, item, size);
    memcpy(list, &array, sizeof array);
    return REDIST_OK;
}

/* Sort a list of n items, as qsort does. An empty one may be NULL. */
void mem_sort(void *list, int64_t n, size_t size,
              int (*order)(const void *a, const void *b));

/* Several arrays in one block. A list of parts ends with {0}. */
struct mem_part {
    void *to; /* the address of the pointer to the array */
    int64_t count;
    size_t size;
};
#define MEM_PART(array, count)                                                           \
    {                                                                                    \
        &(array), count, sizeof *(array)                                                 \
    }

/* Allocate all arrays of a list, each as mem_alloc does, but aligned as by malloc. The
 * first one starts the block and frees it. MEMORY: all pointers are unchanged. */
redist_err mem_alloc_parts(struct mem_account *account, const struct mem_part parts[]);

/* For tests: let the k-th allocation of this thread from now on fail (1: the next), and
 * only that one; 0: none. mem_fail_left returns the rest of k: 0 once it has failed. */
void mem_fail_at(int64_t k);
int64_t mem_fail_left(void);

/* For tests: charge `account` for what this thread allocates from now on without an
 * account; NULL: stop. It must outlive these blocks. */
void mem_charge_rest_to(struct mem_account *account);

/* For tests: count the blocks that this process has allocated and not freed, except those
 * allocated before the first call from a test. */
int64_t mem_live_blocks(void);

#endif
