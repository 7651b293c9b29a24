/* SPDX-License-Identifier: MIT */
#include "move/shared/shm_places.h"

static void show_place(const struct move *move, const void *source, bool hidden,
                       struct shown_place *shown)
{
    struct memory *memory = move->memory;
    if (!hidden && segments_place(source, &shown->segment))
        shown->where = SHOWN_IN_SEGMENT;
    else if (memory->kind->show && memory->kind->show(memory, source, &shown->place))
        shown->where = SHOWN_IN_KIND;
}

bool shm_places_show(const struct move *move, bool hidden, struct shown_place places[])
{
    bool any = false;
    for (int a = 0; a < move->narrays && !move->buffers_invalid; a++) {
        places[a].where = SHOWN_NOWHERE;
        if (move->array[a].known) show_place(move, move->sources[a], hidden, &places[a]);
        any = any || places[a].where != SHOWN_NOWHERE;
    }
    return any;
}

/* Find the address of an array here; NULL: it is not accessible. */
static const char *find(const struct move *move, const struct shm_peers *peers,
                        int64_t run, const struct shown_place *shown)
{
    const struct memory_kind *kind = move->memory->kind;
    if (shown->where == SHOWN_IN_SEGMENT) return segments_address(shown->segment);
    return kind->reach ? kind->reach(peers, run, &shown->place) : NULL;
}

bool shm_places_find(const struct move *move, const struct shm_peers *peers,
                     struct incoming *incoming)
{
    incoming->read = 0;
    for (int64_t k = 0; k < incoming->transfer.nparts; k++) {
        struct direct_read *direct = &incoming->direct[k];
        int number = incoming->transfer.part[k].number;
        direct->array = find(move, peers, incoming->end.runs, &incoming->place[number]);
        if (!direct->array) return false;
    }
    return true;
}
