/* SPDX-License-Identifier: MIT
 *
 * What orders take over a network: times worked out by hand, and those of schedules in
 * which no message meets another.
 */
#include "unit/scene.h"

#include "schedule/core/kinds.h"
#include "schedule_given.h"
#include "schedule_problem.h"
#include "unit/starve.h"

/* Messages between ranks of a network, each with its step. */
struct traffic {
    const char *network;
    bool loose; /* steps only define an order */
    int nsources, source[3], ntargets, target[5], n;
    struct entry entry[6];
};

/* Predict the seconds of some traffic, ranks ordered by number and by median time. */
static void predict(const struct traffic *traffic, const struct model *model,
                    struct model_going going, double seconds[MODEL_BEGINNINGS])
{
    struct edge edge[6];
    struct scene scene;
    const struct given given = {(size_t)traffic->n, traffic->entry};
    for (int k = 0; k < traffic->n; k++)
        edge[k] = (struct edge){traffic->entry[k].p, traffic->entry[k].q,
                                traffic->entry[k].weight};
    scene_make(traffic->nsources, traffic->source, traffic->ntargets, traffic->target,
               traffic->n, edge, traffic->network, &scene);
    ok(model_network(traffic->loose ? &in_loose_steps : &in_steps, &given, &scene.input,
                     model, &going, seconds));
    scene_free(&scene);
}

/* Check the predicted seconds over links that serve one message at a time, and over
 * shared ones. */
static void check_times(const struct traffic *traffic, const struct model *model,
                        struct model_going going, double alone, double shared)
{
    double seconds[MODEL_BEGINNINGS];
    for (int k = 0; k < 2; k++) {
        going.shared = k == 1;
        predict(traffic, model, going, seconds);
        assert_about(seconds[MODEL_BY_MEDIAN], k == 1 ? shared : alone);
    }
}

#define GOING(...) ((struct model_going){__VA_ARGS__})

/* ---- by hand ----------------------------------------------------------------------- */

/* Ranks 0 and 1 send as much to each of 2 and 3, and both to 2 first. */
static void a_window_keeps_the_order(void **unused)
{
    static const struct traffic traffic = {
        "tree(4)", true,
        2,         {0, 1},
        2,         {2, 3},
        4,         {{0, 0, 4, 0, 0}, {1, 0, 4, 0, 0}, {0, 1, 4, 1, 1}, {1, 1, 4, 1, 1}}};
    /* 1 sends to 3 while 0 does to 2; or waits until 2 is done with 0. */
    check_times(&traffic, &bytes, GOING(.window = 4), 8, 8);
    check_times(&traffic, &bytes, GOING(.window = 1), 12, 12);
}

/* On a line 0 sends 2 to rank 3, past the 6 from 1 to 2, and then 2 to 1. Alone either of
 * those that meet may come first; shared, the one of three links gets a third of what the
 * one of one link does, and both are done at 8. */
static void messages_get_the_less_the_more_links_they_pass(void **unused)
{
    static const struct traffic traffic = {
        "mesh(4)", false,     2, {0, 1},
        3,         {1, 2, 3}, 3, {{0, 2, 2, 0, 0}, {1, 1, 6, 0, 0}, {0, 0, 2, 1, 1}}};
    check_times(&traffic, &bytes, GOING(.window = 2), 8, 8);
    /* as in most of the orders to begin in */
    check_times(&traffic, &bytes, GOING(.window = 1), 8, 10);
}

/* The same the other way round: by ranks 2 begins before 3, which takes 10. */
static void the_order_of_ranks_is_one_of_several(void **unused)
{
    static const struct traffic traffic = {
        "mesh(4)", false,     2, {2, 3},
        3,         {0, 1, 2}, 3, {{1, 0, 2, 0, 0}, {0, 1, 6, 0, 0}, {1, 2, 2, 1, 1}}};
    double seconds[MODEL_BEGINNINGS];
    for (int shared = 0; shared < 2; shared++) {
        predict(&traffic, &bytes, GOING(.window = 1, .shared = shared), seconds);
        assert_about(seconds[MODEL_BY_RANK], 10);
        assert_about(seconds[MODEL_BY_MEDIAN], shared ? 10 : 8);
    }
}

/* On two switches of two, 0 sends 4 to 2, and then 4 past it to 4; 1 sends 1 to 0, and
 * then 2 to 2, which comes to its links before the one to 4. Yet that goes first, as the
 * way up from 0 is free before the one down to 2. So at 5, when 3 has sent 5 to 1, its 6
 * for 4 have to wait, until 8; else they would be done at 11, and what is for 4 then at
 * 15. */
