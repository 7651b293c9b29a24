/* SPDX-License-Identifier: MIT
 *
 * Shares and the distributions that lead to them, against lists of elements that are
 * dealt out one by one.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include <redist/propose.h>

#include "base/intmath.h"
#include "intersect/overlap.h"
#include "oracle.h"
#include "unit/starve.h"

enum { MOST_PROCS = 8, MOST_COUNT = 12, CASES = 500 };

/* A random one, or one that is given; weights[0] < 0: none. */
struct problem {
    int nprocs;
    int64_t n, counts[MOST_PROCS], weights[MOST_PROCS];
};

static const int64_t *weights_of(const struct problem *problem)
{
    return problem->weights[0] < 0 ? NULL : problem->weights;
}

static struct problem random_problem(uint64_t *seed)
{
    struct problem problem = {.nprocs = (int)random_in(seed, 1, MOST_PROCS)};
    bool weighted = random_in(seed, 0, 1), sparse = random_in(seed, 0, 1);
    int64_t sum = 0;
    for (int k = 0; k < problem.nprocs; k++) {
        bool empty = sparse && random_in(seed, 0, 2) > 0;
        problem.counts[k] = empty ? 0 : random_in(seed, 0, MOST_COUNT);
        problem.n += problem.counts[k];
        problem.weights[k] = random_in(seed, 0, 5);
        sum += problem.weights[k];
    }
    if (!weighted || sum == 0) problem.weights[0] = -1;
    return problem;
}

/* ---- shares ------------------------------------------------------------------------ */

/* What is left over, if all shares are rounded down, by which processes may have one
 * more. */
static int64_t round_down(const struct problem *problem, int64_t least[], bool may[])
{
    int64_t all = 0, left = problem->n;
    const int64_t *weights = weights_of(problem);
    for (int k = 0; k < problem->nprocs; k++) all += weights ? weights[k] : 1;
    for (int k = 0; k < problem->nprocs; k++) {
        int64_t product = problem->n * (weights ? weights[k] : 1);
        least[k] = product / all;
        may[k] = product % all != 0;
        left -= least[k];
    }
    return left;
}

static int64_t surplus(const struct problem *problem, const int64_t shares[])
{
    int64_t sum = 0;
    for (int k = 0; k < problem->nprocs; k++)
        sum += int_max(problem->counts[k] - shares[k], 0);
    return sum;
}

/* The least surplus of all ways to round. */
static int64_t least_surplus(const struct problem *problem)
{
    int64_t least[MOST_PROCS], shares[MOST_PROCS], found = INT64_MAX;
    bool may[MOST_PROCS];
    int64_t left = round_down(problem, least, may);
    for (unsigned chosen = 0; chosen < 1u << problem->nprocs; chosen++) {
        int64_t given = 0;
        bool allowed = true;
        for (int k = 0; k < problem->nprocs; k++) {
            bool more = chosen >> k & 1u;
            allowed = allowed && (may[k] || !more);
            shares[k] = least[k] + more;
            given += more;
        }
        if (allowed && given == left) found = int_min(found, surplus(problem, shares));
    }
    return found;
}

static void shares_are_exact_ones_rounded(void **state)
{
    uint64_t seed = 20260801;
    for (int k = 0; k < CASES; k++) {
        struct problem problem = random_problem(&seed);
        int64_t least[MOST_PROCS];
        bool may[MOST_PROCS];
        (void)round_down(&problem, least, may);
        for (int method = REDIST_BALANCE_A; method <= REDIST_BALANCE_B; method++) {
            int64_t shares[MOST_PROCS], sum = 0;
            ok(redist_balance_shares((redist_balance_method)method, problem.nprocs,
                                     problem.counts, weights_of(&problem), shares));
            for (int p = 0; p < problem.nprocs; p++) {
                assert_in_range(shares[p], least[p], least[p] + may[p]);
                sum += shares[p];
            }
            assert_int_equal(sum, problem.n);
            if (method == REDIST_BALANCE_B)
                assert_int_equal(surplus(&problem, shares), least_surplus(&problem));
        }
    }
}

static void check_shares(redist_balance_method method, int nprocs, const int64_t counts[],
                         const int64_t weights[], const int64_t expected[])
{
    int64_t shares[MOST_PROCS];
    ok(redist_balance_shares(method, nprocs, counts, weights, shares));
    for (int k = 0; k < nprocs; k++) assert_int_equal(shares[k], expected[k]);
}

/* Bader's Figure 2 has p = 8 and n = 63. */
static void shares_of_the_figure_are_eight_and_the_last_seven(void **state)
{
    const int64_t counts[] = {14, 3, 0, 21, 9, 2, 6, 8};
    const int64_t expected[] = {8, 8, 8, 8, 8, 8, 8, 7};
    check_shares(REDIST_BALANCE_A, 8, counts, NULL, expected);
}

/* Method A as Bader prints it: process i has the elements q i .. q (i + 1) - 1 of n,
 * where q = ceil(n/p); with weights q is ceil(n w/W), here rounded up one by one. */
