/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/routines/call.h - a call of any routine, after its arguments have been
 * read: share what all processes of the context need to know, and move the data.
 */
#ifndef REDIST_BIND_SCALAPACK_ROUTINES_CALL_H
#define REDIST_BIND_SCALAPACK_ROUTINES_CALL_H

#include "bind/scalapack/matrix/problem.h"

struct call_arguments {
    MPI_Comm context;       /* the BLACS's, of the calling processes */
    struct problem problem; /* without its sides */
    struct matrix matrix[SIDES];
    const void *alpha, *beta; /* if the problem is scaled */
    int illegal;              /* position of an argument refused here, or 0 */
    bool unusable;            /* only this process has no usable matrix */
    int outside;              /* position to report for a grid outside the context */
};

/* Do the call. Returns the position of an argument to report as illegal, or 0. Other
 * errors, of memory or of MPI, are raised on the context's communicator, whose error
 * handler decides what happens.
 * Collective over the context. If a process is outside one of the grids, the first
 * process broadcasts what others do not know, or a reduction finds it if that process is
 * in one grid at most. Else there is no communication, unless the plan has to be made. */
int call_run(struct call_arguments *arguments);

#endif
