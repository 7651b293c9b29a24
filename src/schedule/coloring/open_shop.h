/* SPDX-License-Identifier: MIT
 *
 * schedule/coloring/open_shop.h - all messages of a communication grid, sent in pieces
 * within its load: the preemptive open shop (Gonzalez and Sahni 1976).
 *
 * A process whose messages take all the remaining time is tight. Some matching covers all
 * tight processes (Birkhoff and von Neumann; Mendelsohn and Dulmage); let its messages
 * run until one of them is done, or a process that waits has become tight. A message
 * starts or continues at most edges + P + Q times. To cut few messages, each matching is
 * made from the one before: a running message continues unless a tight process needs the
 * partner.
 */
#ifndef REDIST_SCHEDULE_COLORING_OPEN_SHOP_H
#define REDIST_SCHEDULE_COLORING_OPEN_SHOP_H

#include "schedule/core/grid.h"

struct shop_piece {
    int64_t start, length;
    int64_t next; /* of the same message, earlier; -1: none */
    int64_t edge; /* the message */
};

struct open_shop {
    int64_t *newest; /* [edges] the last piece of each message */
    int64_t npieces, room;
    struct shop_piece *piece; /* [npieces] ascending by start */
};

/* Find the pieces. The result is the same on every process. O(edges^2) at most.
 * MEMORY. */
redist_err open_shop_make(const struct comm_grid *grid, struct open_shop *made);
void open_shop_free(struct open_shop *made);

#endif
