/* SPDX-License-Identifier: MIT
 *
 * move/node/huge.h - memory that the processes of a node share, in huge pages. MPI's
 * shared memory has small pages on most systems. Where several arrays are read at a time,
 * or processes share a core, address translation then takes much of a copy's time.
 *
 *   |::::::::|::::::::|::::....|::::::::|:::.....|      |:::::::: a huge page
 *   | part of process 0        | of process 1
 *
 * All parts lie in one unnamed file. The first process creates it; the others open it
 * through the first one's list of open files.
 */
#ifndef REDIST_MOVE_NODE_HUGE_H
#define REDIST_MOVE_NODE_HUGE_H

#include "move/node/node.h"

struct huge {
    char *base; /* NULL: none */
    size_t bytes;
};

/* Make memory of which `bytes`, 1 .. SHARED_MOST, are this process's own part. Part k
 * begins begin[k] bytes behind the base; `begin` is [node's processes]. Huge pages are
 * allocated at once, close to their process. Where the system has none left, and for what
 * is less than a huge page, small pages are placed close to whoever first writes to them.
 * There is no such memory if no part has a huge page, if the system cannot provide it, or
 * if REDIST_PAGES is `small` in the environment of any process.
 * Collective over the node. MEMORY: the node has not enough; MPI. */
redist_err huge_make(const struct node *node, int64_t bytes, int64_t begin[],
                     struct huge *huge);

/* Local. */
void huge_free(struct huge *huge);

#endif
