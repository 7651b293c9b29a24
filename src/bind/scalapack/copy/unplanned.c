/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/copy/unplanned.h"

#include "base/error.h"
#include "base/intmath.h"
#include "bind/scalapack/copy/copied_box.h"
#include "bind/scalapack/copy/group.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "move/walk/memory.h"

/* More bytes are worth a plan, and so are shorter strips, unless few, as plans have
 * kernels for them. */
enum { BYTES = 256 << 10, STRIP_BYTES = 64 };
enum { PROCESSES = 64, STRIPS = 64, FEW = 10, PIECES = PROCESSES + BYTES / 2048 };

/* Elements of a dimension in one block on both sides. */
struct strips {
    int n;
    struct strip {
        int64_t n;
        int64_t owner[SIDES], at[SIDES]; /* coordinates; this process's local element */
    } strip[STRIPS];
};

/* The coordinates of two processes, one of each side; -1: outside the grid. */
struct pair {
    int64_t at[SIDES][MATRIX_DIMS];
};

struct packet {
    struct pair pair;
    char *data;
    int request; /* of its first piece */
};

struct unplanned {
    const struct group *group;
    const struct problem *problem;
    int64_t bytes; /* of an element */
    bool buffers_invalid;
    struct pair own;
    struct local_array place[SIDES];
    struct memory memory; /* of both */
    struct strips strips[MATRIX_DIMS];
    int npackets[SIDES], nrequests;
    struct packet packet[SIDES][PROCESSES];
    MPI_Request request[SIDES * PIECES];
};

static char staging[SIDES][BYTES];

/* ---- choice ------------------------------------------------------------------------ */

bool unplanned_suits(const struct problem *problem)
{
    int64_t most[MATRIX_DIMS] = {0, 0};
    int64_t height = problem->n[ROWS] * types[problem->type].bytes;
    for (int s = 0; s < SIDES; s++) {
        const struct aspect *side = &problem->side[s];
        if (side->shape[ROWS] * side->shape[COLUMNS] > PROCESSES) return false;
        for (int d = 0; d < MATRIX_DIMS; d++) {
            if (side->cut[d].head) return false;
            most[d] += side->cut[d].n / side->cut[d].block + 2;
        }
    }
    return problem->op == REDIST_OP_NONE && !problem->scaled &&
           problem->region == REGION_ALL && height <= BYTES / problem->n[COLUMNS] &&
           most[ROWS] <= int_min(STRIPS, int_max(FEW, height / STRIP_BYTES)) &&
           most[COLUMNS] <= STRIPS;
}

/* ---- sizes ------------------------------------------------------------------------- */

/* Count the elements of a block from element i of a section on. */
static int64_t count_behind(const struct cut *cut, int64_t i)
{
    return cut->block - (cut->before + i) % cut->block;
}

static void find_strips(struct unplanned *copy, const struct work *work, int d)
{
    const struct aspect *side = copy->problem->side;
    struct strips *strips = &copy->strips[d];
    int64_t at[SIDES] = {0, 0}, n = copy->problem->n[d];
    for (int s = 0; s < SIDES; s++) {
        const struct matrix *matrix = work->matrix[s];
        if (matrix->member)
            at[s] = spread_count(&matrix->spread[d], matrix->start[d], matrix->mine[d]);
    }
    strips->n = 0;
    for (int64_t i = 0; i < n; i += strips->strip[strips->n++].n) {
        struct strip *strip = &strips->strip[strips->n];
        strip->n = int_min(count_behind(&side[REDIST_SOURCE].cut[d], i),
                           count_behind(&side[REDIST_TARGET].cut[d], i));
        strip->n = int_min(strip->n, n - i);
        for (int s = 0; s < SIDES; s++) {
            strip->owner[s] = cut_owner(&side[s].cut[d], i);
            strip->at[s] = at[s];
            if (strip->owner[s] == copy->own.at[s][d]) at[s] += strip->n;
        }
    }
}

static bool is_of(const struct pair *pair, int d, const struct strip *strip)
{
    return strip->owner[REDIST_SOURCE] == pair->at[REDIST_SOURCE][d] &&
           strip->owner[REDIST_TARGET] == pair->at[REDIST_TARGET][d];
}

/* Count the bytes that two processes share. */
static int64_t count_bytes(const struct unplanned *copy, const struct pair *pair)
{
    int64_t bytes = copy->bytes;
    for (int d = 0; d < MATRIX_DIMS; d++) {
        const struct strips *strips = &copy->strips[d];
        int64_t n = 0;
        for (int k = 0; k < strips->n; k++)
            if (is_of(pair, d, &strips->strip[k])) n += strips->strip[k].n;
        bytes *= n;
    }
    return bytes;
}

/* ---- moving ------------------------------------------------------------------------ */

/* Move the common elements of two processes: `packed` replaces the side that is not this
 * process; NULL: it is both. */
