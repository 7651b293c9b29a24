/* SPDX-License-Identifier: MIT */
#include "move/relay/aggregation.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"

/* All submessages that pass through this process. */
struct list {
    int64_t n, room;
    struct submessage *submessage;
};

static redist_err append(struct list *list, int from, int to, int64_t bytes,
                         struct transfer *transfer)
{
    const struct submessage submessage = {
        .from = from, .to = to, .bytes = bytes, .transfer = transfer, .origin = -1};
    return mem_append(NULL, &list->submessage, &list->n, &list->room, &submessage,
                      sizeof submessage);
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

/* Append the messages of one array that others send to `to`, a neighbour. */
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

static int by_partner(const void *a, const void *b)
{
    const struct submessage *x = a, *y = b;
    if (x->partner != y->partner) return x->partner < y->partner ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Sort by the pairs alone, or by partners first. */
static void sort(struct submessage submessages[], int64_t n)
{
    if (n > 1) qsort(submessages, (size_t)n, sizeof *submessages, by_partner);
}

/* Merge the messages of several arrays of a pair into one submessage. */
static void unite(struct list *list)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++) {
        struct submessage *last = n > 0 ? &list->submessage[n - 1] : NULL,
                          *next = &list->submessage[k];
        if (last && last->from == next->from && last->to == next->to)
            last->bytes += next->bytes;
        else
            list->submessage[n++] = *next;
    }
    list->n = n;
}

/* Find the relays of a process's submessages for each group; these are contiguous. */
static void find_relays(struct list *list, int group)
{
    for (int64_t k = 0, end = 0; k < list->n; k = end) {
        const struct submessage *first = &list->submessage[k];
        while (end < list->n && list->submessage[end].from == first->from &&
               list->submessage[end].to / group == first->to / group)
            end++;
        bool neighbours = first->from / group == first->to / group;
        int relay =
            neighbours ? first->from : first[bundles_relay(first->from, end - k)].to;
        for (int64_t i = k; i < end; i++) list->submessage[i].relay = relay;
    }
}

/* Return the process with which `rank` has a submessage on a hop, at either end; -1:
 * none. */
static int partner_of(const struct submessage *submessage, int hop, int side, int rank)
{
    int ends[SIDES] = {hop == 0 ? submessage->from : submessage->relay,
                       hop == 0 ? submessage->relay : submessage->to};
    return ends[side] == rank && ends[!side] != rank ? ends[!side] : -1;
}

static redist_err find_bundles(const struct move *move, struct submessages *submessages)
{
    const struct submessage *submessage = submessages->submessage;
    int64_t partners = 0;
    for (int64_t k = 0; k < submessages->n; k++)
        partners += k == 0 || submessage[k].partner != submessage[k - 1].partner;
    submessages->bundle =
        mem_alloc(move->plan_account, partners, sizeof *submessages->bundle);
    if (!submessages->bundle) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < submessages->n; k++) {
        if (k == 0 || submessage[k].partner != submessage[k - 1].partner)
            submessages->bundle[submessages->nbundles++] =
                (struct bundle){.partner = submessage[k].partner, .begin = k};
        submessages->bundle[submessages->nbundles - 1].end = k + 1;
    }
    return REDIST_OK;
}

/* Pick the submessages of one direction of one hop. */
static redist_err pick(const struct move *move, const struct list *list, int hop,
                       int side, struct submessages *submessages)
{
    int64_t n = 0;
    for (int64_t k = 0; k < list->n; k++)
        n += partner_of(&list->submessage[k], hop, side, move->rank) >= 0;
    submessages->submessage =
        mem_alloc(move->plan_account, n, sizeof *submessages->submessage);
    if (!submessages->submessage) return REDIST_ERR_MEMORY;
    for (int64_t k = 0; k < list->n; k++) {
        int partner = partner_of(&list->submessage[k], hop, side, move->rank);
        if (partner < 0) continue;
        struct submessage *submessage = &submessages->submessage[submessages->n++];
        *submessage = list->submessage[k];
        submessage->partner = partner;
    }
    sort(submessages->submessage, n);
    return find_bundles(move, submessages);
}

/* Find where forwarded submessages were received. */
static void find_origins(struct aggregation *aggregation)
{
    const struct submessages *in = &aggregation->hop[0][REDIST_TARGET];
    struct submessages *out = &aggregation->hop[1][REDIST_SOURCE];
    for (int64_t k = 0; k < out->n; k++) {
        struct submessage key = out->submessage[k];
        key.partner = key.from;
        const struct submessage *found = NULL;
        if (!key.transfer)
            found = bsearch(&key, in->submessage, (size_t)in->n, sizeof key, by_partner);
        if (found) out->submessage[k].origin = found - in->submessage;
    }
}

redist_err aggregation_make(const struct move *move, int group,
                            struct aggregation *aggregation)
{
    *aggregation = (struct aggregation){0};
    struct list list = {0};
    int64_t first = move->rank / group * (int64_t)group;
    redist_err err = append_own(move, &list);
    for (int64_t to = first; !err && to < int_min(first + group, move->nranks); to++)
        for (int k = 0; !err && to != move->rank && k < move->narrays; k++)
            err = append_array(move, &move->array[k], (int)to, &list);
    sort(list.submessage, list.n);
    unite(&list);
    find_relays(&list, group);
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++)
            if (!err) err = pick(move, &list, hop, s, &aggregation->hop[hop][s]);
    if (!err) find_origins(aggregation);
    mem_free(list.submessage);
    return err;
}

void aggregation_free(struct aggregation *aggregation)
{
    for (int hop = 0; hop < HOPS; hop++)
        for (int s = 0; s < SIDES; s++) {
            mem_free(aggregation->hop[hop][s].submessage);
            mem_free(aggregation->hop[hop][s].bundle);
            mem_free(aggregation->hop[hop][s].staging);
        }
    *aggregation = (struct aggregation){0};
}