static void ceilings_leave_the_last_ones_fewer(void **state)
{
    for (int p = 1; p <= 12; p++)
        for (int64_t n = 0; n <= 40; n++) {
            int64_t counts[12] = {0}, shares[12], q = (n + p - 1) / p;
            counts[n % p] = n;
            ok(redist_balance_shares(REDIST_BALANCE_A_CEILING, p, counts, NULL, shares));
            for (int i = 0; i < p; i++) {
                int64_t begin = q * i < n ? q * i : n, end = q * (i + 1);
                assert_int_equal(shares[i], (end < n ? end : n) - begin);
            }
        }
    const int64_t nine[8] = {9}, large[3] = {0, INT64_MAX, 0}, weights[4] = {1, 0, 2, 2};
    check_shares(REDIST_BALANCE_A_CEILING, 8, nine, NULL,
                 (const int64_t[]){2, 2, 2, 2, 1, 0, 0, 0});
    check_shares(REDIST_BALANCE_A, 8, nine, NULL,
                 (const int64_t[]){2, 1, 1, 1, 1, 1, 1, 1});
    check_shares(REDIST_BALANCE_A_CEILING, 4, nine, weights,
                 (const int64_t[]){2, 0, 4, 3});
    check_shares(
        REDIST_BALANCE_A_CEILING, 3, large, NULL,
        (const int64_t[]){INT64_MAX / 3 + 1, INT64_MAX / 3 + 1, INT64_MAX / 3 - 1});
}

static void extreme_counts_are_shared_too(void **state)
{
    const int64_t none[4] = {0}, two[4] = {0, 0, 2, 0}, all[4] = {0, 0, 0, 40};
    const int64_t third[4] = {INT64_MAX, 0, 0, 0}, slow[4] = {0, 1, 1, 2};
    const int64_t large[3] = {INT64_MAX / 3, INT64_MAX / 3, INT64_MAX / 3};
    for (int m = REDIST_BALANCE_A; m <= REDIST_BALANCE_B; m++) {
        redist_balance_method method = (redist_balance_method)m;
        check_shares(method, 4, none, NULL, none);
        check_shares(method, 4, all, NULL, (const int64_t[]){10, 10, 10, 10});
        check_shares(method, 4, all, slow, (const int64_t[]){0, 10, 10, 20});
        check_shares(method, 1, all + 3, NULL, all + 3);
        check_shares(method, 3, third, large,
                     (const int64_t[]){large[0] + (INT64_MAX % 3 > 0), large[1],
                                       large[2] + (INT64_MAX % 3 > 1)});
    }
    check_shares(REDIST_BALANCE_A, 4, two, NULL, (const int64_t[]){1, 0, 1, 0});
    check_shares(REDIST_BALANCE_B, 4, two, NULL, (const int64_t[]){1, 0, 1, 0});
}

/* ---- dists ------------------------------------------------------------------------- */

/* An element by where it lies at first. */
struct element {
    int rank;
    int64_t local;
};

/* What each process has in the end, element by element. */
struct deal {
    int64_t n[MOST_PROCS];
    struct element element[MOST_PROCS][MOST_PROCS * MOST_COUNT];
};

static void deal_in_order(const struct problem *problem, const int64_t shares[],
                          struct deal *deal)
{
    int to = 0;
    for (int p = 0; p < problem->nprocs; p++)
        for (int64_t l = 0; l < problem->counts[p]; l++) {
            while (deal->n[to] == shares[to]) to++;
            deal->element[to][deal->n[to]++] = (struct element){p, l};
        }
}

static void deal_surplus(const struct problem *problem, const int64_t shares[],
                         struct deal *deal)
{
    for (int p = 0; p < problem->nprocs; p++)
        for (int64_t l = 0; l < int_min(problem->counts[p], shares[p]); l++)
            deal->element[p][deal->n[p]++] = (struct element){p, l};
    int to = 0;
    for (int p = 0; p < problem->nprocs; p++)
        for (int64_t l = shares[p]; l < problem->counts[p]; l++) {
            while (deal->n[to] == shares[to]) to++;
            deal->element[to][deal->n[to]++] = (struct element){p, l};
        }
}

static void check_dists(const struct problem *problem, redist_dist *const dist[2],
                        const struct deal *deal)
{
    for (int p = 0; p < problem->nprocs; p++) {
        int64_t before = 0, after = 0;
        ok(redist_dist_local_extents(dist[0], p, &before));
        ok(redist_dist_local_extents(dist[1], p, &after));
        assert_int_equal(before, problem->counts[p]);
        assert_int_equal(after, deal->n[p]);
        for (int64_t l = 0; l < after; l++) {
            int64_t index = 0, local = 0;
            int rank = -1;
            ok(redist_dist_index(dist[1], p, &l, &index));
            ok(redist_dist_owner(dist[0], &index, &rank, &local));
            assert_int_equal(rank, deal->element[p][l].rank);
            assert_int_equal(local, deal->element[p][l].local);
        }
    }
}

