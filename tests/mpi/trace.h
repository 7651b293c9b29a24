/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/trace.h - what the library really asks of MPI, seen through MPI's own
 * profiling interface: messages to each rank, over which communicator, and what is made
 * and freed again. For one file of a program.
 */
#ifndef REDIST_TESTS_TRACE_H
#define REDIST_TESTS_TRACE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "move/mpi/persistent.h"

enum { TRACE_MAX_RANKS = 64, TRACE_MAX_LASTING = 4096 };

/* A request that lasts. */
struct trace_lasting {
    MPI_Request request;
    bool active;
    int to; /* MPI_PROC_NULL: to nobody, or to those that counts tell */
    long bytes;
    const int *counts; /* of bytes, to each rank of the communicator; may be NULL */
    MPI_Comm comm;
};

static struct trace {
    int messages[TRACE_MAX_RANKS]; /* that hold data, to each rank of the communicator */
    long bytes[TRACE_MAX_RANKS];
    int empty; /* messages that hold none */
    int gets;  /* what was read from the memory of others */
    /* alive */
    int communicators, requests, types, windows, groups, keyvals, infos, ops;
    int made;     /* of all these, ever */
    int flying;   /* requests started and not completed */
    int foreign;  /* calls that communicate over the world */
    int inside;   /* > 0: within a call that is traced */
    int nlasting; /* requests that last, [nlasting] of them */
    struct trace_lasting lasting[TRACE_MAX_LASTING];
} trace;

static inline void trace_clear_messages(void)
{
    memset(trace.messages, 0, sizeof trace.messages);
    memset(trace.bytes, 0, sizeof trace.bytes);
    trace.empty = 0;
}

/* All objects that are alive. */
static inline int trace_alive(void)
{
    return trace.communicators + trace.requests + trace.types + trace.windows +
           trace.groups + trace.keyvals + trace.infos + trace.ops;
}

/* ---- what the wrappers share ------------------------------------------------------- */

static inline int trace_leave(int code)
{
    trace.inside--;
    return code;
}
#define TRACE_CALL(call) trace_leave((trace.inside++, (call)))

static inline void trace_over(MPI_Comm comm) { trace.foreign += comm == MPI_COMM_WORLD; }

static inline void trace_send(int to, long bytes)
{
    if (bytes == 0) trace.empty++;
    if (bytes == 0 || to < 0 || to >= TRACE_MAX_RANKS) return;
    trace.messages[to]++;
    trace.bytes[to] += bytes;
}

static inline long trace_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (long)count * size;
}

static inline struct trace_lasting *trace_find(MPI_Request request)
{
    for (int k = 0; k < trace.nlasting; k++)
        if (trace.lasting[k].request == request) return &trace.lasting[k];
    return NULL;
}

/* Tell whether an object of this kind is not to be made. */
static bool (*trace_refuses)(const int *kind);

static inline bool trace_refused(const int *kind)
{
    return !trace.inside && trace_refuses && trace_refuses(kind);
}

static inline void trace_made(int *kind)
{
    ++*kind;
    trace.made++;
}

/* A request that lasts has been made. */
static inline void trace_lasting(MPI_Request request, int to, long bytes)
{
    trace_made(&trace.requests);
    if (trace.nlasting == TRACE_MAX_LASTING) {
        fprintf(stderr, "trace: more than %d requests that last\n", TRACE_MAX_LASTING);
        abort();
    }
    trace.lasting[trace.nlasting++] =
        (struct trace_lasting){request, false, to, bytes, NULL, MPI_COMM_NULL};
}

static inline void trace_sends(const int counts[], MPI_Datatype type, MPI_Comm comm)
{
    int n = 0;
    PMPI_Comm_size(comm, &n);
    for (int to = 0; to < n; to++)
        if (counts[to] > 0) trace_send(to, trace_bytes(counts[to], type));
}

