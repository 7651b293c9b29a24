/* SPDX-License-Identifier: MIT
 *
 * move/collective/exchange_onesided.c - receivers read (MPI_Rget) from the window in
 * which the owner has packed, as with the READ of Bader's data redistribution, each
 * message round by round:
 *
 *   owner      pack 0, note ->         pack 1, note ->               until all is
 *   receiver              get 0 .. unpack 0, ack ->   get 1 ..       acknowledged
 *
 * A note tells that the next round is in place, an ack that it has been read. With two
 * buffers the owner is one round ahead. Messages do not wait for each other.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/collective/rounds.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "move/mpi/post.h"

enum { TAG_NOTE = 1, TAG_ACK };
enum { LINE = 64 }; /* bytes */

/* Requests that can complete: one of each kind for every message, in this order. */
enum event { NOTE_SENT, ACK_CAME, NOTE_CAME, GOT, ACK_SENT, EVENTS };

/* What a note tells. */
struct note {
    int64_t place, step; /* bytes to the message's place in the window, and from there to
                            the next buffer's */
    int64_t buffers_invalid;
};

/* A message that another process reads. It has been notified of the first `noted` rounds,
 * and has read `acked` of them. */
struct outgoing {
    int64_t rounds, noted, acked;
    struct note note;
};

/* A message to be read here. */
struct incoming {
    int64_t rounds, noted, gotten, acked;
    struct note note, coming; /* the last one; the one that is received next */
};

struct state {
    struct rounds rounds;
    MPI_Win window; /* the sends' staging memory */
    bool open;      /* the window exists */
    int64_t bytes;  /* of it, charged to the account */
    struct mem_account *account;
    struct outgoing *out; /* [sends] */
    struct incoming *in;  /* [receives] */
    int64_t pending;      /* requests to complete in this run */
    int nrequests;
    int first[EVENTS + 1]; /* of the requests of each event */
    MPI_Request *request;  /* [nrequests] persistent, but for GOT */
    bool *active;          /* [nrequests] */
    int *landed;           /* [nrequests] */
    MPI_Status *status;    /* [nrequests] */
};

static MPI_Request *request_of(const struct state *state, enum event event, int64_t k)
{
    return &state->request[state->first[event] + k];
}

/* ---- making ------------------------------------------------------------------------ */

