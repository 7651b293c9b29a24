/* SPDX-License-Identifier: MIT
 *
 * plan/object/lost.h - the element that a checked conversion could not store: of those of
 * this process, the first in the order of the arrays, and of the target's memory.
 */
#ifndef REDIST_PLAN_OBJECT_LOST_H
#define REDIST_PLAN_OBJECT_LOST_H

#include "base/error.h"
#include "move/arith/number_format.h"

struct redist_plan;

struct lost {
    bool any;
    int number;              /* of the array */
    int64_t place;           /* elements from the begin of the target's buffer */
    char value[FORMAT_SIZE]; /* of the source */
};

/* Note a number that is lost at an address of a target, of the plan `context`
 * (convert.h). */
void lost_note(void *context, const char *at, const char *number);

/* Describe it as an error. Arrays with views have kept their dists. ARG. */
redist_err lost_error(const struct redist_plan *plan);

#endif
