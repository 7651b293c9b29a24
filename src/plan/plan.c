/* SPDX-License-Identifier: MIT
 *
 * plan/plan.c - making a plan: describe -> intersect -> schedule -> move, with all
 * processes agreeing before each part that communicates.
 */
#include "plan/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/exchange_in_place.h"
#include "plan/agree.h"
#include "schedule/order.h"

/* What the caller gave. */
struct request {
    MPI_Datatype type;
    const redist_view *view[SIDES];
    const redist_options *options;
};

static const char *const side_name[SIDES] = {"source", "target"};

static redist_err element_size(MPI_Datatype type, size_t *bytes)
{
    if (type == MPI_DATATYPE_NULL)
        return error_set(REDIST_ERR_ARG, "type is MPI_DATATYPE_NULL");
    MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    TRY(exchange_check(MPI_Type_size_x(type, &size), "MPI_Type_size_x"));
    TRY(exchange_check(MPI_Type_get_extent_x(type, &lower, &extent),
                       "MPI_Type_get_extent_x"));
    TRY(exchange_check(MPI_Type_get_true_extent_x(type, &true_lower, &true_extent),
                       "MPI_Type_get_true_extent_x"));
    bool dense = lower == 0 && true_lower == 0 && extent == size && true_extent == size;
    if (size < 1 || !dense)
        return error_set(
            REDIST_ERR_ARG,
            "type has %lld bytes in an extent of %lld, must be contiguous bytes",
            (long long)size, (long long)extent);
    *bytes = (size_t)size;
    return REDIST_OK;
}

static redist_err check_ranks(const struct team *team, const redist_view *view, int side)
{
    int most = grid_max_rank(view->dist->grid);
    if (most < team->size[side]) return REDIST_OK;
    return error_set(REDIST_ERR_ARG,
                     "%s: the grid has rank %d, the communicator only 0 to %d",
                     side_name[side], most, team->size[side] - 1);
}

/* Check what this process passed, and hash what all must share. */
static redist_err check_request(redist_plan *plan, const struct request *request,
                                int64_t hashes[4])
{
    TRY(element_size(request->type, &plan->move.element));
    TRY(options_take(request->options, plan->move.element, &plan->options));
    if (plan->options.in_place)
        plan->strategy = strategy_in_place();
    else
        TRY(strategy_parse(plan->options.strategy, &plan->strategy));
    plan->options.strategy = plan->strategy.text;
    plan->exchange = plan->strategy.exchange;
    plan->move.parameter = plan->strategy.parameter;
    TRY(overlap_check(request->view[0], request->view[1]));
    for (int s = 0; s < SIDES; s++) {
        TRY(check_ranks(&plan->team, request->view[s], s));
        hashes[s] = (int64_t)view_hash(request->view[s]);
    }
    hashes[2] = (int64_t)plan->move.element;
    hashes[3] = options_hash(&plan->options);
    return REDIST_OK;
}

/* The views with their ranks counted in the plan's communicator. Over an
 * intracommunicator they are the caller's own; over an intercommunicator they are of
 * copies of the dists. */
struct placed {
    redist_view view[SIDES];
    redist_dist *copy[SIDES];
};

static redist_err place_views(const struct team *team, const struct request *request,
                              struct placed *placed)
{
    for (int s = 0; s < SIDES; s++) {
        placed->view[s] = *request->view[s];
        if (team->base[s] == 0) continue;
        TRY(dist_copy(request->view[s]->dist, &placed->copy[s]));
        placed->copy[s]->grid->base += team->base[s];
        placed->view[s].dist = placed->copy[s];
    }
    return REDIST_OK;
}

/* What this process sends or receives, in the order of the plan's schedule. */
static redist_err find_side(redist_plan *plan, const struct placed *placed,
                            const struct order *order,
                            const struct memory_side sides[SIDES], redist_side side)
{
    struct move *move = &plan->move;
    struct overlap *overlap = &plan->overlap[side];
    TRY(overlap_make(&plan->plan_account, &placed->view[0], &placed->view[1], side,
                     plan->team.rank, overlap));
    int64_t *step = mem_alloc(NULL, overlap->nmessages, sizeof *step);
    if (!step) return REDIST_ERR_MEMORY;
    redist_err err = order_steps(order, overlap, step);
    if (!err)
        err = transfers_make(&plan->plan_account, overlap, sides, move->element, step,
                             side == REDIST_SOURCE ? &move->send : &move->receive);
    mem_free(step);
    return err;
}

