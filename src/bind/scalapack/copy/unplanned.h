/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/unplanned.h - copies without a plan: of few bytes, of what each
 * process has already, and of a process that has no memory for its plan.
 *
 * A plan for few bytes would take longer to make than all the rest. Each dimension is cut
 * into strips, each in one block on both sides. Common strips of two processes are sent
 * from one to the other, column by column.
 *
 *   source  000 111 000       strips  00 0 1 11 00 0
 *   target  00 11 00 11 0
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_UNPLANNED_H
#define REDIST_BIND_SCALAPACK_COPY_UNPLANNED_H

#include "bind/scalapack/copy/planned.h"

/* Tell whether a problem with a silent plan (planned_is_silent) goes without one at
 * first. O(1). */
bool unplanned_suits(const struct problem *problem);

/* Do it. A process with unusable matrices sends empty messages where others expect data.
 * Allocates nothing. Collective, as the run of a plan is. O(bytes + strips of a dimension
 * times processes of the other side). MPI; ARG: the matrices of this process, or of one
 * that sends to it, are unusable. */
redist_err unplanned_run(const struct group *group, const struct problem *problem,
                         const struct work *work);

/* Take part in the run of a single-use plan of the other processes (planned_is_silent).
 * Allocates nothing. O(processes * elements of a row and a column) for each partner.
 * Collective, as the run is. MPI, else MEMORY. */
redist_err nonmember_run(const struct group *group, const struct problem *problem);

/* Tell whether the sections are aligned, on grids of the same processes. */
bool aligned(const struct problem *problem);

/* Do this process's part of sub(C) := alpha sub(A), or if the problem is scaled, beta
 * sub(C) + alpha sub(A), in the region. An operand with coefficient 0 is not read.
 * Local. MEMORY, DEVICE. */
redist_err aligned_run(const struct problem *problem, const struct matrix matrix[SIDES],
                       const void *alpha, const void *beta);

#endif
