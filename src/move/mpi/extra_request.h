/* SPDX-License-Identifier: MIT
 *
 * move/mpi/extra_request.h - what a run waits for beside its messages, and goes on with
 * as soon as it has come: who waits for messages waits for that too.
 */
#ifndef REDIST_MOVE_MPI_EXTRA_REQUEST_H
#define REDIST_MOVE_MPI_EXTRA_REQUEST_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

struct extra_request {
    MPI_Request *request; /* NULL: there is nothing to wait for */
    /* Called when it has come: posts what comes next, if there is anything. MPI. */
    redist_err (*go_on)(struct extra_request *extra);
};

/* Complete n requests, each under way or MPI_REQUEST_NULL, and meanwhile go on with what
 * comes extra; if not `wait`, as far as they have come. request [1 + n], the first of
 * which is room, as is status [n]. `aside` may be NULL. MPI. */
redist_err extra_request_complete(struct extra_request *extra, int n,
                                  MPI_Request request[], MPI_Status status[], bool wait,
                                  int *done);

#endif
