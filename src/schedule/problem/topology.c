/* SPDX-License-Identifier: MIT */
#include "schedule/problem/topology.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- construction ------------------------------------------------------------------ */

static redist_err check_counts(const char *ndims_name, int ndims, const char *name,
                               const int counts[], int nprocs, int64_t *product)
{
    if (ndims < 1 || ndims > REDIST_MAX_DIMS)
        return error_arg("%s is %d, must be 1 to %d", ndims_name, ndims, REDIST_MAX_DIMS);
    if (!counts) return error_arg("%s is NULL", name);
    if (nprocs < 1) return error_arg("nprocs is %d, must be >= 1", nprocs);
    *product = 1;
    for (int d = 0; d < ndims; d++) {
        if (counts[d] < 1)
            return error_arg("%s[%d] is %d, must be >= 1", name, d, counts[d]);
        if (!int_mul(*product, counts[d], product) || *product > INT_MAX)
            return error_arg("%s: more than %d places", name, INT_MAX);
    }
    return REDIST_OK;
}

/* Allocate one of so many places; with a list of them, unless `listed` is false. */
static redist_err create(enum topology_shape shape, int ndims, const int extents[],
                         int64_t places, int nprocs, bool listed,
                         redist_topology **topology)
{
    if (!listed && nprocs > places)
        return error_arg("nprocs is %d, but the topology has %" PRId64 " places", nprocs,
                         places);
    redist_topology *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    *made = (redist_topology){.shape = shape, .nprocs = nprocs, .ndims = ndims};
    memcpy(made->extent, extents, (size_t)ndims * sizeof *extents);
    if (listed) made->place = mem_alloc(NULL, nprocs, sizeof *made->place);
    *topology = made;
    return listed && !made->place ? REDIST_ERR_MEMORY : REDIST_OK;
}

static redist_err place_on_mesh(redist_topology *mesh, const int coords[])
{
    for (int r = 0; r < mesh->nprocs; r++) {
        mesh->place[r] = 0;
        for (int d = 0; d < mesh->ndims; d++) {
            int coord = coords[(int64_t)r * mesh->ndims + d];
            if (coord < 0 || coord >= mesh->extent[d])
                return error_arg("coords of rank %d: %d along dimension %d, must be 0 to "
                                 "%d",
                                 r, coord, d, mesh->extent[d] - 1);
            mesh->place[r] = mesh->place[r] * mesh->extent[d] + coord;
        }
    }
    return REDIST_OK;
}

redist_err redist_topology_create_mesh(int ndims, const int extents[],
                                       const int periodic[], int nprocs,
                                       const int coords[], redist_topology **topology)
{
    int64_t nodes = 0;
    if (!topology) return error_arg("topology is NULL");
    *topology = NULL;
    TRY(check_counts("ndims", ndims, "extents", extents, nprocs, &nodes));
    redist_err err =
        create(TOPOLOGY_MESH, ndims, extents, nodes, nprocs, coords != NULL, topology);
    if (!err && coords) err = place_on_mesh(*topology, coords);
    if (err) {
        redist_topology_destroy(topology);
        return err;
    }
    for (int d = 0; d < ndims; d++) (*topology)->periodic[d] = periodic && periodic[d];
    (*topology)->nlinks = 2 * nodes * ndims;
    return REDIST_OK;
}

static redist_err place_on_tree(redist_topology *tree, int64_t places, const int list[])
{
    for (int r = 0; r < tree->nprocs; r++) {
        if (list[r] < 0 || list[r] >= places)
            return error_arg("places[%d] is %d, must be 0 to %" PRId64, r, list[r],
                             places - 1);
        tree->place[r] = list[r];
    }
    return REDIST_OK;
}

redist_err redist_topology_create_tree(int nlevels, const int members[],
                                       const int links[], int nprocs, const int places[],
                                       redist_topology **topology)
{
    int64_t leaves = 0;
    if (!topology) return error_arg("topology is NULL");
    *topology = NULL;
    TRY(check_counts("nlevels", nlevels, "members", members, nprocs, &leaves));
    if (!links && nlevels > 1) return error_arg("links is NULL");
    for (int k = 0; k < nlevels - 1; k++)
        if (links[k] < 1) return error_arg("links[%d] is %d, must be >= 1", k, links[k]);
    redist_err err =
        create(TOPOLOGY_TREE, nlevels, members, leaves, nprocs, places != NULL, topology);
    redist_topology *tree = *topology;
    if (!err && places) err = place_on_tree(tree, leaves, places);
    if (err) {
        redist_topology_destroy(topology);
        return err;
    }
    int64_t units = leaves, links_of_level = 0;
    for (int k = 0; k < nlevels; k++) {
        tree->links[k] = k == 0 ? 1 : links[k - 1];
        tree->first[k] = tree->nlinks;
        if (!int_mul(2 * units, tree->links[k], &links_of_level) ||
            !int_add(tree->nlinks, links_of_level, &tree->nlinks)) {
            redist_topology_destroy(topology);
            return error_arg("links: more than 2^63 - 1 in all");
        }
        units /= members[k];
    }
    return REDIST_OK;
}

