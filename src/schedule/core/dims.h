/* SPDX-License-Identifier: MIT
 *
 * schedule/core/dims.h - several dimensions, each cyclic(r) onto P -> cyclic(s) onto Q,
 * over one period of each.
 *
 * The process at coordinates (c_1, c_2, ..) of a side has their row-major number; its
 * process grid may count in another order. A message is a message along each dimension:
 * its length is the product of theirs.
 */
#ifndef REDIST_SCHEDULE_CORE_DIMS_H
#define REDIST_SCHEDULE_CORE_DIMS_H

#include "schedule/core/schedule.h"

/* Tell whether all numbers below fit: elements into 64 bits, processes into an int.
 * O(ndims). */
bool dims_fit(int ndims, const struct classes dim[]);

int64_t dims_processes(int ndims, const struct classes dim[], redist_side side);
void dims_coords(int ndims, const struct classes dim[], redist_side side, int64_t c,
                 int64_t coords[]);

/* Messages of all processes; the degree of a side, of which the larger is Delta; units of
 * one period; W. O(ndims). */
int64_t dims_messages(int ndims, const struct classes dim[]);
int64_t dims_degree(int ndims, const struct classes dim[], redist_side side);
int64_t dims_length(int ndims, const struct classes dim[]);
int64_t dims_least(int ndims, const struct classes dim[]);

/* Append the own messages along one dimension. The step of each is its place, of
 * dims_places: the class, counted from 0, then the partner's copy. MEMORY. */
int64_t dims_places(const struct classes *k, redist_side side);
redist_err dims_own(const struct classes *k, redist_side side, int64_t c,
                    struct own_list *list);

/* A message of the core: its class, counted from 0, and the copies of its ends. */
struct core_message {
    int64_t z, A, B;
};

/* Return what process c's own message at a place is in the core. O(1). */
struct core_message dims_message(const struct classes *k, redist_side side, int64_t c,
                                 int64_t place);

/* Append the own messages of a process, given those along each dimension: one for each
 * combination. Its step combines the steps in mixed radix, the first dimension the most
 * significant; there are steps[j] along dimension j. MEMORY. */
redist_err dims_join(int ndims, const struct classes dim[], redist_side side,
                     const struct own_list along[], const int64_t steps[],
                     struct own_list *list);

#endif
