/* SPDX-License-Identifier: MIT */
#include "soak/scanned.h"

#include "plan/balance/balance.h"

redist_err scanned_create(MPI_Comm comm, int64_t count, MPI_Datatype type,
                          redist_balance_method method, int64_t weight,
                          const redist_options *options, redist_plan **plan,
                          int64_t *share)
{
    const struct balance balance = {.comm = comm,
                                    .type = type,
                                    .method = method,
                                    .count = count,
                                    .weight = weight,
                                    .options = options};
    return balance_create(&balance, 0, plan, share);
}
