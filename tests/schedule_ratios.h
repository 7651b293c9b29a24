/* SPDX-License-Identifier: MIT
 *
 * tests/schedule_ratios.h - how far schedules are from their lower bounds, over many
 * problems.
 */
#ifndef REDIST_TESTS_SCHEDULE_RATIOS_H
#define REDIST_TESTS_SCHEDULE_RATIOS_H

#include <math.h>

#include "base/intmath.h"
#include "schedule_problem.h"
#include "unit/unit.h"

/* A ratio to a lower bound. */
struct ratio {
    double sum, worst;
};

/* Those of a schedule. */
struct ratios {
    struct ratio ns; /* NS over Delta */
    struct ratio tc; /* TC over W */
};

static inline void ratio_add(struct ratio *ratio, int64_t value, int64_t bound)
{
    double x = (double)value / (double)bound;
    ratio->sum += x;
    ratio->worst = fmax(ratio->worst, x);
}

/* Of two kinds, over the problems (P,r)->(Q,s) of P, Q <= 16 and coprime r, s <= 12 that
 * `counts` says yes to; returns how many these are. */
static inline int ratios_of(const struct schedule_kind *const kind[2],
                            bool (*counts)(int P, int r, int Q, int s),
                            struct ratios ratios[2])
{
    int n = 0;
    ratios[0] = ratios[1] = (struct ratios){{0, 0}, {0, 0}};
    for (int i = 0; i < 16 * 16 * 12 * 12; i++) {
        int P = i / 2304 + 1, Q = i / 144 % 16 + 1, r = i / 12 % 12 + 1, s = i % 12 + 1;
        if (int_gcd(r, s) > 1 || !counts(P, r, Q, s)) continue;
        struct problem problem;
        problem_make(&problem, P, r, Q, s);
        for (int k = 0; k < 2; k++) {
            struct cost cost;
            assert_true(problem_count(&problem, kind[k], &cost));
            ratio_add(&ratios[k].ns, cost.ns, cost.delta);
            ratio_add(&ratios[k].tc, cost.tc, cost.w);
        }
        problem_free(&problem);
        n++;
    }
    return n;
}

/* All 23,205 but those of one process alone. */
static inline bool several_processes(int P, int r, int Q, int s)
{
    (void)r, (void)s;
    return P > 1 || Q > 1;
}

static inline void assert_ratio(const struct ratio *ratio, int n, double mean,
                                double worst)
{
    if (fabs(ratio->sum / n - mean) > 0.0005 || fabs(ratio->worst - worst) > 1e-9)
        fail_msg("mean %.4f worst %.4f, must be %.3f and %g", ratio->sum / n,
                 ratio->worst, mean, worst);
}

#endif
