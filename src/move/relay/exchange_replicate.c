/* SPDX-License-Identifier: MIT
 *
 * move/relay/exchange_replicate.c - replicas of the target receive each element from its
 * source once, and pass it on to each other: to each of R replicas a source sends 1/R of
 * a full message. First each replica receives its own shares; then all gather them in
 * log2 R stages (Bruck et al. 1997, section 4, the concatenation). So long messages are
 * scattered and gathered, as in van de Geijn's broadcast, and a single share goes down a
 * binomial tree:
 *
 *                 4 shares              1 share
 *   shares        a    b    c    d      a
 *   stage 1       a d  ab   bc   cd     a    a
 *   stage 2       all  all  all  all    a    a    a    a
 *
 * Neighbours live on different nodes, and the last stages, in which most data travel,
 * stay within a node (replicas_had): so each node receives all data about once, for any
 * number of its processes. Shares are sent from their places in the target.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/node/node.h"
#include "move/relay/relay_stages.h"
#include "move/relay/replicas.h"

/* The default bytes of a share: a smaller one takes less than its own startups. */
enum { SHARE = 4 << 10 };

struct state {
    struct relay_stages stages; /* of the shares, and of each stage */
    int width;                  /* processes of a node */
    struct array whole;         /* the elements of each replica, from target to target */
    struct axis axes[SIDES][REDIST_MAX_DIMS]; /* of the walks over it */
    struct walk walk[SIDES];
    const void *target; /* from which shares are sent on */
};

static int64_t shares_of(int parameter, int64_t replicas, int64_t bytes)
{
    if (parameter != EXCHANGE_CHOOSES) return int_min(parameter, replicas);
    return int_max(int_min(bytes / SHARE, replicas), 1);
}

/* ---- effort ------------------------------------------------------------------------ */

/* Add the stages: first those between nodes, then those within a node, in which MPI
 * copies through shared memory and no link is shared. Returns the bytes of both. */
static double add_stages(int64_t n, int64_t apart, int64_t shares, int64_t share,
                         double count[])
{
    double all = 0;
    for (int64_t had = 1; had < n;) {
        int64_t passed = int_min(had, (had < apart ? apart : n) - had);
        double bytes = (double)(int_ceil_div(passed * shares, n) * share);
        if (had < apart)
            count[EFFORT_WIRE] += bytes;
        else
            count[EFFORT_PACKING] += 2 * bytes;
        count[EFFORT_STARTUPS]++;
        count[EFFORT_WAITS]++;
        had += passed;
        all += bytes;
    }
    return all;
}

/* Within a node all read the same memory: the source's network port is no bottleneck
 * there. */
static bool effort(const struct load *load, int parameter, struct effort *effort)
{
    const struct flow *out = &load->all[REDIST_SOURCE], *in = &load->all[REDIST_TARGET];
    int64_t n = load->replicas;
    if (!load->plain || n < 2 || load->far[REDIST_SOURCE].bytes == 0) return false;
    int64_t shares = shares_of(parameter, n, in->bytes);
    int64_t share = int_ceil_div(in->bytes, shares);
    int64_t chunk = load->chunk / (1 + replicas_stages(n));
    *effort = (struct effort){{0}, load->staging};
    double *count = effort->count;
    int64_t first = int_max(int_ceil_div(out->messages * shares, n), in->messages);
    double first_bytes = (double)int_max(out->bytes / n, share);
    count[EFFORT_WIRE] = first_bytes;
    count[EFFORT_STARTUPS] = (double)first;
    count[EFFORT_WAITS] = 1;
    count[EFFORT_PACKING] =
        (double)out->packed / (double)n + (double)in->packed / (double)shares;
    if (load->staging / (1 + replicas_stages(n)) > EFFORT_NEAR)
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    int64_t apart = int_ceil_div(n, int_max(load->beside, 1));
    double passed = add_stages(n, apart, shares, share, count);
    count[EFFORT_STARTUPS] += (first_bytes + passed) / (double)int_max(chunk, 1);
    if (share > EFFORT_EAGER) count[EFFORT_HANDSHAKES] = count[EFFORT_STARTUPS];
    return true;
}

/* ---- the shares -------------------------------------------------------------------- */

