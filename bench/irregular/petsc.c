/* SPDX-License-Identifier: MIT
 *
 * irregular/petsc.c - PETSc's VecScatter. Elements of the source have the numbers that
 * PETSc gives them, process by process; an AO, the scalable one, finds these for what the
 * target wants.
 */
#include <petscao.h>
#include <petscvec.h>

#include "base/error.h"
#include "base/mem.h"
#include "irregular/indexed.h"

struct scatter {
    AO order;
    Vec source, target;
    VecScatter scatter;
};

static redist_err check(PetscErrorCode code)
{
    return code ? error_set(REDIST_ERR_STATE, "PETSc: error %d", (int)code) : REDIST_OK;
}

/* The lists in PETSc's numbers. */
static redist_err copy_list(const struct lists *lists, int side, PetscInt **list)
{
    *list = mem_alloc(NULL, lists->n, sizeof **list);
    if (!*list) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < lists->n; k++) (*list)[k] = (PetscInt)lists->index[side][k];
    return REDIST_OK;
}

static redist_err connect(const struct lists *lists, const PetscInt had[],
                          PetscInt wanted[], struct scatter *scatter)
{
    PetscInt n = (PetscInt)lists->n;
    IS from = NULL, to = NULL;
    TRY(check(AOCreateMemoryScalable(lists->comm, n, had, NULL, &scatter->order)));
    TRY(check(AOApplicationToPetsc(scatter->order, n, wanted)));
    TRY(check(VecCreateMPIWithArray(lists->comm, 1, n, (PetscInt)lists->extent,
                                    lists->source, &scatter->source)));
    TRY(check(
        VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, lists->target, &scatter->target)));
    TRY(check(ISCreateGeneral(PETSC_COMM_SELF, n, wanted, PETSC_USE_POINTER, &from)));
    TRY(check(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &to)));
    TRY(check(
        VecScatterCreate(scatter->source, from, scatter->target, to, &scatter->scatter)));
    TRY(check(ISDestroy(&from)));
    return check(ISDestroy(&to));
}

static redist_err make(const struct lists *lists, const char *strategy, void **state)
{
    PetscBool begun = PETSC_FALSE;
    PetscInt *list[2] = {NULL, NULL};
    struct scatter *scatter = mem_alloc(NULL, 1, sizeof *scatter);
    (void)strategy;
    *state = scatter;
    redist_err err = scatter ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = check(PetscInitialized(&begun));
    if (!err && !begun) err = check(PetscInitializeNoArguments());
    for (int s = 0; !err && s < 2; s++) err = copy_list(lists, s, &list[s]);
    if (!err) err = connect(lists, list[0], list[1], scatter);
    for (int s = 0; s < 2; s++) mem_free(list[s]);
    return err;
}

static redist_err run(void *state)
{
    struct scatter *scatter = state;
    TRY(check(VecScatterBegin(scatter->scatter, scatter->source, scatter->target,
                              INSERT_VALUES, SCATTER_FORWARD)));
    return check(VecScatterEnd(scatter->scatter, scatter->source, scatter->target,
                               INSERT_VALUES, SCATTER_FORWARD));
}

static void unmake(void *state)
{
    struct scatter *scatter = state;
    if (!scatter) return;
    (void)VecScatterDestroy(&scatter->scatter);
    (void)VecDestroy(&scatter->source);
    (void)VecDestroy(&scatter->target);
    (void)AODestroy(&scatter->order);
    mem_free(scatter);
}

const struct mover mover_petsc = {"PETSc VecScatter", NULL, make, run, unmake, false};
