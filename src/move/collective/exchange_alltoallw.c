/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_alltoallw.c - without packing: each message is an MPI
 * datatype, which gathers and scatters as it is sent and received; the single call that
 * Walker and Otto 1996 finally hope for. It needs no staging memory; the buffers must be
 * valid.
 */
#include "base/error.h"
#include "move/collective/datatype.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"

/* Datatypes that are checked when a plan is made, each way. */
enum { TRIED = 16 };

/* One direction. */
struct half {
    int *counts, *places;  /* [nranks] 1 if there is a message, else 0; 0 */
    MPI_Datatype *types;   /* [nranks] MPI_BYTE if there is no message */
    int64_t n;             /* messages */
    struct datatype *made; /* [n] */
};

struct state {
    struct half half[SIDES]; /* REDIST_SOURCE: sends; REDIST_TARGET: receives */
    MPI_Request request;
};

static redist_err make_half(const struct move *move, const struct transfers *transfers,
                            redist_side s, struct half *half)
{
    half->counts = mem_alloc(move->plan_account, move->nranks, sizeof *half->counts);
    half->places = mem_alloc(move->plan_account, move->nranks, sizeof *half->places);
    half->types = mem_alloc(move->plan_account, move->nranks, sizeof(MPI_Datatype));
    half->made = mem_alloc(move->plan_account, transfers->n, sizeof *half->made);
    if (!half->counts || !half->places || !half->types || !half->made)
        return REDIST_ERR_MEMORY;
    for (int rank = 0; rank < move->nranks; rank++) half->types[rank] = MPI_BYTE;
    half->n = transfers->n;
    for (int64_t k = 0; k < transfers->n; k++) {
        const struct transfer *transfer = &transfers->transfer[k];
        const struct walk *walk = &transfer->part->walk;
        TRY(datatype_make(walk, s, &half->made[k]));
        if (k < TRIED) TRY(datatype_check(&half->made[k], walk, s, move->comm));
        half->counts[transfer->rank] = 1;
        half->types[transfer->rank] = half->made[k].type;
    }
    return REDIST_OK;
}

/* MPI traverses the elements block by block, when sending and when receiving. A run
 * begins when all have agreed. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    const struct flow *out = &load->all[REDIST_SOURCE], *in = &load->all[REDIST_TARGET];
    const struct flow most = flow_most(load->all);
    (void)parameter;
    *effort = (struct effort){{0}, 0};
    effort->count[EFFORT_CALLS] = effort->count[EFFORT_WAITS] = 1;
    if (most.largest > EFFORT_EAGER)
        effort->count[EFFORT_HANDSHAKES] = (double)most.messages;
    effort->count[EFFORT_WIRE] = (double)most.bytes;
    effort->count[EFFORT_BLOCKS] = (double)out->blocks + (double)in->blocks;
    effort->count[EFFORT_TYPED] = (double)out->packed + (double)in->packed;
    return load->plain;
}

static redist_err make(const struct move *move, void **opaque)
{
    TRY(exchange_check(move, NEEDS_ONE_ARRAY | NEEDS_BYTES | NEEDS_VIEWS, "alltoallw"));
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->request = MPI_REQUEST_NULL;
    TRY(make_half(move, &move->send, REDIST_SOURCE, &state->half[REDIST_SOURCE]));
    return make_half(move, &move->receive, REDIST_TARGET, &state->half[REDIST_TARGET]);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int s = 0; s < SIDES; s++) {
        struct half *half = &state->half[s];
        for (int64_t k = 0; k < half->n; k++) datatype_free(&half->made[k]);
        mem_free(half->counts);
        mem_free(half->places);
        mem_free(half->types);
        mem_free(half->made);
    }
    mem_free(state);
}

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    const struct half *from = &state->half[REDIST_SOURCE],
                      *to = &state->half[REDIST_TARGET];
    return mpi_call(MPI_Ialltoallw(move->sources[0], from->counts, from->places,
                                   from->types, move->targets[0], to->counts, to->places,
                                   to->types, move->comm, &state->request));
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    int landed = 1;
    (void)move;
    TRY(mpi_complete(&state->request, wait, &landed));
    *done = landed;
    return REDIST_OK;
}

const struct exchange exchange_alltoallw = {
    .name = "alltoallw",
    .host_only = true,
    .lacks = LACKS_TRUE_EXTENTS,
    .collective = true,
    .effort = effort,
    .make = make,
    .start = start,
    .progress = progress,
    .destroy = destroy,
};
