/* SPDX-License-Identifier: MIT
 *
 * move/copy.h - the memory kinds: what moves bytes, and where staging memory comes
 * from. Host memory is one; another kind of memory is another table.
 */
#ifndef REDIST_MOVE_COPY_H
#define REDIST_MOVE_COPY_H

#include "move/walk.h"

struct memory_kind {
    const char *name;
    void *(*alloc)(struct mem_account *account, int64_t bytes);
    void (*free)(void *staging);
    /* Move up to n elements along the innermost axis of a walk, from its cursor on,
     * and advance the cursor. from and to are the addresses for this row; dense sides
     * begin with the next element. Returns how many were moved: less than n only at
     * the row's end. */
    int64_t (*row)(const struct walk *walk, struct axis *axis, enum way way,
                   const char *from, char *to, int64_t n);
};

extern const struct memory_kind memory_host;

#endif
