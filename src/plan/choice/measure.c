/* SPDX-License-Identifier: MIT */
#include "plan/choice/rates.h"

#include <math.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "move/kernel/stream.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "move/mpi/lacks.h"
#include "plan/comm/agree.h"

enum {
    TIMES = 5,                    /* repetitions of each; the minimum counts */
    BURST = 8,                    /* messages in progress at a time */
    SMALL = 8,                    /* bytes of a message that takes only its startup */
    MIDDLE = 4 * EFFORT_EAGER,    /* bytes of a longer one, still short, */
    PIECE = 1 << 16,              /* and of a long one; it stays in the cache */
    SPINS = 2000,                 /* polls without success before a process yields */
    BLOCK = 16,                   /* bytes of a block of a datatype, */
    BLOCKS = PIECE / (2 * BLOCK), /* which has every other block of a piece */
    STRIP = 512,                  /* bytes of a block that takes longer, */
    TWO = 2 * PIECE,              /* of a datatype with every other block of two pieces */
    STRIPS = PIECE / STRIP,
    ASKED = 2, /* processes that send to the first one at a time */
    SPILL = 2, /* times as long does packing take beyond the cache: assumed, as to measure
                  it takes longer than all the rest */
};

/* A process's part of the node's shared memory. */
struct stand {
    _Atomic int64_t flag;
    alignas(STREAM_LINE) char piece[PIECE];
};

struct lab {
    MPI_Comm comm;
    int rank, nranks;
    int to, from; /* half way round the communicator */
    char *out, *in;
    char *data;                  /* [ASKED * TWO] what a program sends and receives */
    int *ones, *places;          /* [nranks] bytes of a collective call, and places */
    MPI_Datatype blocks, strips; /* MPI_DATATYPE_NULL: not made */
    bool windowed, shares;
    MPI_Win window; /* for one-sided reads; MPI_WIN_NULL: not made */
    char *shown;    /* [PIECE] */
    const struct node *node;
    struct shared memory;        /* of the node */
    struct stand *own, *towards; /* of this process, and of the one half way round the
                                    node */
    int64_t laps;                /* times that flags were raised */
    double came[ASKED];          /* seconds until the first and the last piece arrived */
    redist_err err;              /* MPI's, of any trial */
};

/* A timed operation. */
typedef void (*trial)(struct lab *lab);

/* ---- operations -------------------------------------------------------------------- */

static void check(struct lab *lab, int code, const char *call)
{
    redist_err err = mpi_check(code, call);
    if (!lab->err) lab->err = err;
}
#define CHECK(lab, call) check(lab, call, #call)

static void exchange_messages(struct lab *lab, int n, int count, MPI_Datatype type)
{
    MPI_Request request[2 * BURST];
    MPI_Status status[2 * BURST];
    for (int k = 0; k < n; k++)
        CHECK(lab, MPI_Irecv(lab->in + k * SMALL, count, type, lab->from, 0, lab->comm,
                             &request[k]));
    for (int k = 0; k < n; k++)
        CHECK(lab,
              MPI_Isend(lab->out, count, type, lab->to, 0, lab->comm, &request[n + k]));
    CHECK(lab, MPI_Waitall(2 * n, request, status));
}

static void one_small(struct lab *lab) { exchange_messages(lab, 1, SMALL, MPI_BYTE); }
static void many_small(struct lab *lab)
{
    exchange_messages(lab, BURST, SMALL, MPI_BYTE);
}

/* Data to send were just written, and received data are read: MPIs that access memory of
 * another process take twice as long with such data as with unchanged ones. */
static void exchange_fresh(struct lab *lab, int count, MPI_Datatype type, size_t bytes)
{
    memcpy(lab->out, lab->data, bytes);
    exchange_messages(lab, 1, count, type);
    memcpy(lab->data, lab->in, bytes);
}

static void one_middle(struct lab *lab) { exchange_fresh(lab, MIDDLE, MPI_BYTE, MIDDLE); }
static void one_large(struct lab *lab) { exchange_fresh(lab, PIECE, MPI_BYTE, PIECE); }
static void one_typed(struct lab *lab) { exchange_fresh(lab, 1, lab->strips, TWO); }

/* Pack and unpack blocks as MPI does. */
static void pass_blocks(struct lab *lab)
{
    int at = 0, done = 0;
    CHECK(lab, MPI_Pack(lab->out, 1, lab->blocks, lab->in, PIECE, &at, lab->comm));
    CHECK(lab, MPI_Unpack(lab->in, at, &done, lab->out, 1, lab->blocks, lab->comm));
}

