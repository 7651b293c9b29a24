/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/copy/planned.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "bind/scalapack/copy/copied_box.h"
#include "bind/scalapack/copy/group.h"
#include "bind/scalapack/copy/unplanned.h"
#include "plan/comm/agree.h"
#include "plan/object/request.h"

/* A single-use plan is used until its runs, with the next one, have taken about as long
 * as making a better plan takes. That is less if shared memory is cached, and more the
 * first time in a group, as the machine has to be measured. Time is counted in bytes
 * received by a process of the larger grid, plus the fixed cost of a run. */
enum {
    RUN_BYTES = 32 << 10,
    WELL_BYTES = 8 << 20,
    CACHED_WELL_BYTES = 2 << 20,
    CACHED_PART_BYTES = 512 << 10, /* usually it needs no more of that memory */
    MEASURED_BYTES = 64 << 20
};

/* The cap of a plan, lower than usual, as many plans are kept. */
enum { STAGING_BYTES = 4 << 20 };

/* ---- making ------------------------------------------------------------------------ */

/* Describe a piece on a side: its distribution and its section. */
static redist_err describe(const struct problem *problem, int side,
                           const struct piece *piece, const redist_grid *grid,
                           redist_dist **dist, redist_view *view)
{
    struct cut cut[MATRIX_DIMS];
    redist_format format[MATRIX_DIMS];
    int64_t extent[MATRIX_DIMS];
    int *owners[MATRIX_DIMS] = {NULL, NULL};
    redist_err err = REDIST_OK;
    for (int d = 0; d < MATRIX_DIMS && !err; d++) {
        cut[d] = piece_cut(problem, side, d, piece);
        extent[d] = cut[d].before + cut[d].n;
        err = cut_format(&cut[d], d, &format[d], &owners[d]);
    }
    if (!err) err = redist_dist_create(MATRIX_DIMS, extent, format, grid, dist);
    for (int d = 0; d < MATRIX_DIMS; d++) mem_free(owners[d]);
    TRY(err);
    TRY(redist_view_init(*dist, view));
    TRY(redist_view_set_order(view, REDIST_COLUMN_MAJOR));
    for (int d = 0; d < MATRIX_DIMS; d++) {
        view->start[d] = cut[d].before;
        view->extent[d] = cut[d].n;
    }
    return REDIST_OK;
}

/* Return the leading dimension of a piece's memory on the target's side. */
static int64_t piece_lld(const struct planned *planned, const struct piece *piece,
                         int64_t row)
{
    if (!piece->crossed) return planned->lld[REDIST_TARGET];
    struct cut cut = piece_cut(&planned->problem, REDIST_TARGET, ROWS, piece);
    return int_max(1, cut_count(&cut, row));
}

/* The input of a plan; each piece is an item. In one block. */
struct making {
    redist_item *item;
    struct described {
        redist_dist *dist[SIDES];
        redist_view view[SIDES];
    } * piece;
};

static redist_err describe_side(const struct group *group, const struct planned *planned,
                                int side, const redist_grid *grid, struct making *making)
{
    const struct aspect *aspect = &planned->problem.side[side];
    int mine[MATRIX_DIMS] = {0};
    if (!grid) return REDIST_ERR_MEMORY;
    bool member = redist_grid_coords(grid, group->rank, mine);
    if (aspect->cut[ROWS].replicated) mine[ROWS] = 0;
    for (int k = 0; k < planned->npieces; k++) {
        const struct piece *piece = &planned->piece[k];
        redist_view *view = &making->piece[k].view[side];
        redist_dist **dist = &making->piece[k].dist[side];
        TRY(describe(&planned->problem, side, piece, grid, dist, view));
        if (!member) continue;
        view->lead[ROWS] = 1;
        view->lead[COLUMNS] = side == REDIST_SOURCE
                                  ? planned->lld[side]
                                  : piece_lld(planned, piece, mine[ROWS]);
    }
    return REDIST_OK;
}