static redist_err allocate(const struct move *move, struct state *state)
{
    struct mem_account *account = move->plan_account;
    int64_t out = move->send.n, in = move->receive.n;
    const int64_t n[EVENTS] = {out, out, in, in, in};
    for (int e = 0; e < EVENTS; e++) state->first[e + 1] = state->first[e] + (int)n[e];
    state->nrequests = state->first[EVENTS];
    state->out = mem_alloc(account, out, sizeof *state->out);
    state->in = mem_alloc(account, in, sizeof *state->in);
    state->request = mem_alloc(account, state->nrequests, sizeof *state->request);
    state->active = mem_alloc(account, state->nrequests, sizeof *state->active);
    state->landed = mem_alloc(account, state->nrequests, sizeof *state->landed);
    state->status = mem_alloc(account, state->nrequests, sizeof *state->status);
    for (int k = 0; state->request && k < state->nrequests; k++)
        state->request[k] = MPI_REQUEST_NULL;
    bool made = state->out && state->in && state->request && state->active &&
                state->landed && state->status;
    return made ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Make the window, which stays open for reading as long as the plan lives. MPI allocates
 * its memory: some MPIs can read only their own. Whole lines: MPICH 4.0 confuses places
 * in windows of unaligned sizes. */
static redist_err open_window(const struct move *move, struct state *state)
{
    struct rounds_side *side = &state->rounds.side[REDIST_SOURCE];
    state->account = move->staging_account;
    state->bytes = state->rounds.buffers * side->bytes;
    MPI_Aint size = (MPI_Aint)(int_ceil_div(state->bytes, LINE) * LINE);
    TRY(mpi_call(MPI_Win_allocate(size, 1, MPI_INFO_NULL, move->comm, &side->staging,
                                  &state->window)));
    state->open = true;
    mem_charge(state->account, state->bytes);
    TRY(mpi_call(MPI_Win_set_errhandler(state->window, MPI_ERRORS_RETURN)));
    return mpi_call(MPI_Win_lock_all(MPI_MODE_NOCHECK, state->window));
}

static redist_err make_request(const struct move *move, struct state *state,
                               enum event event, int64_t k, int rank, struct note *note)
{
    const struct post post = {
        .kind = event == NOTE_SENT || event == ACK_SENT ? POST_SEND : POST_RECEIVE,
        .data = note,
        .bytes = note ? (int)sizeof *note : 0,
        .rank = rank,
        .tag = note ? TAG_NOTE : TAG_ACK,
        .comm = move->comm};
    return post_begin(&post, true, request_of(state, event, k));
}

static redist_err make_requests(const struct move *move, struct state *state)
{
    const struct rounds *rounds = &state->rounds;
    const struct rounds_side *side = &rounds->side[REDIST_SOURCE];
    for (int64_t k = 0; k < move->send.n; k++) {
        const struct transfer *transfer = &move->send.transfer[k];
        struct outgoing *out = &state->out[k];
        out->rounds = int_ceil_div(transfer->bytes, rounds->quota);
        out->note = (struct note){.place = side->places[k], .step = side->bytes};
        TRY(make_request(move, state, NOTE_SENT, k, transfer->rank, &out->note));
        TRY(make_request(move, state, ACK_CAME, k, transfer->rank, NULL));
    }
    for (int64_t k = 0; k < move->receive.n; k++) {
        const struct transfer *transfer = &move->receive.transfer[k];
        struct incoming *in = &state->in[k];
        in->rounds = int_ceil_div(transfer->bytes, rounds->quota);
        TRY(make_request(move, state, NOTE_CAME, k, transfer->rank, &in->coming));
        TRY(make_request(move, state, ACK_SENT, k, transfer->rank, NULL));
    }
    return REDIST_OK;
}

static redist_err set_up(const struct move *move, struct rounds *rounds)
{
    struct state *state = (struct state *)rounds;
    bool well = true;
    TRY(mpi_all_well(move->comm, allocate(move, state), &well));
    if (!well || rounds->n == 0) return REDIST_OK;
    TRY(mpi_all_well(move->comm, open_window(move, state), &well));
    if (!well) return REDIST_OK;
    return make_requests(move, state);
}

/* Each round of a message has a note, a get and an acknowledgement, two of which are
 * waited for. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    int64_t n = 0;
    double *count = effort->count;
    (void)parameter;
    if (!rounds_effort(load, &n, effort)) return false;
    count[EFFORT_STARTUPS] = 3 * (double)(flow_most(load->all).messages * n);
    count[EFFORT_WAITS] = 2 * (double)n;
    count[EFFORT_GETS] = count[EFFORT_WIRE];
    count[EFFORT_WIRE] = count[EFFORT_HANDSHAKES] = 0;
    return true;
}

static redist_err make(const struct move *move, void **state)
{
    static const struct rounds_kind kind = {
        .name = "onesided", .windowed = true, .set_up = set_up};
    return rounds_make(move, &kind, sizeof(struct state), state);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    for (int k = 0; state->request && k < state->nrequests; k++)
        if (state->request[k] != MPI_REQUEST_NULL)
            (void)MPI_Request_free(&state->request[k]);
    if (state->open) {
        (void)MPI_Win_unlock_all(state->window);
        (void)MPI_Win_free(&state->window);
        state->rounds.side[REDIST_SOURCE].staging = NULL; /* freed with the window */
        mem_charge(state->account, -state->bytes);
    }
    mem_free(state->out);
    mem_free(state->in);
    mem_free(state->request);
    mem_free(state->active);
    mem_free(state->landed);
    mem_free(state->status);
    rounds_destroy(state);
}

/* ---- progress ---------------------------------------------------------------------- */

static bool is_active(const struct state *state, enum event event, int64_t k)
{
    return state->active[state->first[event] + k];
}

static redist_err begin(struct state *state, enum event event, int64_t k)
{
    int64_t slot = state->first[event] + k;
    state->active[slot] = true;
    return mpi_call(MPI_Start(&state->request[slot]));
}

/* Pack the next round of a message, and send its note, if its place has been read. */
static redist_err drive_out(const struct move *move, struct state *state, int64_t k)
{
    struct rounds *rounds = &state->rounds;
    struct outgoing *out = &state->out[k];
    bool due = out->noted < out->rounds && out->noted - out->acked < rounds->buffers;
    if (due && !is_active(state, NOTE_SENT, k)) {
        struct transfer *transfer = &move->send.transfer[k];
        int64_t round = out->noted++;
        stage_pack(move, transfer, round * rounds->quota,
                   rounds_part(rounds, transfer, round),
                   rounds_place(rounds, REDIST_SOURCE, k, round));
        /* Make the window's memory visible to others. */
        TRY(mpi_call(MPI_Win_sync(state->window)));
        out->note.buffers_invalid = move->buffers_invalid;
        TRY(begin(state, NOTE_SENT, k));
    }
    if (out->acked < out->noted && !is_active(state, ACK_CAME, k))
        return begin(state, ACK_CAME, k);
    return REDIST_OK;
}

