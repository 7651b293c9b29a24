/* SPDX-License-Identifier: MIT
 *
 * move/transfer.h - a message and the memory it comes from or goes to.
 */
#ifndef REDIST_MOVE_TRANSFER_H
#define REDIST_MOVE_TRANSFER_H

#include "move/walk.h"

struct transfer {
    int rank; /* of the other process */
    int64_t step;
    int64_t bytes;
    bool direct;    /* contiguous in the buffer: nothing to pack */
    int64_t offset; /* if direct: bytes from the buffer's start */
    struct walk walk;
    const struct message *message; /* of the overlap */
};

/* What one process sends or receives, in the order of the steps. */
struct transfers {
    const struct overlap *overlap;
    int64_t n;
    struct transfer *transfer; /* [n] */
    struct axis *axes;         /* [n x ndims] room for the walks */
    int64_t bytes;             /* of all */
    int64_t largest;           /* bytes of the longest */
    int64_t packed;            /* bytes of those that are not direct */
};

/* Make the transfers of an overlap's messages to and from others,
 * ordered by their steps [overlap->nmessages]. The overlap must live on.
 * O(messages log messages). MEMORY. */
redist_err transfers_make(struct mem_account *account, const struct overlap *overlap,
                          const struct memory_side sides[SIDES], size_t element,
                          const int64_t step[], struct transfers *transfers);

/* Make the walk of the message that the overlap's process has with itself, in
 * `axes`[ndims]. Returns false if it has none. */
bool transfer_local(const struct overlap *overlap, const struct memory_side sides[SIDES],
                    size_t element, struct axis *axes, struct walk *walk);
void transfers_free(struct transfers *transfers);

/* Append a transfer, for which there is room; the room of its walk stays where it is. */
void transfers_append(struct transfers *transfers, const struct transfer *transfer);

/* The longest piece of a message, in bytes, the same on every process: an eighth of
 * the cap on the staging memory, so that several are under way in each direction. */
int64_t transfer_chunk(int64_t staging, int64_t element);

/* The staging memory, in bytes, that the transfers of one direction take of a cap of
 * `staging`, of which half is theirs: no more than all that is packed at a time, but
 * at least one piece, as a process that must not use its buffers still has to receive. */
int64_t transfers_staging(const struct transfers *transfers, int64_t staging,
                          int64_t element);

#endif
