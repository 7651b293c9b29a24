/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/copied_box.h - memory that elements pass through between a run of a
 * plan and the matrices of a call.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_COPIED_BOX_H
#define REDIST_BIND_SCALAPACK_COPY_COPIED_BOX_H

#include "bind/scalapack/copy/planned.h"

/* Where a process has local elements: (0, 0) at `origin`, which may lie outside of what
 * is there. */
struct local_array {
    uintptr_t origin;
    int64_t lld;
    int bytes; /* of an element */
};

static inline char *element_at(const struct local_array *place, int64_t row,
                               int64_t column)
{
    int64_t offset = (row + column * place->lld) * place->bytes;
    return (char *)(place->origin + (uintptr_t)offset);
}

struct copied_box {
    struct local_array place[SIDES]; /* the matrix itself, or a copy of its section */
    char *copy[SIDES];               /* NULL: there is none */
    char *piece[REGION_PIECES];      /* [npieces] of those that are crossed, or NULL */
    struct local_array crossed[REGION_PIECES];
};

/* Make the memory, and put into it what a run is to find there. The caller frees it with
 * copied_box_free, after a failure too. Local. MEMORY. */
redist_err copied_box_make(const struct planned *planned, const struct work *work,
                           struct copied_box *copied);

/* Take what a run has left there to the target, as far as it is in the region. Local. */
void copied_box_return(const struct planned *planned, const struct work *work,
                       const struct copied_box *copied);

void copied_box_free(const struct planned *planned, struct copied_box *copied);

#endif
