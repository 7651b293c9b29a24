/* SPDX-License-Identifier: MIT
 *
 * move/collective/datatype.h - messages as MPI datatypes, for exchanges that do not pack.
 * The loops of a walk become vectors of vectors, in the same order. Their size does not
 * depend on the extents: a type has a few parts an axis, and an indexed list where runs
 * are irregular.
 *
 *   a walk's axis   aaa bb . aaa bb . aaa bb .     a type   vector of 3 x { 3 a, 2 b }
 */
#ifndef REDIST_MOVE_COLLECTIVE_DATATYPE_H
#define REDIST_MOVE_COLLECTIVE_DATATYPE_H

#include <mpi.h>

#include "move/walk/walk.h"

struct datatype {
    MPI_Datatype type; /* committed; offsets are from the buffer's start */
    int64_t parts;     /* datatypes that MPI keeps for it; 0: none */
};

/* Make the datatype of the elements of a walk on side `s`, which is in memory.
 * O(runs of one period). ARG: there are too many datatypes for this MPI. MEMORY, MPI. */
redist_err datatype_make(const struct walk *walk, redist_side s,
                         struct datatype *datatype);
void datatype_free(struct datatype *datatype);

/* Check that MPI packs (side REDIST_SOURCE) or unpacks as the walk does: a short sample
 * of the inner axes, and the total size.
 * O(sample). MPI: it does not; MEMORY. */
redist_err datatype_check(const struct datatype *datatype, const struct walk *walk,
                          redist_side s, MPI_Comm comm);

#endif
