/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/blacs.h"

#include <stddef.h>
#include <string.h>

#ifndef REDIST_SCALAPACK_STATIC
#include <dlfcn.h>
#include <link.h>
#endif

/* The Fortran interfaces: they return communicators as MPI_Comm_c2f does, while those of
 * C add an entry to a table that is never cleared. */
void blacs_get_(const int *context, const int *what, int *value);
void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column);
void pxerbla_(const int *context, const char *routine, const int *info, size_t length);
/* It prints the text, although that is not const. */
void PB_Cabort(int context, const char *routine, int info);

enum { SYSTEM_CONTEXT = 0, BLACS_CONTEXT = 10 }; /* blacs_get's "what" */

/* The address of each function, NULL if the program has none. */
struct blacs {
    __typeof__(blacs_get_) *get;
    __typeof__(blacs_gridinfo_) *gridinfo;
    __typeof__(pxerbla_) *pxerbla;
    __typeof__(PB_Cabort) *abort;
};

#ifdef REDIST_SCALAPACK_STATIC
static const struct blacs *blacs(void)
{
    static const struct blacs linked = {blacs_get_, blacs_gridinfo_, pxerbla_, PB_Cabort};
    return &linked;
}
#else
/* Find a function, as for the program's own references; or else in any loaded library,
 * and in those that it needs. `function` points to a function pointer. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name), *program = dlopen(NULL, RTLD_LAZY);
    struct link_map *map = NULL;
    if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map)) map = NULL;
    for (; !found && map; map = map->l_next) {
        void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        if (!library) continue;
        found = dlsym(library, name);
        (void)dlclose(library);
    }
    if (program) (void)dlclose(program);
    memcpy(function, &found, sizeof found);
}

static const struct blacs *blacs(void)
{
    static struct blacs loaded;
    if (loaded.get) return &loaded;
    find("blacs_get_", &loaded.get);
    find("blacs_gridinfo_", &loaded.gridinfo);
    find("pxerbla_", &loaded.pxerbla);
    find("PB_Cabort", &loaded.abort);
    return &loaded;
}
#endif

static MPI_Comm ask(int context, int what)
{
    int handle = 0;
    if (!blacs()->get) return MPI_COMM_NULL;
    blacs()->get(&context, &what, &handle);
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
    if (context < 0 || !blacs()->gridinfo) return false;
    blacs()->gridinfo(&context, &shape[0], &shape[1], &mine[0], &mine[1]);
    return mine[0] >= 0 && mine[0] < shape[0] && mine[1] >= 0 && mine[1] < shape[1];
}

void blacs_illegal(int context, const char *routine, int position)
{
    if (blacs()->pxerbla) blacs()->pxerbla(&context, routine, &position, strlen(routine));
}

void blacs_illegal_pblas(int context, const char *routine, int position)
{
    if (blacs()->abort) blacs()->abort(context, routine, -position);
}
