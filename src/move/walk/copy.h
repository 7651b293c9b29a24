/* SPDX-License-Identifier: MIT
 *
 * move/walk/copy.h - memory kinds. A kind is a table of functions that move bytes and
 * allocate staging memory. Host memory is one kind; another kind of memory is another
 * table.
 */
#ifndef REDIST_MOVE_WALK_COPY_H
#define REDIST_MOVE_WALK_COPY_H

#include "move/kernel/nest.h"

struct memory_kind {
    const char *name;
    void *(*alloc)(struct mem_account *account, int64_t bytes);
    void (*free)(void *staging);
    /* Copy, or combine, all blocks of a nest. The first block is copied from `from` to
     * `to`. */
    void (*move)(const struct nest *nest, char *to, const char *from);
};

extern const struct memory_kind memory_host;

#endif