/* What this process sends, receives and keeps. */
static redist_err find_transfers(redist_plan *plan, const struct placed *placed)
{
    struct team *team = &plan->team;
    struct move *move = &plan->move;
    struct memory_side sides[SIDES];
    for (int s = 0; s < SIDES; s++) {
        sides[s].view = &placed->view[s];
        redist_err err = view_layout(&placed->view[s], team->rank, &sides[s].layout);
        if (err) return error_prefix(err, "%s", side_name[s]);
    }
    struct order order;
    redist_err err = order_make(plan->strategy.schedule, &placed->view[0],
                                &placed->view[1], team->nranks, &order);
    for (int s = 0; !err && s < SIDES; s++)
        err = find_side(plan, placed, &order, sides, (redist_side)s);
    order_free(&order);
    if (err) return err;
    plan->has_local = transfer_local(&plan->overlap[REDIST_SOURCE], sides, move->element,
                                     plan->local_axes, &plan->local);
    move->comm = team->comm;
    move->rank = team->rank;
    move->nranks = team->nranks;
    move->staging = (int64_t)plan->options.staging_bytes;
    move->chunk = transfer_chunk(move->staging, (int64_t)move->element);
    move->plan_account = &plan->plan_account;
    move->staging_account = &plan->staging_account;
    if (!plan->options.in_place) return REDIST_OK;
    return in_place_describe(move, plan->overlap, sides, &plan->exchange_state);
}

/* Find out whether every process hears from all others in a run: then those that fail
 * are known without a vote. */
static redist_err find_listeners(redist_plan *plan)
{
    int all = plan->exchange->tells && plan->move.receive.n == plan->team.nranks - 1;
    TRY(exchange_check(
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, plan->team.comm),
        "MPI_Allreduce"));
    plan->hears_all = all;
    return REDIST_OK;
}

static redist_err make(redist_plan *plan, const struct request *request)
{
    static const char *const names[4] = {"source", "target", "element size",
                                         "strategy or staging_bytes"};
    int64_t hashes[4] = {0};
    MPI_Comm comm = plan->team.comm;
    redist_err err = check_request(plan, request, hashes);
    TRY(agree_equal(comm, err, 4, hashes, names));
    struct placed placed = {0};
    err = place_views(&plan->team, request, &placed);
    if (!err) err = find_transfers(plan, &placed);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&placed.copy[s]);
    TRY(agree(comm, err));
    err = plan->exchange->make(&plan->move, &plan->exchange_state);
    TRY(agree(comm, err));
    return find_listeners(plan);
}

/* Free all of a plan but its team. NULL-safe. */
static void free_plan(redist_plan *plan)
{
    if (!plan) return;
    if (plan->exchange) plan->exchange->destroy(plan->exchange_state);
    transfers_free(&plan->move.send);
    transfers_free(&plan->move.receive);
    for (int s = 0; s < SIDES; s++) overlap_free(&plan->overlap[s]);
    mem_free(plan);
}

redist_err redist_plan_create(MPI_Comm comm, MPI_Datatype type, const redist_view *source,
                              const redist_view *target, const redist_options *options,
                              redist_plan **plan)
{
    /* The team comes first, whatever else is wrong here, so that the others can be
     * told. */
    struct team team;
    bool sided = options && options->size >= offsetof(redist_options, in_place);
    redist_err unteamed = team_make(comm, sided ? options->side : REDIST_SOURCE, &team);
    if (unteamed) {
        (void)team_free(&team);
        return unteamed;
    }
    redist_plan *made = mem_alloc(NULL, 1, sizeof *made);
    redist_err err = made ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!plan) err = error_set(REDIST_ERR_ARG, "plan is NULL");
    err = agree(team.comm, err);
    if (!err) {
        struct request request = {type, {source, target}, options};
        made->team = team;
        made->request = MPI_REQUEST_NULL;
        err = make(made, &request);
    }
    if (err) {
        free_plan(made);
        redist_err freed = team_free(&team);
        return freed ? freed : err;
    }
    *plan = made;
    return REDIST_OK;
}

redist_err redist_plan_destroy(redist_plan **plan)
{
    if (!plan || !*plan) return REDIST_OK;
    if ((*plan)->active)
        return error_set(
            REDIST_ERR_STATE,
            "the plan is moving: redist_wait must come before redist_plan_destroy");
    struct team team = (*plan)->team;
    free_plan(*plan);
    *plan = NULL;
    return team_free(&team);
}
