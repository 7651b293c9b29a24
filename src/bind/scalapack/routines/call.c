/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/routines/call.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "bind/scalapack/copy/group.h"
#include "bind/scalapack/copy/planned.h"
#include "bind/scalapack/copy/unplanned.h"
#include "bind/scalapack/matrix/blacs.h"
#include "bind/scalapack/matrix/report.h"
#include "describe/grid.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"

/* The value of a process outside a grid: the minimum, so that the maximum of all is the
 * value of the processes in the grid. */
static const int64_t silent = INT64_MIN;

enum { WORDS = sizeof(struct aspect) / sizeof(int64_t) };
_Static_assert(sizeof(struct aspect) == WORDS * sizeof(int64_t), "numbers without gaps");

/* Numbers that are sent together. */
struct known {
    int64_t side[SIDES][WORDS];
    int64_t first[SIDES]; /* minus the lowest rank of the grid */
    int64_t illegal;      /* minus the lowest position */
};

enum { WORDS_KNOWN = sizeof(struct known) / sizeof(int64_t) };

/* Raise the error on the context's communicator; its error handler does the rest. */
static void raise_error(MPI_Comm context)
{
    static int code;
    if (code == 0) {
        int class = 0;
        if (MPI_Add_error_class(&class) || MPI_Add_error_code(class, &code)) return;
    }
    char text[MPI_MAX_ERROR_STRING] = "redist: ";
    strncat(text, redist_error_message(), sizeof text - strlen(text) - 1);
    (void)MPI_Add_error_string(code, text);
    (void)MPI_Comm_call_errhandler(context, code);
}

/* Tell whether all processes of the group are in both grids. They all know: processes in
 * a grid know its size, the others know that they are outside. */
static bool is_complete(const struct group *group, const struct matrix matrix[SIDES])
{
    for (int s = 0; s < SIDES; s++) {
        const int *shape = matrix[s].shape;
        if (!matrix[s].member) return false;
        if ((int64_t)shape[ROWS] * shape[COLUMNS] != group->nranks) return false;
    }
    return true;
}

/* Find the aspect of a side to whose grid this process belongs. */
static redist_err find_aspect(const struct group *group, struct problem *problem,
                              int side, const struct matrix *matrix,
                              const struct map **map)
{
    struct aspect *aspect = &problem->side[side];
    TRY(group_map(group, blacs_comm(matrix->context), matrix->shape, &aspect->numbering,
                  map));
    for (int d = 0; d < MATRIX_DIMS; d++) {
        aspect->shape[d] = matrix->shape[d];
        aspect->cut[d] = spread_cut(&matrix->spread[d], matrix->start[d],
                                    problem_extent(problem, side, d));
    }
    return REDIST_OK;
}

/* Fill in the numbers that this process knows. */
static void say(const struct group *group, const struct call_arguments *arguments,
                struct known *known)
{
    for (int s = 0; s < SIDES; s++) {
        bool member = arguments->matrix[s].member, knows = member && !arguments->illegal;
        memcpy(known->side[s], &arguments->problem.side[s], sizeof known->side[s]);
        for (int k = 0; k < WORDS && !knows; k++) known->side[s][k] = silent;
        known->first[s] = member ? -group->rank : silent;
    }
    known->illegal = arguments->illegal ? -arguments->illegal : silent;
}

/* Tell whether the first process is in both grids. */
static bool is_guided(const struct known *known)
{
    return known->first[REDIST_SOURCE] == 0 && known->first[REDIST_TARGET] == 0;
}

/* Learn the numbers from the first process if it is in both grids, the usual case: it
 * then does not wait. Otherwise by a reduction; immediately if it was not in both in the
 * last call. */
static redist_err pool(struct group *group, struct known *known)
{
    const struct known own = *known;
    if (group->guided)
        TRY(mpi_call(MPI_Bcast(known, WORDS_KNOWN, MPI_INT64_T, 0, group->comm)));
    if (!group->guided || !is_guided(known))
        TRY(mpi_call(
            MPI_Allreduce(&own, known, WORDS_KNOWN, MPI_INT64_T, MPI_MAX, group->comm)));
    group->guided = is_guided(known);
    return REDIST_OK;
}

