/* SPDX-License-Identifier: MIT
 *
 * tool/common/specs.h - the SPEC arguments of a command that many processes run.
 */
#ifndef REDIST_TOOL_COMMON_SPECS_H
#define REDIST_TOOL_COMMON_SPECS_H

#include <mpi.h>

#include <redist/describe.h>

/* Create the dist and the view of the SPEC argument of `side`; rank 0 alone reads it. The
 * caller owns the dist.
 * Collective over comm. ARG, MEMORY, IO: the same on every process, naming the side. */
redist_err collective_parse_spec(MPI_Comm comm, const char *side, const char *argument,
                                 redist_dist **dist, redist_view *view);

#endif