static inline bool trace_is_flying(MPI_Request request)
{
    struct trace_lasting *lasting = trace_find(request);
    return lasting ? lasting->active : request != MPI_REQUEST_NULL;
}

/* A request that was flying has been completed. */
static inline void trace_landed(MPI_Request request)
{
    struct trace_lasting *lasting = trace_find(request);
    if (lasting) lasting->active = false;
    trace.flying--;
}

/* ---- messages ---------------------------------------------------------------------- */

#define TRACE_SEND(name)                                                                 \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag,      \
                   MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                    \
        trace_over(comm);                                                                \
        trace_send(to, trace_bytes(count, type));                                        \
        trace.flying++;                                                                  \
        return TRACE_CALL(PMPI_##name(data, count, type, to, tag, comm, request));       \
    }
TRACE_SEND(Isend)
TRACE_SEND(Irsend)
TRACE_SEND(Issend)

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    trace_over(comm);
    trace.flying++;
    return TRACE_CALL(PMPI_Irecv(data, count, type, from, tag, comm, request));
}

#define TRACE_SEND_INIT(name)                                                            \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag,      \
                   MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                    \
        trace_over(comm);                                                                \
        if (trace_refused(&trace.requests)) return MPI_ERR_NO_MEM;                       \
        int code = TRACE_CALL(PMPI_##name(data, count, type, to, tag, comm, request));   \
        trace_lasting(*request, to, trace_bytes(count, type));                           \
        return code;                                                                     \
    }
TRACE_SEND_INIT(Send_init)
TRACE_SEND_INIT(Rsend_init)
TRACE_SEND_INIT(Ssend_init)

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    trace_over(comm);
    if (trace_refused(&trace.requests)) return MPI_ERR_NO_MEM;
    int code = TRACE_CALL(PMPI_Recv_init(data, count, type, from, tag, comm, request));
    trace_lasting(*request, MPI_PROC_NULL, 0);
    return code;
}

int MPI_Start(MPI_Request *request)
{
    struct trace_lasting *lasting = trace_find(*request);
    if (lasting) {
        lasting->active = true;
        if (lasting->to != MPI_PROC_NULL) trace_send(lasting->to, lasting->bytes);
        if (lasting->counts) trace_sends(lasting->counts, MPI_BYTE, lasting->comm);
    }
    trace.flying++;
    return TRACE_CALL(PMPI_Start(request));
}

int MPI_Request_free(MPI_Request *request)
{
    struct trace_lasting *lasting = trace_find(*request);
    if (lasting) {
        trace.requests--;
        *lasting = trace.lasting[--trace.nlasting];
    }
    return TRACE_CALL(PMPI_Request_free(request));
}

/* ---- completion -------------------------------------------------------------------- */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (trace_is_flying(*request)) trace_landed(*request);
    return TRACE_CALL(PMPI_Wait(request, status));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request before = *request;
    bool flying = trace_is_flying(before);
    int code = TRACE_CALL(PMPI_Test(request, flag, status));
    if (flying && *flag) trace_landed(before);
    return code;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    for (int k = 0; k < n; k++)
        if (trace_is_flying(requests[k])) trace_landed(requests[k]);
    return TRACE_CALL(PMPI_Waitall(n, requests, statuses));
}

/* The requests as they are before a call that may complete some. */
static inline MPI_Request *trace_copy(int n, const MPI_Request requests[])
{
    static MPI_Request copy[TRACE_MAX_LASTING];
    if (n > TRACE_MAX_LASTING) abort();
    for (int k = 0; k < n; k++) copy[k] = requests[k];
    return copy;
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    const MPI_Request *before = trace_copy(n, requests);
    int code = TRACE_CALL(PMPI_Testall(n, requests, flag, statuses));
    for (int k = 0; *flag && k < n; k++)
        if (trace_is_flying(before[k])) trace_landed(before[k]);
    return code;
}