/* Write to the window, and read from another process's, between two small messages: the
 * data were just written by another core. */
static void one_get(struct lab *lab)
{
    MPI_Request request = MPI_REQUEST_NULL;
    memcpy(lab->shown, lab->out, PIECE);
    CHECK(lab, MPI_Win_sync(lab->window));
    one_small(lab);
    CHECK(lab, MPI_Rget(lab->in, PIECE, MPI_BYTE, lab->from, 0, PIECE, MPI_BYTE,
                        lab->window, &request));
    CHECK(lab, MPI_Wait(&request, MPI_STATUS_IGNORE));
    one_small(lab);
}

/* Raise the flag of the process half way round the node, and wait for the own one. If
 * processes share a core, spinning makes others wait. */
static void one_flag(struct lab *lab)
{
    int64_t lap = ++lab->laps;
    int found = 0, patience = lab->node->sharing > 1 ? 0 : SPINS;
    atomic_store_explicit(&lab->towards->flag, lap, memory_order_release);
    while (atomic_load_explicit(&lab->own->flag, memory_order_acquire) < lap) {
        if (patience-- > 0) continue;
        CHECK(lab, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, lab->comm, &found,
                              MPI_STATUS_IGNORE));
        (void)sched_yield();
    }
}

/* Pass on a filled slot of a ring, and return it. */
static void pass_slot(struct lab *lab)
{
    one_flag(lab);
    memcpy(lab->in, lab->own->piece, PIECE);
    one_flag(lab);
}

static void one_slot(struct lab *lab)
{
    memcpy(lab->towards->piece, lab->out, PIECE);
    pass_slot(lab);
}

/* As one_slot, past the cache, as slots are filled for cores that share none. */
static void one_slot_past(struct lab *lab)
{
    for (int at = 0; at < PIECE; at += STREAM_LINE)
        stream_line(lab->towards->piece + at, lab->out + at);
    stream_fence();
    pass_slot(lab);
}

static void call_all(struct lab *lab)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(lab, MPI_Ialltoallv(lab->out, lab->ones, lab->places, MPI_BYTE, lab->in,
                              lab->ones, lab->places, MPI_BYTE, lab->comm, &request));
    CHECK(lab, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void vote(struct lab *lab)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t mine = lab->rank, least = 0;
    if (LACKS_REDUCTIONS) { /* in as many rounds as a vote then has */
        CHECK(lab, MPI_Allreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, lab->comm));
        return;
    }
    CHECK(lab,
          MPI_Iallreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, lab->comm, &request));
    CHECK(lab, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Fill staging memory that stays in the cache, and read it afterwards. */
static void pass_staging(struct lab *lab)
{
    memcpy(lab->data, lab->out, PIECE);
    memcpy(lab->in, lab->data, PIECE);
}

/* Request a piece from each of n processes; the last repetition's times until they
 * arrived. */
static void ask(struct lab *lab, int n)
{
    MPI_Request request[ASKED];
    MPI_Status status;
    for (int k = 0; k < n; k++)
        CHECK(lab, MPI_Irecv(lab->data + k * TWO, TWO, MPI_BYTE, lab->nranks / 2 + k, 0,
                             lab->comm, &request[k]));
    double began = MPI_Wtime();
    for (int k = 0; k < n; k++)
        CHECK(lab, MPI_Send(NULL, 0, MPI_BYTE, lab->nranks / 2 + k, 0, lab->comm));
    for (int k = 0, which = 0; k < n; k++) {
        CHECK(lab, MPI_Waitany(n, request, &which, &status));
        lab->came[k] = MPI_Wtime() - began;
    }
}

static void answer(struct lab *lab)
{
    MPI_Status status;
    CHECK(lab, MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, lab->comm, &status));
    CHECK(lab, MPI_Send(lab->out, TWO, MPI_BYTE, 0, 0, lab->comm));
}

/* ---- measuring ------------------------------------------------------------------- */

/* Return the minimum of a few times, after one to warm up. */
static double shortest(struct lab *lab, trial run, int times)
{
    double least = INFINITY;
    run(lab);
    for (int k = 0; k < times; k++) {
        double began = MPI_Wtime();
        run(lab);
        least = fmin(least, MPI_Wtime() - began);
    }
    return least;
}

