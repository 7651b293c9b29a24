/* SPDX-License-Identifier: MIT
 *
 * schedule/model/phases.h - one redistribution as several in a row, each of which changes
 * some dimensions and leaves the others as they are (Walker and Otto 1996, section 4;
 * Guo, Yamashita and Nakata, section 4.3.1).
 *
 *   source   (cyclic(2), block    ) onto 4x4       each process sends 3 messages, then 3,
 *   between  (block,     block    ) onto 4x4       in place of 15
 *   target   (block,     cyclic(5)) onto 4x4
 *
 * What lies between two phases is the section alone, dense, over a grid that has the
 * target's shape along the dimensions that have been changed, and the source's along the
 * others.
 */
#ifndef REDIST_SCHEDULE_MODEL_PHASES_H
#define REDIST_SCHEDULE_MODEL_PHASES_H

#include "schedule/model/model.h"

struct phases {
    int n; /* >= 1 */
    /* [n - 1] what phase k leads to and phase k + 1 starts from; dimension j is the j-th
     * of the section. */
    redist_view between[REDIST_MAX_DIMS];
    int64_t elements; /* that the fullest process has to hold of them at a time */
    int64_t least;    /* the least room with which there is more than one phase; 0: one is
                         best whatever the room */
};

/* Find the phases in which processes have the fewest messages, and of equal ones those
 * that move least, with room for `room` elements a process, >= 0, between them. The ranks
 * are those of the views where these have enough, else 0, 1, ..; nranks is above them
 * all. Where more processes would be needed, or phases save no message, there is only
 * one.
 * The same on every process. The caller frees with phases_free, after a failure too; the
 * views are not needed afterwards.
 * O(runs of one period of each process along each dimension); extent of a section that
 * does not begin with a block. MEMORY. */
redist_err phases_make(const redist_view *source, const redist_view *target, int nranks,
                       int64_t room, struct phases *phases);

/* Find the two phases of Walker and Otto 1996, section 4, for blocks of which neither
 * divides the other: all blocks r grow to lcm(r, s), which shrink to s. All data moves
 * twice. Where along each dimension one block divides the other there is one phase.
 * The same on every process; as phases_make otherwise. O(processes along a dimension).
 * ARG: a dimension is not block-cyclic, or on another number of processes; MEMORY. */
redist_err phases_through_lcm(const redist_view *source, const redist_view *target,
                              struct phases *phases);
void phases_free(struct phases *phases);

#endif