#define TRACE_SOME(name)                                                                 \
    int MPI_##name(int n, MPI_Request requests[], int *count, int indices[],             \
                   MPI_Status statuses[])                                                \
    {                                                                                    \
        const MPI_Request *before = trace_copy(n, requests);                             \
        int code = TRACE_CALL(PMPI_##name(n, requests, count, indices, statuses));       \
        for (int k = 0; *count != MPI_UNDEFINED && k < *count; k++)                      \
            trace_landed(before[indices[k]]);                                            \
        return code;                                                                     \
    }
TRACE_SOME(Waitsome)
TRACE_SOME(Testsome)

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    return TRACE_CALL(PMPI_Get_count(status, type, count));
}

/* ---- collectives ------------------------------------------------------------------- */

/* What all of a kind of call have in common: the communicator is looked at. */
#define TRACE_OVER(name, parameters, arguments)                                          \
    int MPI_##name parameters                                                            \
    {                                                                                    \
        trace_over(comm);                                                                \
        return TRACE_CALL(PMPI_##name arguments);                                        \
    }
#define TRACE_STARTS(name, parameters, arguments)                                        \
    int MPI_##name parameters                                                            \
    {                                                                                    \
        trace_over(comm);                                                                \
        trace.flying++;                                                                  \
        return TRACE_CALL(PMPI_##name arguments);                                        \
    }
/* clang-format off */
TRACE_OVER(Barrier, (MPI_Comm comm), (comm))
TRACE_OVER(Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm),
           (data, n, type, root, comm))
TRACE_OVER(Allreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm), (from, to, n, type, op, comm))
TRACE_OVER(Exscan, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm), (from, to, n, type, op, comm))
TRACE_OVER(Allgather, (const void *from, int n, MPI_Datatype type, void *to, int m,
                       MPI_Datatype to_type, MPI_Comm comm),
           (from, n, type, to, m, to_type, comm))
TRACE_OVER(Alltoall, (const void *from, int n, MPI_Datatype type, void *to, int m,
                      MPI_Datatype to_type, MPI_Comm comm),
           (from, n, type, to, m, to_type, comm))
TRACE_STARTS(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
TRACE_STARTS(Ibcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm,
                      MPI_Request *request), (data, n, type, root, comm, request))
TRACE_STARTS(Iallreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request),
             (from, to, n, type, op, comm, request))
TRACE_STARTS(Ialltoallw, (const void *from, const int n[], const int at[],
                          const MPI_Datatype type[], void *to, const int to_n[],
                          const int to_at[], const MPI_Datatype to_type[], MPI_Comm comm,
                          MPI_Request *request),
             (from, n, at, type, to, to_n, to_at, to_type, comm, request))
TRACE_STARTS(Ineighbor_alltoallv, (const void *from, const int n[], const int at[],
                                   MPI_Datatype type, void *to, const int to_n[],
                                   const int to_at[], MPI_Datatype to_type, MPI_Comm comm,
                                   MPI_Request *request),
             (from, n, at, type, to, to_n, to_at, to_type, comm, request))
/* clang-format on */

/* ---- one-sided communication, over a window ---------------------------------------- */

#define TRACE_INSIDE(name, parameters, arguments)                                        \
    int MPI_##name parameters { return TRACE_CALL(PMPI_##name arguments); }
/* clang-format off */
TRACE_INSIDE(Win_fence, (int hints, MPI_Win win), (hints, win))
TRACE_INSIDE(Win_lock, (int kind, int rank, int hints, MPI_Win win),
             (kind, rank, hints, win))
TRACE_INSIDE(Win_unlock, (int rank, MPI_Win win), (rank, win))
TRACE_INSIDE(Win_lock_all, (int hints, MPI_Win win), (hints, win))
TRACE_INSIDE(Win_unlock_all, (MPI_Win win), (win))
TRACE_INSIDE(Win_flush, (int rank, MPI_Win win), (rank, win))
TRACE_INSIDE(Win_flush_all, (MPI_Win win), (win))
TRACE_INSIDE(Win_sync, (MPI_Win win), (win))
/* clang-format on */

