/* SPDX-License-Identifier: MIT
 *
 * Ways through networks against what they are by definition: of a mesh, single steps
 * between neighbours, as few as there can be; of a tree, up and down again. And the
 * schedule that goes by them: no link carries two messages at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include <redist/topology.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule_problem.h"

enum { MOST = 64 };

static redist_topology *parse(const char *text, int nprocs)
{
    redist_topology *topology = NULL;
    ok(redist_topology_parse(text, nprocs, &topology));
    return topology;
}

static void expect_error(redist_err err, const char *status)
{
    assert_int_equal(err, REDIST_ERR_ARG);
    if (!strstr(redist_error_message(), status))
        fail_msg("\"%s\" does not say \"%s\"", redist_error_message(), status);
}

/* ---- meshes ------------------------------------------------------------------------ */

struct mesh {
    int ndims, extent[3];
    bool torus;
};

static void coords_of(const struct mesh *mesh, int node, int coords[])
{
    for (int d = mesh->ndims - 1; d >= 0; d--) {
        coords[d] = node % mesh->extent[d];
        node /= mesh->extent[d];
    }
}

/* The node that a link leads to from `node`, from which it must start. */
static int follow(const struct mesh *mesh, int node, int64_t link)
{
    int coords[3], next = 0;
    assert_int_equal(link / 2 / mesh->ndims, node);
    int d = (int)(link / 2 % mesh->ndims);
    coords_of(mesh, node, coords);
    coords[d] += link % 2 ? -1 : 1;
    if (mesh->torus) coords[d] = (int)int_mod(coords[d], mesh->extent[d]);
    assert_in_range(coords[d], 0, mesh->extent[d] - 1);
    for (int k = 0; k < mesh->ndims; k++) next = next * mesh->extent[k] + coords[k];
    return next;
}

static int distance(const struct mesh *mesh, int from, int to)
{
    int a[3], b[3], steps = 0;
    coords_of(mesh, from, a);
    coords_of(mesh, to, b);
    for (int d = 0; d < mesh->ndims; d++) {
        int straight = abs(a[d] - b[d]), round = mesh->extent[d] - straight;
        steps += mesh->torus && round < straight ? round : straight;
    }
    return steps;
}

static void check_mesh(const char *text, const struct mesh *mesh)
{
    int nodes = 1;
    for (int d = 0; d < mesh->ndims; d++) nodes *= mesh->extent[d];
    redist_topology *topology = parse(text, nodes);
    assert_int_equal(redist_topology_links(topology), 2 * nodes * mesh->ndims);
    for (int from = 0; from < nodes; from++)
        for (int to = 0; to < nodes; to++) {
            int64_t way[MOST];
            int n = redist_topology_route(topology, from, to, MOST, way), at = from;
            assert_int_equal(n, distance(mesh, from, to));
            for (int k = 0; k < n; k++) at = follow(mesh, at, way[k]);
            assert_int_equal(at, to);
        }
    redist_topology_destroy(&topology);
    assert_null(topology);
}

static void a_way_through_a_mesh_is_a_shortest_one(void **state)
{
    check_mesh("mesh(7)", &(struct mesh){1, {7}, false});
    check_mesh("mesh(4,5)", &(struct mesh){2, {4, 5}, false});
    check_mesh("mesh(3,1,4)", &(struct mesh){3, {3, 1, 4}, false});
    check_mesh(" Torus ( 5 , 4 )", &(struct mesh){2, {5, 4}, true});
    check_mesh("torus(2,3,4)", &(struct mesh){3, {2, 3, 4}, true});
}

