/* SPDX-License-Identifier: MIT
 *
 * tests/soak/scanned.h - balance as between very many processes.
 */
#ifndef REDIST_TESTS_SOAK_SCANNED_H
#define REDIST_TESTS_SOAK_SCANNED_H

#include <redist/redist.h>

/* As redist_balance_create, by scans, with which it begins from some thousand processes
 * on. */
redist_err scanned_create(MPI_Comm comm, int64_t count, MPI_Datatype type,
                          redist_balance_method method, int64_t weight,
                          const redist_options *options, redist_plan **plan,
                          int64_t *share);

#endif
