/* SPDX-License-Identifier: MIT */
#include "move/collective/rounds.h"

#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"
#include "move/mpi/check.h"
#include "move/walk/memory.h"

/* ---- making ------------------------------------------------------------------------ */

/* Return the bytes of all messages, of each at most a quota. */
static int64_t held(const struct transfers *transfers, int64_t quota)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < transfers->n; k++)
        bytes += int_min(transfers->transfer[k].bytes, quota);
    return bytes;
}

/* Find the largest quota of whole grains for which `room` bytes hold all messages. */
static int64_t largest_quota(const struct transfers *transfers, int64_t room,
                             int64_t grain)
{
    if (transfers->bytes <= room) return INT64_MAX;
    int64_t fits = 0, exceeds = transfers->largest / grain; /* grains */
    while (exceeds - fits > 1) {
        int64_t middle = fits + (exceeds - fits) / 2;
        if (held(transfers, middle * grain) <= room)
            fits = middle;
        else
            exceeds = middle;
    }
    return fits * grain;
}

/* Find the largest quota of this process with so many buffers each way. Open MPI's
 * MPI_Rget of nearly 2^31 bytes never ends. */
static int64_t own_quota(const struct move *move, int64_t buffers)
{
    int64_t room = int_min(move->staging / 2 / buffers, INT_MAX);
    int64_t quota = int_min(largest_quota(&move->send, room, move->grain),
                            largest_quota(&move->receive, room, move->grain));
    return int_min(quota, TRANSFER_PIECE - TRANSFER_PIECE % move->grain);
}

/* Agree on quota, rounds and buffers. */
static redist_err find_quota(const struct move *move, const char *name,
                             struct rounds *rounds)
{
    int64_t least[] = {own_quota(move, 1), own_quota(move, 2),
                       -int_max(move->send.largest, move->receive.largest),
                       -int_max(move->send.n, move->receive.n)};
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, least, 4, MPI_INT64_T, MPI_MIN, move->comm)));
    int64_t longest = -least[2], messages = -least[3];
    TRY(exchange_check_room(move, 2 * messages * move->grain, 2 * (int64_t)INT_MAX, name,
                            "message of a process, both ways"));
    rounds->buffers = least[0] < longest && least[1] > 0 ? 2 : 1;
    rounds->quota = int_min(least[rounds->buffers - 1], longest);
    rounds->n = longest > 0 ? int_ceil_div(longest, rounds->quota) : 0;
    return REDIST_OK;
}

static int64_t slot_of(const struct rounds *rounds, redist_side side, int64_t k)
{
    return rounds->kind->by_rank ? rounds->side[side].transfers->transfer[k].rank : k;
}

static void count_parts(struct rounds *rounds, redist_side side, int64_t round)
{
    struct rounds_side *half = &rounds->side[side];
    for (int64_t k = 0; k < half->transfers->n; k++)
        half->counts[slot_of(rounds, side, k)] =
            (int)rounds_part(rounds, &half->transfers->transfer[k], round);
}

static redist_err make_side(const struct move *move, struct rounds *rounds,
                            redist_side side)
{
    struct rounds_side *half = &rounds->side[side];
    half->transfers = side == REDIST_SOURCE ? &move->send : &move->receive;
    int64_t slots = rounds->kind->by_rank ? move->nranks : half->transfers->n;
    half->counts = mem_alloc(move->plan_account, slots, sizeof *half->counts);
    half->places = mem_alloc(move->plan_account, slots, sizeof *half->places);
    if (!half->counts || !half->places) return REDIST_ERR_MEMORY;
    count_parts(rounds, side, 0);
    for (int64_t k = 0; k < half->transfers->n; k++) {
        int64_t slot = slot_of(rounds, side, k);
        half->places[slot] = (int)half->bytes;
        half->bytes += half->counts[slot];
    }
    if (half->bytes == 0 || (side == REDIST_SOURCE && rounds->kind->windowed))
        return REDIST_OK;
    half->staging =
        mem_alloc_elements(move->staging_account, rounds->buffers * half->bytes);
    return half->staging ? REDIST_OK : REDIST_ERR_MEMORY;
}