static redist_err describe_all(const struct group *group, const struct planned *planned,
                               const redist_grid *const grid[SIDES],
                               struct making *making)
{
    const struct mem_part parts[] = {MEM_PART(making->item, planned->npieces),
                                     MEM_PART(making->piece, planned->npieces),
                                     {0}};
    TRY(mem_alloc_parts(NULL, parts));
    for (int s = 0; s < SIDES; s++)
        TRY(describe_side(group, planned, s, grid[s], making));
    for (int k = 0; k < planned->npieces; k++) {
        const redist_view *view = making->piece[k].view;
        making->item[k] = (redist_item){type_mpi(planned->problem.type),
                                        &view[REDIST_SOURCE], &view[REDIST_TARGET]};
    }
    return REDIST_OK;
}

static void free_making(struct making *making, int npieces)
{
    for (int k = 0; making->piece && k < npieces; k++)
        for (int s = 0; s < SIDES; s++) redist_dist_destroy(&making->piece[k].dist[s]);
    mem_free(making->item);
}

/* Return the cost of a run. */
static double run_bytes(const struct problem *problem)
{
    int64_t processes = 1;
    for (int side = 0; side < SIDES; side++) {
        const int64_t *shape = problem->side[side].shape;
        processes = int_max(processes, shape[ROWS] * shape[COLUMNS]);
    }
    return (double)problem->n[ROWS] * (double)problem->n[COLUMNS] *
               types[problem->type].bytes / (double)processes +
           RUN_BYTES;
}

/* Tell whether a plan finds cached memory, and return the cost of a good plan. The same
 * on all processes, which take and return cached memory together. */
static bool is_cached(const struct group *group)
{
    return plan_cache_has(&group->cache, CACHED_PART_BYTES);
}

static double well_bytes(const struct group *group)
{
    return is_cached(group) ? CACHED_WELL_BYTES : WELL_BYTES;
}

/* Tell whether to make a single-use plan; not if a strategy was requested. */
static bool is_single_use(const struct group *group, const struct problem *problem,
                          bool well)
{
    return !well && run_bytes(problem) < well_bytes(group) && !group->told;
}

bool planned_is_due(const struct group *group, const struct planned *planned)
{
    bool measured = group->moved >= MEASURED_BYTES || is_cached(group);
    return planned->single_use && measured &&
           planned->moved + run_bytes(&planned->problem) >= well_bytes(group);
}

void planned_begin(const struct group *group, const struct problem *problem,
                   struct planned *planned)
{
    *planned = (struct planned){.problem = *problem};
    planned->single_use = is_single_use(group, problem, false);
}

int64_t planned_weight(const struct problem *problem)
{
    double bytes = run_bytes(problem);
    return bytes < STAGING_BYTES ? (int64_t)bytes : STAGING_BYTES;
}

bool planned_is_silent(const struct planned *planned)
{
    bool silent = planned->single_use;
    for (int s = 0; s < SIDES; s++) {
        const struct aspect *side = &planned->problem.side[s];
        silent = silent && numbering_is_regular(&side->numbering);
        for (int d = 0; d < MATRIX_DIMS; d++) silent = silent && !side->cut[d].replicated;
    }
    return silent;
}

bool planned_is_eager(const struct group *group, const struct problem *problem)
{
    bool complete = true;
    for (int s = 0; s < SIDES; s++) {
        const int64_t *shape = problem->side[s].shape;
        complete = complete && shape[ROWS] * shape[COLUMNS] == group->nranks;
    }
    return !complete;
}

/* Make the plan itself. `err` is an earlier error. */
static redist_err make_plan(struct group *group, const struct planned *made,
                            const struct making *making, redist_err err,
                            redist_plan **plan)
{
    redist_options options = REDIST_OPTIONS_INIT;
    options.op = (redist_op)made->problem.op;
    options.scaled = (int)made->problem.scaled;
    options.staging_bytes = STAGING_BYTES;
    bool eager = made->single_use && planned_is_eager(group, &made->problem);
    struct request request = {.comm = group->comm,
                              .nitems = made->npieces,
                              .items = making->item,
                              .options = &options,
                              .failed = err,
                              .lent = true,
                              .cache = &group->cache,
                              .untold = !group->told,
                              .single_use = made->single_use,
                              .eager = eager};
    err = plan_make(&request, plan);
    if (err == REDIST_ERR_ARG && !made->single_use) {
        request.single_use = true; /* the requested strategy is not possible */
        err = plan_make(&request, plan);
    }
    bool alone = request.single_use && !planned_is_silent(made);
    return alone ? agree(group->comm, err) : err;
}

