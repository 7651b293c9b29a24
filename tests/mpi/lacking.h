/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/lacking.h - tests that go through strategies, where this MPI lacks what some
 * of them need.
 */
#ifndef REDIST_TESTS_LACKING_H
#define REDIST_TESTS_LACKING_H

#include "mpi/check.h"
#include "move/mpi/lacks.h"
#include "plan/choice/strategy.h"

/* What this MPI lacks for a strategy; NULL: nothing. */
static inline const char *lacking(const char *text)
{
    struct strategy strategy;
    CHECK_OK(strategy_parse(text, &strategy));
    return strategy.exchange ? strategy.exchange->lacks : NULL;
}

/* A strategy, or the plainest where this MPI lacks what it needs. */
static inline const char *here(const char *strategy)
{
    return lacking(strategy) ? "nonblocking" : strategy;
}

#endif