static void links_are_freed_one_behind_the_other(void **unused)
{
    static const struct traffic traffic = {"tree(2:1,2:1,2)",
                                           false,
                                           3,
                                           {0, 1, 3},
                                           4,
                                           {2, 4, 0, 1},
                                           6,
                                           {{0, 0, 4, 0, 0},
                                            {1, 2, 1, 0, 0},
                                            {2, 3, 5, 0, 0},
                                            {0, 1, 4, 1, 1},
                                            {1, 0, 2, 1, 1},
                                            {2, 1, 6, 1, 1}}};
    const struct model model = {.alpha = 1e-4, .beta = 1, .unit = 1};
    double seconds[MODEL_BEGINNINGS];
    predict(&traffic, &model, GOING(.window = 2, .latency = 1e-2), seconds);
    assert_true(fabs(seconds[MODEL_BY_MEDIAN] - 14) < 0.1);
}

/* Rank 0 sends 4 to each of 1 and 2, one after the other, each piece after a latency. */
static void each_piece_of_a_message_waits(void **unused)
{
    static const struct traffic traffic = {
        "tree(3)", false, 1, {0}, 2, {1, 2}, 2, {{0, 0, 4, 0, 0}, {0, 1, 4, 1, 1}}};
    check_times(&traffic, &bytes, GOING(.window = 1, .latency = 1), 2 * 5, 2 * 5);
    check_times(&traffic, &bytes, GOING(.window = 1, .latency = 1, .chunk = 3), 2 * 6,
                2 * 6);
}

/* On a line ways half way round have two links. */
static void latency_grows_with_the_way(void **unused)
{
    struct traffic traffic = {"mesh(4)", false, 2, {0, 3}, 1, {1}, 1, {{0, 0, 4, 0, 0}}};
    for (int target = 1; target < 3; target++) {
        traffic.target[0] = target;
        check_times(&traffic, &bytes, GOING(.window = 1, .latency = 2), 4 + target,
                    4 + target);
    }
}

/* Ranks 0, 1 and 2 send 4 each to 3: it has the first one at 4, and has the others while
 * it looks at them, until 14, in whichever order they come. */
static void who_waits_for_many_looks_at_each(void **unused)
{
    static const struct traffic traffic = {
        "tree(4)", false, 3, {0, 1, 2},
        1,         {3},   3, {{0, 0, 4, 0, 0}, {1, 0, 4, 1, 1}, {2, 0, 4, 2, 2}}};
    static const struct {
        struct model_going going;
        double seconds;
    } ways[] = {
        {{.window = 3}, 3 * 4},
        {{.window = 3, .look = 5}, 14},
        /* to unpack them takes longer than to look at them */
        {{.window = 3, .look = 5, .room = 12, .together = 1}, 14},
        {{.window = 3, .look = 5, .room = 12, .together = 2}, 3 * 4},
    };
    for (int k = 0; k < 4; k++) {
        double seconds[MODEL_BEGINNINGS];
        predict(&traffic, &bytes, ways[k].going, seconds);
        assert_about(seconds[MODEL_BY_MEDIAN], ways[k].seconds);
    }
}

/* Rank 0 sends 3, 3 and 4: of 7 bytes the first two take 6, and when the first is over,
 * what is free is not in one piece. */
static void messages_wait_for_room(void **unused)
{
    static const struct traffic traffic = {
        "tree(4)", false,     1, {0},
        3,         {1, 2, 3}, 3, {{0, 0, 3, 0, 0}, {0, 1, 3, 1, 1}, {0, 2, 4, 2, 2}}};
    static const double expected[] = {[7] = 12, [10] = 11, [4] = 13, [3] = 13, [0] = 11};
    static const int64_t rooms[] = {0, 3, 4, 7, 10};
    for (int k = 0; k < 5; k++)
        check_times(&traffic, &bytes, GOING(.window = 3, .latency = 1, .room = rooms[k]),
                    expected[rooms[k]], expected[rooms[k]]);
}

/* Ranks 3 and then 0 send 6 and 2 to 1, which takes one at a time; then 0 has 2 for 2. */
static void short_messages_do_not_hold_up_their_source(void **unused)
{
    static const struct traffic traffic = {
        "tree(4)", false,  2, {0, 3},
        2,         {1, 2}, 3, {{1, 0, 6, 0, 0}, {0, 0, 2, 1, 1}, {0, 1, 2, 2, 2}}};
    check_times(&traffic, &bytes, GOING(.window = 1), 10, 10);
    check_times(&traffic, &bytes, GOING(.window = 1, .eager = 3), 8, 8);
}

