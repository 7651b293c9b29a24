/* SPDX-License-Identifier: MIT
 *
 * files/format/collective.h - all processes fail if one fails, with the same sentence.
 */
#ifndef REDIST_FILES_FORMAT_COLLECTIVE_H
#define REDIST_FILES_FORMAT_COLLECTIVE_H

#include <mpi.h>

#include <redist/describe.h>

/* Return the error of the lowest rank that passes one, and set its message on every
 * process; OK if none does. What redist_refuse has said is one.
 * Collective over comm. Two broadcasts at most. */
redist_err collective_agree(MPI_Comm comm, redist_err err);

/* Give every process rank 0's block of *size bytes, if rank 0 passes OK; else its error.
 * The others' blocks are made with mem_alloc; each caller owns its own. On failure nobody
 * has one.
 * Collective over comm. MEMORY, or rank 0's error. */
redist_err collective_share(MPI_Comm comm, redist_err err, char **block, int64_t *size);

#endif
