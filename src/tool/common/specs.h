/* SPDX-License-Identifier: MIT
 *
 * tool/common/specs.h - the two SPEC arguments of a command.
 */
#ifndef REDIST_TOOL_COMMON_SPECS_H
#define REDIST_TOOL_COMMON_SPECS_H

#include <mpi.h>

#include <redist/describe.h>

/* Of source and target. Starts as {0}. */
struct specs {
    redist_dist *dist[2];
    redist_view view[2];
    char *text[2]; /* of the views */
};

/* Read both, and print their texts. The caller frees with specs_free, after a failure
 * too. ARG, MEMORY, IO: naming the side. */
redist_err specs_read(const char *const given[2], struct specs *specs);
void specs_free(struct specs *specs);

/* The same of a command that many processes run, without texts; rank 0 alone reads them.
 * Collective over comm. The errors are the same on every process. */
redist_err specs_share(MPI_Comm comm, const char *const given[2], struct specs *specs);

/* Print the texts. MEMORY. */
redist_err specs_print(struct specs *specs);

#endif
