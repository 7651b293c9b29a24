/* SPDX-License-Identifier: MIT
 *
 * move/walk/memory.h - the kinds of memory that arrays lie in. All access to an array
 * goes through the functions of its kind; staging memory is host memory.
 *
 * Host memory is one kind. Another may be added: the library then asks it about each
 * array when a run begins, and leaves out whatever only host memory can do: to send a
 * contiguous part from where it lies, non-temporal stores, threads, and the exchanges
 * that are for host memory alone (exchange.h).
 */
#ifndef REDIST_MOVE_WALK_MEMORY_H
#define REDIST_MOVE_WALK_MEMORY_H

#include "move/kernel/nest.h"

struct memory_kind {
    const char *name;
    /* Whether an address lies in this memory. NULL for host memory: any other does. */
    bool (*owns)(const void *address);
    /* Copy, or combine, all blocks of a nest. The first lies at `from` and goes to `to`;
     * each of the two is in this memory or in host memory. */
    void (*move)(const struct nest *nest, char *to, const char *from);
};

extern const struct memory_kind memory_host;

/* Add a kind of memory beside host memory: one at most, before any plan is made. It must
 * live on. NULL: there is none any more. Not thread-safe. */
void memory_add(const struct memory_kind *kind);

/* Whether arrays may lie in other than host memory. */
bool memory_has_kinds(void);

/* The kind of memory that an address lies in; NULL is in host memory. */
const struct memory_kind *memory_of(const void *address);

/* The kind whose functions move between two addresses: host memory only if both lie in
 * it. */
const struct memory_kind *memory_between(const void *to, const void *from);

#endif
