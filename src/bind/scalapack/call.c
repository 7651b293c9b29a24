/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/call.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "bind/scalapack/aligned.h"
#include "bind/scalapack/blacs.h"
#include "bind/scalapack/group.h"
#include "bind/scalapack/planned.h"
#include "bind/scalapack/report.h"
#include "move/exchange.h"
#include "plan/agree.h"

/* What a process outside of a grid says of it: the least there is, so that the greatest
 * of all is what the processes of the grid say. */
static const int64_t silent = INT64_MIN;

enum { WORDS = sizeof(struct aspect) / sizeof(int64_t) };
_Static_assert(sizeof(struct aspect) == WORDS * sizeof(int64_t), "numbers without gaps");

/* Numbers that travel together. */
struct known {
    int64_t side[SIDES][WORDS];
    int64_t first[SIDES]; /* minus the lowest rank of the grid */
    int64_t illegal;      /* minus the lowest position */
    int64_t failed;       /* whether somebody has */
};

/* Say on the context's communicator what has happened; its error handler does the
 * rest. */
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

/* Whether all processes of the group are in both grids. They all know: who is in a grid
 * knows its size, who is not knows that. */
static bool is_complete(const struct group *group, const struct matrix matrix[SIDES])
{
    for (int s = 0; s < SIDES; s++) {
        const int *shape = matrix[s].shape;
        if (!matrix[s].member) return false;
        if ((int64_t)shape[ROWS] * shape[COLUMNS] != group->nranks) return false;
    }
    return true;
}

/* What this process knows of a side of whose grid it is. */
static redist_err find_aspect(const struct group *group, struct problem *problem,
                              int side, const struct matrix *matrix,
                              const struct map **map)
{
    struct aspect *aspect = &problem->side[side];
    TRY(group_map(group, blacs_comm(matrix->context), matrix->shape, map));
    aspect->map = (int64_t)(*map)->hash;
    for (int d = 0; d < MATRIX_DIMS; d++) {
        aspect->shape[d] = matrix->shape[d];
        aspect->cut[d] = spread_cut(&matrix->spread[d], matrix->start[d],
                                    problem_extent(problem, side, d));
    }
    return REDIST_OK;
}

/* Tell those outside of a grid what those in it know, and all of them what was refused,
 * or what a process has failed with, here `failed`. */
static redist_err share(const struct group *group, struct call_arguments *arguments,
                        redist_err failed, int64_t first[SIDES])
{
    struct known known = {.failed = failed != REDIST_OK};
    struct problem *problem = &arguments->problem;
    for (int s = 0; s < SIDES; s++) {
        bool knows = arguments->matrix[s].member && !arguments->illegal && !failed;
        memcpy(known.side[s], &problem->side[s], sizeof known.side[s]);
        for (int k = 0; k < WORDS && !knows; k++) known.side[s][k] = silent;
        known.first[s] = knows ? -group->rank : silent;
    }
    known.illegal = arguments->illegal ? -arguments->illegal : silent;
    TRY(exchange_check(MPI_Allreduce(MPI_IN_PLACE, &known, sizeof known / sizeof(int64_t),
                                     MPI_INT64_T, MPI_MAX, group->comm),
                       "MPI_Allreduce"));
    if (known.failed) return agree(group->comm, failed);
    arguments->illegal = known.illegal == silent ? 0 : (int)-known.illegal;
    for (int s = 0; s < SIDES; s++) {
        memcpy(&problem->side[s], known.side[s], sizeof known.side[s]);
        bool nobody = known.first[s] == silent;
        first[s] = nobody ? -1 : -known.first[s];
        if (nobody && !arguments->illegal) arguments->illegal = arguments->outside;
    }
    return REDIST_OK;
}

/* The grid by its ranks, from the process that is the first of those who know; NULL if
 * there is no memory for it, of which planned_make tells the others. */