static void move_shared(struct unplanned *copy, const struct pair *pair, redist_side own,
                        char *packed)
{
    const struct strips *rows = &copy->strips[ROWS], *columns = &copy->strips[COLUMNS];
    struct nest nest;
    nest.n = 0;
    nest.stream = false;
    nest.combine = NULL;
    for (int c = 0; c < columns->n; c++) {
        const struct strip *column = &columns->strip[c];
        int64_t n = is_of(pair, COLUMNS, column) ? column->n : 0;
        for (int64_t j = 0; j < n; j++)
            for (int r = 0; r < rows->n; r++) {
                const struct strip *row = &rows->strip[r];
                char *at[SIDES];
                if (!is_of(pair, ROWS, row)) continue;
                for (int s = 0; s < SIDES; s++)
                    at[s] =
                        packed && s != (int)own
                            ? packed
                            : element_at(&copy->place[s], row->at[s], column->at[s] + j);
                nest.block = row->n * copy->bytes;
                copy->memory.kind->move(&copy->memory, &nest, at[REDIST_TARGET],
                                        at[REDIST_SOURCE]);
                if (packed) packed += row->n * copy->bytes;
            }
    }
    if (memory_fence(&copy->memory)) copy->buffers_invalid = true; /* for its end */
}

/* Post a message, in the pieces that a plan would use. */
static redist_err post(struct unplanned *copy, redist_side own, int rank, char *data,
                       int64_t bytes)
{
    const MPI_Comm comm = copy->group->comm;
    const struct move move = {.grain = copy->bytes,
                              .chunk = BYTES,
                              .single_use = true,
                              .eager = planned_is_eager(copy->group, copy->problem)};
    for (int64_t at = 0, n; at < bytes; at += n) {
        MPI_Request *request = &copy->request[copy->nrequests++];
        n = int_min(move_piece(&move, bytes), bytes - at);
        int code = own == REDIST_TARGET
                       ? MPI_Irecv(data + at, (int)n, MPI_BYTE, rank, 0, comm, request)
                       : MPI_Isend(data + at, copy->buffers_invalid ? 0 : (int)n,
                                   MPI_BYTE, rank, 0, comm, request);
        TRY(mpi_check(code, own == REDIST_TARGET ? "MPI_Irecv" : "MPI_Isend"));
    }
    return REDIST_OK;
}

/* Post the messages of a side, the first to or from the next process. */
static redist_err post_all(struct unplanned *copy, redist_side own)
{
    const struct aspect *others = &copy->problem->side[!own];
    int64_t n = others->shape[ROWS] * others->shape[COLUMNS];
    char *data = staging[own];
    for (int64_t k = 1; k <= n; k++) {
        struct packet *packet = &copy->packet[own][copy->npackets[own]];
        int64_t at = (copy->group->rank + k) % n, *peer = packet->pair.at[!own];
        packet->pair = copy->own;
        peer[ROWS] = at / others->shape[COLUMNS];
        peer[COLUMNS] = at % others->shape[COLUMNS];
        int rank = numbering_rank(&others->numbering, peer[ROWS], peer[COLUMNS]);
        int64_t bytes = count_bytes(copy, &packet->pair);
        if (rank == copy->group->rank || bytes == 0) continue;
        packet->data = data;
        packet->request = copy->nrequests;
        if (own == REDIST_SOURCE && !copy->buffers_invalid)
            move_shared(copy, &packet->pair, own, data);
        TRY(post(copy, own, rank, data, bytes));
        copy->npackets[own]++;
        data += bytes;
    }
    return REDIST_OK;
}

/* Unpack the messages received. */
static redist_err land_all(struct unplanned *copy)
{
    MPI_Status status[SIDES * PIECES];
    bool well = !copy->buffers_invalid;
    TRY(mpi_call(MPI_Waitall(copy->nrequests, copy->request, status)));
    for (int k = 0; k < copy->npackets[REDIST_TARGET]; k++) {
        const struct packet *packet = &copy->packet[REDIST_TARGET][k];
        int bytes = 0;
        TRY(mpi_call(MPI_Get_count(&status[packet->request], MPI_BYTE, &bytes)));
        if (bytes > 0 && !copy->buffers_invalid)
            move_shared(copy, &packet->pair, REDIST_TARGET, packet->data);
        well = well && bytes > 0;
    }
    return well ? REDIST_OK : REDIST_ERR_ARG;
}

static redist_err exchange(struct unplanned *copy)
{
    TRY(post_all(copy, REDIST_TARGET));
    TRY(post_all(copy, REDIST_SOURCE));
    if (!copy->buffers_invalid) move_shared(copy, &copy->own, REDIST_SOURCE, NULL);
    return land_all(copy);
}

redist_err unplanned_run(const struct group *group, const struct problem *problem,
                         const struct work *work)
{
    struct unplanned copy;
    copy.group = group;
    copy.problem = problem;
    copy.bytes = types[problem->type].bytes;
    copy.buffers_invalid = work->unusable;
    copy.npackets[REDIST_SOURCE] = copy.npackets[REDIST_TARGET] = copy.nrequests = 0;
    for (int s = 0; s < SIDES; s++) {
        const struct matrix *matrix = work->matrix[s];
        copy.place[s] =
            (struct local_array){(uintptr_t)matrix->memory, matrix->lld, (int)copy.bytes};
        for (int d = 0; d < MATRIX_DIMS; d++)
            copy.own.at[s][d] = matrix->member ? matrix->mine[d] : -1;
    }
    for (int d = 0; d < MATRIX_DIMS; d++) find_strips(&copy, work, d);
    redist_err moved =
        memory_begin(&copy.memory, (const void *)copy.place[REDIST_TARGET].origin,
                     (const void *)copy.place[REDIST_SOURCE].origin);
    if (moved) { /* the others still wait for messages */
        copy.buffers_invalid = true;
        copy.memory = memory_host;
    }
    redist_err err = exchange(&copy), ended = memory_end(&copy.memory);
    return moved ? moved : ended ? ended : err;
}
