/* SPDX-License-Identifier: MIT */
#include "schedule/network/rush.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/problem/topology.h"
#include "schedule/network/words.h"

/* ---- making ------------------------------------------------------------------------ */

void rush_free(struct rush *rush)
{
    mem_free(rush->process);
    mem_free(rush->passage);
    mem_free(rush->wire);
    for (int s = 0; s < SIDES; s++) mem_free(rush->own[s]);
    mem_free(rush->link);
    mem_free(rush->freed);
    mem_free(rush->event);
    mem_free(rush->underway);
    mem_free(rush->active);
    mem_free(rush->use);
}

static redist_err allocate(struct rush *rush)
{
    const redist_topology *topology = rush->input->topology;
    int64_t n = rush->n, all = n + rush->nwords;
    rush->process = mem_alloc(NULL, rush->nranks, sizeof *rush->process);
    rush->passage = mem_alloc(NULL, all, sizeof *rush->passage);
    rush->wire = mem_alloc(NULL, redist_topology_links(topology), sizeof *rush->wire);
    for (int s = 0; s < SIDES; s++)
        rush->own[s] = mem_alloc(NULL, n, sizeof *rush->own[s]);
    int64_t passed = all * topology_longest(topology);
    rush->link = mem_alloc(NULL, passed, sizeof *rush->link);
    rush->use = mem_alloc(NULL, rush->going->shared ? passed : 0, sizeof *rush->use);
    rush->freed = mem_alloc(NULL, all, sizeof *rush->freed);
    rush->event = mem_alloc(NULL, all + rush->nranks, sizeof *rush->event);
    rush->underway = mem_alloc(NULL, n, sizeof *rush->underway);
    rush->active = mem_alloc(NULL, redist_topology_links(topology), sizeof *rush->active);
    bool made = rush->process && rush->passage && rush->wire && rush->own[0] &&
                rush->own[1] && rush->link && rush->freed && rush->event &&
                rush->underway && rush->active && rush->use;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* How many pieces a message travels in. */
static int64_t pieces_of(const struct rush *rush, const struct piece *message)
{
    double bytes = rush->model->unit * (double)message->weight;
    return rush->going->chunk > 0 ? int_max((int64_t)ceil(bytes / rush->going->chunk), 1)
                                  : 1;
}

static void cut(struct rush *rush, const struct readout *messages)
{
    struct passage *passage = rush->passage;
    for (int64_t k = 0; k < messages->n; k++) {
        const struct piece *message = &messages->piece[k];
        double left = rush->model->unit * (double)message->weight;
        for (int64_t pieces = pieces_of(rush, message); pieces > 0; pieces--) {
            double bytes = pieces > 1 ? rush->going->chunk : left;
            *passage++ = (struct passage){
                .step = message->step, .bytes = bytes, .rank = {message->p, message->q}};
            left -= bytes;
        }
    }
}

/* Hand the messages out to the lanes of a side. */
static void fill_lanes(struct rush *rush, int side)
{
    struct process *process = rush->process;
    int64_t begin = 0;
    for (int64_t m = 0; m < rush->n; m++)
        process[rush->passage[m].rank[side]].lane[side].next++;
    for (int r = 0; r < rush->nranks; r++) {
        struct lane *lane = &process[r].lane[side];
        int64_t count = lane->next;
        lane->first = lane->end = begin;
        begin += count;
    }
    for (int64_t m = 0; m < rush->n; m++)
        rush->own[side][process[rush->passage[m].rank[side]].lane[side].end++] = m;
}

/* Find how much staging memory the lanes of a side have. */
static void make_rings(struct rush *rush, int side)
{
    const struct model_going *going = rush->going;
    for (int r = 0; going->room > 0 && r < rush->nranks; r++) {
        struct lane *lane = &rush->process[r].lane[side];
        int64_t longest = 0, all = 0, window = INT64_MAX;
        for (int64_t k = lane->first; k < lane->end; k++) {
            int64_t bytes = rush_staged(rush, rush->own[side][k]);
            longest = int_max(longest, bytes);
            all += bytes;
        }
        if (!int_mul(going->window, longest, &window)) window = INT64_MAX;
        lane->ring.size = int_min(int_min(window, all), int_max(going->room, longest));
    }
}

static redist_err find_ways(struct rush *rush)
{
    const redist_topology *topology = rush->input->topology;
    int longest = topology_longest(topology);
    int64_t *way = mem_alloc(NULL, longest, sizeof *way), end = 0;
    if (!way) return REDIST_ERR_MEMORY;
    for (int64_t m = 0; m < rush->n + rush->nwords; m++) {
        struct passage *passage = &rush->passage[m];
        int links = redist_topology_route(topology, passage->rank[REDIST_SOURCE],
                                          passage->rank[REDIST_TARGET], longest, way);
        passage->begin = end;
        for (int k = 0; k < links; k++) rush->link[end++] = (int)way[k];
        passage->end = end;
    }
    mem_free(way);
    return REDIST_OK;
}

/* The latency is that of ways half way round, as rates are measured. */
static double hop_of(const redist_topology *topology, double latency)
{
    int n = (int)topology->nprocs, links = 0;
    for (int r = 0; r < n; r++)
        links += redist_topology_route(topology, r, (r + n / 2) % n, 0, NULL);
    return links > 0 ? latency * n / links : 0;
}

redist_err rush_make(const struct readout *messages, struct rush *rush)
{
    rush->nranks = (int)rush->input->topology->nprocs;
    for (int64_t k = 0; k < messages->n; k++)
        rush->n += pieces_of(rush, &messages->piece[k]);
    rush->nwords = words_count(rush);
    rush->hop = hop_of(rush->input->topology, rush->going->latency);
    TRY(allocate(rush));
    cut(rush, messages);
    fill_lanes(rush, REDIST_SOURCE);
    fill_lanes(rush, REDIST_TARGET);
    make_rings(rush, REDIST_SOURCE);
    make_rings(rush, REDIST_TARGET);
    TRY(words_make(rush));
    return find_ways(rush);
}

void rush_start_over(struct rush *rush)
{
    for (int s = 0; s < SIDES; s++) {
        int64_t begin = 0;
        for (int r = 0; r < rush->nranks; r++) {
            struct lane *lane = &rush->process[r].lane[s];
            lane->first = lane->next = begin;
            ring_reset(&lane->ring);
            begin = lane->end;
        }
    }
    for (int64_t m = 0; m < rush->n + rush->nwords; m++) {
        struct passage *passage = &rush->passage[m];
        for (int s = 0; s < SIDES; s++)
            passage->posted[s] = -1, passage->taken[s] = false;
        passage->is_over = passage->is_sent = false;
    }
    for (int r = 0; r < rush->nranks; r++) {
        rush->process[r].busy = 0;
        rush->process[r].step = -1;
        rush->process[r].idle = rush->process[r].together = false;
        rush->process[r].round = 0;
    }
    for (int64_t l = 0; l < redist_topology_links(rush->input->topology); l++) {
        rush->wire[l].taken = false;
        rush->wire[l].waiting = -1;
    }
    rush->number = 0;
}

/* ---- the heap of events ------------------------------------------------------------ */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void rush_push(struct rush *rush, double time, enum event_kind kind, int64_t of)
{
    struct event new = {time, rush->number++, kind, of}, *heap = rush->event;
    int64_t k = rush->nevents++;
    for (; k > 0 && is_before(&new, &heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = new;
}

struct event rush_pop(struct rush *rush)
{
    struct event *heap = rush->event, top = heap[0], last = heap[--rush->nevents];
    int64_t k = 0;
    for (int64_t child = 1; child < rush->nevents; child = 2 * k + 1) {
        bool right = child + 1 < rush->nevents;
        if (right && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &last)) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = last;
    return top;
}

void rush_post(struct rush *rush, int64_t m, int side, double now)
{
    struct passage *passage = &rush->passage[m];
    double other = passage->posted[!side];
    passage->posted[side] = now;
    if (other < 0) return;
    passage->since = fmax(now, other);
    double latency = rush->hop * (double)(passage->end - passage->begin);
    rush_push(rush, fmax(now, other) + latency, EVENT_COMES, m);
}
