/* SPDX-License-Identifier: MIT */
#include "move/relay/replicas.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

static const struct sizes bytes = {1, 1, 0};

/* Find the coordinates of a process along the dimensions, and its replica. */
static bool find_place(const redist_dist *dist, int rank, int coords[], int64_t *replica)
{
    int at[REDIST_MAX_DIMS];
    if (!redist_grid_coords(dist->grid, rank, at)) return false;
    for (int i = 0; i < dist->ndims; i++) coords[i] = dist_coord(dist, i, at);
    *replica = dist_replica(dist, at);
    return true;
}

/* Tell whether `rank` has the same elements of a distribution as `holder`. */
static bool holds(const redist_dist *dist, int rank, int holder)
{
    int mine[REDIST_MAX_DIMS], theirs[REDIST_MAX_DIMS];
    int64_t replica;
    if (!find_place(dist, rank, mine, &replica) ||
        !find_place(dist, holder, theirs, &replica))
        return false;
    for (int i = 0; i < dist->ndims; i++)
        if (mine[i] != theirs[i]) return false;
    return true;
}

int64_t replicas_beside(const redist_dist *dist, int rank, int width)
{
    int64_t n = 0;
    for (int k = 0; k < width; k++) n += holds(dist, rank - rank % width + k, rank);
    return n;
}

/* Lay the local array of `rank` out dense, in the order of the target's memory. */
static redist_err lay_out(struct replicas *replicas, int rank)
{
    const redist_view dense = view_dense(replicas->view[REDIST_TARGET]);
    for (int s = 0; s < SIDES; s++) replicas->dense[s].view = replicas->view[s];
    return view_layout(&dense, rank, &replicas->dense[REDIST_TARGET].layout);
}

/* Find the elements of each member: the overlap of the target with itself. */
static redist_err find_whole(struct replicas *replicas, int rank)
{
    const redist_view *target = replicas->view[REDIST_TARGET];
    const struct memory_side both[SIDES] = {replicas->dense[REDIST_TARGET],
                                            replicas->dense[REDIST_TARGET]};
    struct overlap *whole = &replicas->whole;
    TRY(overlap_make(NULL, target, target, REDIST_TARGET, rank, whole));
    if (whole->nmessages == 0) return REDIST_OK;
    walk_make(whole, &whole->message[0], both, bytes, WAY_SCATTER, false, replicas->axes,
              &replicas->walk);
    replicas->elements = whole->message[0].elements;
    return REDIST_OK;
}

/* ---- the circle -------------------------------------------------------------------- */

struct seat {
    int rank;
    int64_t replica, lap; /* how many of its node come before it */
};

static int by_rank(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_lap(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->lap != y->lap) return x->lap > y->lap ? 1 : -1;
    return by_rank(a, b);
}

/* Place the replicas on the circle: one of each node, then another of each. */
static redist_err seat_all(struct replicas *replicas, int width)
{
    int64_t n = replicas->n;
    struct seat *seat = replicas->seat = mem_alloc(NULL, n, sizeof *seat);
    replicas->place = mem_alloc(NULL, n, sizeof *replicas->place);
    if (!seat || !replicas->place) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++)
        seat[k] = (struct seat){
            dist_rank(replicas->view[REDIST_TARGET]->dist, replicas->coords, k), k, 0};
    qsort(seat, (size_t)n, sizeof *seat, by_rank);
    for (int64_t k = 0; k < n; k++) {
        bool same = k > 0 && seat[k].rank / width == seat[k - 1].rank / width;
        seat[k].lap = same ? seat[k - 1].lap + 1 : 0;
        replicas->apart += !same;
    }
    qsort(seat, (size_t)n, sizeof *seat, by_lap);
    for (int64_t k = 0; k < n; k++) replicas->place[seat[k].replica] = k;
    return REDIST_OK;
}

/* Find the first member: one that has all elements already. */
static void find_turn(struct replicas *replicas)
{
    if (replicas->holder < 0) return;
    for (int64_t k = 0; k < replicas->n; k++)
        if (replicas_holds(replicas, k)) {
            replicas->turn = k;
            return;
        }
}

redist_err replicas_make(const redist_view views[SIDES], int width, int from, int rank,
                         int64_t elements, struct replicas *replicas)
{
    const redist_dist *target = views[REDIST_TARGET].dist;
    int64_t replica = 0;
    *replicas = (struct replicas){
        .view = {&views[REDIST_SOURCE], &views[REDIST_TARGET]},
        .n = target->nreplicas,
        .shares = 1,
        .holder = -1,
    };
    (void)find_place(target, rank, replicas->coords, &replica);
    TRY(seat_all(replicas, width));
    TRY(lay_out(replicas, rank));
    TRY(find_whole(replicas, rank));
    if (elements == replicas->elements) replicas->holder = from;
    find_turn(replicas);
    return REDIST_OK;
}

int64_t replicas_member(const struct replicas *replicas, int rank)
{
    int coords[REDIST_MAX_DIMS];
    int64_t replica = 0;
    (void)find_place(replicas->view[REDIST_TARGET]->dist, rank, coords, &replica);
    return (replicas->place[replica] - replicas->turn + replicas->n) % replicas->n;
}

void replicas_free(struct replicas *replicas)
{
    mem_free(replicas->seat);
    mem_free(replicas->place);
    overlap_free(&replicas->whole);
}

int replicas_rank(const struct replicas *replicas, int64_t member)
{
    return replicas->seat[(member + replicas->turn) % replicas->n].rank;
}

int64_t replicas_had(const struct replicas *replicas, int k)
{
    int64_t had = 1;
    for (; k > 1 && had < replicas->n; k--)
        had = int_min(2 * had, had < replicas->apart ? replicas->apart : replicas->n);
    return had;
}

/* Stages between nodes and stages within a node: two logarithms, both rounded up. */
int replicas_stages(int64_t n)
{
    int k = 0;
    while (INT64_C(1) << k < n) k++;
    return k > 1 ? k + 1 : k;
}

int64_t replicas_cut(const struct replicas *replicas, int64_t member)
{
    int64_t shares = replicas->shares, each = replicas->elements / shares;
    int64_t before = int_ceil_div(member * shares, replicas->n);
    return before * each + int_min(before, replicas->elements % shares);
}

bool replicas_holds(const struct replicas *replicas, int64_t member)
{
    return replicas->holder >= 0 &&
           holds(replicas->view[REDIST_SOURCE]->dist, replicas_rank(replicas, member),
                 replicas->holder);
}

int64_t replicas_before(const struct replicas *replicas, const struct overlap *overlap,
                        const struct message *message, int64_t cut)
{
    struct walk whole = replicas->walk, walk;
    struct axis own[REDIST_MAX_DIMS], axes[REDIST_MAX_DIMS];
    if (cut >= replicas->elements) return message->elements;
    for (int k = 0; k < whole.naxes; k++) own[k] = replicas->axes[k];
    whole.axis = own;
    int64_t at = walk_place(&whole, WAY_SCATTER, cut).target;
    walk_make(overlap, message, replicas->dense, bytes, WAY_SCATTER, false, axes, &walk);
    return walk_before(&walk, REDIST_TARGET, at);
}
