/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/checked_memory.h - memory that only the functions of its kind
 * (move/walk/memory.h) can touch, and that counts how often each byte is read and
 * written.
 *
 *   shown    what the library is given: no access, any other touch ends the program
 *   hidden   the same pages, where the bytes are
 */
#ifndef REDIST_TESTS_CHECKED_MEMORY_H
#define REDIST_TESTS_CHECKED_MEMORY_H

#include <sys/mman.h>
#include <unistd.h>

#include "move/walk/memory.h"
#include "mpi/check.h"

enum { CHECKED_BYTES = 4 << 20 };

static struct {
    char *shown, *hidden;
    int64_t used;
    unsigned char reads[CHECKED_BYTES], writes[CHECKED_BYTES];
} checked;

static inline bool checked_owns(const void *address)
{
    const char *at = address;
    return at >= checked.shown && at < checked.shown + CHECKED_BYTES;
}

/* Where the bytes of an address are. */
static inline char *checked_bytes(const void *address)
{
    return checked_owns(address)
               ? checked.hidden + ((const char *)address - checked.shown)
               : (char *)(uintptr_t)address;
}

static inline void checked_count(unsigned char counts[], const char *at, int64_t n)
{
    if (!checked_owns(at)) return;
    CHECK(checked_owns(at + n - 1), "an access goes beyond the memory");
    for (int64_t k = 0; k < n; k++) counts[at - checked.shown + k]++;
}

static inline void checked_visit(const struct nest *nest, int k, const char *to,
                                 const char *from)
{
    if (k == nest->n) {
        checked_count(checked.writes, to, nest->block);
        checked_count(checked.reads, from, nest->block);
        return;
    }
    const struct level *level = &nest->level[k];
    for (int64_t c = 0; c < level->count; c++)
        checked_visit(nest, k + 1, to + c * level->step[REDIST_TARGET],
                      from + c * level->step[REDIST_SOURCE]);
}

static inline void checked_move(struct memory *memory, const struct nest *nest, char *to,
                                const char *from)
{
    (void)memory;
    checked_visit(nest, 0, to, from);
    memory_host.kind->move(&memory_host, nest, checked_bytes(to), checked_bytes(from));
}

static const struct memory_kind checked_kind = {
    .name = "checked", .owns = checked_owns, .move = checked_move};

/* Map the memory and add its kind. */
static inline void checked_begin(void)
{
    int file = memfd_create("checked", 0);
    CHECK(file >= 0 && ftruncate(file, CHECKED_BYTES) == 0, "no memory");
    checked.shown = mmap(NULL, CHECKED_BYTES, PROT_NONE, MAP_SHARED, file, 0);
    checked.hidden =
        mmap(NULL, CHECKED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    CHECK(checked.shown != MAP_FAILED && checked.hidden != MAP_FAILED, "no memory");
    memory_add(&checked_kind);
}

static inline void checked_end(void)
{
    memory_add(NULL);
    (void)munmap(checked.shown, CHECKED_BYTES);
    (void)munmap(checked.hidden, CHECKED_BYTES);
}

/* Forget all that was allocated and counted. */
static inline void checked_clear(void)
{
    checked.used = 0;
    memset(checked.reads, 0, sizeof checked.reads);
    memset(checked.writes, 0, sizeof checked.writes);
}

static inline void *checked_alloc(int64_t bytes)
{
    enum { APART = 64 };
    CHECK(checked.used + bytes + APART <= CHECKED_BYTES, "%" PRId64 " bytes", bytes);
    char *at = checked.shown + checked.used;
    checked.used += (bytes + 2 * APART - 1) / APART * APART;
    return at;
}

#endif
