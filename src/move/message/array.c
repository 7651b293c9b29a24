/* SPDX-License-Identifier: MIT */
#include "move/message/array.h"

#include <assert.h>

#include "base/error.h"

static const char *const side_name[SIDES] = {"source", "target"};

/* Return the message of the process to itself; NULL: none. */
static const struct message *find_own(const struct overlap *overlap)
{
    for (int64_t k = 0; k < overlap->nmessages; k++)
        if (overlap->message[k].rank == overlap->rank) return &overlap->message[k];
    return NULL;
}

static const struct listed *list_of(const struct array *array, redist_side side,
                                    const struct message *message)
{
    return &array->listing[side].message[message->number];
}

void array_walk(const struct array *array, redist_side own, const struct message *message,
                enum way way, struct axis *axis, struct walk *walk)
{
    const struct listed *list[SIDES] = {NULL, NULL};
    if (!array->listed) {
        walk_make(&array->overlap[own], message, array->sides, array->sizes, way,
                  way != WAY_COPY, axis, walk);
        return;
    }
    list[own] = list_of(array, own, message);
    if (way == WAY_COPY) {
        redist_side other = own == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
        list[other] = list_of(array, other, find_own(&array->overlap[other]));
    }
    walk_make_listed(list, array->sizes, way, walk);
}

/* Make the walk of the elements that stay on the process, if any. */
static void find_kept(struct array *array)
{
    const struct message *own = find_own(&array->overlap[REDIST_SOURCE]);
    array->kept = (struct walk){.grain = array->sizes.grain, .memory = &memory_host};
    if (own) array_walk(array, REDIST_SOURCE, own, WAY_COPY, array->axes, &array->kept);
}

redist_err array_make(struct mem_account *account, const redist_view views[SIDES],
                      struct sizes sizes, int rank, struct array *array)
{
    int64_t bytes = 0;
    *array = (struct array){.sizes = sizes, .known = true};
    array->replicas = views[REDIST_TARGET].dist->nreplicas;
    for (int s = 0; s < SIDES; s++) {
        array->view[s] = views[s];
        array->sides[s].view = &array->view[s];
        struct layout *layout = &array->sides[s].layout;
        redist_err err = view_layout(&views[s], rank, layout);
        if (!err) err = view_bytes(layout->span, sizes_element(sizes, s), &bytes);
        if (err) return error_prefix(err, "%s", side_name[s]);
    }
    for (int s = 0; s < SIDES; s++)
        TRY(overlap_make(account, &views[REDIST_SOURCE], &views[REDIST_TARGET],
                         (redist_side)s, rank, &array->overlap[s]));
    find_kept(array);
    return REDIST_OK;
}

/* Give the messages of a listing to an overlap. */
static redist_err list_messages(struct mem_account *account,
                                const struct listing *listing, redist_side own, int rank,
                                struct overlap *overlap)
{
    *overlap = (struct overlap){.rank = rank, .own = own, .account = account};
    overlap->message = mem_alloc(account, listing->n, sizeof *overlap->message);
    if (!overlap->message) return REDIST_ERR_MEMORY;
    overlap->nmessages = overlap->room = listing->n;
    for (int64_t k = 0; k < listing->n; k++) {
        const struct listed *list = &listing->message[k];
        overlap->message[k] =
            (struct message){list->rank, list->elements * listing->block, k};
    }
    return REDIST_OK;
}

redist_err array_make_listed(struct mem_account *account, struct listing listing[SIDES],
                             struct sizes sizes, int rank, struct array *array)
{
    assert(sizes.grain == sizes.element * listing[REDIST_SOURCE].block);
    *array = (struct array){
        .sizes = sizes, .known = listing[REDIST_SOURCE].known, .listed = true};
    for (int s = 0; s < SIDES; s++) {
        array->sides[s].layout.span = listing[s].length * listing[s].block;
        array->listing[s] = listing[s];
        listing[s] = (struct listing){0};
    }
    for (int s = 0; s < SIDES; s++)
        TRY(list_messages(account, &array->listing[s], (redist_side)s, rank,
                          &array->overlap[s]));
    find_kept(array);
    return REDIST_OK;
}

redist_err array_keep_dists(struct mem_account *account, struct array *array)
{
    for (int s = 0; s < SIDES; s++)
        if (!array->kept_dist[s])
            TRY(dist_copy(account, array->view[s].dist, &array->kept_dist[s]));
    return REDIST_OK;
}

void array_leave_dists(struct array *array)
{
    for (int s = 0; s < SIDES; s++) array->view[s].dist = array->kept_dist[s];
}

void array_free(struct array *array)
{
    for (int s = 0; s < SIDES; s++) {
        overlap_free(&array->overlap[s]);
        redist_dist_destroy(&array->kept_dist[s]);
        listing_free(&array->listing[s]);
    }
}

int64_t array_kept(const struct array *array)
{
    return array->kept.total * array->sizes.grain / array->sizes.element;
}
