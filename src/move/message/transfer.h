/* SPDX-License-Identifier: MIT
 *
 * move/message/transfer.h - a message and the memory it comes from or goes to.
 */
#ifndef REDIST_MOVE_MESSAGE_TRANSFER_H
#define REDIST_MOVE_MESSAGE_TRANSFER_H

#include "move/message/array.h"
#include "schedule/order/order.h"

/* What of one array is in a message. */
struct part {
    int number;                    /* of the array */
    int64_t at;                    /* bytes of the message before it */
    const struct message *message; /* of the array's overlap */
    struct walk walk;
};

struct transfer {
    int rank; /* of the other process */
    int64_t step;
    int64_t bytes;
    bool near;         /* the plan takes it to live on the same node */
    bool direct;       /* of one array, in whose buffer it is contiguous: not packed */
    int64_t offset;    /* if direct: bytes from the buffer's start */
    int64_t nparts;    /* >= 1 */
    struct part *part; /* [nparts] in the order of the arrays */
};

/* What one process sends or receives, in the order of the steps. */
struct transfers {
    int64_t n, nparts;
    struct transfer *transfer; /* [n] and in one block with it: */
    struct part *part;         /* [nparts] of all transfers, in their order */
    struct axis *axes;         /* room for the walks */
    int64_t elements;          /* of all */
    int64_t bytes;             /* of all */
    int64_t largest;           /* bytes of the longest */
    int64_t packed;            /* bytes of those that are not direct */
};

/* Make the transfers of `narrays` arrays to or from the other processes, on the side
 * `own`: one for each process with which any of them has a message. The arrays, which
 * share one grain, must live on. `direct`: what is contiguous may travel as it lies.
 * O(messages log messages). MEMORY. */
redist_err transfers_make(struct mem_account *account, const struct order *order,
                          int narrays, const struct array arrays[], redist_side own,
                          bool direct, struct transfers *transfers);
void transfers_free(struct transfers *transfers);

/* Put the transfers of one array's overlap into the order of other steps, one for each of
 * its messages (order_steps). O(messages log messages). */
void transfers_reorder(const struct overlap *overlap, const int64_t step[],
                       struct transfers *transfers);

/* Make room for so many transfers, parts and axes, of which there are none yet.
 * MEMORY. */
redist_err transfers_room(struct mem_account *account, int64_t n, int64_t nparts,
                          int64_t naxes, struct transfers *transfers);

/* Append a transfer, for which there is room; its parts stay where they are. */
void transfers_append(struct transfers *transfers, const struct transfer *transfer);

/* The longest piece of a message, in bytes, the same on every process: an eighth of
 * the cap on the staging memory, so that several are under way in each direction; whole
 * grains. */
int64_t transfer_chunk(int64_t staging, int64_t grain);

/* The staging memory, in bytes, that the transfers of one direction take of a cap of
 * `staging`, of which half is theirs: no more than all that is packed at a time, but
 * at least one piece, as a process that must not use its buffers still has to receive. */
int64_t transfers_staging(const struct transfers *transfers, int64_t staging,
                          int64_t grain);

#endif
