/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/nonmember.c - the part in a run of a process without memory for its
 * plan. It sends empty messages where others expect data, and discards what it receives,
 * so that nobody waits.
 */
#include "bind/scalapack/copy/unplanned.h"

#include "base/intmath.h"
#include "bind/scalapack/copy/group.h"
#include "bind/scalapack/matrix/region.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/object/select.h"

/* The problem, and the position of this process. */
struct absence {
    const struct group *group;
    const struct problem *problem;
    int npieces;
    struct piece piece[REGION_PIECES];
};

/* Find the coordinates of a rank in the grid of a side; false: it is not in it. */
static bool find_coords(const struct aspect *side, int rank, int64_t coords[MATRIX_DIMS])
{
    for (int64_t row = 0; row < side->shape[ROWS]; row++)
        for (int64_t column = 0; column < side->shape[COLUMNS]; column++)
            if (numbering_rank(&side->numbering, row, column) == rank) {
                coords[ROWS] = row;
                coords[COLUMNS] = column;
                return true;
            }
    return false;
}

/* Count the common elements of two coordinates in a dimension. */
static int64_t count_shared(const struct cut *a, int64_t of_a, const struct cut *b,
                            int64_t of_b)
{
    int64_t shared = 0;
    for (int64_t i = 0; i < a->n; i++)
        shared += cut_owner(a, i) == of_a && cut_owner(b, i) == of_b;
    return shared;
}

/* Count the messages in which one process sends to another. */
static int64_t count_messages(const struct absence *absence, int from, int to)
{
    const struct problem *problem = absence->problem;
    const struct aspect *side = problem->side;
    int64_t source[MATRIX_DIMS], target[MATRIX_DIMS], elements = 0;
    int bytes = types[problem->type].bytes;
    if (!find_coords(&side[REDIST_SOURCE], from, source)) return 0;
    if (!find_coords(&side[REDIST_TARGET], to, target)) return 0;
    for (int k = 0; k < absence->npieces; k++) {
        int64_t shared = 1;
        for (int d = 0; d < MATRIX_DIMS; d++) {
            int e = problem_transposes(problem) ? !d : d;
            struct cut a = piece_cut(problem, REDIST_SOURCE, e, &absence->piece[k]);
            struct cut b = piece_cut(problem, REDIST_TARGET, d, &absence->piece[k]);
            shared *= count_shared(&a, source[e], &b, target[d]);
        }
        elements += shared;
    }
    const struct move move = {.grain = bytes,
                              .chunk = transfer_chunk(SINGLE_USE_STAGING, bytes),
                              .single_use = true,
                              .eager = planned_is_eager(absence->group, problem)};
    return int_ceil_div(elements * bytes, move_piece(&move, elements * bytes));
}

/* Send an empty message, without waiting. */
static redist_err send_nothing(const struct absence *absence, int to)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TRY(mpi_call(MPI_Isend(NULL, 0, MPI_BYTE, to, 0, absence->group->comm, &request)));
    return mpi_call(MPI_Request_free(&request));
}

static redist_err receive_in_vain(const struct absence *absence, int from)
{
    static char nowhere[SINGLE_USE_STAGING / 8]; /* the longest piece */
    return mpi_call(MPI_Recv(nowhere, sizeof nowhere, MPI_BYTE, from, 0,
                             absence->group->comm, MPI_STATUS_IGNORE));
}

/* By steps, as the others: so of all messages in progress the first has both ends
 * ready. */
redist_err nonmember_run(const struct group *group, const struct problem *problem)
{
    struct absence absence = {.group = group, .problem = problem};
    int own = group->rank, n = group->nranks;
    absence.npieces = region_cut(problem, absence.piece);
    for (int step = 1; step < n; step++) {
        int to = (own + step) % n;
        for (int64_t k = count_messages(&absence, own, to); k > 0; k--)
            TRY(send_nothing(&absence, to));
    }
    for (int step = 1; step < n; step++) {
        int from = (own + n - step) % n;
        for (int64_t k = count_messages(&absence, from, own); k > 0; k--)
            TRY(receive_in_vain(&absence, from));
    }
    return REDIST_ERR_MEMORY;
}
