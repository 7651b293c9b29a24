/* SPDX-License-Identifier: MIT */
#include "schedule/network/netsim.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/problem/topology.h"

/* ---- making ------------------------------------------------------------------------ */

void netsim_free(struct netsim *netsim) { mem_free(netsim->process); }

static redist_err allocate(struct netsim *netsim)
{
    const redist_topology *topology = netsim->input->topology;
    int64_t n = netsim->n, all = n + netsim->nwords;
    int64_t links = redist_topology_links(topology);
    int64_t passed = all * topology_longest(topology);
    const struct mem_part parts[] = {
        MEM_PART(netsim->process, netsim->nranks),
        MEM_PART(netsim->sim_message, all),
        MEM_PART(netsim->sim_link, links),
        MEM_PART(netsim->own[REDIST_SOURCE], n),
        MEM_PART(netsim->own[REDIST_TARGET], n),
        MEM_PART(netsim->link, passed),
        MEM_PART(netsim->use, netsim->going->shared ? passed : 0),
        MEM_PART(netsim->freed, all),
        MEM_PART(netsim->event, all + netsim->nranks),
        MEM_PART(netsim->underway, n),
        MEM_PART(netsim->active, links),
        {0}};
    return mem_alloc_parts(NULL, parts);
}

/* How many pieces a message travels in. */
static int64_t pieces_of(const struct netsim *netsim, const struct piece *message)
{
    double bytes = netsim->model->unit * (double)message->weight;
    return netsim->going->chunk > 0
               ? int_max((int64_t)ceil(bytes / netsim->going->chunk), 1)
               : 1;
}

static void cut(struct netsim *netsim, const struct readout *messages)
{
    struct sim_message *sim_message = netsim->sim_message;
    for (int64_t k = 0; k < messages->n; k++) {
        const struct piece *message = &messages->piece[k];
        double left = netsim->model->unit * (double)message->weight;
        for (int64_t pieces = pieces_of(netsim, message); pieces > 0; pieces--) {
            double bytes = pieces > 1 ? netsim->going->chunk : left;
            *sim_message++ = (struct sim_message){
                .step = message->step, .bytes = bytes, .rank = {message->p, message->q}};
            left -= bytes;
        }
    }
}

/* Put the messages into the lanes of a side. */
static void fill_lanes(struct netsim *netsim, int side)
{
    struct process *process = netsim->process;
    int64_t begin = 0;
    for (int64_t m = 0; m < netsim->n; m++)
        process[netsim->sim_message[m].rank[side]].lane[side].next++;
    for (int r = 0; r < netsim->nranks; r++) {
        struct lane *lane = &process[r].lane[side];
        int64_t count = lane->next;
        lane->first = lane->end = begin;
        begin += count;
    }
    for (int64_t m = 0; m < netsim->n; m++)
        netsim->own[side][process[netsim->sim_message[m].rank[side]].lane[side].end++] =
            m;
}

/* Set the staging memory of the lanes of a side. */
static void make_rings(struct netsim *netsim, int side)
{
    const struct model_going *going = netsim->going;
    for (int r = 0; going->room > 0 && r < netsim->nranks; r++) {
        struct lane *lane = &netsim->process[r].lane[side];
        int64_t longest = 0, all = 0, window = INT64_MAX;
        for (int64_t k = lane->first; k < lane->end; k++) {
            int64_t bytes = netsim_staged(netsim, netsim->own[side][k]);
            longest = int_max(longest, bytes);
            all += bytes;
        }
        if (!int_mul(going->window, longest, &window)) window = INT64_MAX;
        lane->ring.size = int_min(int_min(window, all), int_max(going->room, longest));
    }
}

