/* SPDX-License-Identifier: MIT
 *
 * peers/by_hand.c - what a competent user writes: runs, counts and offsets once; then
 * pack all, one MPI_Alltoallv or all sends and receives at once, unpack.
 *
 * In each dimension the elements that p of the source and q of the target share are a
 * list of runs, contiguous on both sides; those of two processes are its rows' runs times
 * its columns' runs.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "peer.h"

struct run {
    int at, length; /* local index on my side; small, as there may be one an element */
};

struct runs {
    int64_t n, room, elements;
    struct run *run;
};

/* What I have to do with one other process. */
struct part {
    const struct runs *rows, *columns;
    int count, offset; /* elements, in the staging buffer */
};

struct by_hand {
    MPI_Comm comm;
    int rank, nranks;
    int64_t width[2];        /* of my local rows on either side */
    struct runs *runs[2][2]; /* by side, dimension; [grid of the other side] */
    int nruns[2][2];
    struct part *part[2]; /* [nranks] what I send to, what I receive from */
    double *staging[2];
    int *counts[2], *offsets[2]; /* [nranks] of the parts */
    MPI_Request *request;        /* [2 nranks] receives, sends */
    MPI_Status *status;          /* [nranks] of the sends; MPICH has gcc warn of IGNORE */
};

/* ---- planning ---------------------------------------------------------------------- */

static bool runs_add(struct runs *runs, struct run run)
{
    if (runs->n == runs->room) {
        int64_t room = runs->room ? 2 * runs->room : 16;
        struct run *grown = realloc(runs->run, (size_t)room * sizeof *grown);
        if (!grown) return false;
        runs->run = grown;
        runs->room = room;
    }
    runs->run[runs->n++] = run;
    runs->elements += run.length;
    return true;
}

/* Find the runs that my coordinate on `side` shares with each one of the other side. */
static bool find_runs(const struct item *item, int side, int j, int coordinate,
                      struct runs runs[])
{
    int64_t n = item->extent[j];
    for (int64_t i = 0, length; i < n; i += length) {
        int64_t at[2];
        int owner[2];
        length = n - i;
        for (int s = 0; s < 2; s++) {
            int64_t block = item->side[s].block[j], in = i % block;
            int grid = item->side[s].grid[j];
            owner[s] = (int)(i / block % grid);
            at[s] = i / (block * grid) * block + in;
            if (block - in < length) length = block - in;
        }
        struct run run = {(int)at[side], (int)length};
        if (owner[side] == coordinate && !runs_add(&runs[owner[!side]], run))
            return false;
    }
    return true;
}

/* Count what goes between me and each process of the other side. */
static bool find_parts(struct by_hand *plan, const struct item *item, int side)
{
    int64_t total = 0;
    for (int rank = 0; rank < plan->nranks; rank++) {
        struct part *part = &plan->part[side][rank];
        int other[2];
        if (plan->nruns[side][0] > 0 && item_coordinates(item, !side, rank, other)) {
            part->rows = &plan->runs[side][0][other[0]];
            part->columns = &plan->runs[side][1][other[1]];
            int64_t count = part->rows->elements * part->columns->elements;
            if (total + count > INT_MAX) return false;
            part->count = (int)count;
        }
        part->offset = (int)total;
        plan->counts[side][rank] = part->count;
        plan->offsets[side][rank] = part->offset;
        total += part->count;
    }
    plan->staging[side] = malloc((size_t)(total + 1) * sizeof(double));
    return plan->staging[side];
}

static bool plan_side(struct by_hand *plan, const struct item *item, int side)
{
    size_t nranks = (size_t)plan->nranks;
    int mine[2];
    plan->part[side] = calloc(nranks, sizeof(struct part));
    plan->counts[side] = calloc(nranks, sizeof(int));
    plan->offsets[side] = calloc(nranks, sizeof(int));
    if (!plan->part[side] || !plan->counts[side] || !plan->offsets[side]) return false;
    if (item_coordinates(item, side, plan->rank, mine)) {
        plan->width[side] = item_local(item, side, 1, mine[1]);
        for (int j = 0; j < 2; j++) {
            int grid = item->side[!side].grid[j];
            plan->nruns[side][j] = grid;
            plan->runs[side][j] = calloc((size_t)grid, sizeof(struct runs));
            if (!plan->runs[side][j] ||
                !find_runs(item, side, j, mine[j], plan->runs[side][j]))
                return false;
        }
    }
    return find_parts(plan, item, side);
}

static void destroy(void *state)
{
    struct by_hand *plan = state;
    if (!plan) return;
    for (int s = 0; s < 2; s++) {
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < plan->nruns[s][j] && plan->runs[s][j]; k++)
                free(plan->runs[s][j][k].run);
            free(plan->runs[s][j]);
        }
        free(plan->part[s]);
        free(plan->counts[s]);
        free(plan->offsets[s]);
        free(plan->staging[s]);
    }
    free(plan->request);
    free(plan->status);
    free(plan);
}