/* The elements that change their process, by the messages of all. */
static int64_t moved(redist_dist *const dist[2], int nprocs)
{
    redist_view view[2];
    int64_t sum = 0;
    for (int s = 0; s < 2; s++) ok(redist_view_init(dist[s], &view[s]));
    for (int p = 0; p < nprocs; p++) {
        struct overlap overlap;
        ok(overlap_make(NULL, &view[0], &view[1], REDIST_SOURCE, p, &overlap));
        for (int64_t k = 0; k < overlap.nmessages; k++)
            if (overlap.message[k].rank != p) sum += overlap.message[k].elements;
        overlap_free(&overlap);
    }
    return sum;
}

static void elements_come_to_lie_as_the_method_says(void **state)
{
    static struct deal deal;
    uint64_t seed = 20260802;
    for (int k = 0; k < 2 * CASES; k++) {
        struct problem problem = random_problem(&seed);
        redist_balance_method method = k % 2 ? REDIST_BALANCE_A : REDIST_BALANCE_B;
        redist_dist *dist[2], *parsed;
        int64_t shares[MOST_PROCS];
        char text[512];
        ok(redist_balance_shares(method, problem.nprocs, problem.counts,
                                 weights_of(&problem), shares));
        ok(redist_balance_dists(method, problem.nprocs, problem.counts, shares, &dist[0],
                                &dist[1]));
        memset(&deal, 0, sizeof deal);
        if (method == REDIST_BALANCE_A)
            deal_in_order(&problem, shares, &deal);
        else
            deal_surplus(&problem, shares, &deal);
        check_dists(&problem, dist, &deal);
        if (method == REDIST_BALANCE_B)
            assert_int_equal(moved(dist, problem.nprocs), surplus(&problem, shares));
        for (int s = 0; s < 2; s++) {
            ok(redist_dist_print(dist[s], text, sizeof text, NULL));
            ok(redist_dist_parse(text, &parsed));
            assert_true(redist_dist_equal(dist[s], parsed));
            redist_dist_destroy(&parsed);
            redist_dist_destroy(&dist[s]);
        }
    }
}

/* ---- what is wrong ----------------------------------------------------------------- */

static void refuses(redist_err err, const char *sentence)
{
    assert_int_equal(err, REDIST_ERR_ARG);
    assert_string_equal(redist_error_message(), sentence);
}

static void arguments_that_cannot_be_are_named(void **state)
{
    const int64_t counts[] = {3, -1}, good[] = {3, 1}, zero[2] = {0};
    const int64_t large[] = {INT64_MAX, 1};
    int64_t shares[2];
    redist_dist *a, *b;
    refuses(redist_balance_shares((redist_balance_method)3, 2, good, NULL, shares),
            "method is 3, must be REDIST_BALANCE_A, _B or _A_CEILING");
    refuses(redist_balance_shares(REDIST_BALANCE_A, 0, good, NULL, shares),
            "nprocs is 0, must be >= 1");
    refuses(redist_balance_shares(REDIST_BALANCE_A, 2, counts, NULL, shares),
            "counts[1] is -1, must be >= 0");
    refuses(redist_balance_shares(REDIST_BALANCE_A, 2, NULL, NULL, shares),
            "counts is NULL");
    refuses(redist_balance_shares(REDIST_BALANCE_A, 2, large, NULL, shares),
            "counts sum to more than 2^63 - 1");
    refuses(redist_balance_shares(REDIST_BALANCE_B, 2, good, counts, shares),
            "weights[1] is -1, must be >= 0");
    refuses(redist_balance_shares(REDIST_BALANCE_B, 2, good, zero, shares),
            "weights sum to 0, must be > 0");
    refuses(redist_balance_shares(REDIST_BALANCE_B, 2, good, NULL, NULL),
            "shares is NULL");
    refuses(redist_balance_dists(REDIST_BALANCE_B, 2, good, zero, &a, &b),
            "shares sum to 0, must be as counts do: 4");
    refuses(redist_balance_dists(REDIST_BALANCE_B, 2, good, good, NULL, &b),
            "source is NULL");
    refuses(redist_balance_dists(REDIST_BALANCE_B, 2, good, good, &a, NULL),
            "target is NULL");
}

static redist_err balance(const void *given)
{
    static const int64_t counts[] = {3, 9, 0}, shares[] = {4, 4, 4};
    const redist_balance_method *method = given;
    redist_dist *dist[2];
    redist_err err = redist_balance_dists(*method, 3, counts, shares, &dist[0], &dist[1]);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
    return err;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    static const redist_balance_method methods[] = {REDIST_BALANCE_A, REDIST_BALANCE_B};
    for (int k = 0; k < 2; k++)
        assert_true(each_allocation_fails_once(balance, &methods[k]) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_exact_ones_rounded),
        cmocka_unit_test(shares_of_the_figure_are_eight_and_the_last_seven),
        cmocka_unit_test(ceilings_leave_the_last_ones_fewer),
        cmocka_unit_test(extreme_counts_are_shared_too),
        cmocka_unit_test(elements_come_to_lie_as_the_method_says),
        cmocka_unit_test(arguments_that_cannot_be_are_named),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
