/* SPDX-License-Identifier: MIT
 *
 * move/node/node.h - processes that share memory, and memory that they share.
 *
 *   |own part of process 0|   |own part of process 1| ..     each on pages of its own
 *   '---------------- within everyone's reach ---------'
 */
#ifndef REDIST_MOVE_NODE_NODE_H
#define REDIST_MOVE_NODE_NODE_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdbool.h>
#include <stdint.h>

/* The processes of a communicator that live on one node. */
struct node {
    MPI_Comm comm; /* MPI_COMM_NULL: none */
    int rank, nranks;
    int sharing;   /* of them, those that share a core; if more than one, who waits must
                      yield */
    int64_t cache; /* bytes of a core's second-level cache; INT64_MAX: unknown */
};

/* Find the node of this process. REDIST_NODE_SIZE=k in the environment makes nodes of at
 * most k processes, of consecutive ranks, as if the machine had more of them.
 * Collective over comm. MPI. */
redist_err node_make(MPI_Comm comm, struct node *node);

/* Collective over the node. */
void node_free(struct node *node);

/* Find how many processes live on each node, if these are consecutive ranks and all nodes
 * have equally many, the last perhaps fewer; 1: they aren't. Whether they can share
 * memory does not matter. REDIST_NODE_SIZE as above.
 * Collective over comm. A split and two reductions. MPI. */
redist_err node_width(MPI_Comm comm, int *width);

/* Find the ranks within the node of `n` ranks of `comm`, MPI_UNDEFINED for those that
 * live elsewhere.
 * Local. MPI. */
redist_err node_ranks(const struct node *node, MPI_Comm comm, int n, const int ranks[],
                      int near[]);

/* List the node's processes by their ranks in `comm`, ascending.
 * Local. MPI. */
redist_err node_list(const struct node *node, MPI_Comm comm, int ranks[]);

/* Wait for all processes of the node.
 * Collective over the node. MPI. */
redist_err node_barrier(const struct node *node);

/* Memory of a node. Start as {MPI_WIN_NULL}. */
struct shared {
    MPI_Win win;
};

/* The most bytes of a part: a page less than can be counted. */
#define SHARED_MOST (INT64_MAX - 4096)

/* Make memory of which `bytes`, 1 .. SHARED_MOST, are this process's own part. No page of
 * it is touched: it comes to lie next to the process that first writes to it.
 * Collective over the node. MPI. */
redist_err shared_make(const struct node *node, int64_t bytes, struct shared *shared);

/* Collective over the node. */
void shared_free(struct shared *shared);

/* Find where the part of process `rank` of the node begins, as this process sees it: on a
 * multiple of 4096.
 * MPI. */
redist_err shared_part(const struct shared *shared, int rank, char **part);

#endif
