/* SPDX-License-Identifier: MIT
 *
 * bind/mpi/topology.c - what MPI knows of the places of processes.
 */
#include <stdlib.h>

#include <redist/redist.h>

#include "base/error.h"
#include "base/mem.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "move/node/node.h"
#include "plan/comm/agree.h"
#include "plan/comm/team.h"

/* ---- MPI_Cart ---------------------------------------------------------------------- */

static redist_err check_cart(MPI_Comm comm, int *ndims)
{
    int kind = MPI_UNDEFINED;
    TRY(team_check_intra(comm));
    TRY(mpi_call(MPI_Topo_test(comm, &kind)));
    if (kind != MPI_CART)
        return error_arg("comm has no Cartesian topology, as MPI_Cart_create gives it");
    TRY(mpi_call(MPI_Cartdim_get(comm, ndims)));
    if (*ndims < 1 || *ndims > REDIST_MAX_DIMS)
        return error_arg("comm has %d dimensions, must have 1 to %d", *ndims,
                         REDIST_MAX_DIMS);
    return REDIST_OK;
}

redist_err redist_topology_create_cart(MPI_Comm comm, redist_topology **topology)
{
    int ndims = 0, nprocs = 0;
    int extents[REDIST_MAX_DIMS], periodic[REDIST_MAX_DIMS], own[REDIST_MAX_DIMS];
    if (!topology) return error_arg("topology is NULL");
    *topology = NULL;
    TRY(check_cart(comm, &ndims));
    TRY(mpi_call(MPI_Comm_size(comm, &nprocs)));
    TRY(mpi_call(MPI_Cart_get(comm, ndims, extents, periodic, own)));
    int *coords = mem_alloc(NULL, (int64_t)nprocs * ndims, sizeof *coords);
    if (!coords) return REDIST_ERR_MEMORY;
    redist_err err = REDIST_OK;
    for (int r = 0; r < nprocs && !err; r++)
        err = mpi_call(MPI_Cart_coords(comm, r, ndims, &coords[(int64_t)r * ndims]));
    if (!err)
        err = redist_topology_create_mesh(ndims, extents, periodic, nprocs, coords,
                                          topology);
    mem_free(coords);
    return err;
}

/* ---- nodes ------------------------------------------------------------------------- */

/* The place of a process. */
struct seat {
    int node; /* the lowest rank on it */
    int rank;
};

static int by_node(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Find the lowest rank of `comm` on the own node. */
static redist_err find_node(MPI_Comm comm, int *least)
{
    struct node node;
    TRY(node_make(comm, &node));
    int *ranks = mem_alloc(NULL, node.nranks, sizeof *ranks);
    redist_err err = ranks ? node_list(&node, comm, ranks) : REDIST_ERR_MEMORY;
    if (!err) *least = ranks[0];
    mem_free(ranks);
    node_free(&node);
    return err;
}

/* Number the places node by node; each node has as many places as the fullest one. */
static redist_err seat_all(struct seat seats[], int nprocs, int links,
                           redist_topology **topology)
{
    int nodes = 0, most = 0, at = 0;
    int *places = mem_alloc(NULL, nprocs, sizeof *places);
    if (!places) return REDIST_ERR_MEMORY;
    qsort(seats, (size_t)nprocs, sizeof *seats, by_node);
    for (int k = 0; k < nprocs; k++) {
        at = k > 0 && seats[k].node == seats[k - 1].node ? at + 1 : 0;
        nodes += at == 0;
        most = at >= most ? at + 1 : most;
    }
    for (int k = 0, node = -1; k < nprocs; k++) {
        at = k > 0 && seats[k].node == seats[k - 1].node ? at + 1 : 0;
        node += at == 0;
        places[seats[k].rank] = node * most + at;
    }
    const int members[] = {most, nodes};
    redist_err err =
        redist_topology_create_tree(2, members, &links, nprocs, places, topology);
    mem_free(places);
    return err;
}

/* Find the nodes of all processes, and place them: the same on every process. */
static redist_err seat_team(const struct team *team, int links,
                            redist_topology **topology)
{
    int nprocs = team->nranks, least = 0;
    redist_err err = find_node(team->comm, &least);
    int *nodes = mem_alloc(NULL, nprocs, sizeof *nodes);
    struct seat *seats = mem_alloc(NULL, nprocs, sizeof *seats);
    if (!err && (!nodes || !seats)) err = REDIST_ERR_MEMORY;
    err = agree(team->comm, err);
    if (!err)
        err = mpi_call(MPI_Allgather(&least, 1, MPI_INT, nodes, 1, MPI_INT, team->comm));
    for (int r = 0; r < nprocs && !err; r++) seats[r] = (struct seat){nodes[r], r};
    if (!err) err = agree(team->comm, seat_all(seats, nprocs, links, topology));
    mem_free(nodes);
    mem_free(seats);
    return err;
}

static redist_err check_nodes(int links, redist_topology *const *topology)
{
    if (!topology) return error_arg("topology is NULL");
    if (links < 1) return error_arg("links is %d, must be >= 1", links);
    return REDIST_OK;
}

redist_err redist_topology_create_nodes(MPI_Comm comm, int links,
                                        redist_topology **topology)
{
    static const char *const name = "number of links";
    const int64_t number = links;
    struct team team;
    redist_topology *made = NULL;
    if (topology) *topology = NULL;
    TRY(team_check_intra(comm));
    redist_err err = team_make(comm, REDIST_SOURCE, &team);
    if (!err)
        err = agree_equal(team.comm, check_nodes(links, topology), 1, &number, &name);
    if (!err) err = seat_team(&team, links, &made);
    redist_err freed = team_free(&team);
    if (!err) err = freed;
    if (err)
        redist_topology_destroy(&made);
    else
        *topology = made;
    return err;
}
