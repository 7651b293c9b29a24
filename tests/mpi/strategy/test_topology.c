/* SPDX-License-Identifier: MIT
 *
 * Plans that are told where the processes sit: every element arrives, by the order of
 * the links and by what is chosen; and what MPI knows of places.
 */
#include "mpi/pair.h"
#include "plan/choice/choose.h"

static const char *const problems[][2] = {
    {"[997] (cyclic(3)) onto %1$d", "[997] (cyclic(5)) onto %1$d"},
    {"[31,17] (cyclic(2),*) onto %1$d", "[31,17] (*,cyclic(3)) onto %1$d"},
    {"[640] (block) onto %2$d", "[640] (cyclic(3)) onto %1$d ranks %3$d:0:-1"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void move(const struct pair *pair, const redist_topology *topology,
                 const char *strategy)
{
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan = NULL;
    options.strategy = strategy;
    options.topology = topology;
    CHECK_OK(pair_create(pair, MPI_INT64_T, &options, &plan));
    redist_report report = report_of(plan);
    if (strategy) CHECK(strcmp(report.strategy, strategy) == 0, "%s", report.strategy);
    int64_t *source = pair_buffer(pair, REDIST_SOURCE, world_rank());
    int64_t *target = pair_buffer(pair, REDIST_TARGET, world_rank());
    CHECK_OK(redist_execute(plan, source, target));
    pair_check(pair, world_rank(), target);
    free(source);
    free(target);
    CHECK_OK(redist_plan_destroy(&plan));
}

static void move_all(const redist_topology *topology)
{
    static const char *const strategies[] = {NULL, "links/window(2)", "links/nonblocking",
                                             "alltoallv"};
    for (int k = 0; k < PROBLEMS; k++) {
        struct pair pair = pair_of_world(problems[k]);
        for (size_t j = 0; j < sizeof strategies / sizeof *strategies; j++)
            move(&pair, topology, strategies[j]);
        pair_free(&pair);
    }
}

/* The topology of MPI_Cart_create is that of the same coordinates. */
static void carts(void)
{
    int extents[2] = {0, 0}, periodic[2] = {1, 0};
    MPI_Comm cart;
    redist_topology *topology = NULL, *same = NULL;
    MPI_Dims_create(world_size(), 2, extents);
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &cart);
    CHECK_OK(redist_topology_create_cart(cart, &topology));
    CHECK_OK(
        redist_topology_create_mesh(2, extents, periodic, world_size(), NULL, &same));
    for (int from = 0; from < world_size(); from++)
        for (int to = 0; to < world_size(); to++) {
            int64_t way[2][64];
            int n = redist_topology_route(topology, from, to, 64, way[0]);
            CHECK(n == redist_topology_route(same, from, to, 64, way[1]), "%d", n);
            CHECK(memcmp(way[0], way[1], (size_t)n * sizeof *way[0]) == 0, "%d to %d",
                  from, to);
        }
    move_all(topology);
    redist_topology_destroy(&topology);
    redist_topology_destroy(&same);
    MPI_Comm_free(&cart);
    CHECK(redist_topology_create_cart(MPI_COMM_WORLD, &topology) == REDIST_ERR_ARG &&
              !topology,
          "MPI_COMM_WORLD has no coordinates");
}

/* Processes of this machine are one node, or as REDIST_NODE_SIZE says. */
static void nodes(int size)
{
    redist_topology *topology = NULL;
    CHECK_OK(redist_topology_create_nodes(MPI_COMM_WORLD, 1, &topology));
    for (int to = 1; to < world_size(); to++) {
        int n = redist_topology_route(topology, 0, to, 0, NULL);
        CHECK(n == (to < size ? 2 : 4), "%d links to %d, nodes of %d", n, to, size);
    }
    move_all(topology);
    redist_topology_destroy(&topology);
    int links = world_rank() == 0 ? 0 : 1; /* the others learn of it */
    check_everywhere(redist_topology_create_nodes(MPI_COMM_WORLD, links, &topology),
                     REDIST_ERR_ARG, 0, "rank 0: links is 0");
    CHECK(!topology, "a topology without links");
    int last = world_size() - 1;
    links = world_rank() == last ? 2 : 1;
    if (last > 0)
        check_everywhere(redist_topology_create_nodes(MPI_COMM_WORLD, links, &topology),
                         REDIST_ERR_MISMATCH, 1,
                         "rank %d passed another number of links than rank 0", last);
    redist_topology **nowhere = world_rank() == 0 ? NULL : &topology;
    check_everywhere(redist_topology_create_nodes(MPI_COMM_WORLD, 1, nowhere),
                     REDIST_ERR_ARG, 0, "rank 0: topology is NULL");
}

/* Processes that share in the trials choose as one does that makes all of them. */
static void all_choose_as_one_does(void)
{
    static const char *const texts[][3] = {
        {"[46080] (cyclic(3)) onto 16", "[46080] (cyclic(5)) onto 16", "mesh(4,4)"},
        {"[46080] (cyclic(3)) onto 16", "[46080] (cyclic(5)) onto 16", "tree(4:1,4)"},
        {"[64,64] (block,*) onto 16", "[64,64] (*,block) onto 16", "torus(4,4)"},
        {"[64,64] (cyclic(2),*) onto 16", "[64,64] (*,cyclic(3)) onto 12", "tree(4:1,4)"},
        {"[40000] (cyclic(64)) onto 16", "[40000] (cyclic(100)) onto 12", "mesh(2,8)"},
    };
    struct rates rates = rates_assume(2e-6, 1e-9, 1e-10, 16);
    struct team team = {
        .comm = MPI_COMM_WORLD, .rank = world_rank(), .nranks = world_size()};
    rates.stated = true;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct pair pair = pair_parse(texts[k][0], texts[k][1]);
        redist_topology *topology = NULL;
        struct choice one = {0}, all = {0};
        CHECK_OK(redist_topology_parse(texts[k][2], 16, &topology));
        struct query query = {.source = &pair.view[0],
                              .target = &pair.view[1],
                              .topology = topology,
                              .element = 8,
                              .most = INT64_C(1) << 23,
                              .rates = &rates};
        CHECK_OK(choose_method(&query, NULL, REDIST_OK, &one));
        CHECK_OK(choose_method(&query, &team, REDIST_OK, &all));
        CHECK(one.method.schedule || one.method.exchange == &exchange_aggregated, "%s",
              texts[k][2]);
        CHECK(all.method.schedule == one.method.schedule, "%s", texts[k][2]);
        CHECK(all.method.exchange == one.method.exchange &&
                  all.method.parameter == one.method.parameter,
              "%s", texts[k][2]);
        redist_topology_destroy(&topology);
        pair_free(&pair);
    }
}

