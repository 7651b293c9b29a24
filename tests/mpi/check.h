/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/check.h - what the MPI tests share: a check that ends the whole job with a
 * sentence, and the seed of random cases.
 */
#ifndef REDIST_TESTS_CHECK_H
#define REDIST_TESTS_CHECK_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <redist/redist.h>

#include "long.h"

/* Check a condition; if it fails print where, the formatted sentence and the library's
 * last one. */
#define CHECK(condition, ...)                                                            \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            int check_rank_ = -1;                                                        \
            MPI_Comm_rank(MPI_COMM_WORLD, &check_rank_);                                 \
            fprintf(stderr, "%s:%d: rank %d: %s: ", __FILE__, __LINE__, check_rank_,     \
                    #condition);                                                         \
            fprintf(stderr, __VA_ARGS__);                                                \
            fprintf(stderr, " [%s]\n", redist_error_message());                          \
            fflush(stderr);                                                              \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                \
        }                                                                                \
    } while (0)

/* The bytes of staging memory that the last error asks for; 0: none. */
static inline size_t staging_needed(void)
{
    const char *given = strstr(redist_error_message(), "staging_bytes is ");
    const char *needs = given ? strstr(given, " needs ") : NULL;
    return needs ? strtoull(needs + strcspn(needs, "0123456789"), NULL, 10) : 0;
}

#define CHECK_OK(call) CHECK((call) == REDIST_OK, "expected OK")

static inline redist_report report_of(const redist_plan *plan)
{
    redist_report report;
    CHECK_OK(redist_plan_report(plan, &report));
    return report;
}

/* Check that a plan's staging memory stays within its cap, `staging_bytes` of the options
 * that it was made with. */
static inline void check_peak(const redist_plan *plan, size_t staging_bytes)
{
    redist_report report = report_of(plan);
    int64_t cap = staging_bytes ? (int64_t)staging_bytes : 8 << 20;
    CHECK(report.staging_peak_bytes <= cap, "%s: peak %" PRId64 " over %" PRId64,
          report.strategy, report.staging_peak_bytes, cap);
}

/* Of how many random cases a test of many processes is enough in a run that is not long:
 * these share few cores. */
static inline int cases_of(int nprocs, int few, int many)
{
    return long_run() ? many : nprocs > 7 ? few / 10 : few;
}

static inline int world_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int world_size(void)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* The seed of this run, printed once, from REDIST_TEST_SEED if that is set. */
static inline uint64_t test_seed(void)
{
    const char *text = getenv("REDIST_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20260725;
    if (world_rank() == 0) printf("REDIST_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

/* End the test: print PASS and the formatted words, once. Returns the exit status. */
__attribute__((format(printf, 1, 2))) static inline int passed(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (world_rank() == 0) {
        printf("PASS: ");
        vprintf(format, args);
        printf("\n");
    }
    va_end(args);
    MPI_Finalize();
    return 0;
}

#endif