/* Rank 0 sends 4 to 1, and then 2 to 2, while 3 sends it 8. */
static void a_step_ends_both_ways(void **unused)
{
    static const struct traffic traffic = {
        "tree(4)", false,     2, {0, 3},
        3,         {0, 1, 2}, 3, {{0, 1, 4, 0, 0}, {1, 0, 8, 0, 0}, {0, 2, 2, 1, 1}}};
    check_times(&traffic, &bytes, GOING(.window = 3), 8, 8);
    check_times(&traffic, &bytes, GOING(.window = 3, .stepwise = true), 10, 10);
    /* what is sent at once has come late all the same */
    check_times(&traffic, &bytes, GOING(.window = 3, .stepwise = true, .eager = 9), 10,
                10);
}

/* Rank 0 keeps 3 and sends 8, behind an envelope of 2: 1 + 4 at its end, 16 until it
 * comes to its links, and 4 at the other end, and 1 too if it has been sent at once. */
static void both_ends_and_the_latency_count(void **unused)
{
    static const struct traffic traffic = {
        "mesh(2)", false, 1, {0}, 2, {0, 1}, 2, {{0, 0, 3, 0, 0}, {0, 1, 8, 1, 1}}};
    const struct model model = {2, 1, 0.5, 1};
    struct model_going going = {.window = 1, .latency = 16, .envelope = 2};
    check_times(&traffic, &model, going, 5 + 16 + 10 + 4, 5 + 16 + 10 + 4);
    going.eager = 9;
    check_times(&traffic, &model, going, 5 + 16 + 10 + 5, 5 + 16 + 10 + 5);
}

/* Rank 0 sends 1 to each of 1 and 2 of six. Behind what it posts first it tells the other
 * 3, 1 each, as all others tell 5; in the end it hears of 5, rank 2 of 4. What is sent at
 * once rank 2 takes in, for 1. */
static void words_are_behind_the_first_messages(void **unused)
{
    static const struct traffic traffic = {
        "tree(6)", false,     2, {0, 5},
        3,         {1, 2, 5}, 3, {{0, 0, 1, 0, 0}, {0, 1, 1, 1, 1}, {1, 2, 1, 0, 0}}};
    const struct model model = {.alpha = 2, .beta = 1, .unit = 1};
    struct model_going going = {.window = 1, .reports_status = true};
    check_times(&traffic, &model, going, 1 + 3 + 1 + 1 + 5, 1 + 3 + 1 + 1 + 5);
    going.eager = 2;
    check_times(&traffic, &model, going, 1 + 3 + 1 + 1 + 1 + 4, 1 + 3 + 1 + 1 + 1 + 4);
    going = GOING(.window = 2, .reports_status = true);
    check_times(&traffic, &model, going, 1 + 1 + 3 + 5, 1 + 1 + 3 + 5);
}

/* Rank 0 sends a message to 3 of four, which without links has it at 11, half a startup
 * and the latency. Then or before, at 11, 12 and 11, the others have heard the first
 * word, and take half a startup for that and half for the next: the last of the second
 * status, 1's to 3 and 3's to 1, leave at 14. A message of 100 takes as long as if there
 * were no words: they go on meanwhile. */
static void words_go_on_beside_messages(void **unused)
{
    static const struct traffic traffic = {"tree(4)", false, 1, {0},
                                           1,         {3},   1, {{0, 0, 1, 0, 0}}};
    const struct model_going going = {
        .window = 1, .eager = 200, .latency = 10, .relays = true, .shared = true};
    struct model model = {.alpha = 2, .beta = 1e-9, .unit = 1};
    double seconds[MODEL_BEGINNINGS];
    predict(&traffic, &model, going, seconds);
    assert_about(seconds[MODEL_BY_MEDIAN], 14 + 10 + 1);
    model.beta = 100;
    predict(&traffic, &model, going, seconds);
    assert_about(seconds[MODEL_BY_MEDIAN], 1 + 10 + 100 + 1);
}

/* Rank 0 sends 100 to 3 of four, and its first word to 1, of 8 bytes, waits for the link
 * until then; so does 2's to 3; and the second ones for these. Shared links they do not
 * wait for. */
static void words_pass_links(void **unused)
{
    static const struct traffic traffic = {"tree(4)", false, 1, {0},
                                           1,         {3},   1, {{0, 0, 100, 0, 0}}};
    check_times(&traffic, &bytes, GOING(.window = 1, .relays = true), 116, 100);
}

/* A message of a moment, after an hour. */
static void times_of_any_size_end(void **unused)
{
    static const struct traffic traffic = {"mesh(2)", false, 1, {0},
                                           1,         {1},   1, {{0, 0, 8, 0, 0}}};
    struct model model = {.beta = 1e-13, .unit = 1};
    check_times(&traffic, &model, GOING(.window = 1, .latency = 3600), 3600, 3600);
    model.beta = 0;
    check_times(&traffic, &model, GOING(.window = 1, .latency = 3600), 3600, 3600);
}

