/* SPDX-License-Identifier: MIT
 *
 * move/message/lost.h - the element that a checked conversion could not store: the first
 * one of this process, in the order of the arrays and of the target's memory.
 */
#ifndef REDIST_MOVE_MESSAGE_LOST_H
#define REDIST_MOVE_MESSAGE_LOST_H

#include "move/arith/convert.h"
#include "move/message/exchange.h"

struct lost {
    const struct move *move; /* the plan's, with its arrays and the caller's targets */
    const struct convert *convert;
    bool any;
    int number;              /* of the array */
    int64_t place;           /* elements from the begin of the target's buffer */
    char value[FORMAT_SIZE]; /* of the source */
};

/* Note a number that is lost at an address of a target; `context` is the struct lost. For
 * convert.h. */
void lost_note(void *context, const char *at, const char *number);

/* Describe the first one as an error. Arrays with views have kept their dists. ARG. */
redist_err lost_error(const struct lost *lost);

#endif
