/* SPDX-License-Identifier: MIT
 *
 * move/node/node.h - the processes of a node, and memory that they share.
 *
 *   |own part of process 0|   |own part of process 1| ..     each on pages of its own
 *   '---------------- accessible to all ---------------'
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
    int sharing;   /* how many of them share a core; if more than one, waiting processes
                      must yield */
    int64_t cache; /* bytes of a core's second-level cache; INT64_MAX: unknown */
};

/* Find the node of this process. REDIST_NODE_SIZE=k in the environment simulates nodes of
 * at most k processes, of consecutive ranks.
 * Collective over comm. MPI. */
redist_err node_make(MPI_Comm comm, struct node *node);

/* Collective over the node. */
void node_free(struct node *node);

/* Find the number of processes of each node, if nodes have consecutive ranks and equally
 * many of them, the last perhaps fewer; else 1. Whether they can share memory does not
 * matter. REDIST_NODE_SIZE as above.
 * Collective over comm. A split and two reductions. MPI. */
redist_err node_width(MPI_Comm comm, int *width);

/* Find the ranks within the node of `n` ranks of `comm`; MPI_UNDEFINED for those on other
 * nodes.
 * Local. MPI. */
redist_err node_ranks(const struct node *node, MPI_Comm comm, int n, const int ranks[],
                      int near[]);

/* List the node's processes by their ranks in `comm`, ascending.
 * Local. MPI. */
redist_err node_list(const struct node *node, MPI_Comm comm, int ranks[]);

/* Wait for all processes of the node.
 * Collective over the node. MPI. */
redist_err node_barrier(const struct node *node);

/* Shared memory of a node. Starts as {MPI_WIN_NULL}. */
struct shared {
    MPI_Win win;
};

/* The most bytes of a part: a page less than an int64_t can count. */
#define SHARED_MOST (INT64_MAX - 4096)

/* Make memory of which `bytes`, 1 .. SHARED_MOST, are this process's own part. No page is
 * touched: it is placed close to the process that first writes to it.
 * Collective over the node. MPI. */
redist_err shared_make(const struct node *node, int64_t bytes, struct shared *shared);

/* Collective over the node. */
void shared_free(struct shared *shared);

/* Find the begin of the part of process `rank` of the node, as an address of this
 * process: a multiple of 4096. MPI. */
redist_err shared_part(const struct shared *shared, int rank, char **part);

#endif