static redist_err lab_allocate(struct lab *lab)
{
    int64_t room = TWO + lab->nranks;
    lab->out = mem_alloc(NULL, room, 1);
    lab->in = mem_alloc(NULL, room, 1);
    lab->data = mem_alloc(NULL, ASKED, TWO);
    lab->ones = mem_alloc(NULL, lab->nranks, sizeof *lab->ones);
    lab->places = mem_alloc(NULL, lab->nranks, sizeof *lab->places);
    if (!lab->out || !lab->in || !lab->data || !lab->ones || !lab->places)
        return REDIST_ERR_MEMORY;
    for (int k = 0; k < lab->nranks; k++) {
        lab->ones[k] = 1;
        lab->places[k] = k;
    }
    return REDIST_OK;
}

/* Make a datatype of every other block. */
static redist_err make_type(int blocks, int bytes, MPI_Datatype *type)
{
    TRY(mpi_call(MPI_Type_vector(blocks, bytes, 2 * bytes, MPI_BYTE, type)));
    return mpi_call(MPI_Type_commit(type));
}

static redist_err open_window(struct lab *lab)
{
    TRY(mpi_call(MPI_Win_allocate(PIECE, 1, MPI_INFO_NULL, lab->comm, (void *)&lab->shown,
                                  &lab->window)));
    TRY(mpi_call(MPI_Win_set_errhandler(lab->window, MPI_ERRORS_RETURN)));
    return mpi_call(MPI_Win_lock_all(MPI_MODE_NOCHECK, lab->window));
}

static redist_err open_stands(struct lab *lab)
{
    const struct node *node = lab->node;
    int half = (node->rank + node->nranks / 2) % node->nranks;
    TRY(shared_make(node, sizeof *lab->own, &lab->memory));
    TRY(shared_part(&lab->memory, node->rank, (void *)&lab->own));
    TRY(shared_part(&lab->memory, half, (void *)&lab->towards));
    memset(lab->own, 0, sizeof *lab->own);
    return node_barrier(node);
}

static redist_err lab_make(struct lab *lab, MPI_Comm comm, const struct node *node)
{
    *lab = (struct lab){.comm = comm,
                        .node = node,
                        .blocks = MPI_DATATYPE_NULL,
                        .strips = MPI_DATATYPE_NULL,
                        .window = MPI_WIN_NULL,
                        .memory = {MPI_WIN_NULL}};
    TRY(mpi_call(MPI_Comm_rank(comm, &lab->rank)));
    TRY(mpi_call(MPI_Comm_size(comm, &lab->nranks)));
    lab->to = (lab->rank + lab->nranks / 2) % lab->nranks;
    lab->from = (lab->rank + lab->nranks - lab->nranks / 2) % lab->nranks;
    TRY(lab_allocate(lab));
    TRY(make_type(BLOCKS, BLOCK, &lab->blocks));
    return make_type(STRIPS, STRIP, &lab->strips);
}

static void lab_free(struct lab *lab)
{
    if (lab->window != MPI_WIN_NULL) {
        (void)MPI_Win_unlock_all(lab->window);
        (void)MPI_Win_free(&lab->window);
    }
    shared_free(&lab->memory);
    if (lab->blocks != MPI_DATATYPE_NULL) (void)MPI_Type_free(&lab->blocks);
    if (lab->strips != MPI_DATATYPE_NULL) (void)MPI_Type_free(&lab->strips);
    mem_free(lab->out);
    mem_free(lab->in);
    mem_free(lab->data);
    mem_free(lab->ones);
    mem_free(lab->places);
}

/* Return the rest for each of `bytes`; no byte travels faster than it is packed. */
static double per_byte(double left, int bytes, double packing)
{
    return fmax(left / bytes, packing);
}

/* Find rates of optional operations. Within a node, reading from a ring is the same as
 * MPI's get, so the faster of these measurements counts for rings. */
static void find_memory_rates(struct lab *lab, double one, double seconds[EFFORT_TERMS])
{
    double packing = seconds[EFFORT_PACKING];
    seconds[EFFORT_GETS] = seconds[EFFORT_FLAGS] = seconds[EFFORT_RINGS] = RATES_NEVER;
    if (lab->windowed) {
        double left = shortest(lab, one_get, TIMES) - 2 * one - PIECE * packing;
        seconds[EFFORT_GETS] = per_byte(left, PIECE, packing);
    }
    if (lab->shares) {
        double flag = shortest(lab, one_flag, TIMES);
        double slot = shortest(lab, one_slot, TIMES);
        slot = fmin(slot, shortest(lab, one_slot_past, TIMES));
        seconds[EFFORT_FLAGS] = flag;
        seconds[EFFORT_RINGS] = per_byte(slot - 2 * flag, PIECE, 2 * packing);
        if (lab->node->nranks == lab->nranks)
            seconds[EFFORT_RINGS] =
                fmin(seconds[EFFORT_RINGS], seconds[EFFORT_GETS] + packing);
    }
}

