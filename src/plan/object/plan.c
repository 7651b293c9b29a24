/* SPDX-License-Identifier: MIT
 *
 * plan/object/plan.c - make a plan: describe -> intersect -> schedule -> move. All
 * processes agree before each part that communicates.
 */
#include "plan/object/plan.h"

#include <stddef.h>

#include "base/error.h"
#include "base/intmath.h"
#include "move/device/module.h"
#include "plan/comm/agree.h"
#include "plan/directory/directory.h"
#include "plan/object/buffers.h"
#include "plan/object/log.h"
#include "plan/object/replica_passes.h"
#include "plan/object/request.h"
#include "plan/object/select.h"
#include "schedule/order/order.h"

/* The dists of an array's views: the caller's own or, over an intercommunicator, copies
 * with ranks of the plan's communicator. */
struct placed {
    redist_dist *copy[SIDES]; /* NULL: none */
};

/* Allocate the arrays. */
static redist_err allocate(redist_plan *plan, const struct request *request,
                           struct placed **placed)
{
    int n = request->nitems;
    if (n < 1) return error_arg("nitems is %d, must be >= 1", n);
    if (!request->items) return error_arg("items is NULL");
    const struct mem_part parts[] = {
        MEM_PART(plan->array, n),  MEM_PART(plan->source, n),
        MEM_PART(plan->target, n), MEM_PART(plan->spans, (int64_t)n * SIDES),
        MEM_PART(*placed, n),      {0}};
    TRY(mem_alloc_parts(&plan->plan_account, parts));
    plan->narrays = n;
    return REDIST_OK;
}

static redist_err place_views(const redist_plan *plan, const redist_item *item,
                              struct placed *placed, redist_view view[SIDES])
{
    redist_view copy;
    const redist_view *views[SIDES] = {request_source(plan, item, &copy), item->target};
    const struct team *team = &plan->team;
    for (int s = 0; s < SIDES; s++) {
        view[s] = *views[s];
        if (team->base[s] != 0) {
            TRY(dist_copy(NULL, views[s]->dist, &placed->copy[s]));
            placed->copy[s]->grid->base += team->base[s];
            view[s].dist = placed->copy[s];
        }
    }
    return REDIST_OK;
}

/* Return a view without the first elements of its first axis. */
static redist_view without(redist_view view, int64_t elements)
{
    int i = view.axes[0];
    view.start[i] += elements * view.stride[i];
    view.extent[i] -= elements;
    return view;
}

/* Make the order of the messages: a schedule is made for the first array, without the
 * elements that stay where they are. `moving` are these views; they must live as long as
 * the order. */
static redist_err make_order(const redist_plan *plan, redist_view moving[SIDES],
                             struct order *order)
{
    const redist_view *source = NULL, *target = NULL;
    const struct method *method = &plan->choice.method;
    if (method->schedule) {
        for (int s = 0; s < SIDES; s++)
            moving[s] = without(plan->array[0].view[s], plan->still);
        source = &moving[REDIST_SOURCE];
        target = &moving[REDIST_TARGET];
    }
    return order_make(method->schedule, method->seed, source, target,
                      plan->options.topology, plan->team.nranks, order);
}

/* Find the steps of all messages [SIDES][nmessages] under the plan's choice. */
static redist_err find_steps(const redist_plan *plan, int64_t *const step[SIDES])
{
    redist_view moving[SIDES];
    struct order order;
    redist_err err = make_order(plan, moving, &order);
    for (int s = 0; !err && s < SIDES; s++)
        err = order_steps(&order, &plan->array[0].overlap[s], step[s]);
    order_free(&order);
    return err;
}

redist_err plan_reorder(redist_plan *plan, const struct schedule_kind *schedule, int seed)
{
    struct method *method = &plan->choice.method, old = *method;
    const struct overlap *overlap = plan->array[0].overlap;
    struct transfers *transfers[SIDES] = {&plan->move.send, &plan->move.receive};
    int64_t *step[SIDES];
    for (int s = 0; s < SIDES; s++)
        step[s] = mem_alloc(NULL, overlap[s].nmessages, sizeof *step[s]);
    method->schedule = schedule;
    method->seed = seed;
    redist_err err = step[0] && step[1] ? find_steps(plan, step) : REDIST_ERR_MEMORY;
    err = agree(plan->team.comm, err);
    if (err) *method = old;
    for (int s = 0; s < SIDES; s++) {
        if (!err) transfers_reorder(&overlap[s], step[s], transfers[s]);
        mem_free(step[s]);
    }
    return err;
}

