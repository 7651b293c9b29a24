/* SPDX-License-Identifier: MIT
 *
 * move/transfer.h - a message and the memory it comes from or goes to.
 */
#ifndef REDIST_MOVE_TRANSFER_H
#define REDIST_MOVE_TRANSFER_H

#include "move/walk.h"

struct transfer {
    int rank; /* of the other process */
    int64_t bytes;
    bool direct;    /* contiguous in the buffer: nothing to pack */
    int64_t offset; /* if direct: bytes from the buffer's start */
    struct walk walk;
};

/* What one process sends or receives, in the order of the steps. */
struct transfers {
    int64_t n;
    struct transfer *transfer; /* [n] */
    struct axis *axes;         /* [n x ndims] room for the walks */
    int64_t bytes;             /* of all */
    int64_t largest;           /* bytes of the longest */
    int64_t packed;            /* bytes of those that are not direct */
};

/* Make the transfers of an overlap's messages to and from others among `nranks` ranks, ordered by
 * schedule/shifted.h. The overlap must live on. O(messages log messages). MEMORY. */
redist_err transfers_make(struct mem_account *account, const struct overlap *overlap,
                          const struct memory_side sides[SIDES], size_t element,
                          int nranks, struct transfers *transfers);

/* Make the walk of the message that the overlap's process has with itself, in `axes`[ndims].
 * Returns false if it has none. */
bool transfer_local(const struct overlap *overlap, const struct memory_side sides[SIDES],
                    size_t element, struct axis *axes, struct walk *walk);
void transfers_free(struct transfers *transfers);

#endif
