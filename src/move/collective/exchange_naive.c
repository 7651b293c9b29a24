/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_naive.c - the baseline of the papers, for comparison only.
 * Each process traverses its own elements of the section one by one. For each it finds
 * the owner on the other side and the place by converting its index, at both ends alike.
 *
 * With several rounds, a round continues at the first element of a later one, and skips
 * those that have travelled before.
 */
#include <string.h>

#include "base/error.h"
#include "intersect/side.h"
#include "move/collective/rounds.h"

/* A position in the traversal of the elements. */
struct position {
    int64_t index[REDIST_MAX_DIMS]; /* in the section */
    int64_t *seen;                  /* [transfers] elements of each that have been
                                       passed */
};

/* This process on one side. */
struct end {
    const struct transfers *transfers;
    int *slot; /* [nranks] transfer of a rank; -1: none */
    struct layout layout;
    int coord[REDIST_MAX_DIMS]; /* along each dimension of the section */
    struct position at, resume; /* where the next round continues */
};

struct state {
    struct rounds rounds;
    redist_view view[SIDES];
    redist_dist *dist[SIDES];                 /* the views', copied */
    struct side side[REDIST_MAX_DIMS][SIDES]; /* by dimension of the section */
    int loop[REDIST_MAX_DIMS]; /* dimensions of the section, the target's fastest last */
    struct end end[SIDES];
};

/* ---- making ------------------------------------------------------------------------ */

static redist_err copy_views(const struct move *move, struct state *state)
{
    for (int s = 0; s < SIDES; s++) {
        const redist_view *view = move->array[0].sides[s].view;
        TRY(dist_copy(move->plan_account, view->dist, &state->dist[s]));
        state->view[s] = *view;
        state->view[s].dist = state->dist[s];
    }
    const redist_view *target = &state->view[REDIST_TARGET];
    for (int j = 0; j < target->dist->ndims; j++) {
        for (int s = 0; s < SIDES; s++)
            state->side[j][s] = side_of_view(&state->view[s], j);
        for (int k = 0; k < target->dist->ndims; k++)
            if (target->axes[j] == target->order[k]) state->loop[k] = j;
    }
    return REDIST_OK;
}

static redist_err make_end(const struct move *move, struct state *state, redist_side s)
{
    struct end *end = &state->end[s];
    const redist_view *view = &state->view[s];
    int coords[REDIST_MAX_DIMS];
    end->transfers = s == REDIST_SOURCE ? &move->send : &move->receive;
    int64_t n = end->transfers->n;
    end->slot = mem_alloc(move->plan_account, move->nranks, sizeof *end->slot);
    end->at.seen = mem_alloc(move->plan_account, n, sizeof(int64_t));
    end->resume.seen = mem_alloc(move->plan_account, n, sizeof(int64_t));
    if (!end->slot || !end->at.seen || !end->resume.seen) return REDIST_ERR_MEMORY;
    for (int rank = 0; rank < move->nranks; rank++) end->slot[rank] = -1;
    for (int64_t k = 0; k < n; k++) end->slot[end->transfers->transfer[k].rank] = (int)k;
    TRY(view_layout(view, move->rank, &end->layout));
    if (!redist_grid_coords(view->dist->grid, move->rank, coords)) return REDIST_OK;
    for (int j = 0; j < view->dist->ndims; j++)
        end->coord[j] = dist_coord(view->dist, view->axes[j], coords);
    return REDIST_OK;
}

static redist_err set_up(const struct move *move, struct rounds *rounds)
{
    struct state *state = (struct state *)rounds;
    TRY(copy_views(move, state));
    TRY(make_end(move, state, REDIST_SOURCE));
    return make_end(move, state, REDIST_TARGET);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        mem_free(state->end[s].slot);
        mem_free(state->end[s].at.seen);
        mem_free(state->end[s].resume.seen);
        redist_dist_destroy(&state->dist[s]);
    }
    rounds_destroy(state);
}

/* ---- traversal of the elements ----------------------------------------------------- */

static void copy_position(const struct end *end, struct position *to,
                          const struct position *from)
{
    memcpy(to->index, from->index, sizeof to->index);
    for (int64_t k = 0; k < end->transfers->n; k++) to->seen[k] = from->seen[k];
}

static int64_t first_index(const struct state *state, redist_side s, int j)
{
    return side_next_owned(&state->side[j][s], state->end[s].coord[j], 0);
}

