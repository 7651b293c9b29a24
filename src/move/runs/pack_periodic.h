/* SPDX-License-Identifier: MIT
 *
 * move/runs/pack_periodic.h - the runs of a message, as far as they are short, packed:
 * packed in one behind the other by the table of a period (period_copy.h).
 *
 *   array     aaaa....bb....aaaa....bb....     rows of some periods
 *   message   aaaabbaaaabb..
 *
 * Loops over runs of one size, as the kernels have, go over the array once for each of
 * the runs of a period; here it is read once, and the message written line by line. Runs
 * of a line and more are copied one by one, and asked for some runs before.
 */
#ifndef REDIST_MOVE_RUNS_PACK_PERIODIC_H
#define REDIST_MOVE_RUNS_PACK_PERIODIC_H

#include "move/runs/axis.h"
#include "move/runs/period_copy.h"

struct pack_periodic {
    struct cycle cycle;
    int64_t dense, scale;    /* bytes of an element, and of a local index */
    int64_t overread;        /* periods that cover what is read behind a run */
    bool past;               /* the cache: so the message is written */
    bool lines;              /* runs have a line and more: each is copied by itself */
    struct period_copy copy; /* of one partner */
};

/* Whether it pays, and can be done here (avx2_gather.h), to reel in so many bytes of rows
 * along `axis`, whose elements have `inner` bytes side by side. O(runs of a period). */
bool pack_periodic_pays(const struct axis *axis, int64_t inner, int64_t bytes);

/* Begin with rows along an axis for which it pays; with `past` the message is written
 * past the cache. O(runs of a period). */
void pack_periodic_begin(const struct axis *axis, bool past, struct pack_periodic *pack);

/* Pack elements at .. at + n - 1 of a row, whose local index 0 is at `from`, to `to`, as
 * far as they are whole periods and not the row's last. Returns how many elements that
 * were: 0 where `at` is within a period. O(runs). */
int64_t pack_periodic_append(struct pack_periodic *pack, const char *from, char *to,
                             int64_t at, int64_t n);

#endif
