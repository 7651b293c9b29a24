/* SPDX-License-Identifier: MIT
 *
 * base/mem.h - the only place of the library that allocates.
 *
 * Every block is charged to an account, so that a plan can say what it holds and what it
 * peaked at. A test can make the k-th allocation of its thread fail.
 */
#ifndef REDIST_BASE_MEM_H
#define REDIST_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in use, and the most that were in use at a time. Starts as {0, 0}. */
struct mem_account {
    int64_t bytes, peak;
};

/* Allocate `count` elements of `size` bytes, zeroed, aligned to 64 bytes if they take
 * 1 KiB or more and else as those of malloc, charged to `account`, which may be NULL
 * (nobody counts) and must outlive the block. A count of 0 gives a block too. Returns
 * NULL, with the error message set (code MEMORY), if there is no memory. */
void *mem_alloc(struct mem_account *account, int64_t count, size_t size);

/* The same of which little will be written: what is not takes no memory if it is long. */
void *mem_alloc_sparse(struct mem_account *account, int64_t count, size_t size);

/* The same for `bytes` that hold elements and nothing else, which are written before they
 * are read: not zeroed. */
void *mem_alloc_elements(struct mem_account *account, int64_t bytes);

/* The same for a long list that is to be written before it is read: not zeroed, and of
 * large pages where the system has them on request, so that it is quick to be had and to
 * be looked up in anywhere. */
void *mem_alloc_list(struct mem_account *account, int64_t count, size_t size);

/* The same for a table, which is zeroed: by the system alone if it is long. */
void *mem_alloc_table(struct mem_account *account, int64_t count, size_t size);

/* Allocate a copy of an array of `count` elements, which may be NULL if there are
 * none. */
void *mem_copy(struct mem_account *account, const void *array, int64_t count,
               size_t size);

/* Where long blocks of elements are to come from in place of the C library, from now on:
 * `take` gives memory that is aligned to 64 bytes, of which at least the first 64 keep
 * what is written there, or NULL. The source must outlive all blocks. */
struct mem_source {
    int64_t least; /* bytes of a block that is long */
    void *(*take)(size_t bytes);
    void (*give)(void *memory);
};
void mem_take_elements_from(const struct mem_source *source);

/* Change a block of mem_alloc (or NULL) to `count` elements of `size` bytes; what is new
 * is zeroed. On failure returns NULL, with the error message set, and the old block
 * stays as it was. */
void *mem_resize(struct mem_account *account, void *block, int64_t count, size_t size);

/* Charge an account, which may be NULL, for memory that comes from elsewhere, such as
 * MPI's; credit it where `bytes` is negative. */
void mem_charge(struct mem_account *account, int64_t bytes);

/* Free a block and credit its account. NULL-safe. */
void mem_free(void *block);

/* Set *array to at least `need` elements, growing a block of *room elements by half at a
 * time. Returns the array or NULL as mem_resize does. */
void *mem_reserve(struct mem_account *account, void *array, int64_t need, int64_t *room,
                  size_t size);

/* Several arrays in one block, which the first of them begins and is freed by. */
struct mem_part {
    int64_t count;
    size_t size;
};

/* Allocate `n` arrays, each as mem_alloc does, but aligned as malloc's: their addresses
 * come to `arrays`[n]. Returns false, with the message set, if there is no memory. */
bool mem_alloc_parts(struct mem_account *account, int n, const struct mem_part parts[],
                     void *arrays[]);

/* For tests: let the k-th allocation of this thread from now on fail (1: the next), and
 * only that one; 0: none. mem_fail_left returns what is left of k: 0 once it has failed.
 */
void mem_fail_at(int64_t k);
int64_t mem_fail_left(void);

/* For tests: charge `account` for what this thread allocates from now on without an
 * account; NULL: nobody counts again. It must outlive these blocks. */
void mem_charge_rest_to(struct mem_account *account);

/* For tests: return how many blocks this process has allocated and not yet freed, less
 * those that were there before a test first asked for anything, once they are freed. */
int64_t mem_live_blocks(void);

#endif
