/* SPDX-License-Identifier: MIT
 *
 * move/mpi/post.h - a send or a receive that every run posts again. Its persistent
 * request is made in the first run, started in each, and made anew only if its memory has
 * moved. To make one takes longer than to post once, so a single-use plan makes it in the
 * second run.
 */
#ifndef REDIST_MOVE_MPI_POST_H
#define REDIST_MOVE_MPI_POST_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"

struct post {
    enum { POST_SEND, POST_READY_SEND, POST_RECEIVE } kind;
    void *data;
    int bytes;
    int rank; /* of the other process; may be MPI_ANY_SOURCE */
    int tag;
    MPI_Comm comm;
    bool late; /* make the request in the second run */
};

/* Post a message; or, if it `lasts`, make a persistent request for it, which is not
 * started. MPI. */
redist_err post_begin(const struct post *post, bool lasts, MPI_Request *request);

/* The memory that a persistent request is, or will be, bound to. Starts as {0}. The
 * request is stored apart, so that MPI can be given an array of them, and starts as
 * MPI_REQUEST_NULL. */
struct binding {
    const void *data; /* NULL: the request is not persistent, or there is none */
    int bytes;
};

/* Post a message; complete `*request` before the next. If `lasts`, its request is kept;
 * all messages posted with it may differ only in memory and length. MPI. */
redist_err post_start(const struct post *post, bool lasts, struct binding *binding,
                      MPI_Request *request);

/* Free the request, if there is one. */
void post_free(struct binding *binding, MPI_Request *request);

#endif
