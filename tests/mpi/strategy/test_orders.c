/* SPDX-License-Identifier: MIT
 *
 * The order of a plan's messages: that of a schedule which is asked for alone, and
 * others, which redist_plan_tune tries.
 */
#include "mpi/pair.h"
#include "plan/object/plan.h"
#include "plan/object/select.h"
#include "schedule/core/kinds.h"

static struct pair make_pair(void)
{
    static const char *const problem[] = {"[997] (cyclic(3)) onto %1$d",
                                          "[997] (cyclic(5)) onto %1$d"};
    return pair_of_world(problem);
}

static void check_origin(const redist_plan *plan, const char *origin)
{
    redist_report report = report_of(plan);
    CHECK(strcmp(report.origin, origin) == 0, "%s, expected %s", report.origin, origin);
}

/* A plan over a network, or, if `network` is NULL, of a communicator of which nothing is
 * known. */
static redist_plan *plan_over(const struct pair *pair, const char *network,
                              const char *strategy, size_t staging)
{
    redist_options options = REDIST_OPTIONS_INIT;
    redist_topology *topology = NULL;
    redist_plan *plan = NULL;
    if (network) CHECK_OK(redist_topology_parse(network, world_size(), &topology));
    options.strategy = strategy;
    options.staging_bytes = staging;
    options.topology = topology;
    CHECK_OK(pair_create(pair, MPI_INT64_T, &options, &plan));
    redist_topology_destroy(&topology);
    return plan;
}

static const char *networks[] = {NULL, "mesh(64)"};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* It is followed, in one way or another, and so it is when that has been tuned; over a
 * network, what makes something least by any order that does. */
static void a_schedule_alone_is_followed(void)
{
    static const char *const names[] = {"optimal", "timeline", "caterpillar"};
    struct pair pair = make_pair();
    int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
    for (int k = 0; k < 3 * NETWORKS; k++) {
        const char *name = names[k % 3], *network = networks[k / 3];
        bool any = network && strcmp(name, "caterpillar") != 0;
        redist_plan *plan = plan_over(&pair, network, name, k % 2 ? 64 : 0);
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
        size_t length = strlen(name);
        for (int tuned = 0; tuned < 2; tuned++) {
            if (tuned) CHECK_OK(redist_plan_tune(plan, source, target));
            check_origin(plan, tuned ? "tuned" : "given");
            const char *text = plan->strategy.text;
            bool is_it = strncmp(text, name, length) == 0 && text[length] == '/';
            CHECK(plan->strategy.schedule && (any || is_it), "%s", text);
            pair_execute(plan, &pair, world_rank(), world_rank());
        }
        free(target);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    free(source);
    pair_free(&pair);
}

static void a_schedule_alone_must_be_applicable(void)
{
    struct pair pair = pair_parse("[30] (gen_block(30)) onto 1", "[30] (block) onto 1");
    redist_topology *topology = NULL;
    CHECK_OK(redist_topology_parse(networks[1], world_size(), &topology));
    for (int placed = 0; placed < 2; placed++) {
        redist_options options = REDIST_OPTIONS_INIT;
        redist_plan *plan = NULL;
        options.strategy = "combination";
        options.topology = placed ? topology : NULL;
        redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
        check_everywhere(err, REDIST_ERR_ARG, 0,
                         "rank 0: schedule combination is not applicable: ");
    }
    redist_topology_destroy(&topology);
    pair_free(&pair);
}

static void check_transfers(const struct transfers *transfers,
                            const struct transfers *expected, const char *text)
{
    CHECK(transfers->n == expected->n, "%s", text);
    for (int64_t k = 0; k < transfers->n; k++) {
        const struct transfer *found = &transfers->transfer[k];
        const struct transfer *other = &expected->transfer[k];
        CHECK(found->rank == other->rank && found->step == other->step,
              "%s: to or from %d in step %" PRId64 ", expected %d in step %" PRId64, text,
              found->rank, found->step, other->rank, other->step);
    }
}

/* The messages are in the order that they have in a plan which was asked for it. */
static void check_order(const redist_plan *plan, const struct pair *pair,
                        const char *network)
{
    const char *text = plan->strategy.text;
    redist_plan *asked = plan_over(pair, network, text, 0);
    check_transfers(&plan->move.send, &asked->move.send, text);
    check_transfers(&plan->move.receive, &asked->move.receive, text);
    CHECK_OK(redist_plan_destroy(&asked));
}

/* The messages get other orders, with a topology that is the caller's again. */
static void tuning_tries_other_orders(void)
{
    static const size_t caps[] = {0, 64};
    struct pair pair = make_pair();
    for (int k = 0; k < 2 * NETWORKS; k++) {
        redist_plan *plan = plan_over(&pair, networks[k / 2], NULL, caps[k % 2]);
        const struct schedule_kind *const orders[] = {
            &schedule_optimal, NULL,
            networks[k / 2] ? &schedule_links : &schedule_timeline,
            plan->choice.method.schedule};
        const int seeds[] = {0, 0, networks[k / 2] ? 3 : 0, plan->choice.method.seed};
        int64_t *source = pair_buffer(&pair, REDIST_SOURCE, world_rank());
        for (int i = 0; i < 4 && plan->exchange->ordered; i++) {
            struct candidate candidate = {.staging = plan->move.staging};
            strategy_make(orders[i], seeds[i], &exchange_nonblocking, 0,
                          &candidate.strategy);
            select_drop(plan);
            CHECK_OK(plan_reorder(plan, orders[i], seeds[i]));
            CHECK_OK(select_take(plan, &candidate));
            check_order(plan, &pair, networks[k / 2]);
            pair_execute(plan, &pair, world_rank(), world_rank());
        }
        int64_t *target = pair_buffer(&pair, REDIST_TARGET, world_rank());
        CHECK_OK(redist_plan_tune(plan, source, target));
        check_origin(plan, "tuned");
        pair_check(&pair, world_rank(), target);
        free(source);
        free(target);
        CHECK_OK(redist_plan_destroy(&plan));
    }
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    unsetenv("REDIST_STRATEGY");
    a_schedule_alone_is_followed();
    a_schedule_alone_must_be_applicable();
    tuning_tries_other_orders();
    return passed("a schedule alone, other orders");
}
