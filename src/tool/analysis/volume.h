/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/volume.h - how much a redistribution moves, and how evenly. The
 * communication grid, the table of what each source sends to each target, is summed by
 * rows and columns without being stored.
 */
#ifndef REDIST_TOOL_ANALYSIS_VOLUME_H
#define REDIST_TOOL_ANALYSIS_VOLUME_H

#include "describe/view.h"
#include "move/message/load.h"

/* Minimum and maximum over the processes of one side. */
struct range {
    int64_t least, most;
};

/* One side: its rows, or columns, of the grid. */
struct side_volume {
    int64_t processes;
    int64_t looked;        /* those whose runs were all examined: they determine the
                              load */
    struct range messages; /* of one process with others */
    struct range elements; /* in them */
    struct range degree;   /* of one process, counting what it keeps as a message */
    struct range load;     /* elements of one process, with those that it keeps */
};

struct volume {
    struct side_volume source, target;
    int64_t elements;    /* of the section */
    int64_t pairs;       /* pairs of processes with common elements, also of a process
                            with itself */
    int64_t messages;    /* pairs of two different processes */
    int64_t moved, kept; /* elements; together, those of all replicas of the target */
    struct load load;
};

/* Find the volume of a redistribution of elements of `element` bytes, on nodes of `node`
 * consecutive ranks. All but the load is exact. With very many runs and no replicas, the
 * load is that of a regular sample of processes: all are alike except after the last
 * period.
 * O((P + Q) own runs of one period), P + Q times own degree; many runs: O((P + Q) (own
 * partners + runs of a pair)). ARG: the views don't pair up. MEMORY. */
redist_err volume_find(const redist_view *source, const redist_view *target,
                       int64_t element, int node, struct volume *volume);

/* Return the elements of the section after which the pattern of dimension `j` repeats:
 * the lcm of both sides' periods; 0 if it does not within the section. */
int64_t volume_period(const redist_view *source, const redist_view *target, int j);

/* Return the most elements of one process on either side (W), and the most messages
 * (Delta). */
int64_t volume_load(const struct volume *volume);
int64_t volume_degree(const struct volume *volume);

#endif
