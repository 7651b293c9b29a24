/* SPDX-License-Identifier: MIT */
#include "describe/balance.h"

#include "base/error.h"
#include "base/mem.h"

redist_err balance_check_method(redist_balance_method method)
{
    if (method == REDIST_BALANCE_A || method == REDIST_BALANCE_B ||
        method == REDIST_BALANCE_A_CEILING)
        return REDIST_OK;
    return error_arg("method is %d, must be REDIST_BALANCE_A, _B or _A_CEILING",
                     (int)method);
}

/* Sum a list of numbers >= 0, called `name`. */
static redist_err sum_of(const char *name, int n, const int64_t numbers[], int64_t *sum)
{
    *sum = 0;
    if (!numbers) return error_arg("%s is NULL", name);
    for (int k = 0; k < n; k++) {
        if (numbers[k] < 0)
            return error_arg("%s[%d] is %" PRId64 ", must be >= 0", name, k, numbers[k]);
        if (!int_add(*sum, numbers[k], sum))
            return error_arg("%s sum to more than 2^63 - 1", name);
    }
    return REDIST_OK;
}

static redist_err check_list(redist_balance_method method, int nprocs,
                             const int64_t counts[], int64_t *n)
{
    TRY(balance_check_method(method));
    if (nprocs < 1) return error_arg("nprocs is %d, must be >= 1", nprocs);
    return sum_of("counts", nprocs, counts, n);
}

/* ---- shares ------------------------------------------------------------------------ */

static int64_t weight_of(const int64_t weights[], int k)
{
    return weights ? weights[k] : 1;
}

static void share_in_order(int nprocs, int64_t n, const int64_t weights[], int64_t all,
                           int64_t shares[])
{
    int64_t before = 0, begin = 0;
    for (int k = 0; k < nprocs; k++) {
        before += weight_of(weights, k);
        int64_t end = balance_cut(n, before, all);
        shares[k] = end - begin;
        begin = end;
    }
}

static void share_ceilings(int nprocs, int64_t n, const int64_t weights[], int64_t all,
                           int64_t shares[])
{
    int64_t before = 0, rounded = 0;
    for (int k = 0; k < nprocs; k++) {
        bool more;
        int64_t least = balance_floor(n, weight_of(weights, k), all, &more);
        shares[k] = balance_ceiling(n, before, rounded, least, more);
        before += least;
        rounded += more;
    }
}

/* Rounded down, the shares leave fewer elements over than there are processes that may
 * have one more. These go first to processes with a surplus, which then move one less,
 * and then to others. */
static void share_surplus(int nprocs, const int64_t counts[], int64_t n,
                          const int64_t weights[], int64_t all, int64_t shares[])
{
    int64_t left = n;
    bool more;
    for (int k = 0; k < nprocs; k++) {
        shares[k] = balance_floor(n, weight_of(weights, k), all, &more);
        left -= shares[k];
    }
    for (int surplus = 1; surplus >= 0; surplus--)
        for (int k = 0; k < nprocs && left > 0; k++) {
            int64_t least = balance_floor(n, weight_of(weights, k), all, &more);
            if (!more || (counts[k] > least) != surplus) continue;
            shares[k]++;
            left--;
        }
}

redist_err redist_balance_shares(redist_balance_method method, int nprocs,
                                 const int64_t counts[], const int64_t weights[],
                                 int64_t shares[])
{
    int64_t n = 0, all = nprocs;
    TRY(check_list(method, nprocs, counts, &n));
    if (weights) TRY(sum_of("weights", nprocs, weights, &all));
    if (all == 0) return error_arg("weights sum to 0, must be > 0");
    if (!shares) return error_arg("shares is NULL");
    if (method == REDIST_BALANCE_A)
        share_in_order(nprocs, n, weights, all, shares);
    else if (method == REDIST_BALANCE_A_CEILING)
        share_ceilings(nprocs, n, weights, all, shares);
    else
        share_surplus(nprocs, counts, n, weights, all, shares);
    return REDIST_OK;
}

/* ---- dists ------------------------------------------------------------------------- */

/* Make one side: the kept blocks of all processes, then their blocks of the stream. */
static redist_err dist_of(int nprocs, const struct holding holdings[], redist_side side,
                          redist_dist **dist)
{
    struct block *blocks = mem_alloc(NULL, 2 * (int64_t)nprocs, sizeof *blocks);
    if (!blocks) return REDIST_ERR_MEMORY;
    int64_t end = 0;
    for (int b = 0; b < 2 * nprocs; b++) {
        int owner = b % nprocs;
        const struct holding *holding = &holdings[owner];
        int64_t moves = side == REDIST_SOURCE ? holding->give : holding->take;
        int64_t begin = end;
        end += b < nprocs ? holding->keep : moves;
        blocks[b] = (struct block){.begin = begin, .end = end, .owner = owner};
    }
    redist_err err =
        dist_from_blocks(end, nprocs, NULL, 2 * (int64_t)nprocs, blocks, dist);
    mem_free(blocks);
    return err;
}

/* Make one side if nothing is kept: the stream alone. */
static redist_err dist_in_order(int nprocs, const struct holding holdings[],
                                redist_side side, redist_dist **dist)
{
    int64_t *sizes = mem_alloc(NULL, nprocs, sizeof *sizes), n = 0;
    redist_grid *grid = NULL;
    redist_err err = sizes ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int k = 0; !err && k < nprocs; k++) {
        sizes[k] = side == REDIST_SOURCE ? holdings[k].give : holdings[k].take;
        n += sizes[k];
    }
    redist_format format = redist_gen_block(sizes);
    if (!err) err = redist_grid_create(1, &nprocs, REDIST_ROW_MAJOR, NULL, &grid);
    if (!err) err = redist_dist_create(1, &n, &format, grid, dist);
    redist_grid_destroy(&grid);
    mem_free(sizes);
    return err;
}

redist_err balance_dists(int nprocs, const struct holding holdings[],
                         redist_dist **source, redist_dist **target)
{
    redist_dist **dist[] = {source, target};
    bool keeps = false;
    *source = *target = NULL;
    for (int k = 0; k < nprocs; k++) keeps = keeps || holdings[k].keep > 0;
    for (int s = 0; s < 2; s++) {
        redist_err err = keeps ? dist_of(nprocs, holdings, (redist_side)s, dist[s])
                               : dist_in_order(nprocs, holdings, (redist_side)s, dist[s]);
        if (!err) continue;
        redist_dist_destroy(source);
        return err;
    }
    return REDIST_OK;
}

redist_err redist_balance_dists(redist_balance_method method, int nprocs,
                                const int64_t counts[], const int64_t shares[],
                                redist_dist **source, redist_dist **target)
{
    int64_t before = 0, after = 0;
    if (!source) return error_arg("source is NULL");
    if (!target) return error_arg("target is NULL");
    *source = *target = NULL;
    TRY(check_list(method, nprocs, counts, &before));
    TRY(sum_of("shares", nprocs, shares, &after));
    if (before != after)
        return error_arg("shares sum to %" PRId64 ", must be as counts do: %" PRId64,
                         after, before);
    struct holding *holdings = mem_alloc(NULL, nprocs, sizeof *holdings);
    if (!holdings) return REDIST_ERR_MEMORY;
    for (int k = 0; k < nprocs; k++)
        holdings[k] = balance_holding(method, counts[k], shares[k]);
    redist_err err = balance_dists(nprocs, holdings, source, target);
    mem_free(holdings);
    return err;
}