int MPI_Get(void *to, int n, MPI_Datatype type, int rank, MPI_Aint at, int m,
            MPI_Datatype from_type, MPI_Win win)
{
    trace.gets++;
    return TRACE_CALL(PMPI_Get(to, n, type, rank, at, m, from_type, win));
}

int MPI_Alltoallv(const void *from, const int counts[], const int places[],
                  MPI_Datatype type, void *to, const int to_counts[],
                  const int to_places[], MPI_Datatype to_type, MPI_Comm comm)
{
    trace_over(comm);
    trace_sends(counts, type, comm);
    return TRACE_CALL(PMPI_Alltoallv(from, counts, places, type, to, to_counts, to_places,
                                     to_type, comm));
}

int MPI_Ialltoallv(const void *from, const int counts[], const int places[],
                   MPI_Datatype type, void *to, const int to_counts[],
                   const int to_places[], MPI_Datatype to_type, MPI_Comm comm,
                   MPI_Request *request)
{
    trace_over(comm);
    trace_sends(counts, type, comm);
    trace.flying++;
    return TRACE_CALL(PMPI_Ialltoallv(from, counts, places, type, to, to_counts,
                                      to_places, to_type, comm, request));
}

#if PERSISTENT_COLLECTIVES
#if MPI_VERSION < 4
#define TRACE_INIT(name) MPIX_##name##_init
#define TRACE_PINIT(name) PMPIX_##name##_init
#else
#define TRACE_INIT(name) MPI_##name##_init
#define TRACE_PINIT(name) PMPI_##name##_init
#endif
int TRACE_INIT(Alltoallv)(const void *from, const int counts[], const int places[],
                          MPI_Datatype type, void *to, const int to_counts[],
                          const int to_places[], MPI_Datatype to_type, MPI_Comm comm,
                          MPI_Info info, MPI_Request *request)
{
    trace_over(comm);
    int code =
        TRACE_CALL(TRACE_PINIT(Alltoallv)(from, counts, places, type, to, to_counts,
                                          to_places, to_type, comm, info, request));
    trace_lasting(*request, MPI_PROC_NULL, 0);
    trace.lasting[trace.nlasting - 1].counts = counts;
    trace.lasting[trace.nlasting - 1].comm = comm;
    return code;
}

int TRACE_INIT(Neighbor_alltoallv)(const void *from, const int counts[],
                                   const int places[], MPI_Datatype type, void *to,
                                   const int to_counts[], const int to_places[],
                                   MPI_Datatype to_type, MPI_Comm comm, MPI_Info info,
                                   MPI_Request *request)
{
    int code = TRACE_CALL(TRACE_PINIT(Neighbor_alltoallv)(from, counts, places, type, to,
                                                          to_counts, to_places, to_type,
                                                          comm, info, request));
    trace_lasting(*request, MPI_PROC_NULL, 0);
    return code;
}
#endif

int MPI_Rget(void *to, int n, MPI_Datatype type, int rank, MPI_Aint place, int m,
             MPI_Datatype from_type, MPI_Win window, MPI_Request *request)
{
    trace.flying++;
    return TRACE_CALL(PMPI_Rget(to, n, type, rank, place, m, from_type, window, request));
}

/* ---- what is made and freed -------------------------------------------------------- */

