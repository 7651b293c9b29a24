/* SPDX-License-Identifier: MIT
 *
 * redist/topology.h - where processes sit in a network, and which links a message between
 * two of them takes. Free of MPI: everything here is local and pure.
 *
 * A plan that is told (redist_options.topology, in redist.h) puts its messages into an
 * order in which no link stands idle that has something to do, as far as that can be.
 */
#ifndef REDIST_TOPOLOGY_H
#define REDIST_TOPOLOGY_H

#include <redist/describe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable. Not tied to a communicator: processes are ranks 0 .. nprocs-1. */
typedef struct redist_topology redist_topology;

/* Create a mesh of `ndims` dimensions (1 to 15) with `extents`[ndims] nodes each (>= 1),
 * a torus where `periodic`[ndims] is not 0; `periodic` may be NULL: a mesh in all. Each
 * node has a link each way to its neighbours, and as many processes as are put there: the
 * process of rank r sits at `coords`[r ndims] .. [r ndims + ndims - 1]. `coords` may be
 * NULL: rank r on node r, in row-major order. A message goes along the last dimension
 * first, on a torus the shorter way round; of two that are as long forward, but backward
 * from the middle of the dimension, as on the torus of SimGrid.
 *
 * The caller owns the topology.
 * Local. O(nprocs) with coords, O(1) without. ARG, MEMORY. */
REDIST_API redist_err redist_topology_create_mesh(int ndims, const int extents[],
                                                  const int periodic[], int nprocs,
                                                  const int coords[],
                                                  redist_topology **topology);

/* Create a tree of switches of `nlevels` levels (1 to 15): `members`[0] places at each of
 * the lowest switches, members[1] of these below each of the next ones, and so on. Each
 * place has one link each way to its switch, and a switch of level k has `links`[k] to
 * the next level, all as fast; a message takes those that its target's place says, modulo
 * their number; those of a switch that has a single link up, as of a node, count as one.
 * `links`[nlevels - 1] is not looked at. Rank r is at place `places`[r], counted over all
 * switches; `places` may be NULL: place r.
 *
 *   a node of 4 processes with one link out, 16 nodes to a switch:  members 4, 16;
 *                                                                   links 1
 *   a fat tree of two layers, a fourth as many links up as down:    members 16, 16;
 *                                                                   links 4
 *
 * The caller owns the topology.
 * Local. O(nprocs) with places, O(1) without. ARG, MEMORY. */
REDIST_API redist_err redist_topology_create_tree(int nlevels, const int members[],
                                                  const int links[], int nprocs,
                                                  const int places[],
                                                  redist_topology **topology);

/* Create the topology of a text, with rank r on node, or at place, r:
 *
 *   mesh(8,16)   torus(8,8,8)   tree(4:1,16)   tree(16:4,16)
 *
 * A tree has members:links for each level but the last, which has members only. Upper and
 * lower case and white space don't matter. The caller owns the topology.
 * Local. O(1). ARG: the message names the column; MEMORY. */
REDIST_API redist_err redist_topology_parse(const char *text, int nprocs,
                                            redist_topology **topology);

/* Return one more than the highest number of a link, 0 for NULL; each way is a link of
 * its own, and of a mesh those that would lead over its border have numbers too. Return
 * how many links a message takes from one rank to another: their numbers, at most
 * `room`, go to `links`, in the order in which they are passed. -1: a rank is not in the
 * topology. Between processes of one node, or place, there is none.
 * Local. O(1); O(links of the way). Never fail. */
REDIST_API int64_t redist_topology_links(const redist_topology *topology);
REDIST_API int redist_topology_route(const redist_topology *topology, int from, int to,
                                     int room, int64_t links[]);

/* Destroy a topology and set `*topology` to NULL. NULL-safe.
 * Local. O(1). Never fails. */
REDIST_API void redist_topology_destroy(redist_topology **topology);

#ifdef __cplusplus
}
#endif

#endif
