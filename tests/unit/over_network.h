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

static inline void problem_parse(const char *source, const char *target,
                                 struct problem *problem)
{
    const char *const text[SIDES] = {source, target};
    for (int s = 0; s < SIDES; s++)
        ok(redist_view_parse(text[s], &problem->dist[s], &problem->view[s]));
    problem->query.source = &problem->view[REDIST_SOURCE];
    problem->query.target = &problem->view[REDIST_TARGET];
}

/* One among so many over a network, with rates that are stated. */
static inline void problem_among(int nranks, const char *stated, const char *network,
                                 const char *source, const char *target,
                                 struct rates *rates, struct problem *problem)
{
    ok(rates_read(stated, nranks, rates));
    *problem = (struct problem){.topology = NULL};
    ok(redist_topology_parse(network, nranks, &problem->topology));
    problem->query = (struct query){.element = 8,
                                    .most = CAP,
                                    .rates = rates,
                                    .topology = problem->topology,
                                    .nranks = nranks};
    problem_parse(source, target, problem);
}

/* Among 16, links serving one message at a time. */
static inline void problem_over(const char *network, const char *source,
                                const char *target, struct rates *rates,
                                struct problem *problem)
{
    problem_among(16, "8e-7,8e-11,0,1e-6,0", network, source, target, rates, problem);
}

/* From cyclic(3) onto 16 to cyclic(5) onto 16. */
static inline void problem_make(int64_t elements, const char *network,
                                const struct rates *rates, struct problem *problem)
{
    char text[SIDES][64];
    for (int s = 0; s < SIDES; s++)
        (void)snprintf(text[s], sizeof text[s], "[%lld] (cyclic(%d)) onto 16",
                       (long long)elements, s ? 5 : 3);
    *problem = (struct problem){.topology = NULL};
    if (network) ok(redist_topology_parse(network, 16, &problem->topology));
    problem->query = (struct query){.element = 8,
                                    .most = CAP,
                                    .rates = rates,
                                    .topology = problem->topology,
                                    .nranks = 16};
    problem_parse(text[REDIST_SOURCE], text[REDIST_TARGET], problem);
}

static inline void problem_free(struct problem *problem)
{
    redist_topology_destroy(&problem->topology);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&problem->dist[s]);
}

static inline struct choice choice_along(const struct schedule_kind *given,
                                         int64_t elements, const char *network,
                                         const struct rates *rates)
{
    struct problem problem;
    struct choice choice;
    problem_make(elements, network, rates, &problem);
    problem.query.schedule = given;
    ok(choose_method(&problem.query, NULL, REDIST_OK, &choice));
    problem_free(&problem);
    return choice;
}

static inline struct choice choice_of(int64_t elements, const char *network,
                                      const struct rates *rates)
{
    return choice_along(NULL, elements, network, rates);
}

#endif