/* Find what this process sends, receives and keeps. */
static redist_err find_transfers(redist_plan *plan)
{
    struct team *team = &plan->team;
    struct move *move = &plan->move;
    redist_view moving[SIDES];
    struct order order;
    move->combines = plan_combines(plan);
    move->memory = &memory_host;
    plan->host_only = !memory_has_kinds();
    redist_err err = make_order(plan, moving, &order);
    for (int s = 0; !err && s < SIDES; s++)
        err = transfers_make(&plan->plan_account, &order, plan->narrays, plan->array,
                             (redist_side)s, s == REDIST_SOURCE || !move->combines,
                             s == REDIST_SOURCE ? &move->send : &move->receive);
    order_free(&order);
    if (err) return err;
    move->comm = team->comm;
    move->rank = team->rank;
    move->nranks = team->nranks;
    move->narrays = plan->narrays;
    move->array = plan->array;
    move->sources = plan->source;
    move->targets = plan->target;
    move->passes = plan->whole ? plan->whole->passes.n : 0;
    move->timeout = plan->options.timeout_s;
    move->single_use = plan->single_use;
    move->eager = plan->eager;
    move->plan_account = &plan->plan_account;
    move->staging_account = &plan->staging_account;
    return REDIST_OK;
}

/* describe -> intersect. With indices, the messages are already known. */
static redist_err find_arrays(redist_plan *plan, const struct request *request,
                              struct listing listing[SIDES], struct placed placed[])
{
    if (request->indexed) {
        const struct sizes one = {plan->element, plan->element * listing->block,
                                  plan->array[0].sizes.target};
        plan->move.grain = one.grain;
        TRY(array_make_listed(&plan->plan_account, listing, one, plan->team.rank,
                              &plan->array[0]));
    }
    for (int k = 0; k < plan->narrays && !request->indexed; k++) {
        struct array *array = &plan->array[k];
        struct sizes sizes = {array->sizes.element, plan->move.grain,
                              array->sizes.target};
        redist_view view[SIDES];
        redist_err err = place_views(plan, &request->items[k], &placed[k], view);
        if (!err)
            err = array_make(&plan->plan_account, view, sizes, plan->team.rank, array);
        if (!err && plan->convert.checked)
            err = array_keep_dists(&plan->plan_account, array);
        if (err) return request_in_item(request, k, err);
        array->known = !request->partial;
    }
    return REDIST_OK;
}

/* -> schedule -> move. */
static redist_err find_all(redist_plan *plan, const struct request *request,
                           struct listing listing[SIDES], struct placed placed[])
{
    redist_err err = find_arrays(plan, request, listing, placed);
    if (!request->partial) err = select_method(plan, err);
    return err ? err : find_transfers(plan);
}

/* Return the bytes of a block of indices: a larger one gains nothing. Staging memory must
 * still have room for two messages of each process. */
static int64_t most_of_block(const redist_plan *plan)
{
    enum { LINE = 64 };
    return int_min(LINE, (int64_t)plan->options.staging_bytes / (4 * plan->team.nranks));
}

/* Find the messages between index lists, if the request has such. */
static redist_err match(redist_plan *plan, const struct request *request,
                        struct listing listing[SIDES])
{
    const struct indexed *indexed = request->indexed;
    const struct exchange *exchange = plan->strategy.exchange; /* NULL: any */
    const struct purpose purpose = {
        .size = plan->element,
        .shares = !exchange || exchange == &exchange_shared,
        .by_element = plan_combines(plan) || memory_has_kinds(),
        .most = plan->move.converts ? plan->element : most_of_block(plan)};
    if (!indexed) return REDIST_OK;
    return directory_match(&plan->plan_account, &plan->team, indexed->extent, &purpose,
                           indexed->indices, listing);
}