/* Append elements begin .. end - 1 of a message of the plan. */
static void append_range(const struct transfer *transfer, int64_t begin, int64_t end,
                         int64_t element, struct transfers *transfers)
{
    struct transfer cut = *transfer;
    struct part *part = &transfers->part[transfers->nparts++];
    *part = transfer->part[0];
    part->walk.panel = 0; /* ranges are of the target's order */
    walk_cut(&part->walk, begin * element / part->walk.grain,
             (end - begin) * element / part->walk.grain);
    cut.part = part;
    cut.bytes = (end - begin) * element;
    cut.offset += begin * element;
    transfers_append(transfers, &cut);
}

/* Find the group of a message of the plan; it is made anew if the message before was for
 * another group. */
static redist_err find_group(const struct move *plan, int width, redist_side side,
                             const struct transfer *transfer, int64_t *number,
                             struct replicas *group)
{
    const struct array *array = &plan->array[0];
    const struct message *message = transfer->part[0].message;
    const int ends[SIDES] = {plan->rank, transfer->rank};
    if (*number == message->number) return REDIST_OK;
    if (*number >= 0) replicas_free(group);
    *number = message->number;
    TRY(replicas_make(array->view, width, ends[side], ends[!side], message->elements,
                      group));
    group->shares =
        shares_of(plan->parameter, group->n, group->elements * array->sizes.element);
    return REDIST_OK;
}

/* Of each message of one direction, keep the share of its receiver. */
static redist_err keep_shares(const struct move *plan, int width, redist_side side,
                              struct transfers *transfers)
{
    const struct array *array = &plan->array[0];
    const struct transfers *all = side == REDIST_SOURCE ? &plan->send : &plan->receive;
    struct replicas group;
    int64_t number = -1; /* of the message by which the group was found */
    redist_err err = REDIST_OK;
    for (int64_t k = 0; !err && k < all->n; k++) {
        const struct transfer *transfer = &all->transfer[k];
        const struct message *message = transfer->part[0].message;
        int64_t bounds[2] = {0, message->elements};
        if (array->replicas > 1)
            err = find_group(plan, width, side, transfer, &number, &group);
        for (int end = 0; !err && number >= 0 && end < 2; end++) {
            int to = side == REDIST_SOURCE ? transfer->rank : plan->rank;
            int64_t cut = replicas_cut(&group, replicas_member(&group, to) + end);
            bounds[end] = replicas_before(&group, &array->overlap[side], message, cut);
        }
        if (!err && bounds[1] > bounds[0])
            append_range(transfer, bounds[0], bounds[1], array->sizes.element, transfers);
    }
    if (number >= 0) replicas_free(&group);
    return err;
}

static redist_err make_shares(const struct move *plan, int width, struct move *move)
{
    struct mem_account *account = plan->plan_account;
    TRY(transfers_room(account, plan->send.n, plan->send.n, 0, &move->send));
    TRY(transfers_room(account, plan->receive.n, plan->receive.n, 0, &move->receive));
    TRY(keep_shares(plan, width, REDIST_SOURCE, &move->send));
    return keep_shares(plan, width, REDIST_TARGET, &move->receive);
}

/* ---- passing shares on ------------------------------------------------------------- */

/* Find the elements of each replica, as an overlap of the target with itself. */
static redist_err find_whole(const struct move *plan, struct state *state)
{
    const struct array *array = &plan->array[0];
    const redist_view *target = &array->view[REDIST_TARGET];
    const redist_view views[SIDES] = {*target, *target};
    TRY(array_make(plan->plan_account, views, array->sizes, plan->rank, &state->whole));
    const struct overlap *overlap = &state->whole.overlap[REDIST_TARGET];
    for (int s = 0; s < SIDES && overlap->nmessages > 0; s++)
        array_walk(&state->whole, REDIST_TARGET, &overlap->message[0],
                   s == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, state->axes[s],
                   &state->walk[s]);
    return REDIST_OK;
}

/* Append elements begin .. end - 1 of the whole to a transfer. */
static void append_whole(const struct state *state, redist_side side, int64_t begin,
                         int64_t end, struct transfer *transfer)
{
    const struct overlap *overlap = &state->whole.overlap[REDIST_TARGET];
    struct walk walk = state->walk[side];
    int64_t element = state->whole.sizes.element, place = 0;
    if (begin == end) return;
    transfer->direct = transfer->nparts == 0 && !memory_has_kinds() &&
                       walk_is_contiguous(&walk, side, &place);
    transfer->offset = place + begin * element;
    walk_cut(&walk, begin * element / walk.grain, (end - begin) * element / walk.grain);
    transfer->part[transfer->nparts++] = (struct part){
        .at = transfer->bytes, .message = &overlap->message[0], .walk = walk};
    transfer->bytes += (end - begin) * element;
}