/* Let one request serve every run. */
static redist_err make_persistent(struct rounds *rounds)
{
    const struct rounds_kind *kind = rounds->kind;
    const struct rounds_side *from = &rounds->side[REDIST_SOURCE],
                             *to = &rounds->side[REDIST_TARGET];
    TRY(mpi_check(kind->init(from->staging, from->counts, from->places, MPI_BYTE,
                             to->staging, to->counts, to->places, MPI_BYTE, rounds->comm,
                             MPI_INFO_NULL, &rounds->request),
                  kind->init_name));
    rounds->persistent = true;
    return REDIST_OK;
}

redist_err rounds_make(const struct move *move, const struct rounds_kind *kind,
                       size_t size, void **state)
{
    struct rounds agreed = {
        .kind = kind, .comm = move->comm, .request = MPI_REQUEST_NULL};
    TRY(find_quota(move, kind->name, &agreed));
    struct rounds *rounds = mem_alloc(move->plan_account, 1, size);
    redist_err err = rounds ? REDIST_OK : REDIST_ERR_MEMORY;
    *state = rounds;
    if (!err) {
        *rounds = agreed;
        err = make_side(move, rounds, REDIST_SOURCE);
    }
    if (!err) err = make_side(move, rounds, REDIST_TARGET);
    if (!kind->set_up && !kind->init) return err;
    bool well = false;
    TRY(mpi_all_well(move->comm, err, &well));
    if (well && kind->set_up) TRY(kind->set_up(move, rounds));
    bool single = well && rounds->n == 1 && rounds->comm != MPI_COMM_NULL;
    return single && kind->init ? make_persistent(rounds) : REDIST_OK;
}

void rounds_destroy(void *state)
{
    struct rounds *rounds = state;
    if (!rounds) return;
    if (rounds->persistent) (void)MPI_Request_free(&rounds->request);
    if (rounds->own_comm) (void)MPI_Comm_free(&rounds->comm);
    for (int s = 0; s < SIDES; s++) {
        mem_free(rounds->side[s].counts);
        mem_free(rounds->side[s].places);
        mem_free(rounds->side[s].staging);
    }
    mem_free(rounds);
}

/* ---- a round ----------------------------------------------------------------------- */

int64_t rounds_part(const struct rounds *rounds, const struct transfer *transfer,
                    int64_t round)
{
    return round_bytes(transfer->bytes, rounds->quota, round);
}

/* The buffer of a round; NULL: none. */
static char *buffer_of(const struct rounds *rounds, redist_side side, int64_t round)
{
    const struct rounds_side *half = &rounds->side[side];
    return half->staging ? half->staging + round % rounds->buffers * half->bytes : NULL;
}

char *rounds_place(const struct rounds *rounds, redist_side side, int64_t k,
                   int64_t round)
{
    return buffer_of(rounds, side, round) +
           rounds->side[side].places[slot_of(rounds, side, k)];
}

/* Pack or unpack a round. */
static void move_round(const struct move *move, struct rounds *rounds, redist_side side,
                       int64_t round)
{
    const struct transfers *transfers = rounds->side[side].transfers;
    if (rounds->kind->move) {
        rounds->kind->move(move, rounds, side, round);
        return;
    }
    for (int64_t k = 0; k < transfers->n; k++) {
        struct transfer *transfer = &transfers->transfer[k];
        int64_t at = round * rounds->quota, n = rounds_part(rounds, transfer, round);
        if (n == 0) continue;
        char *place = rounds_place(rounds, side, k, round);
        if (side == REDIST_SOURCE)
            stage_pack(move, transfer, at, n, place);
        else
            stage_unpack(move, transfer, at, n, place);
    }
}

