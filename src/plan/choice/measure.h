/* SPDX-License-Identifier: MIT
 *
 * plan/choice/measure.h - take the rates of a machine with a few short exchanges.
 */
#ifndef REDIST_PLAN_CHOICE_MEASURE_H
#define REDIST_PLAN_CHOICE_MEASURE_H

#include "move/node/node.h"
#include "plan/choice/rates.h"

/* Measure what a process takes for messages, bytes, packing, collective calls, votes, and
 * all else that is counted; the same on every process: that of the slowest. Of each thing
 * the shortest of a few times counts, as whatever else the machine does only makes it
 * longer.
 *
 * Every process sends to the one half way round and hears from there, so that where
 * processes fill nodes in turn, the messages go between nodes. Flags and slots of rings
 * go half way round each `node`. What MPI turns out not to have takes so long that it is
 * not chosen. How links serve is seen where two send to one process at a time, unless all
 * live on one node.
 * Collective. MEMORY, MPI: the same on every process. */
redist_err measure(MPI_Comm comm, const struct node *node, struct rates *rates);

#endif
