/* SPDX-License-Identifier: MIT
 *
 * move/runs/pack_periodic.h - pack the short runs of a message, by the table of a period
 * (period_copy.h).
 *
 *   array     aaaa....bb....aaaa....bb....     rows of some periods
 *   message   aaaabbaaaabb..
 *
 * A kernel loop over runs of one size traverses the array once for each run of a period.
 * Here the array is read once, and the message is written line by line. Runs of a line or
 * more are copied one by one and prefetched some runs ahead.
 */
#ifndef REDIST_MOVE_RUNS_PACK_PERIODIC_H
#define REDIST_MOVE_RUNS_PACK_PERIODIC_H

#include "move/runs/axis.h"
#include "move/runs/period_copy.h"

struct pack_periodic {
    struct cycle cycle;
    int64_t dense, scale;    /* bytes of an element, and of a local index */
    int64_t overread;        /* periods at the end of a row that reading beyond a run may
                                touch */
    bool past;               /* write the message past the cache */
    bool lines;              /* runs have at least a line: each is copied by itself */
    struct period_copy copy; /* of one partner */
};

/* Tell whether this way is possible (avx2_gather.h) and faster for so many bytes of rows
 * along `axis`, whose elements have `inner` contiguous bytes. O(runs of a period). */
bool pack_periodic_pays(const struct axis *axis, int64_t inner, int64_t bytes);

/* Begin with rows along an axis for which it pays. `past`: the message is written past
 * the cache. O(runs of a period). */
void pack_periodic_begin(const struct axis *axis, bool past, struct pack_periodic *pack);

/* Pack elements at .. at + n - 1 of a row to `to`; local index 0 of the row is at `from`.
 * Stops at the last whole period, and before the row's last ones. Returns how many
 * elements were packed: 0 if `at` is within a period. O(runs). */
int64_t pack_periodic_append(struct pack_periodic *pack, const char *from, char *to,
                             int64_t at, int64_t n);

#endif
