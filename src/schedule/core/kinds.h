/* SPDX-License-Identifier: MIT
 *
 * schedule/core/kinds.h - declares all schedules. Each is defined in the file of its
 * name.
 */
#ifndef REDIST_SCHEDULE_CORE_KINDS_H
#define REDIST_SCHEDULE_CORE_KINDS_H

#include "schedule/core/schedule.h"

extern const struct schedule_kind schedule_naive, schedule_shifted, schedule_random,
    schedule_caterpillar, schedule_caterpillar_full, schedule_walker_otto,
    schedule_walker_otto_b, schedule_stepwise, schedule_greedy, schedule_guo_pan_1,
    schedule_guo_pan_2, schedule_guo_pan_2_diagonal, schedule_contention_free,
    schedule_optimal, schedule_timeline, schedule_product, schedule_combination,
    schedule_product_timeline, schedule_staircase, schedule_staircase_steps,
    schedule_preemptive, schedule_dense, schedule_links;

/* Tell whether start times of `timeline` follow in closed form, with makespan W. For P >=
 * Q (else swap the sides): if r is prime to Q / gcd(P, Q), so always if Q divides P, or s
 * is prime to P; and no process has more than 2^20 runs, or 2^16 if there are at most
 * 4,096 messages. Otherwise it is a list schedule.
 * O(log). */
bool timeline_applies(const struct classes *classes);

#endif
