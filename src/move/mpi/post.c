/* SPDX-License-Identifier: MIT */
#include "move/mpi/post.h"

#include "move/mpi/check.h"
#include "move/mpi/lacks.h"

/* Open MPI sends up to about this many bytes at once, without a request, in little more
 * than half of the time that starting one takes. */
enum { SENT_AT_ONCE = 256 };

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int receive_call(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

redist_err post_begin(const struct post *post, bool lasts, MPI_Request *request)
{
    static send_call *const sends[][2] = {
        [POST_SEND] = {MPI_Isend, MPI_Send_init},
        [POST_READY_SEND] = {MPI_Irsend, MPI_Rsend_init}};
    static receive_call *const receive[2] = {MPI_Irecv, MPI_Recv_init};
    static const char *const names[][2] = {
        [POST_SEND] = {"MPI_Isend", "MPI_Send_init"},
        [POST_READY_SEND] = {"MPI_Irsend", "MPI_Rsend_init"},
        [POST_RECEIVE] = {"MPI_Irecv", "MPI_Recv_init"}};
    int code = post->kind == POST_RECEIVE
                   ? receive[lasts](post->data, post->bytes, MPI_BYTE, post->rank,
                                    post->tag, post->comm, request)
                   : sends[post->kind][lasts](post->data, post->bytes, MPI_BYTE,
                                              post->rank, post->tag, post->comm, request);
    return mpi_check(code, names[post->kind][lasts]);
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
    if (!lasts || at_once) return post_begin(post, false, request);
    *binding = (struct binding){post->data, post->bytes};
    if (!bound && post->late) return post_begin(post, false, request);
    if (*request == MPI_REQUEST_NULL) TRY(post_begin(post, true, request));
    return mpi_call(MPI_Start(request));
}