/* Find the rates of messages; a small one takes `one`; packing and blocks are known. */
static void find_message_rates(struct lab *lab, double one, double seconds[EFFORT_TERMS])
{
    double many = shortest(lab, many_small, TIMES);
    double packing = seconds[EFFORT_PACKING];
    double middle = shortest(lab, one_middle, TIMES) - 2 * MIDDLE * packing;
    double large = shortest(lab, one_large, TIMES) - 2 * PIECE * packing;
    double typed = shortest(lab, one_typed, TIMES) - 2 * TWO * packing;
    double wire = per_byte(large - middle, PIECE - MIDDLE, packing);
    double blocks = 2 * STRIPS * seconds[EFFORT_BLOCKS];
    seconds[EFFORT_STARTUPS] = many / BURST;
    seconds[EFFORT_WAITS] = fmax(one - many / BURST, 0);
    seconds[EFFORT_WIRE] = wire;
    seconds[EFFORT_HANDSHAKES] = fmax(middle - one - MIDDLE * wire, 0);
    seconds[EFFORT_TYPED] = fmax(typed - large - blocks, 0) / TWO;
}

/* Find when the first and the last of n pieces arrive that the first process requests;
 * known to it only. */
static void find_coming(struct lab *lab, int n, double least[ASKED])
{
    int first = lab->nranks / 2;
    bool asked = lab->rank >= first && lab->rank < first + n;
    least[0] = least[n - 1] = INFINITY;
    for (int k = 0; k <= TIMES; k++) {
        if (asked) answer(lab);
        if (lab->rank > 0) continue;
        ask(lab, n);
        if (k > 0 && lab->came[n - 1] < least[n - 1])
            memcpy(least, lab->came, sizeof lab->came);
    }
}

/* Request two pieces from neighbours, so that they use one link. If it serves one message
 * at a time, the first arrives as soon as a single one; if both share it, later. If they
 * do not slow each other, it is unknown. Other processes do not know. */
static double find_fairness(struct lab *lab)
{
    double alone[ASKED], both[ASKED];
    if (lab->nranks <= ASKED || lab->node->nranks == lab->nranks) return 0;
    find_coming(lab, 1, alone);
    find_coming(lab, ASKED, both);
    if (lab->rank > 0 || both[1] < 1.5 * alone[0]) return 0;
    return both[0] - alone[0] < (both[1] - both[0]) / 3 ? 0 : 1;
}

static void find_rates(struct lab *lab, struct rates *rates)
{
    double *seconds = rates->seconds;
    double one = shortest(lab, one_small, TIMES);
    seconds[EFFORT_PACKING] = shortest(lab, pass_staging, TIMES) / (2 * PIECE);
    seconds[EFFORT_SPILL] = SPILL * seconds[EFFORT_PACKING];
    seconds[EFFORT_CALLS] = shortest(lab, call_all, TIMES);
    seconds[EFFORT_VOTES] = shortest(lab, vote, TIMES);
    seconds[EFFORT_BLOCKS] = shortest(lab, pass_blocks, TIMES) / (2 * BLOCKS);
    find_message_rates(lab, one, seconds);
    find_memory_rates(lab, one, seconds);
    rates->fairness = find_fairness(lab);
}

redist_err rates_measure(MPI_Comm comm, const struct node *node, struct rates *rates)
{
    struct lab lab;
    redist_err err = agree(comm, lab_make(&lab, comm, node));
    if (!err && !exchange_onesided.lacks) lab.windowed = !agree(comm, open_window(&lab));
    if (!err && !exchange_shared.lacks) lab.shares = !agree(comm, open_stands(&lab));
    if (!err) {
        find_rates(&lab, rates);
        err = agree(comm, lab.err);
    }
    lab_free(&lab);
    TRY(err);
    double most[EFFORT_TERMS + 1] = {[EFFORT_TERMS] = rates->fairness};
    memcpy(most, rates->seconds, sizeof rates->seconds);
    TRY(mpi_call(
        MPI_Allreduce(MPI_IN_PLACE, most, EFFORT_TERMS + 1, MPI_DOUBLE, MPI_MAX, comm)));
    memcpy(rates->seconds, most, sizeof rates->seconds);
    rates->fairness = most[EFFORT_TERMS];
    return REDIST_OK;
}
