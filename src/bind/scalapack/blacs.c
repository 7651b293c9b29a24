/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/blacs.h"

#include <stddef.h>
#include <string.h>

#ifdef REDIST_SCALAPACK_STATIC
#define LOADED
#else
#define LOADED __attribute__((weak))
#endif

/* The Fortran faces: they give communicators as MPI_Comm_c2f does, while those of C make
 * an entry in a table that nobody clears. */
LOADED void blacs_get_(const int *context, const int *what, int *value);
LOADED void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row,
                            int *column);
LOADED void pxerbla_(const int *context, const char *routine, const int *info,
                     size_t length);
/* It takes text to print, though not const. */
LOADED void PB_Cabort(int context, const char *routine, int info);

enum { SYSTEM_CONTEXT = 0, BLACS_CONTEXT = 10 }; /* blacs_get's "what" */

static MPI_Comm ask(int context, int what)
{
    int handle = 0;
    blacs_get_(&context, &what, &handle);
    return MPI_Comm_f2c((MPI_Fint)handle);
}

MPI_Comm blacs_comm(int context)
{
    return context < 0 ? MPI_COMM_NULL : ask(context, BLACS_CONTEXT);
}

MPI_Comm blacs_world(void) { return ask(-1, SYSTEM_CONTEXT); }

bool blacs_grid(int context, int shape[2], int mine[2])
{
    shape[0] = shape[1] = mine[0] = mine[1] = -1;
    if (context < 0) return false;
    blacs_gridinfo_(&context, &shape[0], &shape[1], &mine[0], &mine[1]);
    return mine[0] >= 0 && mine[0] < shape[0] && mine[1] >= 0 && mine[1] < shape[1];
}

void blacs_illegal(int context, const char *routine, int position)
{
#ifndef REDIST_SCALAPACK_STATIC
    if (!pxerbla_) return;
#endif
    pxerbla_(&context, routine, &position, strlen(routine));
}

void blacs_illegal_pblas(int context, const char *routine, int position)
{
#ifndef REDIST_SCALAPACK_STATIC
    if (!PB_Cabort) return;
#endif
    PB_Cabort(context, routine, -position);
}