/* Those that wait for a link get it in the order in which they came: on a line 3 sends 4
 * to rank 4; meanwhile 2, after 1 to rank 1, comes with 2 to rank 5, and 1, after 2 to
 * rank 0, with 2 to rank 6. Behind the first of them 2 has 10 to rank 0. */
static void who_comes_first_is_served_first(void **unused)
{
    static const struct traffic traffic = {"mesh(7)",
                                           false,
                                           3,
                                           {1, 2, 3},
                                           5,
                                           {0, 1, 4, 5, 6},
                                           6,
                                           {{0, 0, 2, 0, 0},
                                            {1, 1, 1, 0, 0},
                                            {2, 2, 4, 0, 0},
                                            {0, 4, 2, 1, 1},
                                            {1, 3, 2, 1, 1},
                                            {1, 0, 10, 2, 2}}};
    double seconds[MODEL_BEGINNINGS];
    predict(&traffic, &bytes, GOING(.window = 1), seconds);
    assert_about(seconds[MODEL_BY_MEDIAN], 4 + 2 + 10);
}

/* ---- by schedules ------------------------------------------------------------------ */

enum { P = 16 };

/* From cyclic(3) to cyclic(5), sources and targets apart, `optimal` has steps of messages
 * of one length in which all take part. */
static void who_meets_nobody_is_done_with_the_bytes(void **unused)
{
    struct problem problem;
    redist_topology *topology = NULL;
    int rank[SIDES][P];
    void *state = NULL;
    problem_make(&problem, P, 3, P, 5);
    for (int c = 0; c < P; c++) rank[0][c] = c, rank[1][c] = P + c;
    ok(redist_topology_parse("tree(32)", 2 * P, &topology));
    problem.input.rank[0] = rank[0];
    problem.input.rank[1] = rank[1];
    problem.input.topology = topology;
    double least = model_bound(&problem.input, &bytes);
    ok(schedule_optimal.make(&problem.input, &state));
    static const struct model_going ways[] = {{.window = 1},
                                              {.window = 1, .shared = true},
                                              {.window = INT64_MAX, .shared = true}};
    for (int k = 0; k < 3; k++) {
        double seconds[MODEL_BEGINNINGS];
        ok(model_network(&schedule_optimal, state, &problem.input, &bytes, &ways[k],
                         seconds));
        assert_about(seconds[MODEL_BY_MEDIAN], least);
    }
    schedule_optimal.free(state);
    redist_topology_destroy(&topology);
    problem_free(&problem);
}

/* A schedule that is made, and what it is of. */
struct made {
    void *state;
    const struct schedule_input *input;
};

static redist_err tell_seconds(const void *given)
{
    const struct model_going going = {.window = 1, .relays = true};
    const struct made *x = given;
    double seconds[MODEL_BEGINNINGS];
    return model_network(&schedule_optimal, x->state, x->input, &bytes, &going, seconds);
}

static void a_failed_allocation_is_an_error(void **unused)
{
    struct problem problem;
    redist_topology *topology = NULL;
    int rank[] = {0, 1, 2, 3, 4, 5};
    void *state = NULL;
    problem_make(&problem, 3, 1, 3, 2);
    ok(redist_topology_parse("tree(6)", 6, &topology));
    problem.input.rank[0] = rank;
    problem.input.rank[1] = rank + 3;
    problem.input.topology = topology;
    ok(schedule_optimal.make(&problem.input, &state));
    const struct made made = {state, &problem.input};
    assert_true(each_allocation_fails_once(tell_seconds, &made) > 0);
    schedule_optimal.free(state);
    redist_topology_destroy(&topology);
    problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_keeps_the_order),
        cmocka_unit_test(messages_get_the_less_the_more_links_they_pass),
        cmocka_unit_test(links_are_freed_one_behind_the_other),
        cmocka_unit_test(each_piece_of_a_message_waits),
        cmocka_unit_test(latency_grows_with_the_way),
        cmocka_unit_test(who_waits_for_many_looks_at_each),
        cmocka_unit_test(messages_wait_for_room),
        cmocka_unit_test(short_messages_do_not_hold_up_their_source),
        cmocka_unit_test(a_step_ends_both_ways),
        cmocka_unit_test(both_ends_and_the_latency_count),
        cmocka_unit_test(words_are_behind_the_first_messages),
        cmocka_unit_test(the_order_of_ranks_is_one_of_several),
        cmocka_unit_test(words_go_on_beside_messages),
        cmocka_unit_test(words_pass_links),
        cmocka_unit_test(times_of_any_size_end),
        cmocka_unit_test(who_comes_first_is_served_first),
        cmocka_unit_test(who_meets_nobody_is_done_with_the_bytes),
        cmocka_unit_test(a_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
