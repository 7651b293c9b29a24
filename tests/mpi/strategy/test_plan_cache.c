/* SPDX-License-Identifier: MIT
 *
 * What plans that come and go leave to each other (move/node/plan_cache.h): memory that
 * shows nothing of the plan before, and the same on all processes, also where one of them
 * ran out of memory while a plan was made; all are told, and the next plan works.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "move/node/plan_cache.h"
#include "mpi/pair.h"
#include "mpi/scarce.h"
#include "plan/object/request.h"

enum { PAGE = 4096, MOST = 400 };

static MPI_Comm comm; /* of the plans, which have no vote on it */

/* ---- memory ------------------------------------------------------------------------ */

/* Whether what each process of the node shows is zeros, to all of them. */
static void check_shown(const struct shared *shared, const struct node *node,
                        int64_t shown, size_t plan)
{
    CHECK_OK(node_barrier(node));
    for (int rank = 0; rank < node->nranks; rank++) {
        char *part = NULL;
        CHECK_OK(shared_part(shared, rank, &part));
        for (int64_t k = 0; k < shown; k++)
            CHECK(part[k] == 0, "plan %zu: byte %" PRId64 " of rank %d's part", plan, k,
                  rank);
    }
    CHECK_OK(node_barrier(node));
}

/* Plans of which each writes to all that it uses: what each process shows and uses, and
 * the most that any uses, in pages; and whether there is memory for that. */
static void hand_on(void)
{
    static const struct {
        int shown, used, most;
        bool found;
    } plans[] = {{1, 20, 20, false}, {3, 5, 10, true},   {20, 20, 20, true},
                 {2, 30, 50, false}, {49, 50, 50, true}, {1, 1, 1, true},
                 {50, 50, 50, true}};
    struct plan_cache cache = {0};
    struct node node;
    CHECK_OK(plan_cache_node(&cache, comm, &node));
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        struct plan_cache_need need = {plans[k].shown * PAGE, plans[k].used * PAGE,
                                       plans[k].most * PAGE};
        struct shared shared;
        struct plan_cache_part part;
        char *own = NULL;
        CHECK(plan_cache_has(&cache, need.most) == plans[k].found, "plan %zu", k);
        CHECK_OK(plan_cache_part(&cache, &node, need, &shared, &part, &own));
        CHECK(part.bytes >= need.most && part.touched >= need.used, "plan %zu", k);
        check_shown(&shared, &node, need.shown, k);
        memset(own, 0xff, (size_t)need.used);
        CHECK_OK(node_barrier(&node));
        plan_cache_give(&cache, &shared, part);
    }
    plan_cache_free(&cache);
    CHECK(!plan_cache_has(&cache, 1) && !cache.known, "something is left");
}

/* ---- plans ------------------------------------------------------------------------- */

static redist_err make_plan(const struct pair *pair, struct plan_cache *cache,
                            redist_plan **plan)
{
    const redist_item item = {MPI_INT64_T, &pair->view[0], &pair->view[1]};
    redist_options options = REDIST_OPTIONS_INIT;
    options.strategy = "shared";
    const struct request request = {.comm = comm,
                                    .nitems = 1,
                                    .items = &item,
                                    .options = &options,
                                    .lent = true,
                                    .cache = cache};
    return plan_make(&request, plan);
}

/* One plan after the other, of which all but the first find memory. */
static void check_next(const struct pair *pair, struct plan_cache *cache)
{
    for (int k = 0; k < 2; k++) {
        redist_plan *plan = NULL;
        CHECK_OK(make_plan(pair, cache, &plan));
        pair_execute(plan, pair, world_rank(), world_rank());
        CHECK_OK(redist_plan_destroy(&plan));
        CHECK(plan_cache_has(cache, 1), "a plan leaves no memory");
    }
}

/* Any allocation fails, of a plan that finds memory or does not. */
static void refuse(const struct pair *pair, int victim, bool found)
{
    struct plan_cache cache = {0};
    bool refused = true;
    int64_t k = 0;
    check_next(pair, &cache);
    while (refused && k++ < MOST) {
        redist_plan *plan = NULL;
        int64_t live = mem_live_blocks();
        if (!found) plan_cache_free(&cache);
        scarce_begin(victim, k);
        redist_err err = make_plan(pair, &cache, &plan);
        refused = scarce_end(victim);
        scarce_check(refused, err, &plan, live, victim, k);
        int64_t least[] = {cache.part.bytes, -cache.part.bytes};
        MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, comm);
        CHECK(least[0] == -least[1], "allocation %" PRId64 ": some have memory", k);
        check_next(pair, &cache);
    }
    CHECK(!refused && k > 10, "%" PRId64 " allocations were refused", k - 1);
    plan_cache_free(&cache);
}

int main(int argc, char **argv)
{
    static const char *const texts[] = {"[3000] (cyclic(3)) onto %1$d",
                                        "[3000] (cyclic(5)) onto %1$d"};
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    struct pair pair = pair_of_world(texts);
    hand_on();
    for (int found = 0; found < 2; found++) {
        refuse(&pair, 0, found);
        if (world_size() > 1) refuse(&pair, world_size() - 1, found);
    }
    pair_free(&pair);
    MPI_Comm_free(&comm);
    return passed("%d processes leave memory to the next plan", world_size());
}
