/* SPDX-License-Identifier: MIT
 *
 * describe/balance.h - how much each process keeps, gives and takes, so that all get
 * their share.
 *
 * Moved elements form one stream: processes give to it in the order of their ranks, and
 * take from it in the same order. For processes with 8, 1 and 3 elements:
 *
 *   A  all are given       keep 0 0 0    give 8 1 3    take 4 4 4
 *   B  only the surplus    keep 4 1 3    give 4 0 0    take 0 3 1
 */
#ifndef REDIST_DESCRIBE_BALANCE_H
#define REDIST_DESCRIBE_BALANCE_H

#include "base/intmath.h"
#include "describe/dist.h"

#include <redist/propose.h>

/* Elements of one process. */
struct holding {
    int64_t keep, give, take;
};

/* The end of the shares of the processes that have `before` of a weight of `all` > 0, in
 * a stream of n elements: ceil(n before / all). So a share is its exact size rounded up
 * or down. */
static inline int64_t balance_cut(int64_t n, int64_t before, int64_t all)
{
    return (int64_t)(((int128)n * before + all - 1) / all);
}

/* The least share of a weight, floor(n weight / all), and whether it may be one more. */
static inline int64_t balance_floor(int64_t n, int64_t weight, int64_t all, bool *more)
{
    int128 product = (int128)n * weight;
    *more = product % all != 0;
    return (int64_t)(product / all);
}

/* The A_CEILING share of a process. The processes before it have shares of `before` in
 * sum, rounded down and at most n, and `rounded` of them get one more. */
static inline int64_t balance_ceiling(int64_t n, int64_t before, int64_t rounded,
                                      int64_t floor, bool more)
{
    int128 begin = (int128)before + rounded, end = begin + floor + more;
    return (int64_t)((end < n ? end : n) - (begin < n ? begin : n));
}

/* The holding of a process that has `count` elements and must end with `share`. */
static inline struct holding balance_holding(redist_balance_method method, int64_t count,
                                             int64_t share)
{
    int64_t keep = method == REDIST_BALANCE_B ? int_min(count, share) : 0;
    return (struct holding){keep, count - keep, share - keep};
}

/* Check a method. ARG. */
redist_err balance_check_method(redist_balance_method method);

/* Create the dists before and after. Kept elements are numbered first, process by
 * process, then the stream. As many elements are given as taken. The caller owns both; on
 * an error both are NULL.
 * O(nprocs). ARG: more than 2^63 - 1 elements; MEMORY. */
redist_err balance_dists(int nprocs, const struct holding holdings[],
                         redist_dist **source, redist_dist **target);

#endif
