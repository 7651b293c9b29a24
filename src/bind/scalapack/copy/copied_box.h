/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/copied_box.h - memory for elements between the run of a plan and
 * the matrices of a call.
 */
#ifndef REDIST_BIND_SCALAPACK_COPY_COPIED_BOX_H
#define REDIST_BIND_SCALAPACK_COPY_COPIED_BOX_H

#include "bind/scalapack/copy/planned.h"

/* The local elements of a process: (0, 0) is at `origin`, which may lie outside the
 * memory. */
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
    char *copy[SIDES];               /* NULL: none */
    char *piece[REGION_PIECES];      /* [npieces] for crossed pieces, or NULL */
    struct local_array crossed[REGION_PIECES];
};

/* Allocate the memory, and fill it with what a run reads. The caller frees it with
 * copied_box_free, after a failure too. Local. MEMORY. */
redist_err copied_box_make(const struct planned *planned, const struct work *work,
                           struct copied_box *copied);

/* Copy the results of a run to the target, within the region. Local. MEMORY, DEVICE. */
redist_err copied_box_return(const struct planned *planned, const struct work *work,
                             const struct copied_box *copied);

void copied_box_free(const struct planned *planned, struct copied_box *copied);

#endif
