/* SPDX-License-Identifier: MIT
 *
 * Elements of different sizes: their units are balanced, and the stream of elements is
 * cut. An element belongs to the process in whose share of the stream it begins.
 *
 *   shares     |0------------|1------------|2------------|
 *   elements   |a----|b---|c----|d-|e----------------|f--|      a b c | d e | f
 */
#include "base/error.h"
#include "move/mpi/check.h"
#include "plan/balance/balance.h"
#include "plan/comm/agree.h"
#include "plan/object/request.h"

/* A number of elements, and their units. */
struct amount {
    int64_t count, units;
};

/* Known on all processes: [nranks] each, except `own`. */
struct shares {
    struct amount own;  /* of this process, at first */
    int64_t *gathered;  /* [3] units, count and weight */
    int64_t *kept;      /* [2] count and units of what is kept */
    int64_t *weight;    /* by which the stream is shared */
    struct amount *cut; /* [nranks + 1] the stream before rank k's share */
    struct holding *counts, *units;
};

static void shares_free(struct shares *shares)
{
    mem_free(shares->gathered);
    mem_free(shares->kept);
    mem_free(shares->weight); /* and all in one block with it */
}

static redist_err sum_sizes(const struct balance *balance, struct amount *own)
{
    *own = (struct amount){balance->count, 0};
    if (balance->count > 0 && !balance->sizes) return error_arg("sizes is NULL");
    for (int64_t k = 0; k < balance->count; k++) {
        if (balance->sizes[k] < 0)
            return error_arg("sizes[%" PRId64 "] is %" PRId64 ", must be >= 0", k,
                             balance->sizes[k]);
        if (!int_add(own->units, balance->sizes[k], &own->units))
            return error_arg("sizes sum to more than 2^63 - 1");
    }
    return REDIST_OK;
}

/* ---- elements that are kept -------------------------------------------------------- */

/* Find the shares of all in units, as `weight`; with B then what each one lacks. */
static redist_err find_weights(const struct team *team, redist_balance_method method,
                               int64_t *own_share, struct shares *shares)
{
    int n = team->nranks;
    int64_t *units = NULL, *share = NULL, *weight = shares->weight, counts = 0;
    const struct mem_part room[] = {MEM_PART(units, n), MEM_PART(share, n), {0}};
    redist_err err = mem_alloc_parts(NULL, room);
    for (int k = 0; !err && k < n; k++) {
        units[k] = shares->gathered[3 * k];
        weight[k] = shares->gathered[3 * k + 2];
        if (!int_add(counts, shares->gathered[3 * k + 1], &counts))
            err = error_arg("counts sum to more than 2^63 - 1");
    }
    if (!err) err = redist_balance_shares(method, n, units, weight, share);
    for (int k = 0; !err && k < n; k++)
        if (method == REDIST_BALANCE_B) weight[k] = int_max(share[k] - units[k], 0);
    for (int k = 0; !err && k < n && method == REDIST_BALANCE_A_CEILING; k++)
        weight[k] = share[k];
    if (!err) *own_share = share[team->rank];
    mem_free(units); /* and the shares */
    return err;
}

/* Find the elements that B keeps with a surplus: those that begin within the share, and
 * all if no units follow. */
static struct amount find_kept(const struct balance *balance, const struct amount *own,
                               int64_t share)
{
    struct amount kept = {0, 0};
    if (balance->method != REDIST_BALANCE_B) return kept;
    if (own->units <= share) return *own;
    while (kept.units < share) kept.units += balance->sizes[kept.count++];
    return kept.units == own->units ? *own : kept;
}

/* ---- where the stream is cut ------------------------------------------------------- */

/* Find for each rank the first of this process's elements in the stream that is not
 * before its share; then the first of all processes. */
static redist_err find_cuts(const struct team *team, const struct balance *balance,
                            const struct amount *all, int64_t all_weight,
                            struct shares *shares)
{
    int n = team->nranks;
    struct amount at = {0, 0};
    for (int k = 0; k < team->rank; k++) {
        at.count += shares->counts[k].give;
        at.units += shares->units[k].give;
    }
    int64_t next = shares->counts[team->rank].keep, before = 0;
    for (int k = 0; k <= n; k++) {
        int64_t begin = all_weight > 0 ? balance_cut(all->units, before, all_weight) : 0;
        for (; next < balance->count && at.units < begin; at.count++)
            at.units += balance->sizes[next++];
        shares->cut[k] = next < balance->count && k < n ? at : *all;
        if (k < n) before += shares->weight[k];
    }
    return mpi_call(MPI_Allreduce(MPI_IN_PLACE, shares->cut, 2 * (n + 1), MPI_INT64_T,
                                  MPI_MIN, team->comm));
}

