/* SPDX-License-Identifier: MIT
 *
 * tests/unit/over_network.h - redistributions over networks that are known, and how they
 * are chosen to go.
 */
#ifndef REDIST_TESTS_OVER_NETWORK_H
#define REDIST_TESTS_OVER_NETWORK_H

#include <stdio.h>

#include "unit/loads.h"
#include "unit/unit.h"

/* A redistribution of doubles, over a network or not. */
struct problem {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
    redist_topology *topology; /* NULL: not known */
    struct query query;
};

/* Among so many, over a network or, with NULL, one that is not known. */
static inline void problem_over(int nranks, const struct rates *rates,
                                const char *network, const char *source,
                                const char *target, struct problem *problem)
{
    const char *const text[SIDES] = {source, target};
    *problem = (struct problem){.topology = NULL};
    if (network) ok(redist_topology_parse(network, nranks, &problem->topology));
    for (int s = 0; s < SIDES; s++)
        ok(redist_view_parse(text[s], &problem->dist[s], &problem->view[s]));
    problem->query = (struct query){.source = &problem->view[REDIST_SOURCE],
                                    .target = &problem->view[REDIST_TARGET],
                                    .element = 8,
                                    .most = CAP,
                                    .rates = rates,
                                    .topology = problem->topology,
                                    .nranks = nranks};
}

/* From cyclic(3) onto 16 to cyclic(5) onto 16. */
static inline void problem_make(int64_t elements, const char *network,
                                const struct rates *rates, struct problem *problem)
{
    char text[SIDES][64];
    for (int s = 0; s < SIDES; s++)
        (void)snprintf(text[s], sizeof text[s], "[%lld] (cyclic(%d)) onto 16",
                       (long long)elements, s ? 5 : 3);
    problem_over(16, rates, network, text[REDIST_SOURCE], text[REDIST_TARGET], problem);
}

static inline void problem_free(struct problem *problem)
{
    redist_topology_destroy(&problem->topology);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem->dist[s]);
}

static inline struct choice chosen(const struct problem *problem)
{
    struct choice choice;
    ok(choose_method(&problem->query, NULL, REDIST_OK, &choice));
    return choice;
}

static inline struct choice choice_between(int nranks, const struct rates *rates,
                                           const char *network, const char *source,
                                           const char *target)
{
    struct problem problem;
    problem_over(nranks, rates, network, source, target, &problem);
    struct choice choice = chosen(&problem);
    problem_free(&problem);
    return choice;
}

static inline struct choice choice_along(const struct schedule_kind *given,
                                         int64_t elements, const char *network,
                                         const struct rates *rates)
{
    struct problem problem;
    problem_make(elements, network, rates, &problem);
    problem.query.schedule = given;
    struct choice choice = chosen(&problem);
    problem_free(&problem);
    return choice;
}

static inline struct choice choice_of(int64_t elements, const char *network,
                                      const struct rates *rates)
{
    return choice_along(NULL, elements, network, rates);
}

/* Rates as a user states them. */
static inline struct rates rates_stated(const char *text, int nranks)
{
    struct rates rates;
    ok(rates_read(text, nranks, &rates));
    return rates;
}

/* Links serve one message at a time. */
static inline struct rates rates_in_turn(int nranks)
{
    return rates_stated("8e-7,8e-11,0,1e-6,0", nranks);
}

#endif
