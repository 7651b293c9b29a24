/* SPDX-License-Identifier: MIT
 *
 * tests/soak/case.h - one random case: up to three plans, made over one communicator and
 * in progress at once. All processes draw all of it alike (draw.h); the truth about its
 * buffers is truth.h's, and run.h runs it.
 */
#ifndef REDIST_TESTS_SOAK_CASE_H
#define REDIST_TESTS_SOAK_CASE_H

#include "mpi/arithmetic/reducible.h"
#include "mpi/irregular/deal.h"
#include "mpi/irregular/lists.h"
#include "mpi/sample.h"
#include "numbers.h"

enum { MOST_JOBS = 3, MOST_ITEMS = 3, MOST_ROUNDS = 2, TEXT = 96 };

enum plan_kind { VIEWS, REGULAR, INDEXED, BALANCED, SIZED, IN_PLACE, PLAN_KINDS };
static const char *const kind_name[PLAN_KINDS] = {"views",    "regular", "indexed",
                                                  "balanced", "sized",   "in place"};

/* Where arrays lie. MIXED: each process, array and side has its own. */
enum location { HEAP, SHARED, DEVICE, MIXED, MEMORIES };
static const char *const memory_name[MEMORIES] = {"malloc", "redist_alloc", "device",
                                                  "mixed"};

/* What one process, the culprit, does wrong; all are to learn of it. */
enum fault { NONE, NULL_SOURCE, NULL_TARGET, OTHER_CAP, REFUSAL, FAULTS };
static const char *const fault_name[FAULTS] = {
    "no fault", "source is NULL", "target is NULL", "another cap", "redist_refuse"};

/* The processes of a case: the first `size` of the world, in the same or the opposite
 * order; over an intercommunicator the first `split` of them hold the sources. */
struct team {
    int size, reversed, split; /* split 0: no intercommunicator */
    int rank;                  /* of the calling process; -1: it takes no part */
};

/* The processes that a side's grid is drawn from: of a team, or of one of its groups. */
static inline int team_ranks(const struct team *team, int side)
{
    if (team->split == 0) return team->size;
    return side == REDIST_SOURCE ? team->split : team->size - team->split;
}

/* The calling process among them, or -1. */
static inline int team_rank(const struct team *team, int side)
{
    if (team->split == 0 || team->rank < 0) return team->rank;
    int first = side == REDIST_SOURCE ? 0 : team->split;
    int rank = team->rank - first;
    return rank >= 0 && rank < team_ranks(team, side) ? rank : -1;
}

/* An array that is moved. */
struct item {
    int64_t element[2]; /* bytes; without arithmetic or conversion it is just bytes */
    struct sample side[2];
};

/* A type of numbers. */
struct type {
    const struct kind *kind; /* NULL: nothing is converted */
    int big;
};

static inline void type_name(const struct type *type, char name[8])
{
    (void)snprintf(name, 8, "%c%s", type->big ? '>' : '<', type->kind->name);
}

/* One plan, and what is done with it. */
struct job {
    enum plan_kind kind;
    int nitems;
    struct item item[MOST_ITEMS];
    struct lists lists;
    struct deal_problem problem;
    /* options */
    char strategy[TEXT], topology[TEXT]; /* "": none */
    int64_t staging;                     /* bytes, 0: the default */
    int transpose, conjugate, scaled;
    redist_reduction reduction;
    struct operand number; /* bytes 0: no arithmetic */
    int alpha[2], beta[2];
    struct type type[2]; /* of the numbers that are converted */
    int checked;         /* small ones, which every type holds */
    int relabels, tunes;
    enum location memory;
    uint64_t salt; /* by which processes differ in memory, alignment, order of waits */
    enum fault fault;
    int culprit;
};

struct soak_case {
    struct team team;
    int njobs, rounds, together; /* together: all are started before any is waited for */
    struct job job[MOST_JOBS];
};

static inline int has_arithmetic(const struct job *job) { return job->number.bytes > 0; }

static inline int is_converted(const struct job *job) { return job->type[0].kind != 0; }

/* Whether what is moved is multiplied, by 1 if the plan is not scaled. */
static inline int is_linear(const struct job *job)
{
    return job->scaled || job->conjugate;
}

static inline int has_views(const struct job *job)
{
    return job->kind == VIEWS || job->kind == REGULAR || job->kind == IN_PLACE;
}

/* A number by which a process decides for itself, below n. */
static inline int own_choice(const struct job *job, int rank, int what, int n)
{
    uint64_t state = job->salt * 31 + (uint64_t)(rank * 131 + what + 1);
    random_next(&state);
    return (int)(random_next(&state) >> 33) % n;
}

#endif