static void the_last_dimension_comes_first(void **state)
{
    redist_topology *mesh = parse("mesh(2,3)", 6);
    int64_t way[4];
    /* node 0 (0,0) to 4 (1,1): along dimension 1 from node 0, then along 0 from node 1 */
    assert_int_equal(redist_topology_route(mesh, 0, 4, 4, way), 2);
    assert_int_equal(way[0], 2 * (0 * 2 + 1));
    assert_int_equal(way[1], 2 * (1 * 2 + 0));
    /* and back: backwards along dimension 1 from node 4, then along 0 from node 3 */
    assert_int_equal(redist_topology_route(mesh, 4, 0, 4, way), 2);
    assert_int_equal(way[0], 2 * (4 * 2 + 1) + 1);
    assert_int_equal(way[1], 2 * (3 * 2 + 0) + 1);
    redist_topology_destroy(&mesh);
}

/* Half way round a ring of four: the first link is a forward one, but for node 2. */
static void half_way_round_all_but_the_middle_go_forward(void **state)
{
    redist_topology *ring = parse("torus(4)", 4);
    for (int from = 0; from < 4; from++) {
        int64_t way[2];
        assert_int_equal(redist_topology_route(ring, from, (from + 2) % 4, 2, way), 2);
        assert_int_equal(way[0], 2 * from + (from == 2));
    }
    redist_topology_destroy(&ring);
}

static void ranks_sit_where_they_are_put(void **state)
{
    const int extents[] = {2, 3}, coords[] = {1, 2, 0, 0, 1, 2}, periodic[] = {0, 0};
    redist_topology *mesh = NULL;
    ok(redist_topology_create_mesh(2, extents, periodic, 3, coords, &mesh));
    assert_int_equal(redist_topology_route(mesh, 0, 1, 0, NULL), 3);
    assert_int_equal(redist_topology_route(mesh, 0, 2, 0, NULL), 0); /* the same node */
    assert_int_equal(redist_topology_route(mesh, 0, 3, 0, NULL), -1);
    redist_topology_destroy(&mesh);
}

/* ---- trees ------------------------------------------------------------------------- */

static int way_of(const redist_topology *topology, int from, int to, int64_t way[])
{
    return redist_topology_route(topology, from, to, MOST, way);
}

/* Two places of a switch have two links between them; two of the next level four, and so
 * on; down again it is the links of the target alone, as of any source. */
static void a_way_through_a_tree_goes_up_and_down(void **state)
{
    redist_topology *tree = parse("tree(2:1,3:2,2)", 12);
    assert_int_equal(redist_topology_links(tree), 2 * (12 + 6 * 1 + 2 * 2));
    for (int from = 0; from < 12; from++)
        for (int to = 0; to < 12; to++) {
            int64_t way[MOST], back[MOST];
            int n = way_of(tree, from, to, way);
            int levels = from == to           ? 0
                         : from / 2 == to / 2 ? 1
                         : from / 6 == to / 6 ? 2
                                              : 3;
            assert_int_equal(n, 2 * levels);
            assert_int_equal(way_of(tree, to, from, back), n);
            for (int k = 0; k < n; k++) {
                assert_int_equal(way[k] % 2, k >= levels); /* up, then down */
                assert_in_range(way[k], 0, redist_topology_links(tree) - 1);
                for (int j = 0; j < n; j++) assert_int_not_equal(way[k], back[j]);
            }
            if (levels == 0) continue;
            assert_int_equal(way[0] / 2, from);
            assert_int_equal(way[n - 1] / 2, to);
        }
    redist_topology_destroy(&tree);
}

/* Of a switch with as many links up as down, messages to different places of another
 * take different links. */
static void a_full_tree_never_blocks(void **state)
{
    redist_topology *full = parse("tree(4:4,4)", 16), *tapered = parse("tree(4:2,4)", 16);
    int shared[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++) {
                int64_t one[MOST], other[MOST];
                const redist_topology *tree = k ? tapered : full;
                assert_int_equal(way_of(tree, a, 4 + a, one), 4);
                assert_int_equal(way_of(tree, b, 4 + b, other), 4);
                for (int i = 0; i < 4; i++) shared[k] += one[i] == other[i];
            }
    assert_int_equal(shared[0], 0);
    assert_int_equal(shared[1], 4); /* two pairs, up and down */
    redist_topology_destroy(&full);
    redist_topology_destroy(&tapered);
}

