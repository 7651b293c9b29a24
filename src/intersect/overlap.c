/* SPDX-License-Identifier: MIT */
#include "intersect/overlap.h"

#include "base/error.h"
#include "base/intmath.h"

redist_err overlap_check(const redist_view *source, const redist_view *target)
{
    redist_err err = view_check(source);
    if (err) return error_prefix(err, "source");
    err = view_check(target);
    if (err) return error_prefix(err, "target");
    int ndims = source->dist->ndims;
    if (ndims != target->dist->ndims)
        return error_arg("the source has %d dimensions, the target %d", ndims,
                         target->dist->ndims);
    for (int j = 0; j < ndims; j++) {
        int64_t n = source->extent[source->axes[j]], m = target->extent[target->axes[j]];
        if (n != m)
            return error_arg("dim %d: the source's extent is %" PRId64
                             ", the target's %" PRId64,
                             j, n, m);
    }
    /* so every sum of what processes send, or have, fits, too */
    int64_t elements = view_elements(source), all = 0;
    int64_t copies = int_max(source->dist->nreplicas, target->dist->nreplicas);
    if (int_mul(elements, copies, &all)) return REDIST_OK;
    return error_arg("the section has %" PRId64 " elements in %" PRId64
                     " copies, more than 2^63 - 1 together",
                     elements, copies);
}

/* Which replica of the source serves which process of the target. Let n_j be the number
 * of target partners of the source's coordinate along dimension j, and o_j the index of
 * the target's coordinate among them. The mixed-radix number of (o_0, o_1, .., target
 * replica), modulo the source's replicas, distributes the targets of a source coordinate
 * evenly. */
struct turns {
    int64_t replicas;                /* of the source; 1: no choice */
    int64_t *place[REDIST_MAX_DIMS]; /* [partners]: o_j */
    int64_t *among[REDIST_MAX_DIMS]; /* [partners]: n_j */
};

/* Coordinates of a process along the dimensions of the section. */
struct place {
    int coord[REDIST_MAX_DIMS];
    int64_t replica;
};

static bool place_of(const redist_view *view, int rank, struct place *place)
{
    int grid_coords[REDIST_MAX_DIMS];
    if (!redist_grid_coords(view->dist->grid, rank, grid_coords)) return false;
    for (int j = 0; j < view->dist->ndims; j++)
        place->coord[j] = dist_coord(view->dist, view->axes[j], grid_coords);
    place->replica = dist_replica(view->dist, grid_coords);
    return true;
}

static int rank_of(const redist_view *view, const struct place *place)
{
    int coords[REDIST_MAX_DIMS];
    for (int j = 0; j < view->dist->ndims; j++) coords[view->axes[j]] = place->coord[j];
    return dist_rank(view->dist, coords, place->replica);
}

const struct partner *overlap_partner(const struct overlap *overlap,
                                      const struct message *message, int j)
{
    int64_t number = message->number;
    for (int k = overlap->ndims - 1; k > j; k--) number /= overlap->dim[k].n;
    return &overlap->dim[j].partner[number % overlap->dim[j].n];
}

/* Dimension j of both sides. */
static void sides_of(const redist_view *source, const redist_view *target, int j,
                     struct side sides[SIDES])
{
    sides[REDIST_SOURCE] = side_of_view(source, j);
    sides[REDIST_TARGET] = side_of_view(target, j);
}

static redist_err make_turns(struct overlap *overlap, const redist_view *source,
                             const redist_view *target, const struct place *mine,
                             struct turns *turns)
{
    turns->replicas = source->dist->nreplicas;
    if (turns->replicas == 1) return REDIST_OK;
    *turns = (struct turns){.replicas = source->dist->nreplicas};
    for (int j = 0; j < overlap->ndims; j++) {
        const struct partners *dim = &overlap->dim[j];
        const struct mem_part parts[] = {
            MEM_PART(turns->place[j], dim->n), MEM_PART(turns->among[j], dim->n), {0}};
        TRY(mem_alloc_parts(overlap->account, parts));
        for (int64_t k = 0; k < dim->n; k++) {
            turns->place[j][k] = k;
            turns->among[j][k] = dim->n;
            if (overlap->own == REDIST_SOURCE) continue;
            struct side sides[SIDES];
            struct partners theirs;
            sides_of(source, target, j, sides);
            TRY(partners_make(overlap->account, sides, REDIST_SOURCE,
                              dim->partner[k].coord, &theirs));
            turns->place[j][k] = partners_find(&theirs, mine->coord[j]);
            turns->among[j][k] = theirs.n;
            partners_free(&theirs);
        }
    }
    return REDIST_OK;
}

static void free_turns(struct turns *turns)
{
    for (int j = 0; j < REDIST_MAX_DIMS; j++) mem_free(turns->place[j]); /* and among */
}

/* Return the rank of the source process that serves target process `to` with the elements
 * of coordinates `from`; `index` are their partner indices. */