/* Share the numbers of processes in a grid with those outside, and the arguments that all
 * must refuse. */
static redist_err share(struct group *group, struct call_arguments *arguments,
                        int64_t first[SIDES])
{
    struct known known;
    say(group, arguments, &known);
    TRY(pool(group, &known));
    if (known.illegal != silent) {
        arguments->illegal = (int)-known.illegal;
        arguments->unusable = false;
    }
    for (int s = 0; s < SIDES; s++) {
        memcpy(&arguments->problem.side[s], known.side[s], sizeof known.side[s]);
        bool nobody = known.first[s] == silent;
        first[s] = nobody ? -1 : -known.first[s];
        if (nobody && !arguments->illegal) arguments->illegal = arguments->outside;
    }
    return REDIST_OK;
}

/* Broadcast the ranks of an irregular grid from the first process that knows them, and
 * make the grid; NULL if out of memory, which planned_make reports to the others. */
static redist_err spread_grid(const struct group *group, const struct aspect *aspect,
                              const struct map *map, bool member, int64_t first,
                              redist_grid **grid)
{
    const int shape[] = {(int)aspect->shape[ROWS], (int)aspect->shape[COLUMNS]};
    int64_t size = aspect->shape[ROWS] * aspect->shape[COLUMNS];
    int *ranks = mem_alloc(NULL, size, sizeof *ranks);
    bool able = ranks && (map || !member);
    redist_err err = agree(group->comm, able ? REDIST_OK : REDIST_ERR_MEMORY);
    for (int64_t k = 0; map && !err && k < size; k++)
        ranks[k] = grid_rank_at(map->grid, k);
    if (!err)
        err = mpi_call(MPI_Bcast(ranks, (int)size, MPI_INT, (int)first, group->comm));
    if (!err) (void)redist_grid_create(MATRIX_DIMS, shape, REDIST_ROW_MAJOR, ranks, grid);
    mem_free(ranks);
    return err;
}

/* Return the leading dimension for this process's part of a plan: at least the least
 * possible, which that of an unusable part or of a part without rows may not be. */
static int64_t usable_lld(const struct matrix *matrix)
{
    const struct spread *rows = &matrix->spread[ROWS];
    if (!matrix->member) return matrix->lld;
    int64_t least = spread_count(rows, rows->extent, matrix->mine[ROWS]);
    return int_max(matrix->lld, int_max(least, 1));
}

/* Tell whether this process has no element of either section. */
static bool is_idle(const struct call_arguments *arguments)
{
    const int64_t zero[] = {0, 0};
    bool idle = true;
    for (int s = 0; s < SIDES; s++) {
        const int64_t n[] = {problem_extent(&arguments->problem, s, ROWS),
                             problem_extent(&arguments->problem, s, COLUMNS)};
        struct box box = matrix_box(&arguments->matrix[s], zero, n);
        idle = idle && (box.count[ROWS] == 0 || box.count[COLUMNS] == 0);
    }
    return idle;
}

/* Make the plan, replacing the present one. Grids that the process lacks, as it is
 * outside or was out of memory, are made for it. */
static redist_err make(struct group *group, const struct call_arguments *arguments,
                       bool complete, const struct map *const map[SIDES],
                       const int64_t first[SIDES], bool well, struct planned *planned)
{
    const struct aspect *side = planned->problem.side;
    const struct matrix *matrix = arguments->matrix;
    redist_grid *made[SIDES] = {NULL, NULL};
    const redist_grid *grid[SIDES];
    int64_t lld[SIDES];
    redist_err err = REDIST_OK;
    for (int s = 0; s < SIDES && !err; s++) {
        bool regular = numbering_is_regular(&side[s].numbering);
        if (!regular && !complete)
            err = spread_grid(group, &side[s], map[s], matrix[s].member, first[s],
                              &made[s]);
        else if (regular && !map[s])
            (void)numbering_grid(&side[s].numbering, side[s].shape, &made[s]);
        grid[s] = made[s] || !map[s] ? made[s] : map[s]->grid;
        lld[s] = usable_lld(&matrix[s]);
    }
    if (!err) err = planned_make(group, grid, lld, well, planned);
    for (int s = 0; s < SIDES; s++) redist_grid_destroy(&made[s]);
    return err;
}

