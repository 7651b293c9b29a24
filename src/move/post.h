/* SPDX-License-Identifier: MIT
 *
 * move/post.h - a send or a receive that every run posts again: its request is made the
 * second time and from then on started each time, and made anew only if its memory has
 * moved. Of a plan that is run once none is made: that takes longer than to post.
 */
#ifndef REDIST_MOVE_POST_H
#define REDIST_MOVE_POST_H

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
};

/* The memory of the last message that may be posted again; the request that lasts, if
 * there is one, is bound to it. Starts as {0}, and the request, which lies apart so that
 * MPI can be given many, as MPI_REQUEST_NULL. */
struct binding {
    const void *data; /* NULL: there is none */
    int bytes;
};

/* Post a message; complete `*request` before the next. If `lasts`, its request is kept
 * once there is one, and all posted with it must differ in nothing but their memory and
 * length. MPI. */
redist_err post_start(const struct post *post, bool lasts, struct binding *binding,
                      MPI_Request *request);

/* Free the request, if there is one. */
void post_free(struct binding *binding, MPI_Request *request);

#endif