/* Make the message of member `from` to member `to`, at either end: `shares` shares up to
 * its own, the first of which may lie round the circle. */
static redist_err make_passed(const struct move *plan, const struct state *state,
                              const struct replicas *group, int64_t from, int64_t to,
                              int64_t shares, redist_side side,
                              struct transfers *transfers)
{
    int64_t n = group->n, mine = from % n, first = mine + 1 - shares;
    TRY(transfers_room(plan->plan_account, 1, 2, 0, transfers));
    struct transfer transfer = {.part = transfers->part};
    transfer.rank = replicas_rank(group, side == REDIST_SOURCE ? to % n : mine);
    if (replicas_holds(group, to % n)) return REDIST_OK;
    append_whole(state, side, replicas_cut(group, int_max(first, 0)),
                 replicas_cut(group, mine + 1), &transfer);
    if (first < 0)
        append_whole(state, side, replicas_cut(group, first + n), group->elements,
                     &transfer);
    transfers->nparts = transfer.nparts;
    if (transfer.bytes > 0) transfers_append(transfers, &transfer);
    return REDIST_OK;
}

/* Make the messages of this process in the stages after the first. */
static redist_err make_stages(const struct move *plan, const struct replicas *group,
                              struct state *state)
{
    int64_t n = group->n, mine = replicas_member(group, plan->rank);
    for (int k = 1; k < state->stages.n; k++) {
        struct move *move = &state->stages.stage[k].move;
        int64_t far = replicas_had(group, k), shares = replicas_had(group, k + 1) - far;
        move->array = &state->whole;
        move->sources = &state->target;
        if (shares == 0) continue;
        TRY(make_passed(plan, state, group, mine, mine + far, shares, REDIST_SOURCE,
                        &move->send));
        TRY(make_passed(plan, state, group, mine + n - far, mine, shares, REDIST_TARGET,
                        &move->receive));
    }
    return REDIST_OK;
}

static redist_err make_own_group(const struct move *plan, struct state *state)
{
    const struct array *array = &plan->array[0];
    const struct overlap *overlap = &array->overlap[REDIST_TARGET];
    struct replicas group;
    if (array->replicas == 1 || overlap->nmessages == 0) return REDIST_OK;
    TRY(find_whole(plan, state));
    const struct message *first = &overlap->message[0];
    redist_err err = replicas_make(array->view, state->width, first->rank, plan->rank,
                                   first->elements, &group);
    group.shares =
        shares_of(plan->parameter, group.n, group.elements * array->sizes.element);
    if (!err) err = make_stages(plan, &group, state);
    replicas_free(&group);
    return err;
}

/* ---- the exchange ------------------------------------------------------------------ */

static redist_err make(const struct move *move, void **opaque)
{
    TRY(exchange_check(move, NEEDS_ONE_ARRAY | NEEDS_BYTES | NEEDS_VIEWS, "replicate"));
    const struct array *array = &move->array[0];
    int stages = 1 + replicas_stages(array->replicas), width = 1;
    int64_t least = 2 * array->sizes.element * stages;
    if (move->staging < least)
        return error_arg("staging_bytes is %" PRId64 ", replicate needs %" PRId64
                         " to hold two elements in each of its stages",
                         move_in_cap(move, move->staging), move_in_cap(move, least));
    if (array->replicas > 1) TRY(node_width(move->comm, &width));
    struct state *state = mem_alloc(move->plan_account, 1, sizeof *state);
    if (!state) return REDIST_ERR_MEMORY;
    *opaque = state;
    state->width = width;
    TRY(relay_stages_make(move, stages, move->staging / stages, &state->stages));
    TRY(make_shares(move, width, &state->stages.stage[0].move));
    TRY(make_own_group(move, state));
    return relay_stages_ready(&state->stages);
}

static void destroy(void *opaque)
{
    struct state *state = opaque;
    if (!state) return;
    relay_stages_free(&state->stages);
    array_free(&state->whole);
    mem_free(state);
}

/* Elements that stay on the process are in the target before the first stage ends, not at
 * the start. */
static redist_err start(struct move *move, void *opaque)
{
    struct state *state = opaque;
    state->target = move->targets[0];
    return relay_stages_start(move, &state->stages);
}

const struct exchange exchange_replicate = {
    .name = "replicate",
    .parameter = EXCHANGE_CHOOSES,
    .effort = effort,
    .make = make,
    .start = start,
    .progress = relay_stages_progress,
    .usage = relay_stages_usage,
    .destroy = destroy,
};
