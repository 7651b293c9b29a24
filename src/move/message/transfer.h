/* SPDX-License-Identifier: MIT
 *
 * move/message/transfer.h - a message as one process sends or receives it, and its place
 * in memory.
 */
#ifndef REDIST_MOVE_MESSAGE_TRANSFER_H
#define REDIST_MOVE_MESSAGE_TRANSFER_H

#include "move/message/array.h"
#include "schedule/order/order.h"

/* The part of a message that belongs to one array. */
struct part {
    int number;                    /* of the array */
    int64_t at;                    /* bytes of the message before the part */
    const struct message *message; /* of the array's overlap */
    struct walk walk;
};

struct transfer {
    int rank; /* of the other process */
    int64_t step;
    int64_t bytes;
    bool near;         /* the plan takes the other process to be on the same node */
    bool direct;       /* contiguous in the buffer of its one array: not packed */
    int64_t offset;    /* if direct: bytes from the buffer's start */
    int64_t nparts;    /* >= 1 */
    struct part *part; /* [nparts] in the order of the arrays */
};

/* All that one process sends or receives, in the order of the steps. */
struct transfers {
    int64_t n, nparts;
    struct transfer *transfer; /* [n] and in one block with it: */
    struct part *part;         /* [nparts] of all transfers, in their order */
    struct axis *axes;         /* room for the walks */
    int64_t elements;          /* of all transfers */
    int64_t bytes;             /* of all transfers */
    int64_t largest;           /* bytes of the longest */
    int64_t packed;            /* bytes of those that are not direct */
};

/* Make the transfers of `narrays` arrays to or from the other processes, on side `own`.
 * There is one for each process with a message of any array. The arrays must live on and
 * have the same grain. `direct`: contiguous messages may be sent or received in place.
 * O(messages log messages). MEMORY. */
redist_err transfers_make(struct mem_account *account, const struct order *order,
                          int narrays, const struct array arrays[], redist_side own,
                          bool direct, struct transfers *transfers);
void transfers_free(struct transfers *transfers);

/* List the ranks of the other processes, for the caller to free. NULL: MEMORY. */
int *transfers_ranks(const struct transfers *transfers);

/* Sort the transfers of one array's overlap by other steps, given for each of its
 * messages (order_steps).
 * O(messages log messages). */
void transfers_reorder(const struct overlap *overlap, const int64_t step[],
                       struct transfers *transfers);

/* Allocate for so many transfers, parts and axes; the transfers are empty. MEMORY. */
redist_err transfers_room(struct mem_account *account, int64_t n, int64_t nparts,
                          int64_t naxes, struct transfers *transfers);

/* Append a transfer, for which there is room; its parts are not copied. */
void transfers_append(struct transfers *transfers, const struct transfer *transfer);

/* The most bytes of a piece: MPI's counts are ints. */
enum { TRANSFER_PIECE = 1 << 30 };

/* Return the bytes of the longest piece of a message, the same on every process: an
 * eighth of the cap on the staging memory, so that several are in progress each way;
 * whole grains. */
int64_t transfer_chunk(int64_t staging, int64_t grain);

/* Return the bytes of staging memory that one direction takes of a cap of `staging`. Half
 * the cap is its share; it takes no more than all that is packed at a time, but at least
 * one piece, as a process with invalid buffers still has to receive. */
int64_t transfers_staging(const struct transfers *transfers, int64_t staging,
                          int64_t grain);

#endif