static redist_err get(const struct move *move, struct state *state, int64_t k)
{
    const struct rounds *rounds = &state->rounds;
    const struct incoming *in = &state->in[k];
    const struct transfer *transfer = &move->receive.transfer[k];
    int64_t place = in->note.place + in->gotten % rounds->buffers * in->note.step;
    int n = (int)rounds_part(rounds, transfer, in->gotten);
    state->active[state->first[GOT] + k] = true;
    return mpi_call(MPI_Rget(rounds_place(rounds, REDIST_TARGET, k, in->gotten), n,
                             MPI_BYTE, transfer->rank, (MPI_Aint)place, n, MPI_BYTE,
                             state->window, request_of(state, GOT, k)));
}

/* Wait for notes, read rounds, acknowledge them. */
static redist_err drive_in(const struct move *move, struct state *state, int64_t k)
{
    struct incoming *in = &state->in[k];
    if (in->acked < in->gotten && !is_active(state, ACK_SENT, k)) {
        in->acked++;
        TRY(begin(state, ACK_SENT, k));
    }
    if (in->gotten < in->noted && !is_active(state, GOT, k)) TRY(get(move, state, k));
    if (in->noted < in->rounds && !is_active(state, NOTE_CAME, k))
        return begin(state, NOTE_CAME, k);
    return REDIST_OK;
}

/* A round has been read: start the next before this one is unpacked. */
static redist_err take_in(const struct move *move, struct state *state, int64_t k)
{
    struct rounds *rounds = &state->rounds;
    struct transfer *transfer = &move->receive.transfer[k];
    int64_t round = state->in[k].gotten++;
    TRY(drive_in(move, state, k));
    stage_unpack(move, transfer, round * rounds->quota,
                 rounds_part(rounds, transfer, round),
                 rounds_place(rounds, REDIST_TARGET, k, round));
    return REDIST_OK;
}

static redist_err land(struct move *move, struct state *state, int slot)
{
    int event = NOTE_SENT;
    while (slot >= state->first[event + 1]) event++;
    int64_t k = slot - state->first[event];
    state->active[slot] = false;
    state->pending--;
    switch ((enum event)event) {
        case ACK_CAME: state->out[k].acked++; return drive_out(move, state, k);
        case NOTE_CAME:
            state->in[k].noted++;
            state->in[k].note = state->in[k].coming;
            if (state->in[k].note.buffers_invalid)
                move->invalid_rank =
                    int_min(move->invalid_rank, move->receive.transfer[k].rank);
            return drive_in(move, state, k);
        case GOT: return take_in(move, state, k);
        case ACK_SENT: return drive_in(move, state, k);
        default: return drive_out(move, state, k);
    }
}

/* ---- a run ------------------------------------------------------------------------- */

static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->pending = 0;
    for (int64_t k = 0; k < move->receive.n; k++) {
        struct incoming *in = &state->in[k];
        in->noted = in->gotten = in->acked = 0;
        state->pending += 3 * in->rounds;
        TRY(drive_in(move, state, k));
    }
    for (int64_t k = 0; k < move->send.n; k++) {
        struct outgoing *out = &state->out[k];
        out->noted = out->acked = 0;
        state->pending += 2 * out->rounds;
        TRY(drive_out(move, state, k));
    }
    return REDIST_OK;
}

static redist_err progress(struct move *move, void *opaque, bool wait, bool *done)
{
    struct state *state = opaque;
    for (int landed = 1; landed != 0;) {
        *done = state->pending == 0;
        if (*done) return REDIST_OK;
        TRY(mpi_complete_some(state->nrequests, state->request, state->status, wait,
                              state->landed, &landed));
        for (int k = 0; k < landed; k++) TRY(land(move, state, state->landed[k]));
    }
    return REDIST_OK;
}

const struct exchange exchange_onesided = {
    .name = "onesided",
    .reports_status = true,
    .effort = effort,
    .lacks = LACKS_PERSISTENT,
    .make = make,
    .start = start,
    .progress = progress,
    .destroy = destroy,
};
