/* SPDX-License-Identifier: MIT
 *
 * plan/choice/measure.h - measure the rates of a machine by a few short exchanges.
 */
#ifndef REDIST_PLAN_CHOICE_MEASURE_H
#define REDIST_PLAN_CHOICE_MEASURE_H

#include "move/node/node.h"
#include "plan/choice/rates.h"

/* Measure the seconds of messages, bytes, packing, collective calls, votes, and all other
 * terms. Results are the same on every process: those of the slowest. The minimum of a
 * few repetitions counts, as other load on the machine only adds time.
 *
 * Every process sends to the rank half way round the communicator, so messages cross
 * nodes if ranks fill one node after the other. Flags and ring slots go half way round
 * each `node`. Calls that MPI turns out to lack get a time that excludes them. How links
 * serve is observed with two senders to one process, unless all live on one node.
 * Collective. MEMORY, MPI: the same on every process. */
redist_err measure(MPI_Comm comm, const struct node *node, struct rates *rates);

#endif
