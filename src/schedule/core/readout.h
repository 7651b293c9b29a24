/* SPDX-License-Identifier: MIT
 *
 * schedule/core/readout.h - a made schedule as one list of messages, read from the own
 * lists of many processes.
 */
#ifndef REDIST_SCHEDULE_CORE_READOUT_H
#define REDIST_SCHEDULE_CORE_READOUT_H

#include "schedule/core/schedule.h"

/* A message, or a part of one, as one of its ends lists it. */
struct piece {
    int p, q; /* numbers in the grid, or ranks */
    int64_t weight, step;
};

struct readout {
    int64_t n, room;
    struct piece *piece; /* [n] */
};

/* Append a piece. MEMORY. */
redist_err readout_append(struct readout *out, struct piece piece);

/* Append the own list of process c of a side, or those of all its processes, each in its
 * order; the latter needs the grid. MEMORY. */
redist_err readout_own(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, redist_side side, int64_t c,
                       struct readout *out);
redist_err readout_side(const struct schedule_kind *kind, const void *state,
                        const struct schedule_input *input, redist_side side,
                        struct readout *out);

/* Sort by source, then target, then step; or by step first. */
void readout_sort_by_message(struct readout *out);
void readout_sort_by_step(struct readout *out);

/* Compare two pieces by source, target and step: < 0, 0 or > 0. */
int readout_compare(const struct piece *x, const struct piece *y);

/* Remove messages that are known to stay on their process. */
void readout_thin(const struct schedule_input *input, struct readout *out);

/* Merge the pieces of each message, at the start of the first, or only those of the same
 * step; sorted by step. */
void readout_join(struct readout *out);
void readout_unite(struct readout *out);

/* Replace the numbers of both ends by ranks, which must be known. */
void readout_place(const struct schedule_input *input, struct readout *out);

void readout_free(struct readout *out);

#endif
