/* SPDX-License-Identifier: MIT
 *
 * move/walk/copy.h - the memory kinds: what moves bytes, and where staging memory comes
 * from. Host memory is one; another kind of memory is another table.
 */
#ifndef REDIST_MOVE_WALK_COPY_H
#define REDIST_MOVE_WALK_COPY_H

#include "move/kernel/nest.h"

struct memory_kind {
    const char *name;
    void *(*alloc)(struct mem_account *account, int64_t bytes);
    void (*free)(void *staging);
    /* Copy, or combine, all blocks of a nest; the first lies at `from` and goes to
     * `to`. */
    void (*move)(const struct nest *nest, char *to, const char *from);
};

extern const struct memory_kind memory_host;

#endif