redist_err topology_copy(struct mem_account *account, const redist_topology *topology,
                         redist_topology **copy)
{
    *copy = NULL;
    if (!topology) return REDIST_OK;
    redist_topology *made = *copy = mem_copy(account, topology, 1, sizeof *topology);
    if (!made || !topology->place) return made ? REDIST_OK : REDIST_ERR_MEMORY;
    made->place =
        mem_copy(account, topology->place, topology->nprocs, sizeof *made->place);
    return made->place ? REDIST_OK : REDIST_ERR_MEMORY;
}

void redist_topology_destroy(redist_topology **topology)
{
    if (!topology || !*topology) return;
    mem_free((*topology)->place);
    mem_free(*topology);
    *topology = NULL;
}

int64_t topology_hash(const redist_topology *topology)
{
    if (!topology) return 0;
    uint64_t hash = hash_int(HASH_START, (int64_t)topology->shape);
    hash = hash_int(hash, topology->nprocs);
    for (int d = 0; d < topology->ndims; d++) {
        hash = hash_int(hash, topology->extent[d]);
        hash = hash_int(hash, topology->periodic[d]);
        hash = hash_int(hash, topology->links[d]);
    }
    for (int r = 0; topology->place && r < topology->nprocs; r++)
        hash = hash_int(hash, topology->place[r]);
    return (int64_t)hash;
}

/* ---- routes ------------------------------------------------------------------------ */

int64_t redist_topology_links(const redist_topology *topology)
{
    return topology ? topology->nlinks : 0;
}

int topology_longest(const redist_topology *topology)
{
    if (topology->shape == TOPOLOGY_TREE) return 2 * topology->ndims;
    int64_t longest = 0;
    for (int d = 0; d < topology->ndims; d++) longest += topology->extent[d] - 1;
    return (int)int_min(longest, INT_MAX);
}

/* The links of a route, as far as there is room. */
struct way {
    int n, room;
    int64_t *link;
};

static void pass(struct way *way, int64_t link)
{
    if (way->n < way->room) way->link[way->n] = link;
    way->n++;
}

/* The steps along a dimension from coordinate a to b: negative, backwards. */
static int steps_to(int a, int b, int extent, bool periodic)
{
    if (!periodic) return b - a;
    int forward = (int)int_mod(b - a, extent), backward = extent - forward;
    bool on = forward < backward || (forward == backward && a != extent - a);
    return on ? forward : -backward;
}

static void cross_mesh(const redist_topology *mesh, int from, int to, struct way *way)
{
    int node = from, step = 1; /* between neighbours along d */
    for (int d = mesh->ndims - 1; d >= 0; d--) {
        int extent = mesh->extent[d], at = from % extent;
        int steps = steps_to(at, to % extent, extent, mesh->periodic[d]);
        int go = steps < 0 ? -1 : 1;
        for (; steps != 0; steps -= go) {
            pass(way, 2 * ((int64_t)node * mesh->ndims + d) + (go < 0));
            int next = (int)int_mod(at + go, extent);
            node += (next - at) * step;
            at = next;
        }
        from /= extent;
        to /= extent;
        step *= extent;
    }
}

/* Return the link between a unit and its switch at level k that leads to place `to`:
 * round robin over units with a single link, such as the nodes of several processes. */
static int64_t tree_link(const redist_topology *tree, int k, int unit, int to, bool down)
{
    int turn = to;
    for (int j = 0; j < k; j++) {
        turn = tree->links[j] == 1 ? to : turn / tree->links[j];
        to /= tree->extent[j];
    }
    int one = turn % tree->links[k];
    return tree->first[k] + 2 * ((int64_t)unit * tree->links[k] + one) + down;
}

static void cross_tree(const redist_topology *tree, int from, int to, struct way *way)
{
    int source[REDIST_MAX_DIMS], target[REDIST_MAX_DIMS], levels = 0;
    source[0] = from;
    target[0] = to;
    while (source[levels] != target[levels]) {
        int members = tree->extent[levels];
        pass(way, tree_link(tree, levels, source[levels], to, false));
        levels++;
        if (levels == tree->ndims) break;
        source[levels] = source[levels - 1] / members;
        target[levels] = target[levels - 1] / members;
    }
    while (levels-- > 0) pass(way, tree_link(tree, levels, target[levels], to, true));
}

int redist_topology_route(const redist_topology *topology, int from, int to, int room,
                          int64_t links[])
{
    if (!topology || from < 0 || to < 0 || from >= topology->nprocs ||
        to >= topology->nprocs)
        return -1;
    struct way way = {.room = links ? room : 0, .link = links};
    const int *place = topology->place;
    int source = place ? place[from] : from, target = place ? place[to] : to;
    if (topology->shape == TOPOLOGY_MESH)
        cross_mesh(topology, source, target, &way);
    else
        cross_tree(topology, source, target, &way);
    return way.n;
}
