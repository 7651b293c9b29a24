/* SPDX-License-Identifier: MIT */
#include "move/relay/aggregation.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"

/* All parcels that pass this process. */
struct list {
    struct mem_account *account;
    int64_t n, room;
    struct parcel *parcel;
};

static redist_err append(struct list *list, int from, int to, int64_t bytes,
                         struct transfer *transfer)
{
    struct parcel *grown =
        mem_reserve(list->account, list->parcel, list->n + 1, &list->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    list->parcel = grown;
    grown[list->n++] = (struct parcel){
        .from = from, .to = to, .bytes = bytes, .transfer = transfer, .origin = -1};
    return REDIST_OK;
}

static redist_err append_own(const struct move *move, struct list *list)
{
    for (int64_t k = 0; k < move->send.n; k++) {
        struct transfer *transfer = &move->send.transfer[k];
        TRY(append(list, move->rank, transfer->rank, transfer->bytes, transfer));
    }
    for (int64_t k = 0; k < move->receive.n; k++) {
        struct transfer *transfer = &move->receive.transfer[k];
        TRY(append(list, transfer->rank, move->rank, transfer->bytes, transfer));
    }
    return REDIST_OK;
}

/* Append what others send to `to`, a neighbour, of one array. */
static redist_err append_array(const struct move *move, const struct array *array, int to,
                               struct list *list)
{
    struct overlap overlap;
    redist_err err =
        overlap_make(NULL, array->sides[REDIST_SOURCE].view,
                     array->sides[REDIST_TARGET].view, REDIST_TARGET, to, &overlap);
    for (int64_t k = 0; !err && k < overlap.nmessages; k++) {
        const struct message *message = &overlap.message[k];
        int64_t bytes = message->elements * array->sizes.element;
        if (message->rank != to && message->rank != move->rank)
            err = append(list, message->rank, to, bytes, NULL);
    }
    overlap_free(&overlap);
    return err;
}

static redist_err append_neighbour(const struct move *move, int to, struct list *list)
{
    for (int k = 0; k < move->narrays; k++)
        TRY(append_array(move, &move->array[k], to, list));
    return REDIST_OK;
}

static int by_partner(const void *a, const void *b)
{
    const struct parcel *x = a, *y = b;
    if (x->partner != y->partner) return x->partner < y->partner ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Sort by the pairs alone, or by partners first. */
static void sort(struct parcel parcels[], int64_t n)
{
    if (n > 1) qsort(parcels, (size_t)n, sizeof *parcels, by_partner);
}

/* What a pair has of several arrays is one parcel. */
static void unite(struct list *list)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++) {
        struct parcel *last = n > 0 ? &list->parcel[n - 1] : NULL,
                      *next = &list->parcel[k];
        if (last && last->from == next->from && last->to == next->to)
            last->bytes += next->bytes;
        else
            list->parcel[n++] = *next;
    }
    list->n = n;
}

/* Find the vias of a process's parcels for each group, which stand together. */
static void find_vias(struct list *list, int group)
{
    for (int64_t k = 0, end = 0; k < list->n; k = end) {
        const struct parcel *first = &list->parcel[k];
        while (end < list->n && list->parcel[end].from == first->from &&
               list->parcel[end].to / group == first->to / group)
            end++;
        bool neighbours = first->from / group == first->to / group;
        int via = neighbours ? first->from : first[bundles_via(first->from, end - k)].to;
        for (int64_t i = k; i < end; i++) list->parcel[i].via = via;
    }
}

/* The process with which `rank` has a parcel on a hop, on its one end or the other; -1 if
 * it has not. */
static int partner_of(const struct parcel *parcel, int hop, int side, int rank)
{
    int ends[SIDES] = {hop == 0 ? parcel->from : parcel->via,
                       hop == 0 ? parcel->via : parcel->to};
    return ends[side] == rank && ends[!side] != rank ? ends[!side] : -1;
}

static redist_err find_bundles(const struct move *move, struct parcels *parcels)
{
    const struct parcel *parcel = parcels->parcel;
    int64_t partners = 0;
    for (int64_t k = 0; k < parcels->n; k++)
        partners += k == 0 || parcel[k].partner != parcel[k - 1].partner;
    parcels->bundle = mem_alloc(move->plan_account, partners, sizeof *parcels->bundle);
    if (!parcels->bundle) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < parcels->n; k++) {
        if (k == 0 || parcel[k].partner != parcel[k - 1].partner)
            parcels->bundle[parcels->nbundles++] =
                (struct bundle){.partner = parcel[k].partner, .begin = k};
        parcels->bundle[parcels->nbundles - 1].end = k + 1;
    }
    return REDIST_OK;
}

/* Pick the parcels of one hop, one way. */
static redist_err pick(const struct move *move, const struct list *list, int hop,
                       int side, struct parcels *parcels)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++)
        n += partner_of(&list->parcel[k], hop, side, move->rank) >= 0;
    parcels->parcel = mem_alloc(move->plan_account, n, sizeof *parcels->parcel);
    if (!parcels->parcel) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < list->n; k++) {
        int partner = partner_of(&list->parcel[k], hop, side, move->rank);
        if (partner < 0) continue;
        struct parcel *parcel = &parcels->parcel[parcels->n++];
        *parcel = list->parcel[k];
        parcel->partner = partner;
    }
    sort(parcels->parcel, n);
    return find_bundles(move, parcels);
}

/* Find where what goes on from here has come in. */
static void find_origins(struct routes *routes)
{
    const struct parcels *in = &routes->hop[0][REDIST_TARGET];
    struct parcels *out = &routes->hop[1][REDIST_SOURCE];
    for (int64_t k = 0; k < out->n; k++) {
        struct parcel key = out->parcel[k];
        key.partner = key.from;
        const struct parcel *found = NULL;
        if (!key.transfer)
            found = bsearch(&key, in->parcel, (size_t)in->n, sizeof key, by_partner);
        if (found) out->parcel[k].origin = found - in->parcel;
    }
}

redist_err routes_make(const struct move *move, int group, struct routes *routes)
{
    *routes = (struct routes){0};
    struct list list = {0};
    int64_t first = move->rank / group * (int64_t)group;
    redist_err err = append_own(move, &list);
    for (int64_t to = first; !err && to < int_min(first + group, move->nranks); to++)
        if (to != move->rank) err = append_neighbour(move, (int)to, &list);
    sort(list.parcel, list.n);
    unite(&list);
    find_vias(&list, group);
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++)
            if (!err) err = pick(move, &list, hop, s, &routes->hop[hop][s]);
    if (!err) find_origins(routes);
    mem_free(list.parcel);
    return err;
}

void routes_free(struct routes *routes)
{
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) {
            mem_free(routes->hop[hop][s].parcel);
            mem_free(routes->hop[hop][s].bundle);
        }
    *routes = (struct routes){0};
}
