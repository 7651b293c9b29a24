/* SPDX-License-Identifier: MIT */
#include "move/mpi/post.h"

#include "move/mpi/check.h"
#include "move/mpi/lacks.h"

/* Open MPI sends up to about this many bytes at once, without a request, in little more
 * than half of the time that starting one takes. */
enum { SENT_AT_ONCE = 256 };

/* Post without a persistent request. */
static redist_err post_once(const struct post *p, MPI_Request *request)
{
    switch (p->kind) {
        case POST_SEND:
            return mpi_check(
                MPI_Isend(p->data, p->bytes, MPI_BYTE, p->rank, p->tag, p->comm, request),
                "MPI_Isend");
        case POST_READY_SEND:
            return mpi_check(MPI_Irsend(p->data, p->bytes, MPI_BYTE, p->rank, p->tag,
                                        p->comm, request),
                             "MPI_Irsend");
        default:
            return mpi_check(
                MPI_Irecv(p->data, p->bytes, MPI_BYTE, p->rank, p->tag, p->comm, request),
                "MPI_Irecv");
    }
}

/* Make a persistent request. */
static redist_err bind(const struct post *p, MPI_Request *request)
{
    switch (p->kind) {
        case POST_SEND:
            return mpi_check(MPI_Send_init(p->data, p->bytes, MPI_BYTE, p->rank, p->tag,
                                           p->comm, request),
                             "MPI_Send_init");
        case POST_READY_SEND:
            return mpi_check(MPI_Rsend_init(p->data, p->bytes, MPI_BYTE, p->rank, p->tag,
                                            p->comm, request),
                             "MPI_Rsend_init");
        default:
            return mpi_check(MPI_Recv_init(p->data, p->bytes, MPI_BYTE, p->rank, p->tag,
                                           p->comm, request),
                             "MPI_Recv_init");
    }
}

void post_free(struct binding *binding, MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) (void)MPI_Request_free(request);
    *request = MPI_REQUEST_NULL; /* even if MPI refuses */
    binding->data = NULL;
}

redist_err post_start(const struct post *post, bool lasts, struct binding *binding,
                      MPI_Request *request)
{
    if (LACKS_PERSISTENT) lasts = false;
    bool at_once = post->kind != POST_RECEIVE && post->bytes <= SENT_AT_ONCE;
    bool bound = binding->data == post->data && binding->bytes == post->bytes;
    if (!lasts || at_once || !bound) post_free(binding, request);
    if (!lasts || at_once) return post_once(post, request);
    *binding = (struct binding){post->data, post->bytes};
    if (!bound && post->late) return post_once(post, request);
    if (*request == MPI_REQUEST_NULL) TRY(bind(post, request));
    return mpi_check(MPI_Start(request), "MPI_Start");
}
