/* SPDX-License-Identifier: MIT
 *
 * tests/peers/blacs.h - the BLACS of the system, and the routines that it and the drop-in
 * both have: of each a pointer to ScaLAPACK's, with which the program is linked, and one
 * to the drop-in's, which is loaded beside it.
 */
#ifndef REDIST_TESTS_BLACS_H
#define REDIST_TESTS_BLACS_H

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>

#include "mpi/check.h"
#include "oracle.h"

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
void blacs_get_(const int *context, const int *what, int *value);

enum library { THEIRS, OURS, LIBRARIES };

typedef void gemr2d(const int *m, const int *n, const void *a, const int *ia,
                    const int *ja, const int *desc_a, void *b, const int *ib,
                    const int *jb, const int *desc_b, const int *context);
typedef void trmr2d(const char *uplo, const char *diag, const int *m, const int *n,
                    const void *a, const int *ia, const int *ja, const int *desc_a,
                    void *b, const int *ib, const int *jb, const int *desc_b,
                    const int *context);
typedef void c_gemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a,
                      void *b, int ib, int jb, const int *desc_b, int context);
typedef void c_trmr2d(const char *uplo, const char *diag, int m, int n, const void *a,
                      int ia, int ja, const int *desc_a, void *b, int ib, int jb,
                      const int *desc_b, int context);
typedef void tran(const int *m, const int *n, const void *alpha, const void *a,
                  const int *ia, const int *ja, const int *desc_a, const void *beta,
                  void *c, const int *ic, const int *jc, const int *desc_c);
typedef void geadd(const char *trans, const int *m, const int *n, const void *alpha,
                   const void *a, const int *ia, const int *ja, const int *desc_a,
                   const void *beta, void *c, const int *ic, const int *jc,
                   const int *desc_c);
typedef void tradd(const char *uplo, const char *trans, const int *m, const int *n,
                   const void *alpha, const void *a, const int *ia, const int *ja,
                   const int *desc_a, const void *beta, void *c, const int *ic,
                   const int *jc, const int *desc_c);

/* Find a routine: "p", the letter of the type, the name, as "gemr2d_". `pointer` is that
 * of a pointer to a function. */
static inline void find_routine(enum library library, const char *prefix, char letter,
                                const char *name, void *pointer)
{
    static void *drop_in;
    char symbol[32];
    const char *path = getenv("REDIST_SCALAPACK");
    CHECK(path, "REDIST_SCALAPACK is not set"); /* without a path dlopen finds theirs */
    if (!drop_in) drop_in = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(drop_in, "REDIST_SCALAPACK must be libredist_scalapack.so: %s", dlerror());
    (void)snprintf(symbol, sizeof symbol, "%s%c%s", prefix, letter, name);
    void *found = dlsym(library == OURS ? drop_in : RTLD_DEFAULT, symbol);
    CHECK(found, "%s is not there", symbol);
    memcpy(pointer, &found, sizeof found);
}

/* Make a grid of processes of a communicator, numbered as in that: map[row + column *
 * rows]. Returns the context, -1 on those outside. Collective over the communicator. */
static inline int make_grid(MPI_Comm comm, const int *map, int rows, int columns)
{
    int handle = Csys2blacs_handle(comm), context = handle;
    Cblacs_gridmap(&context, map, rows, rows, columns);
    Cfree_blacs_system_handle(handle);
    return context;
}

/* Set the handler of the errors of a context's communicator. */
static inline void set_handler(int context, MPI_Errhandler handler)
{
    const int communicator = 10; /* blacs_get's "what" */
    int comm = 0;
    blacs_get_(&context, &communicator, &comm);
    MPI_Comm_set_errhandler(MPI_Comm_f2c(comm), handler);
}

#endif
