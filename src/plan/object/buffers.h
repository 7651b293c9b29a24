/* SPDX-License-Identifier: MIT
 *
 * plan/object/buffers.h - the buffers that the caller passes to a run.
 */
#ifndef REDIST_PLAN_OBJECT_BUFFERS_H
#define REDIST_PLAN_OBJECT_BUFFERS_H

#include "plan/object/plan.h"

/* The memory of one buffer that a run reads or writes: the bytes begin .. end - 1. */
struct buffer_span {
    uintptr_t begin, end;
    int item;
    redist_side side;
};

/* Store the addresses of a call. O(arrays). */
void buffers_take(redist_plan *plan, const struct call *call);

/* Check the buffers of this process: none is missing; bytes written are disjoint from
 * bytes read or, in place, source and target of each array are the same. O(arrays) if
 * they are those checked last, else O(arrays log). Then open their memory for the run
 * (plan->move.memory). ARG; MEMORY. */
redist_err buffers_open(redist_plan *plan);

/* Close their memory, after all moves. Returns the first error: the run's, `err`, or of
 * these. */
redist_err buffers_close(redist_plan *plan, redist_err err);

#endif
