/* SPDX-License-Identifier: MIT */
#include "tool/bench/race.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "tool/bench/simulated.h"

static const double SHORTEST = 1e-3; /* seconds between two barriers */
static const double WARM = 0.1;      /* slower work need not run twice to warm up */
enum { MOST_LAPS = 1000, SLOW = 16 /* times the fastest */, LEAST_TURNS = 3 };

/* The repetitions of a racer. */
struct repeats {
    double seconds; /* of a lap, warmed up */
    int64_t laps;   /* of a turn */
    int64_t every;  /* it has a turn in one of so many rounds */
    int64_t turns;  /* so far */
};

/* Run `laps` times; *seconds is of one of them, on this process. */
static redist_err sample(MPI_Comm comm, const struct racer *racer, int64_t laps,
                         double *seconds)
{
    redist_err err = REDIST_OK;
    if (racer->prepare) TRY(racer->prepare(racer->context));
    MPI_Barrier(comm);
    double began = MPI_Wtime();
    for (int64_t lap = 0; lap < laps && !err; lap++) err = racer->run(racer->context);
    MPI_Barrier(comm);
    *seconds = (MPI_Wtime() - began) / (double)laps;
    return err;
}

/* Warm up, and find how many laps take a millisecond. */
static redist_err warm_up(MPI_Comm comm, const struct racer *racer,
                          struct repeats *repeats)
{
    double seconds = 0;
    for (int k = 0; k < 2 && seconds < WARM; k++) {
        TRY(sample(comm, racer, 1, &seconds));
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    }
    double wanted = seconds > 0 ? ceil(SHORTEST / seconds) : MOST_LAPS;
    if (racer->prepare) wanted = 1;
    *repeats = (struct repeats){.seconds = seconds};
    repeats->laps = wanted < MOST_LAPS ? (int64_t)wanted : MOST_LAPS;
    return REDIST_OK;
}