/* Find what each process gives; if no units move, nothing does. */
static void find_given(int n, struct shares *shares, struct amount *all,
                       int64_t *all_weight)
{
    *all = (struct amount){0, 0};
    *all_weight = 0;
    for (int k = 0; k < n; k++) {
        const int64_t *gathered = &shares->gathered[3 * k], *kept = &shares->kept[2 * k];
        shares->counts[k] = (struct holding){kept[0], gathered[1] - kept[0], 0};
        shares->units[k] = (struct holding){kept[1], gathered[0] - kept[1], 0};
        all->count += shares->counts[k].give;
        all->units += shares->units[k].give;
        *all_weight += shares->weight[k];
    }
    if (all->units > 0) return;
    all->count = 0;
    for (int k = 0; k < n; k++) {
        shares->counts[k] = (struct holding){shares->gathered[3 * k + 1], 0, 0};
        shares->units[k] = (struct holding){shares->gathered[3 * k], 0, 0};
    }
}

static redist_err allocate(int n, struct shares *shares)
{
    const struct mem_part parts[] = {MEM_PART(shares->weight, n),
                                     MEM_PART(shares->cut, (int64_t)n + 1),
                                     MEM_PART(shares->counts, n),
                                     MEM_PART(shares->units, n),
                                     {0}};
    return mem_alloc_parts(NULL, parts);
}

/* Find what every process keeps, gives and takes, in elements and in units. */
static redist_err find_holdings(const struct team *team, const struct balance *balance,
                                struct shares *shares)
{
    int n = team->nranks;
    int64_t share = 0, all_weight = 0;
    struct amount all;
    redist_err err = sum_sizes(balance, &shares->own);
    if (!err) err = allocate(n, shares);
    const int64_t own[3] = {shares->own.units, balance->count, balance->weight};
    TRY(balance_gather(team, err, 3, own, &shares->gathered));
    err = find_weights(team, balance->method, &share, shares);
    struct amount kept = {0, 0};
    if (!err) kept = find_kept(balance, &shares->own, share);
    const int64_t own_kept[2] = {kept.count, kept.units};
    TRY(balance_gather(team, err, 2, own_kept, &shares->kept));
    find_given(n, shares, &all, &all_weight);
    TRY(find_cuts(team, balance, &all, all_weight, shares));
    for (int k = 0; k < n; k++) {
        shares->counts[k].take = shares->cut[k + 1].count - shares->cut[k].count;
        shares->units[k].take = shares->cut[k + 1].units - shares->cut[k].units;
    }
    return REDIST_OK;
}

/* ---- the plan ---------------------------------------------------------------------- */

/* The dists of sizes and of units, [2][SIDES]. */
static redist_err make_dists(int n, const struct shares *shares,
                             redist_dist *dist[2][SIDES])
{
    TRY(balance_dists(n, shares->counts, &dist[0][0], &dist[0][1]));
    return balance_dists(n, shares->units, &dist[1][0], &dist[1][1]);
}

/* The sizes are numbers, too, of one type. */
static redist_err refuse_conversion(const redist_options *options)
{
    if (options_source_type(options) == MPI_DATATYPE_NULL) return REDIST_OK;
    return error_arg("options: source_type must be MPI_DATATYPE_NULL with sizes");
}

/* Make the plan, with so many elements `still` (request.h). */
static redist_err plan_between(const struct balance *balance,
                               redist_dist *const dist[2][SIDES], int64_t still,
                               redist_plan **plan)
{
    redist_view view[2][SIDES];
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < SIDES; s++) (void)redist_view_init(dist[k][s], &view[k][s]);
    const redist_item items[2] = {{MPI_INT64_T, &view[0][0], &view[0][1]},
                                  {balance->type, &view[1][0], &view[1][1]}};
    const struct request request = {.comm = balance->comm,
                                    .nitems = 2,
                                    .items = items,
                                    .options = balance->options,
                                    .failed = refuse_conversion(balance->options),
                                    .still = still};
    return plan_make(&request, plan);
}

redist_err redist_balance_create_sized(MPI_Comm comm, int64_t count,
                                       const int64_t sizes[], MPI_Datatype type,
                                       redist_balance_method method, int64_t weight,
                                       const redist_options *options, redist_plan **plan,
                                       int64_t *count_share, int64_t *unit_share)
{
    const struct balance balance = {comm, type, method, count, weight, sizes, options};
    struct team team;
    struct shares shares = {0};
    redist_dist *dist[2][SIDES] = {{NULL, NULL}, {NULL, NULL}};
    TRY(balance_begin(&balance, 2, (int64_t *[]){count_share, unit_share}, &team));
    redist_err err = find_holdings(&team, &balance, &shares);
    if (!err) err = agree(team.comm, make_dists(team.nranks, &shares, dist));
    int rank = team.rank;
    redist_err freed = team_free(&team);
    int64_t still = 0;
    for (int k = 0; !err && k < team.nranks; k++) still += shares.counts[k].keep;
    if (!err) err = freed;
    if (!err) err = plan_between(&balance, dist, still, plan);
    if (!err) {
        *count_share = shares.counts[rank].keep + shares.counts[rank].take;
        *unit_share = shares.units[rank].keep + shares.units[rank].take;
    }
    for (int k = 0; k < 2 * SIDES; k++) redist_dist_destroy(&dist[k / SIDES][k % SIDES]);
    shares_free(&shares);
    return err;
}
