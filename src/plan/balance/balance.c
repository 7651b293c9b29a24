/* SPDX-License-Identifier: MIT */
#include "plan/balance/balance.h"

#include "base/error.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/object/request.h"

static redist_err check(const struct balance *balance, int nshares,
                        int64_t *const shares[])
{
    TRY(balance_check_method(balance->method));
    if (balance->count < 0)
        return error_arg("count is %" PRId64 ", must be >= 0", balance->count);
    if (balance->weight < 0)
        return error_arg("weight is %" PRId64 ", must be >= 0", balance->weight);
    for (int k = 0; k < nshares; k++)
        if (!shares[k]) return error_arg("share is NULL");
    return REDIST_OK;
}

redist_err balance_begin(const struct balance *balance, int nshares,
                         int64_t *const shares[], struct team *team)
{
    static const char *const name = "method";
    const int64_t method = (int64_t)balance->method;
    TRY(team_check_intra(balance->comm));
    redist_err err = team_make(balance->comm, REDIST_SOURCE, team);
    if (!err)
        err = agree_equal(team->comm, check(balance, nshares, shares), 1, &method, &name);
    if (err) (void)team_free(team);
    return err;
}

redist_err balance_gather(const struct team *team, redist_err err, int n,
                          const int64_t numbers[], int64_t **all)
{
    *all = mem_alloc(NULL, (int64_t)team->nranks * n, sizeof **all);
    if (!err && !*all) err = REDIST_ERR_MEMORY;
    err = agree(team->comm, err);
    if (!err)
        err = mpi_call(
            MPI_Allgather(numbers, n, MPI_INT64_T, *all, n, MPI_INT64_T, team->comm));
    if (!err) return REDIST_OK;
    mem_free(*all);
    *all = NULL;
    return err;
}

/* The distributions of a plan. */
struct described {
    redist_dist *dist[SIDES];
    bool partial;
    int64_t still; /* see request.h */
    int64_t share; /* of this process */
};

/* Describe all processes by their counts and weights, `lists`[2][nranks]. */
static redist_err describe(const struct team *team, const struct balance *balance,
                           const int64_t *lists, struct described *described)
{
    int n = team->nranks;
    int64_t *shares = mem_alloc(NULL, n, sizeof *shares);
    if (!shares) return REDIST_ERR_MEMORY;
    redist_err err = redist_balance_shares(balance->method, n, lists, lists + n, shares);
    if (!err)
        err = redist_balance_dists(balance->method, n, lists, shares, &described->dist[0],
                                   &described->dist[1]);
    for (int k = 0; !err && k < n; k++)
        described->still += balance_holding(balance->method, lists[k], shares[k]).keep;
    described->share = shares[team->rank];
    mem_free(shares);
    return err;
}

/* Gather counts and weights, and turn the pairs into two lists. The same error on every
 * process. */
static redist_err gather(const struct team *team, const struct balance *balance,
                         struct described *described)
{
    int n = team->nranks;
    const int64_t own[2] = {balance->count, balance->weight};
    int64_t *pairs = NULL;
    TRY(balance_gather(team, REDIST_OK, 2, own, &pairs));
    int64_t *lists = mem_alloc(NULL, 2 * (int64_t)n, sizeof *lists);
    for (int k = 0; lists && k < 2 * n; k++) lists[k % 2 * n + k / 2] = pairs[k];
    redist_err err =
        lists ? describe(team, balance, lists, described) : REDIST_ERR_MEMORY;
    mem_free(lists);
    mem_free(pairs);
    return agree(team->comm, err);
}

static redist_err plan_between(const struct balance *balance,
                               const struct described *described, redist_plan **plan)
{
    redist_view view[SIDES];
    for (int s = 0; s < SIDES; s++) (void)redist_view_init(described->dist[s], &view[s]);
    const redist_item item = {balance->type, &view[0], &view[1]};
    const struct request request = {.comm = balance->comm,
                                    .nitems = 1,
                                    .items = &item,
                                    .options = balance->options,
                                    .partial = described->partial,
                                    .still = described->still};
    return plan_make(&request, plan);
}

redist_err balance_create(const struct balance *balance, int listed, redist_plan **plan,
                          int64_t *share)
{
    struct team team;
    TRY(balance_begin(balance, 1, &share, &team));
    struct described described = {.partial = team.nranks > listed};
    redist_err err = described.partial
                         ? agree(team.comm, balance_scan(&team, balance, &described.share,
                                                         described.dist))
                         : gather(&team, balance, &described);
    redist_err freed = team_free(&team);
    if (!err) err = freed;
    if (!err) err = plan_between(balance, &described, plan);
    if (!err) *share = described.share;
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&described.dist[s]);
    return err;
}

redist_err redist_balance_create(MPI_Comm comm, int64_t count, MPI_Datatype type,
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
    return balance_create(&balance, BALANCE_LISTED, plan, share);
}
