/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/aligned.h - sections with the same distribution over one grid: each
 * process has the same elements of both and copies its own part, without communication.
 *
 *   source  ..000 111 222 00         from row 3 of blocks of 3
 *   target    000 111 222 00....     from row 1
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_ALIGNED_H
#define REDIST_BIND_SCALAPACK_COPY_ALIGNED_H

#include "bind/scalapack/matrix/problem.h"

/* Tell whether the sections are aligned, on grids of the same processes. */
bool aligned(const struct problem *problem);

/* Do this process's part of sub(C) := alpha sub(A), or if the problem is scaled, beta
 * sub(C) + alpha sub(A), in the region. An operand with coefficient 0 is not read.
 * Local. MEMORY, DEVICE. */
redist_err aligned_run(const struct problem *problem, const struct matrix matrix[SIDES],
                       const void *alpha, const void *beta);

#endif