static redist_err post(struct rounds *rounds)
{
    const struct rounds_side *from = &rounds->side[REDIST_SOURCE],
                             *to = &rounds->side[REDIST_TARGET];
    if (rounds->persistent) return mpi_call(MPI_Start(&rounds->request));
    for (int s = 0; s < SIDES && rounds->n > 1; s++)
        count_parts(rounds, (redist_side)s, rounds->round);
    return mpi_check(rounds->kind->call(buffer_of(rounds, REDIST_SOURCE, rounds->round),
                                        from->counts, from->places, MPI_BYTE,
                                        buffer_of(rounds, REDIST_TARGET, rounds->round),
                                        to->counts, to->places, MPI_BYTE, rounds->comm,
                                        &rounds->request),
                     rounds->kind->call_name);
}

/* ---- a run ------------------------------------------------------------------------- */

/* A process with invalid buffers takes part with zeros: nobody uses them, as all learn of
 * it in the end. */
redist_err rounds_start(struct move *move, void *state)
{
    struct rounds *rounds = state;
    rounds->round = 0;
    if (rounds->n == 0) return REDIST_OK;
    move_round(move, rounds, REDIST_SOURCE, 0);
    TRY(post(rounds));
    if (rounds->n > 1 && rounds->buffers > 1) move_round(move, rounds, REDIST_SOURCE, 1);
    return REDIST_OK;
}

/* A round is complete: begin the next one, which is packed already if there is a buffer
 * for it. */
static redist_err next_round(const struct move *move, struct rounds *rounds)
{
    int64_t landed = rounds->round++, next = rounds->round;
    bool last = next == rounds->n, ahead = rounds->buffers > 1;
    if (!ahead || last) move_round(move, rounds, REDIST_TARGET, landed);
    if (last) return REDIST_OK;
    if (!ahead) move_round(move, rounds, REDIST_SOURCE, next);
    TRY(post(rounds));
    if (!ahead) return REDIST_OK;
    move_round(move, rounds, REDIST_TARGET, landed);
    if (next + 1 < rounds->n) move_round(move, rounds, REDIST_SOURCE, next + 1);
    return REDIST_OK;
}

redist_err rounds_progress(struct move *move, void *state, bool wait, bool *done)
{
    struct rounds *rounds = state;
    while (rounds->round < rounds->n) {
        int landed = 1;
        MPI_Request request[] = {MPI_REQUEST_NULL, rounds->request};
        MPI_Status status;
        TRY(extra_request_complete(move->extra, 1, request, &status, wait, &landed));
        rounds->request = request[1];
        if (!landed) break;
        TRY(next_round(move, rounds));
    }
    *done = rounds->round == rounds->n;
    return REDIST_OK;
}

/* ---- effort ------------------------------------------------------------------------ */

/* Return the quota of a message, of whole grains, with so many buffers each way, if all
 * are equally long. */
static int64_t even_quota(const struct load *load, int64_t messages, int64_t buffers)
{
    int64_t room = int_min(load->staging / 2 / buffers, INT_MAX);
    int64_t quota = int_min(room / int_max(messages, 1), TRANSFER_PIECE);
    return quota - quota % load->grain;
}

bool rounds_effort(const struct load *load, int64_t *n, struct effort *effort)
{
    const struct flow most = flow_most(load->all);
    int64_t quota = most.largest;
    bool whole = most.bytes <= int_min(load->staging / 2, INT_MAX) &&
                 most.largest <= TRANSFER_PIECE;
    if (!whole) quota = even_quota(load, most.messages, 2);
    if (quota == 0) quota = even_quota(load, most.messages, 1);
    *effort = (struct effort){{0}, 0};
    if (quota == 0 && most.largest > 0) return false;
    *n = most.largest > 0 ? int_ceil_div(most.largest, quota) : 0;
    double *count = effort->count;
    count[EFFORT_HANDSHAKES] = quota > EFFORT_EAGER ? (double)(most.messages * *n) : 0;
    count[EFFORT_WIRE] = (double)most.bytes;
    for (int s = 0; s < SIDES; s++) count[EFFORT_PACKING] += (double)load->all[s].bytes;
    if (load->staging > EFFORT_NEAR && most.bytes > EFFORT_NEAR / 2)
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    for (int s = 0; s < SIDES; s++) {
        int64_t held = int_min(load->all[s].bytes, load->staging / 2);
        effort->staging += whole ? held : int_min(2 * held, load->staging / 2);
    }
    return true;
}