static void wrong_ones_are_refused(void)
{
    struct pair pair = pair_of_world(problems[0]);
    redist_options options = REDIST_OPTIONS_INIT;
    redist_topology *topology = NULL;
    redist_plan *plan = NULL;
    char text[32];
    (void)snprintf(text, sizeof text, "mesh(%d)", world_size() + 1);
    CHECK_OK(redist_topology_parse(text, world_size() + 1, &topology));
    options.topology = topology;
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: options: topology is of");
    redist_topology_destroy(&topology);
    options.topology = NULL;
    options.strategy = "links/window(2)";
    check_everywhere(pair_create(&pair, MPI_INT64_T, &options, &plan), REDIST_ERR_ARG, 0,
                     "rank 0: schedule links is not applicable: needs");
    if (world_size() > 1) {
        const char *own = world_rank() ? "torus(%d)" : "mesh(%d)";
        (void)snprintf(text, sizeof text, own, world_size());
        CHECK_OK(redist_topology_parse(text, world_size(), &topology));
        options.topology = topology;
        redist_err err = pair_create(&pair, MPI_INT64_T, &options, &plan);
        CHECK(err == REDIST_ERR_MISMATCH, "%s", redist_error_message());
        redist_topology_destroy(&topology);
    }
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    carts();
    setenv("REDIST_NODE_SIZE", "2", 1);
    nodes(LACKS_SHARED_WINDOWS ? 1 : 2);
    unsetenv("REDIST_NODE_SIZE");
    wrong_ones_are_refused();
    all_choose_as_one_does();
    return passed("topologies");
}