/* Let slow racers pause in some rounds. */
static void set_turns(int64_t rounds, int n, struct repeats repeats[])
{
    double fastest = INFINITY;
    for (int k = 0; k < n; k++) fastest = fmin(fastest, repeats[k].seconds);
    for (int k = 0; k < n; k++) {
        double slower = fastest > 0 ? repeats[k].seconds / fastest / SLOW : 1;
        int64_t most = int_max(rounds / LEAST_TURNS, 1);
        repeats[k].every = slower < (double)most ? int_max((int64_t)slower, 1) : most;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Return the value that a share of the n sorted times is below, interpolated. */
static double quantile(const double sorted[], int64_t n, double share)
{
    double place = share * (double)(n - 1);
    int64_t below = (int64_t)place;
    if (below + 1 >= n) return sorted[n - 1];
    double part = place - (double)below;
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

static struct spread spread_of(double times[], int64_t n)
{
    qsort(times, (size_t)n, sizeof *times, compare);
    return (struct spread){times[0],
                           quantile(times, n, 0.25),
                           quantile(times, n, 0.5),
                           quantile(times, n, 0.75),
                           times[n - 1],
                           n};
}

/* Permute turn[n] for each round, the same on every process. If the previous racer were
 * always the same, its cache contents would count for or against one. */
static void shuffle(int64_t round, int n, int turn[])
{
    for (int k = n - 1; k > 0; k--) {
        int other = (int)(hash_int(hash_int(HASH_START, round), k) % (uint64_t)(k + 1));
        int kept = turn[k];
        turn[k] = turn[other];
        turn[other] = kept;
    }
}

/* Fill in times[n][rounds] of this process. */
static redist_err run_rounds(MPI_Comm comm, int64_t rounds, int n,
                             const struct racer racers[], struct repeats repeats[],
                             int turn[], double times[])
{
    for (int k = 0; k < n; k++) turn[k] = k;
    for (int64_t round = 0; round < rounds; round++) {
        shuffle(round, n, turn);
        for (int i = 0; i < n; i++) {
            int k = turn[i];
            if (round % repeats[k].every > 0) continue;
            double *seconds = &times[k * rounds + repeats[k].turns++];
            TRY(sample(comm, &racers[k], repeats[k].laps, seconds));
        }
    }
    return REDIST_OK;
}

/* ---- an exact clock ---------------------------------------------------------------- */

static double latest(MPI_Comm comm)
{
    double now = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &now, 1, MPI_DOUBLE, MPI_MAX, comm);
    return now;
}

/* Wait for a moment that is the same for all, except for two nanoseconds a place. Of
 * events at one moment a simulator takes any first, depending on what was before; if a
 * link serves one message at a time, that alone makes a tenth. Returns the moment. */
static double meet(MPI_Comm comm, int place)
{
    double first = latest(comm), second = latest(comm);
    double told = second + 2 * (second - first); /* no process is told a later one */
    double start = simulated_moment(told);
    simulated_await(start + 2e-9 * place);
    return start;
}

static redist_err sample_exactly(MPI_Comm comm, const struct racer *racer, int place,
                                 double *seconds)
{
    double start = meet(comm, place);
    redist_err err = racer->run(racer->context);
    *seconds = MPI_Wtime() - start;
    return err;
}

/* Find the place of this process in each round: first in the order of ranks, then in
 * other orders. Uses turn[ranks] as work space. */
static void find_places(MPI_Comm comm, int64_t rounds, int turn[], int place[])
{
    int rank = 0, ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int k = 0; k < ranks; k++) turn[k] = k;
    for (int64_t round = 0; round < rounds; round++) {
        if (round > 0) shuffle(round, ranks, turn);
        for (int k = 0; k < ranks; k++)
            if (turn[k] == rank) place[round] = k;
    }
}

redist_err race_run_exactly(MPI_Comm comm, int64_t rounds, struct racer *racer)
{
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    double *times = mem_alloc(NULL, rounds, sizeof *times);
    int *place = mem_alloc(NULL, rounds, sizeof *place);
    int *turn = mem_alloc(NULL, ranks, sizeof *turn);
    bool made = times && place && turn;
    redist_err err = collective_agree(comm, made ? REDIST_OK : REDIST_ERR_MEMORY);
    if (!err) find_places(comm, rounds, turn, place);
    for (int64_t round = 0; round < rounds && !err; round++)
        err = sample_exactly(comm, racer, place[round], &times[round]);
    if (!err) {
        MPI_Allreduce(MPI_IN_PLACE, times, (int)rounds, MPI_DOUBLE, MPI_MAX, comm);
        racer->seconds = spread_of(times, rounds);
    }
    mem_free(turn);
    mem_free(place);
    mem_free(times);
    return err;
}

/* ---- any clock --------------------------------------------------------------------- */

redist_err race_run(MPI_Comm comm, int64_t rounds, int n, struct racer racers[])
{
    double *times = mem_alloc(NULL, rounds * n, sizeof *times);
    struct repeats *repeats = mem_alloc(NULL, n, sizeof *repeats);
    int *turn = mem_alloc(NULL, n, sizeof *turn);
    bool made = times && repeats && turn;
    redist_err err = collective_agree(comm, made ? REDIST_OK : REDIST_ERR_MEMORY);
    for (int k = 0; k < n && !err; k++) err = warm_up(comm, &racers[k], &repeats[k]);
    set_turns(rounds, made ? n : 0, repeats);
    if (!err) err = run_rounds(comm, rounds, n, racers, repeats, turn, times);
    if (!err)
        MPI_Allreduce(MPI_IN_PLACE, times, (int)(rounds * n), MPI_DOUBLE, MPI_MAX, comm);
    for (int k = 0; k < n && !err; k++)
        racers[k].seconds = spread_of(times + k * rounds, repeats[k].turns);
    mem_free(times);
    mem_free(repeats);
    mem_free(turn);
    return err;
}