/* What all have but one link to a node for goes one way above it, and other ways for
 * other nodes. */
static void nodes_of_a_full_tree_have_a_way_each(void **state)
{
    redist_topology *tree = parse("tree(4:1,4:4,4)", 64);
    for (int a = 16; a < 32; a++)
        for (int b = 16; b < 32; b++) {
            int64_t one[MOST], other[MOST];
            assert_int_equal(way_of(tree, 0, a, one), 6);
            assert_int_equal(way_of(tree, 0, b, other), 6);
            for (int k = 2; k < 4; k++)
                assert_int_equal(one[k] == other[k], a / 4 == b / 4);
        }
    redist_topology_destroy(&tree);
}

/* ---- what is wrong ----------------------------------------------------------------- */

static void errors_say_what_is_wrong(void **state)
{
    redist_topology *topology = NULL;
    const int two[] = {2, 2}, none[] = {2, 0}, far[] = {0, 0, 0, 2}, places[] = {0, 4};
    expect_error(redist_topology_parse("ring(4)", 4, &topology),
                 "column 1: expected mesh, torus or tree");
    expect_error(redist_topology_parse("mesh(4", 4, &topology), "column 7");
    expect_error(redist_topology_parse("mesh(4) x", 4, &topology), "expected the end");
    expect_error(redist_topology_parse("mesh(0)", 1, &topology), "extent");
    expect_error(redist_topology_parse("mesh(4:2,4)", 1, &topology), "column 7");
    expect_error(redist_topology_parse("tree(4:2)", 1, &topology), "expected \",\" and");
    expect_error(redist_topology_parse("tree(4,4)", 1, &topology), "column 7");
    expect_error(redist_topology_parse("mesh(2,2)", 5, &topology), "nprocs is 5");
    expect_error(redist_topology_parse("mesh(2,2)", 0, &topology), "nprocs is 0");
    expect_error(redist_topology_parse(NULL, 1, &topology), "text is NULL");
    expect_error(redist_topology_create_mesh(2, none, NULL, 1, NULL, &topology),
                 "extents[1] is 0");
    expect_error(redist_topology_create_mesh(2, two, NULL, 2, far, &topology),
                 "coords of rank 1: 2 along dimension 1");
    expect_error(redist_topology_create_tree(2, two, none + 1, 2, NULL, &topology),
                 "links[0] is 0");
    expect_error(redist_topology_create_tree(2, two, two, 2, places, &topology),
                 "places[1] is 4");
    expect_error(redist_topology_create_tree(0, two, two, 2, NULL, &topology),
                 "nlevels is 0");
    expect_error(
        redist_topology_parse("tree(1:2147483647,1:2147483647,2147483647)", 2, &topology),
        "links: more than 2^63 - 1 in all");
    assert_null(topology);
    assert_int_equal(redist_topology_links(NULL), 0);
    assert_int_equal(redist_topology_route(NULL, 0, 0, 0, NULL), -1);
}

/* ---- the schedule ------------------------------------------------------------------ */

/* All starts of a schedule, by edge, as sources and as targets see them. */
static void starts_of(const struct problem *problem, const void *schedule,
                      int64_t start[])
{
    const struct comm_grid *grid = &problem->grid;
    for (int side = 0; side < SIDES; side++)
        for (int c = 0; c < (side ? grid->Q : grid->P); c++) {
            struct own_list list = {0};
            ok(schedule_links.own(schedule, (redist_side)side, c, &list));
            for (int64_t e = 0; e < grid->nedges; e++)
                for (int64_t k = 0; k < list.n; k++) {
                    const struct edge *edge = &grid->edge[e];
                    int own = side ? edge->q : edge->p, other = side ? edge->p : edge->q;
                    if (own != c || other != list.message[k].partner) continue;
                    if (side) assert_int_equal(start[e], list.message[k].step);
                    start[e] = list.message[k].step;
                }
            own_list_free(&list);
        }
}

/* The last end, after it was seen that no two messages are on one link at a time; and
 * the largest load of a link. */
