/* SPDX-License-Identifier: MIT
 *
 * Long ranges balanced by `shared`, from arrays of redist_alloc: with a list of all
 * processes the receivers read them where they lie; without one they cannot, as they know
 * only the ranges that they get.
 */
#include "mpi/check.h"
#include "mpi/lacking.h"
#include "plan/balance/balance.h"

/* Balance with a list of at most `listed` processes. Returns the target. */
static int64_t *balance(redist_balance_method method, int listed, int64_t *share)
{
    static const int64_t counts[] = {30000, 8, 50000, 20000};
    int rank = world_rank();
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = here("shared");
    const struct balance balance = {.comm = MPI_COMM_WORLD,
                                    .type = MPI_INT64_T,
                                    .method = method,
                                    .count = counts[rank % 4],
                                    .weight = 1,
                                    .options = &options};
    redist_plan *plan = NULL;
    void *memory = NULL;
    CHECK_OK(balance_create(&balance, listed, &plan, share));
    CHECK_OK(
        redist_alloc(MPI_COMM_WORLD, (size_t)balance.count * sizeof(int64_t), &memory));
    int64_t *source = memory, *target = calloc((size_t)*share + 1, sizeof *target);
    CHECK(target, "no memory");
    for (int64_t k = 0; k < balance.count; k++) source[k] = 1000000 * (rank + 1) + k;
    CHECK_OK(redist_execute(plan, source, target));
    CHECK_OK(redist_plan_destroy(&plan));
    CHECK_OK(redist_free(memory));
    return target;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int method = REDIST_BALANCE_A; method <= REDIST_BALANCE_A_CEILING; method++) {
        int64_t shares[2];
        int64_t *is = balance((redist_balance_method)method, 0, &shares[0]);
        int64_t *due = balance((redist_balance_method)method, BALANCE_LISTED, &shares[1]);
        CHECK(shares[0] == shares[1], "%" PRId64 " elements", shares[0]);
        for (int64_t k = 0; k < shares[0]; k++)
            CHECK(is[k] == due[k],
                  "element %" PRId64 " is %" PRId64 " instead of %" PRId64, k, is[k],
                  due[k]);
        free(is);
        free(due);
    }
    return passed("ranges that only their receivers know");
}
