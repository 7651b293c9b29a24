/* SPDX-License-Identifier: MIT
 *
 * schedule/core/readout.h - a made schedule read out: the own lists of many processes as
 * one list of messages.
 */
#ifndef REDIST_SCHEDULE_CORE_READOUT_H
#define REDIST_SCHEDULE_CORE_READOUT_H

#include "schedule/core/schedule.h"

/* A message, or a piece of one, as one of its two ends lists it. */
struct piece {
    int p, q; /* as the grid counts, or ranks */
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

/* Which of two comes first by source, target and step: < 0, 0 or > 0. */
int readout_compare(const struct piece *x, const struct piece *y);

/* Leave out what is known to stay on its process. */
void readout_thin(const struct schedule_input *input, struct readout *out);

/* Put the pieces of each message together, at the start of the first, or only those of
 * the same step; sorted by step. */
void readout_join(struct readout *out);
void readout_unite(struct readout *out);

/* Say which ranks the ends are, which are known. */
void readout_place(const struct schedule_input *input, struct readout *out);

void readout_free(struct readout *out);

#endif
