/* SPDX-License-Identifier: MIT */
#include "schedule/model/model.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/dims.h"
#include "schedule/core/readout.h"
#include "schedule/problem/topology.h"

const char *const model_issue_names[MODEL_ISSUES] = {
    [MODEL_FREE] = "free", [MODEL_WHOLE] = "whole", [MODEL_BARRIERS] = "barriers"};

/* Messages, and the numbered ports at which they leave and arrive. */
struct traffic {
    const struct classes *core; /* if not NULL, only its ports, see below */
    int64_t sources, targets;
    struct readout messages; /* of all sources, or one for each source of the core */
    const struct schedule_input *input;
};

/* ---- the core ---------------------------------------------------------------------- */

/* A source of the core represents residue p mod u and copy index A, a target represents q
 * mod t and B. In a lifted schedule, processes of one residue and copy do the same at the
 * same times; they differ in their partners, but these are represented alike. */

static int64_t core_port(const struct classes *k, redist_side side, int64_t c)
{
    int64_t residues = side == REDIST_SOURCE ? k->u : k->t;
    return classes_copy(k, side, c) * residues + c % residues;
}

/* The first process that a source of the core stands for. */
static int64_t core_source(const struct classes *k, int64_t port)
{
    return port / k->u * (k->g / k->t) + port % k->u;
}

/* ---- messages ---------------------------------------------------------------------- */

/* Read the messages of a schedule, if possible: otherwise there are no sources. */
static redist_err traffic_read(const struct schedule_kind *kind, const void *state,
                               const struct schedule_input *input,
                               struct traffic *traffic)
{
    const struct classes *k = schedule_classes(input);
    int64_t repeats = input->grid || !k ? 1 : k->g / (k->u * k->t); /* of the core */
    if (!schedule_is_short(kind, input, SCHEDULE_MOST_PIECES * repeats)) return REDIST_OK;
    if (input->grid) {
        traffic->sources = input->grid->P, traffic->targets = input->grid->Q;
        TRY(readout_side(kind, state, input, REDIST_SOURCE, &traffic->messages));
        readout_thin(input, &traffic->messages);
        return REDIST_OK;
    }
    if (!kind->lifted || !k || !classes_core_is_small(k)) return REDIST_OK;
    traffic->core = k;
    traffic->sources = k->u * k->a, traffic->targets = k->t * k->b;
    for (int64_t c = 0; c < traffic->sources; c++)
        TRY(readout_own(kind, state, input, REDIST_SOURCE, core_source(k, c),
                        &traffic->messages));
    return REDIST_OK;
}

/* ---- times ------------------------------------------------------------------------- */

/* The links of the network, and a number for each: when it is free again, or its load. */
struct links {
    const redist_topology *topology; /* NULL: none is known */
    int64_t *way, n;                 /* of one message */
    double *of;
};

static redist_err links_make(const struct schedule_input *input, struct links *links)
{
    *links = (struct links){.topology = input->grid ? input->topology : NULL};
    if (!links->topology) return REDIST_OK;
    const struct mem_part parts[] = {
        MEM_PART(links->way, topology_longest(links->topology)),
        MEM_PART(links->of, redist_topology_links(links->topology)),
        {0}};
    return mem_alloc_parts(NULL, parts);
}

static void links_free(struct links *links) { mem_free(links->way); }

static void links_find_way(struct links *links, const struct schedule_input *input, int p,
                           int q)
{
    const struct edge edge = {.p = p, .q = q};
    links->n = 0;
    if (links->topology)
        links->n =
            schedule_route(input, &edge, topology_longest(links->topology), links->way);
}

/* The largest number on the route. */
static double links_most(const struct links *links)
{
    double most = 0;
    for (int64_t k = 0; k < links->n; k++) most = fmax(most, links->of[links->way[k]]);
    return most;
}

/* Compute the end of all messages, taken in the order of steps. A message waits only for
 * messages of earlier steps, or earlier ones of its step: one pass suffices. */
