/* SPDX-License-Identifier: MIT
 *
 * move/mpi/extra_request.h - an additional request that a run completes beside its
 * messages. Whoever waits for messages also drives this request.
 */
#ifndef REDIST_MOVE_MPI_EXTRA_REQUEST_H
#define REDIST_MOVE_MPI_EXTRA_REQUEST_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

struct extra_request {
    MPI_Request *request; /* NULL: no request */
    /* Called when it is complete; posts the next request, if any. MPI. */
    redist_err (*go_on)(struct extra_request *extra);
};

/* Complete n requests, each active or MPI_REQUEST_NULL, and drive the extra request
 * meanwhile. Without `wait`, complete those that are ready. request [1 + n] begins with a
 * free element; status [n]. `extra` may be NULL. MPI. */
redist_err extra_request_complete(struct extra_request *extra, int n,
                                  MPI_Request request[], MPI_Status status[], bool wait,
                                  int *done);

#endif
