/* SPDX-License-Identifier: MIT
 *
 * schedule/order/relabel.c - which rank should have which place of the target's grid: a
 * matching of maximum weight. The weight of a rank and a place is what the rank holds
 * already of the place's elements.
 *
 *   place      0    1    2            a rank is named by its place before relabelling;
 *   rank of 0  .    9    .            ranks with nothing of a place have no edge,
 *           1  5    .    4            and remaining places go to remaining
 *           2  .    3    .            ranks: to their own, if both are free
 */
#include <redist/propose.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/coloring/matching.h"
#include "schedule/order/relabel.h"

enum { WHOLE = 100 }; /* percent */

/* A place of the grid by the node of the rank that has it. */
struct node_place {
    int node, place;
};

struct relabel {
    const redist_view *source, *target;
    const redist_grid *grid; /* the target's */
    int places;
    const int *nodes;  /* may be NULL */
    int64_t own, near; /* weight of an element on the own process, on its node */
    struct node_place *near_places; /* [places] ascending by node; NULL without nodes */
    /* of the current place */
    int64_t *weight; /* [places] of each rank, 0 except for touched ones */
    int *touched;    /* [ntouched] */
    int ntouched;
    /* of all places */
    int64_t nedges, room;
    struct edge *edge;
    int *assigned; /* [places] the former place of the rank that each place gets */
};