static redist_err find_ways(struct netsim *netsim)
{
    const redist_topology *topology = netsim->input->topology;
    int longest = topology_longest(topology);
    int64_t *way = mem_alloc(NULL, longest, sizeof *way), end = 0;
    if (!way) return REDIST_ERR_MEMORY;
    for (int64_t m = 0; m < netsim->n + netsim->nwords; m++) {
        struct sim_message *sim_message = &netsim->sim_message[m];
        int links = redist_topology_route(topology, sim_message->rank[REDIST_SOURCE],
                                          sim_message->rank[REDIST_TARGET], longest, way);
        sim_message->begin = end;
        for (int k = 0; k < links; k++) netsim->link[end++] = (int)way[k];
        sim_message->end = end;
    }
    mem_free(way);
    return REDIST_OK;
}

/* The latency is that of routes half way round, as rates are measured. */
static double hop_of(const redist_topology *topology, double latency)
{
    int n = (int)topology->nprocs, links = 0;
    for (int r = 0; r < n; r++)
        links += redist_topology_route(topology, r, (r + n / 2) % n, 0, NULL);
    return links > 0 ? latency * n / links : 0;
}

redist_err netsim_make(const struct readout *messages, struct netsim *netsim)
{
    netsim->nranks = (int)netsim->input->topology->nprocs;
    for (int64_t k = 0; k < messages->n; k++)
        netsim->n += pieces_of(netsim, &messages->piece[k]);
    netsim->nwords = status_messages_count(netsim);
    netsim->hop = hop_of(netsim->input->topology, netsim->going->latency);
    TRY(allocate(netsim));
    cut(netsim, messages);
    fill_lanes(netsim, REDIST_SOURCE);
    fill_lanes(netsim, REDIST_TARGET);
    make_rings(netsim, REDIST_SOURCE);
    make_rings(netsim, REDIST_TARGET);
    TRY(status_messages_make(netsim));
    return find_ways(netsim);
}

void netsim_start_over(struct netsim *netsim)
{
    for (int s = 0; s < SIDES; s++) {
        int64_t begin = 0;
        for (int r = 0; r < netsim->nranks; r++) {
            struct lane *lane = &netsim->process[r].lane[s];
            lane->first = lane->next = begin;
            ring_reset(&lane->ring);
            begin = lane->end;
        }
    }
    for (int64_t m = 0; m < netsim->n + netsim->nwords; m++) {
        struct sim_message *sim_message = &netsim->sim_message[m];
        for (int s = 0; s < SIDES; s++)
            sim_message->posted[s] = -1, sim_message->taken[s] = false;
        sim_message->is_over = sim_message->is_sent = false;
    }
    for (int r = 0; r < netsim->nranks; r++) {
        netsim->process[r].busy = 0;
        netsim->process[r].step = -1;
        netsim->process[r].idle = netsim->process[r].together = false;
        netsim->process[r].round = 0;
    }
    for (int64_t l = 0; l < redist_topology_links(netsim->input->topology); l++) {
        netsim->sim_link[l].taken = false;
        netsim->sim_link[l].waiting = -1;
    }
    netsim->number = 0;
}

/* ---- the heap of events ------------------------------------------------------------ */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void netsim_push(struct netsim *netsim, double time, enum event_kind kind, int64_t of)
{
    struct event new = {time, netsim->number++, kind, of}, *heap = netsim->event;
    int64_t k = netsim->nevents++;
    for (; k > 0 && is_before(&new, &heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = new;
}

struct event netsim_pop(struct netsim *netsim)
{
    struct event *heap = netsim->event, top = heap[0], last = heap[--netsim->nevents];
    int64_t k = 0;
    for (int64_t child = 1; child < netsim->nevents; child = 2 * k + 1) {
        bool right = child + 1 < netsim->nevents;
        if (right && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &last)) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = last;
    return top;
}

void netsim_post(struct netsim *netsim, int64_t m, int side, double now)
{
    struct sim_message *sim_message = &netsim->sim_message[m];
    double other = sim_message->posted[!side];
    sim_message->posted[side] = now;
    if (other < 0) return;
    sim_message->since = fmax(now, other);
    double latency = netsim->hop * (double)(sim_message->end - sim_message->begin);
    netsim_push(netsim, fmax(now, other) + latency, EVENT_COMES, m);
}