static redist_err make(MPI_Comm comm, const struct item *item, const char *strategy,
                       void **state)
{
    (void)strategy;
    TRY(item_check_order(item));
    struct by_hand *plan = calloc(1, sizeof *plan);
    int made = plan != NULL;
    if (plan) {
        plan->comm = comm;
        MPI_Comm_rank(comm, &plan->rank);
        MPI_Comm_size(comm, &plan->nranks);
        plan->request = malloc(2 * (size_t)plan->nranks * sizeof(MPI_Request));
        plan->status = malloc((size_t)plan->nranks * sizeof(MPI_Status));
        made = plan->request && plan->status && plan_side(plan, item, 0) &&
               plan_side(plan, item, 1);
    }
    MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm);
    *state = plan;
    if (made) return REDIST_OK;
    destroy(plan);
    *state = NULL;
    return error_set(REDIST_ERR_MEMORY, "no memory, or a process has more than 2^31 - 1 "
                                        "elements");
}

/* ---- moving ------------------------------------------------------------------------ */

static inline void copy(double *restrict to, const double *restrict from, int64_t n)
{
    if (n >= 8)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int64_t i = 0; i < n; i++) to[i] = from[i];
}

static void pack(const struct by_hand *plan, int rank, const double *source)
{
    const struct part *part = &plan->part[0][rank];
    double *to = plan->staging[0] + part->offset;
    for (int64_t r = 0; part->rows && r < part->rows->n; r++) {
        const struct run *rows = &part->rows->run[r];
        for (int i = 0; i < rows->length; i++) {
            const double *row = source + (rows->at + i) * plan->width[0];
            for (int64_t c = 0; c < part->columns->n; c++) {
                const struct run *run = &part->columns->run[c];
                copy(to, row + run->at, run->length);
                to += run->length;
            }
        }
    }
}

/* `from` is a process's part in the staging buffer of either side. */
static void unpack(const struct by_hand *plan, int rank, const double *from,
                   double *target)
{
    const struct part *part = &plan->part[1][rank];
    for (int64_t r = 0; part->rows && r < part->rows->n; r++) {
        const struct run *rows = &part->rows->run[r];
        for (int i = 0; i < rows->length; i++) {
            double *row = target + (rows->at + i) * plan->width[1];
            for (int64_t c = 0; c < part->columns->n; c++) {
                const struct run *run = &part->columns->run[c];
                copy(row + run->at, from, run->length);
                from += run->length;
            }
        }
    }
}

static double *staged(const struct by_hand *plan, int side, int rank)
{
    return plan->staging[side] + plan->part[side][rank].offset;
}

static redist_err run_bare(void *state, const double *source, double *target)
{
    struct by_hand *plan = state;
    (void)source, (void)target;
    MPI_Alltoallv(plan->staging[0], plan->counts[0], plan->offsets[0], MPI_DOUBLE,
                  plan->staging[1], plan->counts[1], plan->offsets[1], MPI_DOUBLE,
                  plan->comm);
    return REDIST_OK;
}

static redist_err run_alltoallv(void *state, const double *source, double *target)
{
    struct by_hand *plan = state;
    for (int rank = 0; rank < plan->nranks; rank++) pack(plan, rank, source);
    (void)run_bare(state, source, target);
    for (int rank = 0; rank < plan->nranks; rank++)
        unpack(plan, rank, staged(plan, 1, rank), target);
    return REDIST_OK;
}

/* What a process has for itself is packed and unpacked too, without a message. */
static redist_err run_isend(void *state, const double *source, double *target)
{
    struct by_hand *plan = state;
    int n = plan->nranks, me = plan->rank;
    MPI_Request *receive = plan->request, *send = plan->request + n;
    for (int rank = 0; rank < n; rank++) {
        const struct part *part = &plan->part[1][rank];
        receive[rank] = send[rank] = MPI_REQUEST_NULL;
        if (part->count > 0 && rank != me)
            MPI_Irecv(staged(plan, 1, rank), part->count, MPI_DOUBLE, rank, 0, plan->comm,
                      &receive[rank]);
    }
    for (int step = 1; step < n; step++) {
        int rank = (me + step) % n;
        const struct part *part = &plan->part[0][rank];
        if (part->count == 0) continue;
        pack(plan, rank, source);
        MPI_Isend(staged(plan, 0, rank), part->count, MPI_DOUBLE, rank, 0, plan->comm,
                  &send[rank]);
    }
    pack(plan, me, source);
    unpack(plan, me, staged(plan, 0, me), target);
    for (int rank;
         MPI_Waitany(n, receive, &rank, MPI_STATUS_IGNORE), rank != MPI_UNDEFINED;)
        unpack(plan, rank, staged(plan, 1, rank), target);
    MPI_Waitall(n, send, plan->status);
    return REDIST_OK;
}

const struct peer peer_alltoallv = {"Alltoallv by hand", false, make, run_alltoallv,
                                    destroy};
const struct peer peer_isend = {"Isend by hand", false, make, run_isend, destroy};
const struct peer peer_bare_alltoallv = {"Alltoallv alone", true, make, run_bare,
                                         destroy};