static void go_to_first(struct state *state, redist_side s)
{
    struct position *at = &state->end[s].resume;
    for (int j = 0; j < state->dist[s]->ndims; j++)
        at->index[j] = first_index(state, s, j);
    for (int64_t k = 0; k < state->end[s].transfers->n; k++) at->seen[k] = 0;
}

static void go_to_next(struct state *state, redist_side s)
{
    struct end *end = &state->end[s];
    for (int k = state->dist[s]->ndims - 1; k >= 0; k--) {
        int j = state->loop[k];
        const struct side *side = &state->side[j][s];
        int64_t *index = &end->at.index[j];
        if (++*index < side->extent)
            *index = side_next_owned(side, end->coord[j], *index);
        if (*index < side->extent) return;
        *index = first_index(state, s, j);
    }
}

/* Return the bytes from the start of this process's buffer to the current element. */
static int64_t own_place(const struct state *state, redist_side s, int64_t element)
{
    const struct end *end = &state->end[s];
    int64_t place = end->layout.offset;
    for (int j = 0; j < state->dist[s]->ndims; j++) {
        const struct side *side = &state->side[j][s];
        struct block block = side_block_at(side, end->at.index[j]);
        int64_t local = block.local + (end->at.index[j] - block.begin) * side->stride;
        place += local * end->layout.stride[state->view[s].axes[j]];
    }
    return place * element;
}

/* Find the owner of the current element on the other side. */
static void find_owner(const struct state *state, redist_side s, int coords[])
{
    redist_side other = s == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
    const int64_t *index = state->end[s].at.index;
    for (int j = 0; j < state->dist[s]->ndims; j++)
        coords[state->view[other].axes[j]] =
            side_block_at(&state->side[j][other], index[j]).owner;
}

/* Move the current element between the buffer and the message of transfer k, if it
 * belongs to the round. Returns whether it belongs to a later one. */
static bool move_element(const struct move *move, struct state *state, redist_side s,
                         int64_t k, int64_t round, int64_t *left)
{
    struct end *end = &state->end[s];
    const struct rounds *rounds = &state->rounds;
    int64_t element = move->array[0].sizes.element;
    int64_t at = end->at.seen[k] * element - round * rounds->quota;
    if (at >= rounds->quota) return true;
    end->at.seen[k]++;
    if (at < 0) return false;
    char *staging = rounds_place(rounds, s, k, round) + at;
    int64_t place = own_place(state, s, element);
    if (s == REDIST_SOURCE)
        memcpy(staging, (const char *)move->sources[0] + place, (size_t)element);
    else
        memcpy((char *)move->targets[0] + place, staging, (size_t)element);
    *left -= element;
    return false;
}

/* Traverse the elements until all of the round have been moved. */
static void move_round(const struct move *move, struct rounds *rounds, redist_side s,
                       int64_t round)
{
    struct state *state = (struct state *)rounds;
    struct end *end = &state->end[s];
    const redist_dist *other = state->dist[!s];
    int64_t left = 0;
    bool marked = false;
    if (move->buffers_invalid) return;
    for (int64_t k = 0; k < end->transfers->n; k++)
        left += rounds_part(rounds, &end->transfers->transfer[k], round);
    if (round == 0) go_to_first(state, s);
    copy_position(end, &end->at, &end->resume);
    for (; left > 0; go_to_next(state, s)) {
        int coords[REDIST_MAX_DIMS];
        find_owner(state, s, coords);
        for (int64_t replica = 0; replica < other->nreplicas; replica++) {
            int k = end->slot[dist_rank(other, coords, replica)];
            if (k < 0 || !move_element(move, state, s, k, round, &left)) continue;
            if (!marked) copy_position(end, &end->resume, &end->at);
            marked = true;
        }
    }
    if (!marked) copy_position(end, &end->resume, &end->at);
}

static redist_err make(const struct move *move, void **state)
{
    static const struct rounds_kind kind = {.name = "naive",
                                            .by_rank = true,
                                            .set_up = set_up,
                                            .call = MPI_Ialltoallv,
                                            .call_name = "MPI_Ialltoallv",
                                            .move = move_round};
    TRY(exchange_check(move, NEEDS_ONE_ARRAY | NEEDS_BYTES, "naive"));
    return rounds_make(move, &kind, sizeof(struct state), state);
}

const struct exchange exchange_naive = {
    .name = "naive",
    .host_only = true,
    .needs_dists = true,
    .make = make,
    .start = rounds_start,
    .progress = rounds_progress,
    .destroy = destroy,
};
