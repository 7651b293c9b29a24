/* SPDX-License-Identifier: MIT
 *
 * move/node/huge.h - memory that the processes of a node share, in huge pages: of small
 * ones most systems make what MPI shares, and where several arrays are read at a time, or
 * processes share a core, much of a copy's time goes into finding them.
 *
 *   |::::::::|::::::::|::::....|::::::::|:::.....|      |:::::::: a huge page
 *   | part of process 0        | of process 1
 *
 * All parts lie in one file without a name, which the first process makes and the others
 * find among the files that it has open.
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
 * taken at once, next to the process whose they are; of what the system has none for, and
 * of what is less than one, pages come to lie next to whoever first writes to them. There
 * is none if no part is so large, if the system cannot, or if REDIST_PAGES is `small` in
 * the environment, on any process.
 * Collective over the node. MEMORY: the node has not so much; MPI. */
redist_err huge_make(const struct node *node, int64_t bytes, int64_t begin[],
                     struct huge *huge);

/* Local. */
void huge_free(struct huge *huge);

#endif
