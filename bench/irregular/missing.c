/* SPDX-License-Identifier: MIT
 *
 * irregular/missing.c - this build has no PETSc.
 */
#include "irregular/indexed.h"

const struct mover mover_petsc = {"PETSc VecScatter", NULL, NULL, NULL, NULL, false};
