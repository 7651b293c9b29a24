/* SPDX-License-Identifier: MIT */
#include "move/node/node.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"

/* The most processes of a node; 0: as on the machine. The environment is for tests. */
static long stated_size(void)
{
    const char *text = secure_getenv("REDIST_NODE_SIZE");
    long size = text ? strtol(text, NULL, 10) : 0;
    return size > 0 ? size : 0;
}

/* Cut a node into nodes of `size` consecutive ranks of `comm`. */
static redist_err cut(MPI_Comm comm, long size, MPI_Comm *node)
{
    int rank = 0;
    TRY(mpi_call(MPI_Comm_rank(comm, &rank)));
    MPI_Comm whole = *node;
    *node = MPI_COMM_NULL; /* which it stays if the split fails */
    int code = MPI_Comm_split(whole, (int)(rank / size), rank, node);
    int freed = MPI_Comm_free(&whole);
    TRY(mpi_check(code, "MPI_Comm_split"));
    return mpi_check(freed, "MPI_Comm_free");
}

/* Find the processes on the same node, at most `size` if that is not 0. The caller frees
 * *node, after a failure too. */
static redist_err split(MPI_Comm comm, long size, MPI_Comm *node)
{
    *node = MPI_COMM_NULL;
    TRY(mpi_call(
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)));
    if (size > 0) TRY(cut(comm, size, node));
    return mpi_call(MPI_Comm_set_errhandler(*node, MPI_ERRORS_RETURN));
}

/* hwloc would support more machines, but takes longer to examine one than a plan
 * takes. */
static int64_t cache_size(void)
{
    long size = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    size = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return size > 0 ? size : INT64_MAX;
}

redist_err node_make(MPI_Comm comm, struct node *node)
{
    *node = (struct node){.comm = MPI_COMM_NULL};
    /* Processes without shared memory are each a node. */
    TRY(split(comm, LACKS_SHARED_WINDOWS ? 1 : stated_size(), &node->comm));
    TRY(mpi_call(MPI_Comm_rank(node->comm, &node->rank)));
    TRY(mpi_call(MPI_Comm_size(node->comm, &node->nranks)));
    node->cache = cache_size();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    node->sharing = (int)int_ceil_div(node->nranks, cores > 0 ? cores : 1);
    return REDIST_OK;
}

void node_free(struct node *node)
{
    if (node->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&node->comm);
}

/* Find the width, given that `rank` is number `own` of `most` on its node. By induction
 * over the ranks, nodes fill one after the other if each rank modulo the width is its
 * number on the node. */
static redist_err find_width(MPI_Comm comm, int rank, int own, int most, int *width)
{
    int even = 0;
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm)));
    even = rank % most == own;
    TRY(mpi_call(MPI_Allreduce(MPI_IN_PLACE, &even, 1, MPI_INT, MPI_MIN, comm)));
    *width = even ? most : 1;
    return REDIST_OK;
}

redist_err node_width(MPI_Comm comm, int *width)
{
    MPI_Comm node = MPI_COMM_NULL;
    int rank = 0, own = 0, n = 1;
    *width = 1;
    redist_err err = split(comm, stated_size(), &node);
    if (!err) err = mpi_call(MPI_Comm_rank(comm, &rank));
    if (!err) err = mpi_call(MPI_Comm_rank(node, &own));
    if (!err) err = mpi_call(MPI_Comm_size(node, &n));
    if (!err) err = find_width(comm, rank, own, n, width);
    if (node != MPI_COMM_NULL) (void)MPI_Comm_free(&node);
    return err;
}

/* Find the ranks in one communicator of `n` ranks of another. */
static redist_err translate(MPI_Comm from, MPI_Comm to, int n, const int ranks[],
                            int there[])
{
    MPI_Group group = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
    int code = MPI_Comm_group(from, &group);
    if (code == MPI_SUCCESS) code = MPI_Comm_group(to, &other);
    if (code == MPI_SUCCESS)
        code = MPI_Group_translate_ranks(group, n, ranks, other, there);
    if (group != MPI_GROUP_NULL) (void)MPI_Group_free(&group);
    if (other != MPI_GROUP_NULL) (void)MPI_Group_free(&other);
    return mpi_check(code, "MPI_Group_translate_ranks");
}

redist_err node_ranks(const struct node *node, MPI_Comm comm, int n, const int ranks[],
                      int near[])
{
    return translate(comm, node->comm, n, ranks, near);
}

redist_err node_list(const struct node *node, MPI_Comm comm, int ranks[])
{
    int *own = mem_alloc(NULL, node->nranks, sizeof *own);
    if (!own) return REDIST_ERR_MEMORY;
    for (int k = 0; k < node->nranks; k++) own[k] = k;
    redist_err err = translate(node->comm, comm, node->nranks, own, ranks);
    mem_free(own);
    return err;
}

redist_err node_barrier(const struct node *node)
{
    return mpi_call(MPI_Barrier(node->comm));
}

/* MPI's parts may begin anywhere. Each process maps whole pages of them at whole pages of
 * its own, so all find the same place after the begin. */
enum { ALIGNMENT = 4096 };

static char *align(char *part)
{
    return part + (ALIGNMENT - (intptr_t)part % ALIGNMENT) % ALIGNMENT;
}

/* Ask for huge pages: with small ones address translation takes much of a copy's time. It
 * is a hint to the system. */
static void advise(char *part, int64_t bytes)
{
    int64_t page = sysconf(_SC_PAGESIZE), before = (page - (intptr_t)part % page) % page;
    if (bytes - before >= page)
        (void)madvise(part + before, (size_t)(bytes - before), MADV_HUGEPAGE);
}

redist_err shared_make(const struct node *node, int64_t bytes, struct shared *shared)
{
    MPI_Info info;
    char *part = NULL;
    TRY(mpi_call(MPI_Info_create(&info)));
    int code = MPI_Info_set(info, "alloc_shared_noncontig", "true");
    if (code == MPI_SUCCESS)
        code = MPI_Win_allocate_shared(bytes + ALIGNMENT, 1, info, node->comm,
                                       (void *)&part, &shared->win);
    (void)MPI_Info_free(&info);
    TRY(mpi_check(code, "MPI_Win_allocate_shared"));
    /* The epoch in which MPI lets plain loads and stores reach the memory. */
    TRY(mpi_call(MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->win)));
    advise(align(part), bytes);
    return REDIST_OK;
}

void shared_free(struct shared *shared)
{
    if (shared->win == MPI_WIN_NULL) return;
    (void)MPI_Win_unlock_all(shared->win);
    (void)MPI_Win_free(&shared->win);
}

redist_err shared_part(const struct shared *shared, int rank, char **part)
{
    MPI_Aint bytes = 0;
    int unit = 0;
    TRY(mpi_call(MPI_Win_shared_query(shared->win, rank, &bytes, &unit, (void *)part)));
    *part = align(*part);
    return REDIST_OK;
}