#define TRACE_MAKES(kind, name, parameters, arguments)                                   \
    int MPI_##name parameters                                                            \
    {                                                                                    \
        if (trace_refused(&trace.kind)) return MPI_ERR_NO_MEM;                           \
        trace_made(&trace.kind);                                                         \
        return TRACE_CALL(PMPI_##name arguments);                                        \
    }
#define TRACE_FREES(kind, name, pointer)                                                 \
    int MPI_##name(pointer freed)                                                        \
    {                                                                                    \
        trace.kind--;                                                                    \
        return TRACE_CALL(PMPI_##name(freed));                                           \
    }
/* clang-format off */
TRACE_MAKES(communicators, Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
TRACE_MAKES(communicators, Comm_split, (MPI_Comm comm, int color, int key,
            MPI_Comm *made), (comm, color, key, made))
TRACE_MAKES(communicators, Comm_split_type, (MPI_Comm comm, int type, int key,
            MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
TRACE_MAKES(communicators, Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made),
            (comm, high, made))
TRACE_MAKES(communicators, Dist_graph_create_adjacent, (MPI_Comm comm, int n,
            const int from[], const int weights[], int m, const int to[],
            const int to_weights[], MPI_Info info, int reorder, MPI_Comm *made),
            (comm, n, from, weights, m, to, to_weights, info, reorder, made))
TRACE_FREES(communicators, Comm_free, MPI_Comm *)
TRACE_MAKES(types, Type_contiguous, (int n, MPI_Datatype type, MPI_Datatype *made),
            (n, type, made))
TRACE_MAKES(types, Type_vector, (int n, int length, int stride, MPI_Datatype type,
            MPI_Datatype *made), (n, length, stride, type, made))
TRACE_MAKES(types, Type_create_hvector, (int n, int length, MPI_Aint stride,
            MPI_Datatype type, MPI_Datatype *made), (n, length, stride, type, made))
TRACE_MAKES(types, Type_create_hindexed, (int n, const int lengths[],
            const MPI_Aint places[], MPI_Datatype type, MPI_Datatype *made),
            (n, lengths, places, type, made))
TRACE_MAKES(types, Type_create_struct, (int n, const int lengths[],
            const MPI_Aint places[], const MPI_Datatype types[], MPI_Datatype *made),
            (n, lengths, places, types, made))
TRACE_MAKES(types, Type_create_resized, (MPI_Datatype type, MPI_Aint lower,
            MPI_Aint extent, MPI_Datatype *made), (type, lower, extent, made))
TRACE_MAKES(types, Type_create_subarray, (int n, const int sizes[], const int subsizes[],
            const int starts[], int order, MPI_Datatype type, MPI_Datatype *made),
            (n, sizes, subsizes, starts, order, type, made))
TRACE_FREES(types, Type_free, MPI_Datatype *)
TRACE_MAKES(windows, Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info,
            MPI_Comm comm, MPI_Win *made), (base, size, unit, info, comm, made))
TRACE_MAKES(windows, Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
            void *base, MPI_Win *made), (size, unit, info, comm, base, made))
TRACE_MAKES(windows, Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info,
            MPI_Comm comm, void *base, MPI_Win *made),
            (size, unit, info, comm, base, made))
TRACE_FREES(windows, Win_free, MPI_Win *)
TRACE_MAKES(groups, Comm_group, (MPI_Comm comm, MPI_Group *made), (comm, made))
TRACE_MAKES(groups, Group_incl, (MPI_Group group, int n, const int ranks[],
            MPI_Group *made), (group, n, ranks, made))
TRACE_FREES(groups, Group_free, MPI_Group *)
TRACE_MAKES(keyvals, Comm_create_keyval, (MPI_Comm_copy_attr_function *copy,
            MPI_Comm_delete_attr_function *erase, int *made, void *state),
            (copy, erase, made, state))
TRACE_FREES(keyvals, Comm_free_keyval, int *)
TRACE_MAKES(infos, Info_create, (MPI_Info *made), (made))
TRACE_FREES(infos, Info_free, MPI_Info *)
TRACE_MAKES(ops, Op_create, (MPI_User_function *f, int commutes, MPI_Op *made),
            (f, commutes, made))
TRACE_FREES(ops, Op_free, MPI_Op *)
/* clang-format on */

#endif