/* ---- weights ----------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
    const struct node_place *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static redist_err sort_by_node(struct relabel *relabel)
{
    if (!relabel->nodes) return REDIST_OK;
    relabel->near_places = mem_alloc(NULL, relabel->places, sizeof *relabel->near_places);
    if (!relabel->near_places) return REDIST_ERR_MEMORY;
    for (int k = 0; k < relabel->places; k++)
        relabel->near_places[k] =
            (struct node_place){relabel->nodes[grid_rank_at(relabel->grid, k)], k};
    mem_sort(relabel->near_places, relabel->places, sizeof *relabel->near_places,
             by_node);
    return REDIST_OK;
}

static void add(struct relabel *relabel, int place, int64_t weight)
{
    if (weight == 0) return;
    if (relabel->weight[place] == 0) relabel->touched[relabel->ntouched++] = place;
    relabel->weight[place] += weight;
}

/* Add a weight to all ranks of a node. */
static void add_near(struct relabel *relabel, int node, int64_t weight)
{
    int low = 0, high = relabel->places;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (relabel->near_places[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < relabel->places && relabel->near_places[low].node == node; low++)
        add(relabel, relabel->near_places[low].place, weight);
}

/* Return the rank of one of the replicas that hold a message's elements. */
static int holder(const struct relabel *relabel, const struct overlap *overlap,
                  const struct message *message, int64_t replica)
{
    int coords[REDIST_MAX_DIMS];
    for (int j = 0; j < overlap->ndims; j++)
        coords[relabel->source->axes[j]] = overlap_partner(overlap, message, j)->coord;
    return dist_rank(relabel->source->dist, coords, replica);
}

/* Add the weight of a message to its holders, and to their nodes, each once. */
static void add_message(struct relabel *relabel, const struct overlap *overlap,
                        const struct message *message)
{
    const int *nodes = relabel->nodes;
    for (int64_t r = 0; r < relabel->source->dist->nreplicas; r++) {
        int rank = holder(relabel, overlap, message, r);
        int64_t place = grid_find(relabel->grid, rank);
        bool known = false;
        if (place >= 0)
            add(relabel, (int)place, (relabel->own - relabel->near) * message->elements);
        for (int64_t before = 0; nodes && before < r && !known; before++)
            known = nodes[holder(relabel, overlap, message, before)] == nodes[rank];
        if (nodes && !known)
            add_near(relabel, nodes[rank], relabel->near * message->elements);
    }
}

static redist_err find_overlap(const struct relabel *relabel, int place,
                               struct overlap *overlap)
{
    return overlap_make(NULL, relabel->source, relabel->target, REDIST_TARGET,
                        grid_rank_at(relabel->grid, place), overlap);
}

/* Append the edges of one place. */
static redist_err append_edges(struct relabel *relabel, int place)
{
    struct overlap overlap;
    TRY(find_overlap(relabel, place, &overlap));
    for (int64_t k = 0; k < overlap.nmessages; k++)
        add_message(relabel, &overlap, &overlap.message[k]);
    overlap_free(&overlap);
    int n = relabel->ntouched;
    struct edge *grown = mem_reserve(NULL, relabel->edge, relabel->nedges + n,
                                     &relabel->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    relabel->edge = grown;
    for (int k = 0; k < n; k++) {
        int rank = relabel->touched[k];
        grown[relabel->nedges++] = (struct edge){rank, place, relabel->weight[rank]};
        relabel->weight[rank] = 0;
    }
    relabel->ntouched = 0;
    return REDIST_OK;
}

/* Find what each rank holds of each place, in the largest unit that divides all. */
static redist_err find_weights(struct relabel *relabel)
{
    int64_t unit = 0;
    TRY(sort_by_node(relabel));
    for (int k = 0; k < relabel->places; k++) TRY(append_edges(relabel, k));
    for (int64_t e = 0; e < relabel->nedges; e++)
        unit = int_gcd(unit, relabel->edge[e].weight);
    for (int64_t e = 0; e < relabel->nedges; e++) relabel->edge[e].weight /= unit;
    return REDIST_OK;
}

/* ---- the assignment ---------------------------------------------------------------- */

/* Make the grid of all weights, which are halved as often as it takes until a matching
 * can sum them. */
static redist_err make_grid(const struct relabel *relabel, struct comm_grid *grid)
{
    int64_t n = relabel->nedges, most = 0;
    int64_t limit = matching_most(2 * (int64_t)relabel->places);
    int128 sum = 0;
    struct edge *edge = mem_copy(NULL, relabel->edge, n, sizeof *edge);
    if (!edge) return REDIST_ERR_MEMORY;
    for (int64_t e = 0; e < n; e++) {
        most = int_max(most, edge[e].weight);
        sum += edge[e].weight;
    }
    for (; most > limit || sum > GRID_MOST_WEIGHT; most /= 2, sum /= 2)
        for (int64_t e = 0; e < n; e++) edge[e].weight = int_max(edge[e].weight / 2, 1);
    redist_err err =
        comm_grid_from_edges(relabel->places, relabel->places, n, edge, grid);
    mem_free(edge);
    return err;
}

/* Compare the given places with the matching. */
static bool gains(const struct relabel *relabel, const struct matching *matching)
{
    int64_t given = 0, proposed = 0;
    for (int64_t e = 0; e < relabel->nedges; e++) {
        const struct edge *edge = &relabel->edge[e];
        if (edge->p == edge->q) given += edge->weight;
        if (matching->mate[edge->p] == relabel->places + edge->q)
            proposed += edge->weight;
    }
    return proposed > given;
}

/* Assign the remaining places to ranks without one. */
static void assign_rest(struct relabel *relabel, const struct matching *matching)
{
    int places = relabel->places, rank = 0;
    const int64_t *of_rank = matching->mate, *of_place = matching->mate + places;
    for (int k = 0; k < places; k++) {
        bool both_free = of_rank[k] < 0 && of_place[k] < 0;
        relabel->assigned[k] = both_free ? k : (int)of_place[k];
    }
    for (int k = 0; k < places; k++) {
        if (relabel->assigned[k] >= 0) continue;
        while (of_rank[rank] >= 0 || of_place[rank] < 0) rank++;
        relabel->assigned[k] = rank++;
    }
}

static redist_err match(struct relabel *relabel)
{
    struct comm_grid grid;
    struct matching matching = {0};
    for (int k = 0; k < relabel->places; k++) relabel->assigned[k] = k;
    TRY(find_weights(relabel));
    TRY(make_grid(relabel, &grid));
    redist_err err = matching_create(&grid, &matching);
    if (!err) err = matching_solve(&matching);
    if (!err && gains(relabel, &matching)) assign_rest(relabel, &matching);
    matching_free(&matching);
    comm_grid_free(&grid);
    return err;
}

static redist_err assign(struct relabel *relabel)
{
    bool applies = false;
    const struct mem_part parts[] = {MEM_PART(relabel->weight, relabel->places),
                                     MEM_PART(relabel->touched, relabel->places),
                                     MEM_PART(relabel->assigned, relabel->places),
                                     {0}};
    TRY(mem_alloc_parts(NULL, parts));
    if (!relabel->nodes)
        TRY(relabel_regular(relabel->source, relabel->target, relabel->assigned,
                            &applies));
    return applies ? REDIST_OK : match(relabel);
}

/* ---- the result -------------------------------------------------------------------- */

/* Make the target's dist with the assigned ranks. */
static redist_err make_dist(const struct relabel *relabel, redist_dist **dist)
{
    const redist_grid *old = relabel->grid;
    redist_grid *grid = NULL;
    redist_dist *made = NULL;
    int *ranks = mem_alloc(NULL, relabel->places, sizeof *ranks);
    if (!ranks) return REDIST_ERR_MEMORY;
    for (int k = 0; k < relabel->places; k++)
        ranks[k] = grid_rank_at(old, relabel->assigned[k]);
    redist_err err = redist_grid_create(old->naxes, old->shape, old->order, ranks, &grid);
    mem_free(ranks);
    if (!err) err = dist_copy(NULL, relabel->target->dist, &made);
    if (err) {
        redist_grid_destroy(&grid);
        return err;
    }
    redist_grid_destroy(&made->grid);
    made->grid = grid;
    *dist = made;
    return REDIST_OK;
}

/* Count the elements of an overlap that `rank` holds itself. */
static int64_t held_by(const struct relabel *relabel, const struct overlap *overlap,
                       int rank)
{
    int64_t elements = 0;
    for (int64_t k = 0; k < overlap->nmessages; k++)
        for (int64_t r = 0; r < relabel->source->dist->nreplicas; r++)
            if (holder(relabel, overlap, &overlap->message[k], r) == rank)
                elements += overlap->message[k].elements;
    return elements;
}

static redist_err count_kept(const struct relabel *relabel, int64_t kept[2])
{
    kept[0] = kept[1] = 0;
    for (int k = 0; k < relabel->places; k++) {
        struct overlap overlap;
        const int places[2] = {k, relabel->assigned[k]};
        TRY(find_overlap(relabel, k, &overlap));
        for (int i = 0; i < 2; i++)
            kept[i] += held_by(relabel, &overlap, grid_rank_at(relabel->grid, places[i]));
        overlap_free(&overlap);
    }
    return REDIST_OK;
}

static void relabel_free(struct relabel *relabel)
{
    mem_free(relabel->near_places);
    mem_free(relabel->weight); /* and all in one block with it */
    mem_free(relabel->edge);
}

static redist_err check(const redist_view *source, const redist_view *target,
                        const int nodes[], int within)
{
    int64_t most = 0;
    TRY(overlap_check(source, target));
    if (within < 0 || within > WHOLE)
        return error_arg("within is %d, must be 0 to %d", within, WHOLE);
    if (!nodes || int_mul(view_elements(source), WHOLE, &most)) return REDIST_OK;
    return error_arg("the section has more than 2^63 / %d elements, with nodes", WHOLE);
}

redist_err redist_relabel(const redist_view *source, const redist_view *target,
                          const int nodes[], int within, redist_dist **dist,
                          int64_t kept[2])
{
    if (!dist) return error_arg("dist is NULL");
    *dist = NULL;
    TRY(check(source, target, nodes, within));
    const redist_grid *grid = target->dist->grid;
    struct relabel relabel = {.source = source,
                              .target = target,
                              .grid = grid,
                              .places = (int)grid->size,
                              .nodes = nodes,
                              .own = nodes ? WHOLE : 1,
                              .near = nodes ? WHOLE - within : 0};
    redist_err err = assign(&relabel);
    if (!err && kept) err = count_kept(&relabel, kept);
    if (!err) err = make_dist(&relabel, dist);
    relabel_free(&relabel);
    return err;
}
