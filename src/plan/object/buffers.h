/* SPDX-License-Identifier: MIT
 *
 * plan/object/buffers.h - the buffers that the caller gives a run.
 */
#ifndef REDIST_PLAN_OBJECT_BUFFERS_H
#define REDIST_PLAN_OBJECT_BUFFERS_H

#include "plan/object/plan.h"

/* The memory of one buffer that a run reads or writes, from the first byte of its span to
 * behind the last. */
struct buffer_span {
    uintptr_t begin, end;
    int item;
    redist_side side;
};

/* Take over the addresses of a call. O(arrays). */
void buffers_take(redist_plan *plan, const struct call *call);

/* Check the buffers of this process: none is missing; what is written shares no byte with
 * what is read, or, in place, source and target of each array are one. O(arrays) if they
 * are those that were checked last, else O(arrays log). ARG. */
redist_err buffers_check(redist_plan *plan);

#endif
