/* SPDX-License-Identifier: MIT
 *
 * move/message/lost.h - the element that a checked conversion could not store: of those of
 * this process, the first in the order of the arrays, and of the target's memory.
 */
#ifndef REDIST_MOVE_MESSAGE_LOST_H
#define REDIST_MOVE_MESSAGE_LOST_H

#include "move/message/exchange.h"
#include "move/walk/walk_convert.h"

struct lost {
    bool any;
    int number;              /* of the array */
    int64_t place;           /* elements from the begin of the target's buffer */
    char value[FORMAT_SIZE]; /* of the source */
};

/* Note the element that a walk of the target of array `number` has met, if it is the
 * first. */
void lost_note(const struct move *move, int number, struct walk *target,
               const struct walk_lost *lost);

/* Describe it as an error. Arrays with views have kept their dists. ARG. */
redist_err lost_error(const struct lost *lost, const struct move *move);

#endif
