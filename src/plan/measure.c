/* SPDX-License-Identifier: MIT */
#include "plan/measure.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "move/exchange.h"
#include "plan/agree.h"

enum {
    TIMES = 5,             /* of each thing: the shortest counts */
    BURST = 8,             /* messages under way at a time */
    SMALL = 8,             /* bytes of a message that is all startup */
    PIECE = 1 << 16,       /* and of one that is not; it stays in the cache */
    FAR = 4 * EFFORT_NEAR, /* staging memory that does not */
};

struct lab {
    MPI_Comm comm;
    int rank, nranks;
    int to, from; /* half way round */
    char *out, *in;
    char *far;          /* [FAR] */
    int *ones, *places; /* [nranks] bytes of a collective call, and where they lie */
    redist_err err;     /* MPI's, of any trial */
};

/* What is timed. */
typedef void (*trial)(struct lab *lab);

/* ---- trials ------------------------------------------------------------------------ */

static void check(struct lab *lab, int code, const char *call)
{
    redist_err err = exchange_check(code, call);
    if (!lab->err) lab->err = err;
}

static void exchange_messages(struct lab *lab, int n, int bytes)
{
    MPI_Request request[2 * BURST];
    MPI_Status status[2 * BURST];
    for (int k = 0; k < n; k++)
        check(lab,
              MPI_Irecv(lab->in + k * SMALL, bytes, MPI_BYTE, lab->from, 0, lab->comm,
                        &request[k]),
              "MPI_Irecv");
    for (int k = 0; k < n; k++)
        check(
            lab,
            MPI_Isend(lab->out, bytes, MPI_BYTE, lab->to, 0, lab->comm, &request[n + k]),
            "MPI_Isend");
    check(lab, MPI_Waitall(2 * n, request, status), "MPI_Waitall");
}

static void one_small(struct lab *lab) { exchange_messages(lab, 1, SMALL); }
static void many_small(struct lab *lab) { exchange_messages(lab, BURST, SMALL); }
static void one_large(struct lab *lab) { exchange_messages(lab, 1, PIECE); }

static void call_all(struct lab *lab)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(lab,
          MPI_Ialltoallv(lab->out, lab->ones, lab->places, MPI_BYTE, lab->in, lab->ones,
                         lab->places, MPI_BYTE, lab->comm, &request),
          "MPI_Ialltoallv");
    check(lab, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

static void vote(struct lab *lab)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t mine = lab->rank, least = 0;
    check(lab,
          MPI_Iallreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, lab->comm, &request),
          "MPI_Iallreduce");
    check(lab, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

/* Fill staging memory of `size` piece by piece, and only then read it. */
static void pass_through(struct lab *lab, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE) memcpy(lab->far + at, lab->out, PIECE);
    for (size_t at = 0; at < size; at += PIECE) memcpy(lab->in, lab->far + at, PIECE);
}

static void pass_near(struct lab *lab) { pass_through(lab, PIECE); }
static void pass_far(struct lab *lab) { pass_through(lab, FAR); }

/* ---- measuring --------------------------------------------------------------------- */

/* The shortest of a few times, after one in vain. */
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

static redist_err lab_make(struct lab *lab, MPI_Comm comm)
{
    *lab = (struct lab){.comm = comm};
    TRY(exchange_check(MPI_Comm_rank(comm, &lab->rank), "MPI_Comm_rank"));
    TRY(exchange_check(MPI_Comm_size(comm, &lab->nranks), "MPI_Comm_size"));
    lab->to = (lab->rank + lab->nranks / 2) % lab->nranks;
    lab->from = (lab->rank + lab->nranks - lab->nranks / 2) % lab->nranks;
    int64_t room = PIECE + BURST * SMALL + lab->nranks;
    lab->out = mem_alloc(NULL, room, 1);
    lab->in = mem_alloc(NULL, room, 1);
    lab->far = mem_alloc(NULL, FAR, 1);
    lab->ones = mem_alloc(NULL, lab->nranks, sizeof *lab->ones);
    lab->places = mem_alloc(NULL, lab->nranks, sizeof *lab->places);
    if (!lab->out || !lab->in || !lab->far || !lab->ones || !lab->places)
        return REDIST_ERR_MEMORY;
    for (int k = 0; k < lab->nranks; k++) {
        lab->ones[k] = 1;
        lab->places[k] = k;
    }
    return REDIST_OK;
}

static void lab_free(struct lab *lab)
{
    mem_free(lab->out);
    mem_free(lab->in);
    mem_free(lab->far);
    mem_free(lab->ones);
    mem_free(lab->places);
}

static void find_rates(struct lab *lab, struct rates *rates)
{
    double *seconds = rates->seconds;
    double one = shortest(lab, one_small, TIMES), many = shortest(lab, many_small, TIMES);
    double large = shortest(lab, one_large, TIMES);
    double near = shortest(lab, pass_near, TIMES) / PIECE;
    double far = shortest(lab, pass_far, 2) / FAR; /* by far the longest of all trials */
    seconds[EFFORT_STARTUPS] = many / BURST;
    seconds[EFFORT_WAITS] = fmax(one - many / BURST, 0);
    seconds[EFFORT_WIRE] = fmax(large - one, 0) / PIECE;
    seconds[EFFORT_PACKING] = near / 2;
    seconds[EFFORT_SPILL] = fmax(far - near, 0);
    seconds[EFFORT_CALLS] = shortest(lab, call_all, TIMES);
    seconds[EFFORT_VOTES] = shortest(lab, vote, TIMES);
}

redist_err measure(MPI_Comm comm, struct rates *rates)
{
    struct lab lab;
    redist_err err = agree(comm, lab_make(&lab, comm));
    if (!err) {
        find_rates(&lab, rates);
        err = agree(comm, lab.err);
    }
    lab_free(&lab);
    TRY(err);
    return exchange_check(MPI_Allreduce(MPI_IN_PLACE, rates->seconds, EFFORT_TERMS,
                                        MPI_DOUBLE, MPI_MAX, comm),
                          "MPI_Allreduce");
}
