/* SPDX-License-Identifier: MIT
 *
 * schedule/lists/core_list.h - a list schedule (list.h) of the core of cyclic(r) onto P
 * -> cyclic(s) onto Q (classes.h). It holds for all copies of the core.
 *
 * The core has u a sources, t b targets and n a b messages, for any number of processes,
 * so each process can compute all start times by itself.
 */
#ifndef REDIST_SCHEDULE_LISTS_CORE_LIST_H
#define REDIST_SCHEDULE_LISTS_CORE_LIST_H

#include "schedule/problem/classes.h"

/* Tell whether the core is small enough. O(1). */
bool core_list_fits(const struct classes *k);

/* Find the start time of each message: start[(z a + A) b + B] of class first + z between
 * the copies A and B. The caller frees with mem_free. Cost of list_schedule for the n a b
 * messages of the core. MEMORY. */
redist_err core_list_make(const struct classes *k, int64_t **start);

#endif
