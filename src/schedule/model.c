/* SPDX-License-Identifier: MIT */
#include "schedule/model.h"

#include <math.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/dims.h"
#include "schedule/readout.h"

/* A core of more messages is not looked at. */
enum { MOST_CORE_MESSAGES = 1 << 20 };

const char *const model_pace_names[MODEL_PACES] = {
    [MODEL_FREE] = "free", [MODEL_WHOLE] = "whole", [MODEL_BARRIERS] = "barriers"};

/* Messages, and the numbered ports at which they leave and arrive. */
struct traffic {
    const struct classes *core; /* if not NULL, only its ports, see below */
    int64_t sources, targets;
    struct readout messages; /* of all sources, or one for each source of the core */
};

/* ---- the core ---------------------------------------------------------------------- */

/* A source of the core stands for residue p mod u and copy index A, a target for q mod t
 * and B. What a process of a lifted schedule does, and when, is what these do: processes
 * of one residue and copy differ in their partners, but not in what these stand for. */

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

static bool core_is_small(const struct classes *k)
{
    int64_t messages = 0;
    return int_mul(k->n, k->a, &messages) && int_mul(messages, k->b, &messages) &&
           messages <= MOST_CORE_MESSAGES;
}

/* ---- what is sent ------------------------------------------------------------------ */

/* Read out what a schedule sends, if that can be had: else there are no sources. */
static redist_err traffic_read(const struct schedule_kind *kind, const void *state,
                               const struct schedule_input *input,
                               struct traffic *traffic)
{
    const struct classes *k = schedule_classes(input);
    if (input->grid) {
        traffic->sources = input->grid->P, traffic->targets = input->grid->Q;
        return readout_side(kind, state, input, REDIST_SOURCE, &traffic->messages);
    }
    if (!kind->lifted || !k || !core_is_small(k)) return REDIST_OK;
    traffic->core = k;
    traffic->sources = k->u * k->a, traffic->targets = k->t * k->b;
    for (int64_t c = 0; c < traffic->sources; c++)
        TRY(readout_own(kind, state, REDIST_SOURCE, core_source(k, c),
                        &traffic->messages));
    return REDIST_OK;
}

/* Put the pieces of each message together, at the start of the first. */
static void traffic_join(struct traffic *traffic)
{
    struct readout *messages = &traffic->messages;
    int64_t n = 0;
    readout_sort_by_message(messages);
    for (int64_t k = 0; k < messages->n; k++) {
        const struct piece *piece = &messages->piece[k];
        if (k > 0 && piece->p == piece[-1].p && piece->q == piece[-1].q)
            messages->piece[n - 1].weight += piece->weight;
        else
            messages->piece[n++] = *piece;
    }
    messages->n = n;
    readout_sort_by_step(messages);
}

/* ---- when it is done --------------------------------------------------------------- */

/* When all is done, of messages in the order of steps. What a message waits for are
 * messages of earlier steps, or of the same one that stand before it: one pass finds when
 * each is done. */
static redist_err traffic_time(const struct traffic *traffic, const struct model *model,
                               bool barriers, double *seconds)
{
    const struct classes *core = traffic->core;
    double *sent = mem_alloc(NULL, traffic->sources, sizeof *sent);
    double *received = mem_alloc(NULL, traffic->targets, sizeof *received);
    double last = 0, barrier = 0;
    bool ok = sent && received;
    for (int64_t k = 0; ok && k < traffic->messages.n; k++) {
        const struct piece *piece = &traffic->messages.piece[k];
        double *out = &sent[core ? core_port(core, REDIST_SOURCE, piece->p) : piece->p];
        double *in =
            &received[core ? core_port(core, REDIST_TARGET, piece->q) : piece->q];
        double bytes = model->unit * (double)piece->weight, pack = model->gamma * bytes;
        if (barriers && k > 0 && piece->step != piece[-1].step) barrier = last;
        double packed = fmax(*out, barrier) + pack;
        *out = fmax(packed, fmax(*in, barrier)) + model->alpha + model->beta * bytes;
        *in = *out + pack;
        last = fmax(last, *in);
    }
    mem_free(sent);
    mem_free(received);
    *seconds = last;
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}

redist_err model_times(const struct schedule_kind *kind, const void *state,
                       const struct schedule_input *input, const struct model *model,
                       double seconds[MODEL_PACES])
{
    struct traffic traffic = {.sources = 0};
    for (int pace = 0; pace < MODEL_PACES; pace++) seconds[pace] = INFINITY;
    redist_err err = traffic_read(kind, state, input, &traffic);
    if (!err && traffic.sources > 0) {
        readout_sort_by_step(&traffic.messages);
        err = traffic_time(&traffic, model, false, &seconds[MODEL_FREE]);
        if (!err && !kind->timed)
            err = traffic_time(&traffic, model, true, &seconds[MODEL_BARRIERS]);
        if (!err && kind->timed) {
            traffic_join(&traffic);
            err = traffic_time(&traffic, model, false, &seconds[MODEL_WHOLE]);
        }
    }
    readout_free(&traffic.messages);
    return err;
}

/* ---- the bound --------------------------------------------------------------------- */

static double busy(const struct model *model, int64_t degree, int64_t load)
{
    return model->alpha * (double)degree +
           (model->beta + model->gamma) * model->unit * (double)load;
}

static double grid_bound(const struct comm_grid *grid, const struct model *model)
{
    double bound = 0;
    for (int p = 0; p < grid->P; p++) {
        int64_t load = 0;
        for (int64_t e = grid->by_source[p]; e < grid->by_source[p + 1]; e++)
            load += grid->edge[e].weight;
        bound =
            fmax(bound, busy(model, grid->by_source[p + 1] - grid->by_source[p], load));
    }
    for (int q = 0; q < grid->Q; q++) {
        int64_t load = 0;
        for (int64_t k = grid->by_target[q]; k < grid->by_target[q + 1]; k++)
            load += grid->edge[grid->target_edge[k]].weight;
        bound =
            fmax(bound, busy(model, grid->by_target[q + 1] - grid->by_target[q], load));
    }
    return bound;
}

double model_bound(const struct schedule_input *input, const struct model *model)
{
    if (input->grid) return grid_bound(input->grid, model);
    double bound = 0;
    for (int side = 0; side < SIDES; side++) {
        redist_side s = (redist_side)side;
        int64_t load = dims_length(input->ndims, input->dim) /
                       dims_processes(input->ndims, input->dim, s);
        bound = fmax(bound, busy(model, dims_degree(input->ndims, input->dim, s), load));
    }
    return bound;
}
