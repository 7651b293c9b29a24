/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/scarce.h - one process runs out of memory, and all must learn of it.
 *
 *   scarce_begin(victim, k);
 *   err = what all call;
 *   if (scarce_end(victim)) ..      then it was refused an allocation
 */
#ifndef REDIST_TESTS_SCARCE_H
#define REDIST_TESTS_SCARCE_H

#include "base/mem.h"
#include "mpi/check.h"

/* Let the k-th allocation of world rank `victim` from now on fail. */
static inline void scarce_begin(int victim, int64_t k)
{
    if (world_rank() == victim) mem_fail_at(k);
}

/* Return, on all processes, whether it came to that. */
static inline bool scarce_end(int victim)
{
    int64_t left = mem_fail_left();
    mem_fail_at(0);
    PMPI_Bcast(&left, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
    return left == 0;
}

/* A plan, or the error of its making, is as it must be; nothing is left of it. */
static inline void scarce_check(bool refused, redist_err err, redist_plan **plan,
                                int64_t live, int victim, int64_t k)
{
    CHECK(err == (refused ? REDIST_ERR_MEMORY : REDIST_OK),
          "allocation %" PRId64 " of rank %d: %s", k, victim, redist_error_name(err));
    CHECK(!err == (*plan != NULL), "a plan in spite of an error, or none without");
    CHECK_OK(redist_plan_destroy(plan));
    CHECK(mem_live_blocks() == live, "allocation %" PRId64 ": %" PRId64 " blocks left", k,
          mem_live_blocks() - live);
}

#endif