redist_err planned_make(struct group *group, const redist_grid *const grid[SIDES],
                        const int64_t lld[SIDES], bool well, struct planned *planned)
{
    struct planned made = {.problem = planned->problem, .moved = planned->moved};
    struct making making = {NULL, NULL};
    struct piece piece[REGION_PIECES];
    made.npieces = region_cut(&made.problem, piece);
    made.single_use = is_single_use(group, &made.problem, well);
    memcpy(made.lld, lld, sizeof made.lld);
    made.piece = mem_copy(NULL, piece, made.npieces, sizeof *piece);
    redist_err err = made.piece ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = describe_all(group, &made, grid, &making);
    err = make_plan(group, &made, &making, err, &made.plan);
    free_making(&making, made.npieces);
    planned_drop(err ? &made : planned);
    if (!err) *planned = made;
    return err;
}

void planned_drop(struct planned *planned)
{
    (void)redist_plan_destroy(&planned->plan);
    mem_free(planned->piece);
    planned->piece = NULL;
}

/* ---- a run ------------------------------------------------------------------------- */

/* Return the address of a piece's local array: the begin of its first block. */
static char *address(const struct planned *planned, int side,
                     const struct copied_box *box, const struct matrix *matrix, int k)
{
    const struct problem *problem = &planned->problem;
    const struct piece *piece = &planned->piece[k];
    bool transposes = side == REDIST_SOURCE && problem_transposes(problem);
    int64_t local[MATRIX_DIMS];
    if (!matrix->member) return NULL;
    if (side == REDIST_TARGET && piece->crossed) return box->piece[k];
    for (int d = 0; d < MATRIX_DIMS; d++) {
        struct cut cut = piece_cut(problem, side, d, piece);
        int64_t at = matrix->start[d] + piece->at[transposes ? !d : d] - cut.before;
        local[d] = spread_count(&matrix->spread[d], at, matrix->mine[d]);
    }
    return element_at(&box->place[side], local[ROWS], local[COLUMNS]);
}

static redist_err execute(struct group *group, struct planned *planned,
                          const struct work *work, const struct copied_box *box,
                          bool unusable)
{
    const void *sources[REGION_PIECES];
    void *targets[REGION_PIECES];
    redist_plan *plan = planned->plan;
    for (int k = 0; k < planned->npieces && !unusable; k++) {
        sources[k] = address(planned, REDIST_SOURCE, box, work->matrix[REDIST_SOURCE], k);
        targets[k] = address(planned, REDIST_TARGET, box, work->matrix[REDIST_TARGET], k);
    }
    const struct call call = {unusable ? NULL : sources, unusable ? NULL : targets,
                              planned->problem.scaled, work->alpha, work->beta};
    plan->move.tag = group->tag; /* the next run of any plan has another */
    redist_err err = plan_start(plan, &call);
    group->tag = plan->move.tag;
    return err ? err : redist_wait(plan);
}

redist_err planned_run(struct group *group, struct planned *planned,
                       const struct work *work)
{
    struct copied_box box;
    planned->moved += run_bytes(&planned->problem);
    group->moved += run_bytes(&planned->problem);
    if (!planned->plan) {
        group->tag = move_next_tag(group->tag); /* as in the others' runs */
        if (planned->idle) return REDIST_OK;
        return planned->unplanned ? unplanned_run(group, &planned->problem, work)
                                  : nonmember_run(group, &planned->problem);
    }
    redist_err err =
        work->unusable ? REDIST_ERR_ARG : copied_box_make(planned, work, &box);
    redist_err ran = execute(group, planned, work, &box, err != REDIST_OK);
    if (!err && !ran) err = copied_box_return(planned, work, &box);
    if (!work->unusable) copied_box_free(planned, &box);
    return err ? err : ran;
}