/* Find the problem. A grid that is not within the context is not complete, whatever its
 * size: processes outside it must be told. */
static redist_err learn(struct group *group, struct call_arguments *arguments,
                        bool *complete, const struct map *map[SIDES],
                        int64_t first[SIDES])
{
    for (int s = 0; s < SIDES; s++) {
        const struct matrix *matrix = &arguments->matrix[s];
        if (!matrix->member || (arguments->illegal && !arguments->unusable)) continue;
        redist_err err = find_aspect(group, &arguments->problem, s, matrix, &map[s]);
        if (err == REDIST_ERR_ARG) {
            arguments->illegal = arguments->outside;
            *complete = false;
        } else {
            TRY(err);
        }
    }
    return *complete ? REDIST_OK : share(group, arguments, first);
}

/* Make the plan if there is none, or a better one if it is due. */
static redist_err improve(struct group *group, const struct call_arguments *arguments,
                          bool complete, const struct map *const map[SIDES],
                          const int64_t first[SIDES], struct planned *planned)
{
    bool due = planned_is_due(group, planned);
    if (planned_is_ready(planned) && !due) return REDIST_OK;
    if (!due && planned_is_silent(planned)) {
        planned->idle = is_idle(arguments);
        planned->unplanned = unplanned_suits(&planned->problem);
        if (planned_is_ready(planned)) return REDIST_OK;
    }
    redist_err err = make(group, arguments, complete, map, first, due, planned);
    if (err && due) planned->moved = 0; /* to be tried again later */
    bool runs = planned_is_ready(planned) || planned_is_silent(planned);
    return runs ? REDIST_OK : err; /* otherwise the old one is used */
}

/* Move by a plan. */
static redist_err move(struct group *group, const struct call_arguments *arguments,
                       bool complete, const struct map *const map[SIDES],
                       const int64_t first[SIDES])
{
    struct planned *planned = group_recall(group, &arguments->problem);
    bool found = planned_is_ready(planned);
    TRY(improve(group, arguments, complete, map, first, planned));
    report_plan(planned->unplanned ? PLAN_NEEDLESS : found ? PLAN_FOUND : PLAN_MADE);
    const struct work work = {{&arguments->matrix[0], &arguments->matrix[1]},
                              arguments->alpha,
                              arguments->beta,
                              arguments->unusable};
    return planned_run(group, planned, &work);
}

static redist_err run(struct call_arguments *arguments)
{
    struct group *group = NULL;
    const struct map *map[SIDES] = {NULL, NULL};
    int64_t first[SIDES] = {0, 0};
    TRY(group_find(arguments->context, &group));
    bool complete = is_complete(group, arguments->matrix);
    TRY(learn(group, arguments, &complete, map, first));
    /* what all know, all refuse; what only one knows must not keep the others waiting */
    if (arguments->illegal && !arguments->unusable) return REDIST_OK;
    if (complete && aligned(&arguments->problem)) {
        report_plan(PLAN_NEEDLESS);
        return arguments->unusable ? REDIST_OK
                                   : aligned_run(&arguments->problem, arguments->matrix,
                                                 arguments->alpha, arguments->beta);
    }
    redist_err err = move(group, arguments, complete, map, first);
    group_trim(group);
    return err;
}

int call_run(struct call_arguments *arguments)
{
    redist_err err = run(arguments);
    if (err == REDIST_ERR_MEMORY || err == REDIST_ERR_MPI || err == REDIST_ERR_DEVICE)
        raise_error(arguments->context);
    return arguments->illegal;
}
