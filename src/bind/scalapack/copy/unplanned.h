/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/unplanned.h - a copy of few bytes, without a plan: making one would
 * take longer than all the rest. Each dimension is cut into strips, each in one block on
 * both sides; what two processes share of them goes from one to the other, column by
 * column.
 *
 *   source  000 111 000       strips  00 0 1 11 00 0
 *   target  00 11 00 11 0
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_UNPLANNED_H
#define REDIST_BIND_SCALAPACK_COPY_UNPLANNED_H

#include "bind/scalapack/copy/planned.h"

/* Whether a problem whose plan would be silent (planned_is_silent) goes without one at
 * first. O(1). */
bool unplanned_suits(const struct problem *problem);

/* Do it. A process whose matrices are unusable sends nothing where others wait for it.
 * Allocates nothing. Collective, as the run of a plan is. O(bytes + strips of a dimension
 * times processes of the other side). MPI; ARG: the matrices of this process, or of one
 * that sends to it, are unusable. */
redist_err unplanned_run(const struct group *group, const struct problem *problem,
                         const struct work *work);

#endif
