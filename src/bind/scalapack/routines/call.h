/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/routines/call.h - a call of any routine, once its arguments have been
 * taken over: find out what all processes of the context need to know, and move.
 */
#ifndef REDIST_BIND_SCALAPACK_ROUTINES_CALL_H
#define REDIST_BIND_SCALAPACK_ROUTINES_CALL_H

#include "bind/scalapack/matrix/problem.h"

struct call_arguments {
    MPI_Comm context;       /* the BLACS's, of those that call */
    struct problem problem; /* all of it but the sides */
    struct matrix matrix[SIDES];
    const void *alpha, *beta; /* if the problem is scaled */
    int illegal;              /* position of what was refused here, or 0 */
    bool unusable; /* that is a matter of this process alone: it has no usable matrix */
    int outside;   /* position to report for a grid that is not within the context */
};

/* Do what is asked for. Returns the position of an argument to report as illegal, or 0.
 * What else may go wrong, for want of memory or within MPI, is raised on the context's
 * communicator, whose error handler decides what becomes of the program.
 * Collective over the context. If a process is outside of one of the grids, all hear from
 * the first process what they do not know, or reduce it where that is in one of them at
 * most; else nothing is said, unless the plan has to be made. */
int call_run(struct call_arguments *arguments);

#endif
