/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/volume.h - how much a redistribution moves, and how evenly: the
 * communication grid, the table of what each source sends to each target, summed row by
 * row and column by column without ever being stored.
 */
#ifndef REDIST_TOOL_ANALYSIS_VOLUME_H
#define REDIST_TOOL_ANALYSIS_VOLUME_H

#include "describe/view.h"
#include "move/message/load.h"

/* The least and the most of what the processes of one side have. */
struct range {
    int64_t least, most;
};

/* One side: its rows, or columns, of the grid. */
struct side_volume {
    int64_t processes;
    int64_t looked;        /* of them, at all of whose runs: what makes up the load */
    struct range messages; /* of one process with others */
    struct range elements; /* in them */
    struct range degree;   /* of one process, what it keeps counted as a message */
    struct range load;     /* elements of one process, those that it keeps counted */
};

struct volume {
    struct side_volume source, target;
    int64_t elements;    /* of the section */
    int64_t pairs;       /* processes that share elements, with themselves too */
    int64_t messages;    /* pairs of two different processes */
    int64_t moved, kept; /* elements; together, those of all replicas of the target */
    struct load load;
};

/* Find the volume of a redistribution of elements of `element` bytes by processes of
 * which each `node`, of consecutive ranks, share memory.
 * All but the load is exact. That is what every so-many-th process has, if there are
 * very many runs and no replicas: all are alike but for what is behind the last period.
 * O((P + Q) own runs of one period), P + Q times own degree; many runs: O((P + Q) (own
 * partners + runs of a pair)). ARG: the views don't pair
 * up. MEMORY. */
redist_err volume_find(const redist_view *source, const redist_view *target,
                       int64_t element, int node, struct volume *volume);

/* After how many elements of the section the pattern of dimension `j` repeats: the lcm of
 * both sides' periods; 0 if it doesn't within the section. */
int64_t volume_period(const redist_view *source, const redist_view *target, int j);

/* The most elements of one process on either side (W), and the most messages (Delta). */
int64_t volume_load(const struct volume *volume);
int64_t volume_degree(const struct volume *volume);

#endif