static redist_err traffic_time(const struct traffic *traffic, const struct model *model,
                               bool barriers, double *seconds)
{
    const struct classes *core = traffic->core;
    double *sent = NULL, *received = NULL, last = 0, barrier = 0;
    const struct mem_part room[] = {
        MEM_PART(sent, traffic->sources), MEM_PART(received, traffic->targets), {0}};
    struct links links;
    redist_err err = links_make(traffic->input, &links);
    if (!err) err = mem_alloc_parts(NULL, room);
    for (int64_t k = 0; !err && k < traffic->messages.n; k++) {
        const struct piece *piece = &traffic->messages.piece[k];
        double *out = &sent[core ? core_port(core, REDIST_SOURCE, piece->p) : piece->p];
        double *in =
            &received[core ? core_port(core, REDIST_TARGET, piece->q) : piece->q];
        double bytes = model->unit * (double)piece->weight, pack = model->gamma * bytes;
        if (barriers && k > 0 && piece->step != piece[-1].step) barrier = last;
        double packed = fmax(*out, barrier) + pack;
        links_find_way(&links, traffic->input, piece->p, piece->q);
        double started = fmax(packed, fmax(*in, barrier)) + model->alpha;
        *out = fmax(started, links_most(&links)) + model->beta * bytes;
        for (int64_t j = 0; j < links.n; j++) links.of[links.way[j]] = *out;
        *in = *out + pack;
        last = fmax(last, *in);
    }
    links_free(&links);
    mem_free(sent); /* and the received */
    *seconds = last;
    return err;
}

redist_err model_times(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, const struct model *model,
                       double seconds[MODEL_ISSUES])
{
    struct traffic traffic = {.input = input};
    for (int issue = 0; issue < MODEL_ISSUES; issue++) seconds[issue] = INFINITY;
    redist_err err = traffic_read(kind, state, input, &traffic);
    if (!err && traffic.sources > 0) {
        readout_sort_by_step(&traffic.messages);
        err = traffic_time(&traffic, model, false, &seconds[MODEL_FREE]);
        if (!err && !kind->timed)
            err = traffic_time(&traffic, model, true, &seconds[MODEL_BARRIERS]);
        if (!err && kind->timed) {
            readout_join(&traffic.messages);
            err = traffic_time(&traffic, model, false, &seconds[MODEL_WHOLE]);
        }
    }
    readout_free(&traffic.messages);
    return err;
}

redist_err model_try(const struct schedule_kind *kind, const struct schedule_input *input,
                     const struct model *model, double seconds[MODEL_ISSUES])
{
    const char *why = NULL;
    void *state = NULL;
    for (int issue = 0; issue < MODEL_ISSUES; issue++) seconds[issue] = INFINITY;
    if (!kind->applicable(input, &why)) return REDIST_OK;
    TRY(kind->make(input, &state));
    redist_err err = model_times(kind, state, input, model, seconds);
    kind->free(state);
    return err;
}

/* ---- the bound --------------------------------------------------------------------- */

static double busy(const struct model *model, int64_t degree, int64_t load)
{
    return model->alpha * (double)degree +
           (model->beta + model->gamma) * model->unit * (double)load;
}

static double grid_bound(const struct schedule_input *input, const struct model *model)
{
    const struct comm_grid *grid = input->grid;
    double bound = 0;
    for (int side = 0; side < SIDES; side++) {
        bool sends = side == REDIST_SOURCE;
        const int64_t *begin = sends ? grid->by_source : grid->by_target;
        for (int c = 0; c < (sends ? grid->P : grid->Q); c++) {
            int64_t degree = 0, load = 0;
            for (int64_t k = begin[c]; k < begin[c + 1]; k++) {
                const struct edge *edge = &grid->edge[sends ? k : grid->target_edge[k]];
                if (schedule_stays(input, edge->p, edge->q)) continue;
                degree++;
                load += edge->weight;
            }
            bound = fmax(bound, busy(model, degree, load));
        }
    }
    return bound;
}

double model_bound(const struct schedule_input *input, const struct model *model)
{
    if (input->grid) return grid_bound(input, model);
    double bound = 0;
    for (int side = 0; side < SIDES; side++) {
        redist_side s = (redist_side)side;
        int64_t load = dims_length(input->ndims, input->dim) /
                       dims_processes(input->ndims, input->dim, s);
        bound = fmax(bound, busy(model, dims_degree(input->ndims, input->dim, s), load));
    }
    return bound;
}

redist_err model_strain(const struct schedule_input *input, double *strain)
{
    const struct comm_grid *grid = input->grid;
    const struct model lengths = {.beta = 1, .unit = 1};
    double most = 0;
    struct links links;
    *strain = 1;
    redist_err err = links_make(input, &links);
    for (int64_t e = 0; !err && links.topology && e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        links_find_way(&links, input, edge->p, edge->q);
        for (int64_t k = 0; k < links.n; k++)
            links.of[links.way[k]] += (double)edge->weight;
        most = fmax(most, links_most(&links));
    }
    links_free(&links);
    if (most > 0) *strain = fmax(1, most / model_bound(input, &lengths));
    return err;
}