static redist_err spread_grid(const struct group *group, const struct aspect *aspect,
                              const struct map *map, int64_t first, redist_grid **grid)
{
    const int shape[] = {(int)aspect->shape[ROWS], (int)aspect->shape[COLUMNS]};
    int64_t size = aspect->shape[ROWS] * aspect->shape[COLUMNS];
    int *ranks = mem_alloc(NULL, size, sizeof *ranks);
    redist_err err = agree(group->comm, ranks ? REDIST_OK : REDIST_ERR_MEMORY);
    if (!err && map) memcpy(ranks, map->ranks, (size_t)size * sizeof *ranks);
    if (!err)
        err = exchange_check(
            MPI_Bcast(ranks, (int)size, MPI_INT, (int)first, group->comm), "MPI_Bcast");
    if (!err) (void)redist_grid_create(MATRIX_DIMS, shape, REDIST_ROW_MAJOR, ranks, grid);
    mem_free(ranks);
    return err;
}

/* Make the plan, in the place of the one there is, if there is one. */
static redist_err make(struct group *group, const struct call_arguments *arguments,
                       bool complete, const struct map *const map[SIDES],
                       const int64_t first[SIDES], struct planned **planned)
{
    struct planned *old = *planned;
    const struct problem *problem = &arguments->problem;
    const int64_t lld[SIDES] = {arguments->matrix[REDIST_SOURCE].lld,
                                arguments->matrix[REDIST_TARGET].lld};
    redist_grid *spread[SIDES] = {NULL, NULL};
    const redist_grid *grid[SIDES];
    redist_err err = REDIST_OK;
    for (int s = 0; s < SIDES && !err; s++) {
        if (!complete)
            err = spread_grid(group, &problem->side[s], map[s], first[s], &spread[s]);
        grid[s] = complete ? map[s]->grid : spread[s];
    }
    if (!err) err = planned_make(group, problem, grid, lld, old != NULL, planned);
    for (int s = 0; s < SIDES; s++) redist_grid_destroy(&spread[s]);
    if (!err) group_keep(group, *planned, old);
    if (err && old) old->moved = 0; /* to be tried again some time */
    return old ? REDIST_OK : err;   /* without a better one the old one does */
}

/* Learn what the plan depends on. A grid that is not within the context is not complete,
 * whatever its size: who is not of it has to be told. */
static redist_err learn(const struct group *group, struct call_arguments *arguments,
                        bool *complete, const struct map *map[SIDES],
                        int64_t first[SIDES])
{
    redist_err failed = REDIST_OK;
    for (int s = 0; s < SIDES && !failed; s++) {
        const struct matrix *matrix = &arguments->matrix[s];
        if (!matrix->member || (arguments->illegal && !arguments->unusable)) continue;
        redist_err err = find_aspect(group, &arguments->problem, s, matrix, &map[s]);
        if (err == REDIST_ERR_ARG) {
            arguments->illegal = arguments->outside;
            *complete = false;
        } else {
            failed = err;
        }
    }
    return *complete ? failed : share(group, arguments, failed, first);
}

static redist_err run(struct call_arguments *arguments)
{
    struct group *group = NULL;
    const struct map *map[SIDES] = {NULL, NULL};
    int64_t first[SIDES] = {0, 0};
    TRY(group_find(arguments->context, &group));
    bool complete = is_complete(group, arguments->matrix);
    TRY(learn(group, arguments, &complete, map, first));
    /* what all know all refuse; what one alone knows must not keep the others waiting */
    if (arguments->illegal && !(complete && arguments->unusable)) return REDIST_OK;
    if (complete && aligned(&arguments->problem)) {
        report_plan(PLAN_NEEDLESS);
        if (!arguments->unusable)
            aligned_run(&arguments->problem, arguments->matrix, arguments->alpha,
                        arguments->beta);
        return REDIST_OK;
    }
    struct planned *planned = group_recall(group, &arguments->problem);
    report_plan(planned ? PLAN_FOUND : PLAN_MADE);
    if (!planned || planned_is_due(group, planned))
        TRY(make(group, arguments, complete, map, first, &planned));
    const struct work work = {{&arguments->matrix[0], &arguments->matrix[1]},
                              arguments->alpha,
                              arguments->beta,
                              arguments->unusable};
    return planned_run(group, planned, &work);
}

int call_run(struct call_arguments *arguments)
{
    redist_err err = run(arguments);
    if (err == REDIST_ERR_MEMORY || err == REDIST_ERR_MPI)
        raise_error(arguments->context);
    return arguments->illegal;
}
