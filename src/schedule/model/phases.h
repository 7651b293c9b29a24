/* SPDX-License-Identifier: MIT
 *
 * schedule/model/phases.h - a redistribution in several phases, each of which changes
 * some dimensions and keeps the others (Walker and Otto 1996, section 4; Guo, Yamashita
 * and Nakata, section 4.3.1).
 *
 *   source   (cyclic(2), block    ) onto 4x4       each process sends 3 messages, then 3,
 *   between  (block,     block    ) onto 4x4       in place of 15
 *   target   (block,     cyclic(5)) onto 4x4
 *
 * The array between two phases is the section alone, dense. Its grid has the target's
 * shape along the dimensions already changed, and the source's along the others.
 */
#ifndef REDIST_SCHEDULE_MODEL_PHASES_H
#define REDIST_SCHEDULE_MODEL_PHASES_H

#include "schedule/model/model.h"

struct phases {
    int n; /* >= 1 */
    /* [n - 1] the array between phases k and k + 1; dimension j is the j-th of the
     * section. */
    redist_view between[REDIST_MAX_DIMS];
    int64_t elements; /* most elements of them that a process holds at a time */
    int64_t least;    /* the least room for more than one phase; 0: one is best for any
                         room */
};

/* Find the phases with the fewest messages a process, and of equal ones those that move
 * least, with room for `room` elements a process, >= 0, between them. Ranks are those of
 * the views if there are enough, else 0, 1, ..; nranks is above them all. If more
 * processes would be needed, or phases save no message, there is only one phase. The same
 * on every process. The caller frees with phases_free, after a failure too; the views are
 * not needed afterwards.
 * O(runs of one period of each process along each dimension); extent of a section that
 * does not begin with a block. MEMORY. */
redist_err phases_make(const redist_view *source, const redist_view *target, int nranks,
                       int64_t room, struct phases *phases);

/* Find the two phases of Walker and Otto 1996, section 4, for blocks neither of which
 * divides the other: blocks r grow to lcm(r, s), which shrink to s. All data move twice.
 * If one block divides the other along each dimension there is one phase. The same on
 * every process; as phases_make otherwise. O(processes along a dimension). ARG: a
 * dimension is not block-cyclic, or on another number of processes; MEMORY. */
redist_err phases_through_lcm(const redist_view *source, const redist_view *target,
                              struct phases *phases);
void phases_free(struct phases *phases);

#endif