/* Select the exchange of a plan on which all agree. */
static redist_err make_exchange(redist_plan *plan, const struct request *request,
                                struct listing listing[SIDES], struct placed placed[])
{
    const struct site *site = NULL;
    TRY(select_rates(plan, request->comm, &site));
    TRY(match(plan, request, listing));
    return select_exchange(plan, site, find_all(plan, request, listing, placed));
}

redist_err plan_fill(redist_plan *plan, const struct request *request)
{
    struct listing listing[SIDES] = {{0}, {0}};
    int64_t digests[DIGESTS] = {0};
    struct placed *placed = NULL;
    module_find();
    redist_err err = allocate(plan, request, &placed);
    if (!err) err = request_check(plan, request, digests);
    plan->request = MPI_REQUEST_NULL;
    plan->single_use = request->single_use;
    plan->eager = request->eager;
    plan->move.cache = request->cache;
    plan->partial = request->partial;
    plan->still = request->still;
    if (plan->single_use) {
        if (!err) err = find_all(plan, request, listing, placed);
        err = select_single_use(plan, err);
    } else {
        int checked = request->lent ? 0 : DIGESTS;
        err = agree_equal(plan->team.comm, err, checked, digests, digest_name);
        if (!err)
            err = replica_passes_wanted(plan, request)
                      ? replica_passes_make(plan, request)
                      : make_exchange(plan, request, listing, placed);
    }
    for (int k = 0; placed && k < plan->narrays; k++) {
        array_leave_dists(&plan->array[k]);
        for (int s = 0; s < SIDES; s++) redist_dist_destroy(&placed[k].copy[s]);
    }
    plan->options.topology = plan->topology; /* not the caller's */
    if (!err) log_plan(plan);
    return err;
}

void plan_empty(redist_plan *plan)
{
    replica_passes_free(&plan->passes);
    select_drop(plan);
    transfers_free(&plan->move.send);
    transfers_free(&plan->move.receive);
    for (int k = 0; k < plan->narrays; k++) array_free(&plan->array[k]);
    redist_topology_destroy(&plan->topology);
    mem_free(plan->array); /* and all in one block with it */
}

/* Free all of a plan but its team. NULL-safe. */
static void free_plan(redist_plan *plan)
{
    if (plan) plan_empty(plan);
    mem_free(plan);
}

/* The team comes first, whatever is wrong on this process, so that others learn of it. */
static redist_err find_team(const struct request *request, struct team *team)
{
    const redist_options *options = request->options;
    bool sided = options && options->size >= offsetof(redist_options, op);
    if (request->lent) return team_borrow(request->comm, team);
    redist_err err =
        team_make(request->comm, sided ? options->side : REDIST_SOURCE, team);
    if (err) (void)team_free(team);
    return err;
}

redist_err plan_make(const struct request *request, redist_plan **plan)
{
    struct team team;
    TRY(find_team(request, &team));
    redist_plan *made = mem_alloc(NULL, 1, sizeof *made);
    redist_err err = made ? request->failed : REDIST_ERR_MEMORY;
    if (!plan) err = error_arg("plan is NULL");
    if (!request->single_use) err = agree(team.comm, err);
    if (!err) {
        made->team = team;
        err = plan_fill(made, request);
    }
    if (err) {
        free_plan(made);
        redist_err freed = team_free(&team);
        return freed ? freed : err;
    }
    *plan = made;
    return REDIST_OK;
}

redist_err redist_plan_create(MPI_Comm comm, MPI_Datatype type, const redist_view *source,
                              const redist_view *target, const redist_options *options,
                              redist_plan **plan)
{
    const redist_item item = {type, source, target};
    return redist_plan_create_batch(comm, 1, &item, options, plan);
}

redist_err redist_plan_create_batch(MPI_Comm comm, int nitems, const redist_item items[],
                                    const redist_options *options, redist_plan **plan)
{
    const struct request request = {
        .comm = comm, .nitems = nitems, .items = items, .options = options};
    return plan_make(&request, plan);
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
