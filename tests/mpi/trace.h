/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/trace.h - what the library really asks of MPI, seen through MPI's own
 * profiling interface: messages to each rank, and communicators not yet freed. For one
 * file of a program.
 */
#ifndef REDIST_TESTS_TRACE_H
#define REDIST_TESTS_TRACE_H

#include <mpi.h>
#include <string.h>

enum { TRACE_MAX_RANKS = 64 };

static struct trace {
    int messages[TRACE_MAX_RANKS]; /* by MPI_Isend, to each rank of its communicator */
    long bytes[TRACE_MAX_RANKS];
    int communicators; /* alive */
} trace;

static inline void trace_clear_messages(void)
{
    memset(trace.messages, 0, sizeof trace.messages);
    memset(trace.bytes, 0, sizeof trace.bytes);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    trace.messages[to]++;
    trace.bytes[to] += (long)count * size;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    trace.communicators++;
    return PMPI_Comm_dup(comm, copy);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *merged)
{
    trace.communicators++;
    return PMPI_Intercomm_merge(comm, high, merged);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    trace.communicators++;
    return PMPI_Comm_split_type(comm, type, key, info, part);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    trace.communicators++;
    return PMPI_Comm_split(comm, color, key, part);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    trace.communicators--;
    return PMPI_Comm_free(comm);
}

#endif
