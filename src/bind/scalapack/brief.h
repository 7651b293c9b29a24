/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/brief.h - a copy of few bytes, without a plan: making one would take
 * longer than all the rest. What two processes share goes from one to the other as their
 * blocks meet, column by column.
 *
 *   source  000 111 000          runs of a dimension  00 0 1 11 00 0 ..
 *   target  00 11 00 11 0
 */
#ifndef REDIST_BIND_SCALAPACK_BRIEF_H
#define REDIST_BIND_SCALAPACK_BRIEF_H

#include "bind/scalapack/planned.h"

/* Whether to do without a plan what, but for that, planned_is_silent: the same on all
 * processes. O(1). */
bool brief_suits(const struct problem *problem);

/* Do it. A process whose matrices are unusable sends nothing where others wait for it.
 * Allocates nothing. Collective, as the run of a plan is. MPI; ARG: the matrices of this
 * process, or of one that sends to it, are unusable. */
redist_err brief_run(const struct group *group, const struct problem *problem,
                     const struct work *work);

#endif
