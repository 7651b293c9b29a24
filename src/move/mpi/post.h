/* SPDX-License-Identifier: MIT
 *
 * move/mpi/post.h - a send or a receive that every run posts again: its request is made
 * the first time and started each time, and made anew only if its memory has moved. To
 * make it takes longer than to post once: of a plan that may run but once it is made the
 * second time.
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
    bool late; /* the request is made the second time */
};

/* The memory that a request which lasts is bound to, or will be. Starts as {0}, and the
 * request, which lies apart so that MPI can be given many, as MPI_REQUEST_NULL. */
struct binding {
    const void *data; /* NULL: the request is for one time, or there is none */
    int bytes;
};

/* Post a message; complete `*request` before the next. If `lasts`, its request is kept,
 * and all posted with it must differ in nothing but their memory and length. MPI. */
redist_err post_start(const struct post *post, bool lasts, struct binding *binding,
                      MPI_Request *request);

/* Free the request, if there is one. */
void post_free(struct binding *binding, MPI_Request *request);

#endif
