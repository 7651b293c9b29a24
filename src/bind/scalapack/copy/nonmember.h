/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/nonmember.h - the part in a run of a process that has no memory for
 * its plan: to send nothing where others wait for it, and to take in what they send, so
 * that nobody is left waiting.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_NONMEMBER_H
#define REDIST_BIND_SCALAPACK_COPY_NONMEMBER_H

#include "bind/scalapack/matrix/problem.h"

struct group;

/* Take part in the run of a plan that others have made quickly (planned_is_silent).
 * Allocates nothing. O(processes * elements of a row and a column) for each partner.
 * Collective, as the run is. MPI, else MEMORY. */
redist_err nonmember_run(const struct group *group, const struct problem *problem);

#endif
