/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/nonmember.h - the part in a run of a process without memory for its
 * plan. It sends empty messages where others expect data, and discards what it receives,
 * so that nobody waits.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_NONMEMBER_H
#define REDIST_BIND_SCALAPACK_COPY_NONMEMBER_H

#include "bind/scalapack/matrix/problem.h"

struct group;

/* Take part in the run of a single-use plan of the other processes (planned_is_silent).
 * Allocates nothing. O(processes * elements of a row and a column) for each partner.
 * Collective, as the run is. MPI, else MEMORY. */
redist_err nonmember_run(const struct group *group, const struct problem *problem);

#endif
