/* SPDX-License-Identifier: MIT
 *
 * tests/mpi/trace.h - what the library really asks of MPI, seen through MPI's own
 * profiling interface: messages to each rank, and what is not yet freed. For one file
 * of a program.
 */
#ifndef REDIST_TESTS_TRACE_H
#define REDIST_TESTS_TRACE_H

#include <mpi.h>
#include <string.h>

enum { TRACE_MAX_RANKS = 64 };

static struct trace {
    int messages[TRACE_MAX_RANKS]; /* by MPI_Isend, to each rank of its communicator */
    long bytes[TRACE_MAX_RANKS];
    int communicators; /* alive, as are the others */
    int datatypes;
    int windows;
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

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int nfrom, const int from[],
                                   const int from_weights[], int nto, const int to[],
                                   const int to_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *graph)
{
    trace.communicators++;
    return PMPI_Dist_graph_create_adjacent(comm, nfrom, from, from_weights, nto, to,
                                           to_weights, info, reorder, graph);
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    trace.datatypes++;
    return PMPI_Type_contiguous(count, type, made);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                            MPI_Datatype *made)
{
    trace.datatypes++;
    return PMPI_Type_create_hvector(count, length, stride, type, made);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[],
                             MPI_Datatype type, MPI_Datatype *made)
{
    trace.datatypes++;
    return PMPI_Type_create_hindexed(count, lengths, places, type, made);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                           const MPI_Datatype types[], MPI_Datatype *made)
{
    trace.datatypes++;
    return PMPI_Type_create_struct(count, lengths, places, types, made);
}

int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent,
                            MPI_Datatype *made)
{
    trace.datatypes++;
    return PMPI_Type_create_resized(type, lower, extent, made);
}

int MPI_Type_free(MPI_Datatype *type)
{
    trace.datatypes--;
    return PMPI_Type_free(type);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    trace.windows++;
    return PMPI_Win_allocate(size, unit, info, comm, base, window);
}

int MPI_Win_free(MPI_Win *window)
{
    trace.windows--;
    return PMPI_Win_free(window);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    trace.communicators--;
    return PMPI_Comm_free(comm);
}

#endif