static int64_t check_links(const struct problem *problem, const int64_t start[],
                           int64_t *bound)
{
    const struct comm_grid *grid = &problem->grid;
    const redist_topology *topology = problem->input.topology;
    int64_t links = redist_topology_links(topology), last = 0;
    int64_t *load = calloc((size_t)links, sizeof *load);
    char *taken = calloc((size_t)(grid->nedges * links), 1);
    for (int64_t e = 0; e < grid->nedges; e++) {
        int64_t way[MOST];
        int n = way_of(topology, grid->edge[e].p, grid->edge[e].q, way);
        for (int k = 0; k < n; k++) {
            load[way[k]] += grid->edge[e].weight;
            taken[e * links + way[k]] = 1;
        }
        last = int_max(last, n > 0 ? start[e] + grid->edge[e].weight : 0);
    }
    for (int64_t e = 0; e < grid->nedges; e++)
        for (int64_t f = 0; f < e; f++)
            for (int64_t l = 0; l < links; l++)
                if (taken[e * links + l] && taken[f * links + l])
                    assert_true(start[e] >= start[f] + grid->edge[f].weight ||
                                start[f] >= start[e] + grid->edge[e].weight);
    *bound = 0;
    for (int64_t l = 0; l < links; l++) *bound = int_max(*bound, load[l]);
    free(load);
    free(taken);
    return last;
}

static void no_link_has_two_messages_at_a_time(void **state)
{
    enum { SEEDS = 3 };
    static const struct {
        const char *topology;
        int P, r, s;
        double most; /* times the load of a link, which no schedule undercuts */
    } cases[] = {
        {"mesh(4,4)", 16, 3, 5, 1.1},   {"torus(4,4)", 16, 3, 5, 1.25},
        {"mesh(16)", 16, 1, 16, 1.05},  {"tree(4:1,4)", 16, 3, 5, 1.05},
        {"tree(16)", 16, 3, 5, 1.2},    {"tree(2:2,2:1,4)", 16, 5, 7, 1.05},
        {"torus(3,4)", 12, 2, 9, 1.15},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        const char *why = NULL;
        void *schedule = NULL;
        int rank[16];
        int64_t start[SEEDS][256] = {{0}}, bound = 0;
        problem_make(&problem, cases[k].P, cases[k].r, cases[k].P, cases[k].s);
        assert_false(schedule_links.applicable(&problem.input, &why));
        for (int r = 0; r < cases[k].P; r++) rank[r] = r;
        redist_topology *topology = parse(cases[k].topology, cases[k].P);
        problem.input.topology = topology;
        problem.input.rank[0] = problem.input.rank[1] = rank;
        assert_true(schedule_links.applicable(&problem.input, &why));
        for (int seed = 0; seed < SEEDS; seed++) {
            problem.input.seed = seed;
            ok(schedule_links.make(&problem.input, &schedule));
            starts_of(&problem, schedule, start[seed]);
            int64_t last = check_links(&problem, start[seed], &bound);
            assert_true(last >= bound);
            if (seed == 0 && (double)last > cases[k].most * (double)bound)
                fail_msg("%s: %" PRId64 " of %" PRId64, cases[k].topology, last, bound);
            for (int other = 0; other < seed; other++)
                assert_memory_not_equal(start[seed], start[other], sizeof *start);
            schedule_links.free(schedule);
        }
        redist_topology_destroy(&topology);
        problem_free(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_through_a_mesh_is_a_shortest_one),
        cmocka_unit_test(the_last_dimension_comes_first),
        cmocka_unit_test(half_way_round_all_but_the_middle_go_forward),
        cmocka_unit_test(ranks_sit_where_they_are_put),
        cmocka_unit_test(a_way_through_a_tree_goes_up_and_down),
        cmocka_unit_test(a_full_tree_never_blocks),
        cmocka_unit_test(nodes_of_a_full_tree_have_a_way_each),
        cmocka_unit_test(errors_say_what_is_wrong),
        cmocka_unit_test(no_link_has_two_messages_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
