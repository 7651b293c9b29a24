/* SPDX-License-Identifier: MIT
 *
 * schedule/original/timeline.h - tells where the barrier-free schedule `timeline` has its
 * closed form.
 */
#ifndef REDIST_SCHEDULE_ORIGINAL_TIMELINE_H
#define REDIST_SCHEDULE_ORIGINAL_TIMELINE_H

#include "schedule/problem/classes.h"

/* Tell whether start times follow in closed form, with makespan W. For P >= Q (else swap
 * the sides): if r is prime to Q / gcd(P, Q), so always if Q divides P, or s is prime to
 * P; and no process has more than a million runs. Otherwise `timeline` is the list
 * schedule `dense`.
 * O(log). */
bool timeline_applies(const struct classes *classes);

#endif