static int server(const struct overlap *overlap, const redist_view *source,
                  const redist_view *target, const struct turns *turns,
                  const int64_t index[], const struct place *from, const struct place *to)
{
    struct place chosen = *from, holder;
    chosen.replica = 0;
    if (turns->replicas == 1) return rank_of(source, &chosen);
    int to_rank = rank_of(target, to);
    if (place_of(source, to_rank, &holder)) {
        bool holds = true;
        for (int j = 0; j < overlap->ndims; j++)
            holds = holds && holder.coord[j] == from->coord[j];
        if (holds) return to_rank;
    }
    int64_t turn = 0;
    for (int j = 0; j < overlap->ndims; j++)
        turn = (turn * turns->among[j][index[j]] + turns->place[j][index[j]]) %
               turns->replicas;
    chosen.replica = (turn * target->dist->nreplicas + to->replica) % turns->replicas;
    return rank_of(source, &chosen);
}

static redist_err append_message(struct overlap *overlap, int rank, int64_t number,
                                 const int64_t index[])
{
    struct message message = {rank, 1, number};
    for (int j = 0; j < overlap->ndims; j++)
        message.elements *= overlap->dim[j].partner[index[j]].runs.elements;
    return mem_append(overlap->account, &overlap->message, &overlap->nmessages,
                      &overlap->room, &message, sizeof message);
}

/* Advance to the next tuple of partners. */
static void next(const struct overlap *overlap, int64_t index[])
{
    for (int j = overlap->ndims - 1; j >= 0 && ++index[j] == overlap->dim[j].n; j--)
        index[j] = 0;
}

/* Traverse the product of the dimensions' partners, and the target's replicas. */
static redist_err make_messages(struct overlap *overlap, const redist_view *source,
                                const redist_view *target, const struct place *mine,
                                const struct turns *turns)
{
    int64_t total = 1, index[REDIST_MAX_DIMS];
    for (int j = 0; j < overlap->ndims; j++) total *= overlap->dim[j].n, index[j] = 0;
    for (int64_t number = 0; number < total; number++, next(overlap, index)) {
        struct place other;
        other.replica = 0;
        for (int j = 0; j < overlap->ndims; j++)
            other.coord[j] = overlap->dim[j].partner[index[j]].coord;
        if (overlap->own == REDIST_TARGET) {
            int rank = server(overlap, source, target, turns, index, &other, mine);
            TRY(append_message(overlap, rank, number, index));
            continue;
        }
        for (; other.replica < target->dist->nreplicas; other.replica++)
            if (server(overlap, source, target, turns, index, mine, &other) ==
                overlap->rank)
                TRY(append_message(overlap, rank_of(target, &other), number, index));
    }
    return REDIST_OK;
}

redist_err overlap_make(struct mem_account *account, const redist_view *source,
                        const redist_view *target, redist_side own, int rank,
                        struct overlap *overlap)
{
    overlap->ndims = source->dist->ndims;
    overlap->rank = rank;
    overlap->own = own;
    overlap->account = account;
    overlap->nmessages = overlap->room = 0;
    overlap->message = NULL;
    for (int j = 0; j < overlap->ndims; j++)
        overlap->dim[j] = (struct partners){.account = account};
    struct place mine;
    struct turns turns;
    turns.replicas = 0;
    if (!place_of(own == REDIST_SOURCE ? source : target, rank, &mine)) return REDIST_OK;
    redist_err err = REDIST_OK;
    for (int j = 0; !err && j < overlap->ndims; j++) {
        struct side sides[SIDES];
        sides_of(source, target, j, sides);
        err = partners_make(account, sides, own, mine.coord[j], &overlap->dim[j]);
    }
    if (!err) err = make_turns(overlap, source, target, &mine, &turns);
    if (!err) err = make_messages(overlap, source, target, &mine, &turns);
    if (turns.replicas > 1) free_turns(&turns);
    if (err) overlap_free(overlap);
    return err;
}

void overlap_free(struct overlap *overlap)
{
    for (int j = 0; j < overlap->ndims; j++) partners_free(&overlap->dim[j]);
    mem_free(overlap->message);
    overlap->message = NULL;
    overlap->nmessages = overlap->room = 0;
}

redist_err overlap_count(const redist_view *source, const redist_view *target,
                         redist_side own, int rank, struct overlap_counts *counts)
{
    const redist_view *views[SIDES] = {source, target};
    struct place mine, others;
    *counts = (struct overlap_counts){0};
    if (!place_of(views[own], rank, &mine)) return REDIST_OK;
    bool both = place_of(views[!own], rank, &others);
    *counts = (struct overlap_counts){1, 1, both};
    for (int j = 0; j < source->dist->ndims; j++) {
        struct side sides[SIDES];
        struct partner_counts along;
        sides_of(source, target, j, sides);
        TRY(partners_count(sides, own, mine.coord[j], both ? others.coord[j] : -1,
                           &along));
        counts->messages *= along.partners;
        counts->elements *= along.elements;
        counts->kept *= along.with;
    }
    return REDIST_OK;
}
