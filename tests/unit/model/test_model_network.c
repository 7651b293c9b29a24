/* SPDX-License-Identifier: MIT
 *
 * What orders take over a network: times worked out by hand, and those of schedules in
 * which no message meets another.
 */
#include "unit/scene.h"

#include "base/error.h"
#include "schedule/core/kinds.h"
#include "schedule_given.h"
#include "schedule_problem.h"
#include "unit/starve.h"

static double seconds_of(const struct schedule_kind *kind, const void *state,
                         const struct schedule_input *input, const struct model *model,
                         struct model_going going)
{
    double seconds[MODEL_BEGINNINGS];
    ok(model_network(kind, state, input, model, &going, seconds));
    return seconds[MODEL_BY_MEDIAN];
}

/* ---- by hand ----------------------------------------------------------------------- */

/* Ranks 0 and 1 send as much to each of 2 and 3, and both to 2 first. */
static void a_window_keeps_the_order(void **unused)
{
    static const struct edge edges[] = {{0, 0, 4}, {0, 1, 4}, {1, 0, 4}, {1, 1, 4}};
    static const struct entry to_2_first[] = {
        {0, 0, 4, 0, 0}, {1, 0, 4, 0, 0}, {0, 1, 4, 1, 1}, {1, 1, 4, 1, 1}};
    const int source[] = {0, 1}, target[] = {2, 3};
    const struct given given = {4, to_2_first};
    struct scene scene;
    scene_make(2, source, 2, target, 4, edges, "tree(4)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going all = {.window = 4, .shared = shared}, one = all;
        one.window = 1;
        /* 1 sends to 3 while 0 does to 2; or waits until 2 is done with 0. */
        assert_about(seconds_of(&in_loose_steps, &given, &scene.input, &bytes, all), 8);
        assert_about(seconds_of(&in_loose_steps, &given, &scene.input, &bytes, one), 12);
    }
    scene_free(&scene);
}

/* On a line 0 sends 2 to rank 3, past the 6 from 1 to 2, and then 2 to 1. Alone either of
 * those that meet may come first; shared, the one of three links gets a third of what the
 * one of one link does, and both are done at 8. */
static void messages_get_the_less_the_more_links_they_pass(void **unused)
{
    static const struct edge edges[] = {{0, 0, 2}, {0, 2, 2}, {1, 1, 6}};
    static const struct entry far_first[] = {
        {0, 2, 2, 0, 0}, {1, 1, 6, 0, 0}, {0, 0, 2, 1, 1}};
    const int source[] = {0, 1}, target[] = {1, 2, 3};
    const struct given given = {3, far_first};
    struct scene scene;
    scene_make(2, source, 3, target, 3, edges, "mesh(4)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going all = {.window = 2, .shared = shared}, one = all;
        one.window = 1;
        double seconds = seconds_of(&in_steps, &given, &scene.input, &bytes, all);
        assert_about(seconds, 8);
        seconds = seconds_of(&in_steps, &given, &scene.input, &bytes, one);
        assert_about(seconds, shared ? 10 : 8); /* as in most of the orders to begin in */
    }
    scene_free(&scene);
}

/* The same the other way round: by ranks 2 begins before 3, which takes 10. */
static void the_order_of_ranks_is_one_of_several(void **unused)
{
    static const struct edge edges[] = {{0, 1, 6}, {1, 0, 2}, {1, 2, 2}};
    static const struct entry far_first[] = {
        {1, 0, 2, 0, 0}, {0, 1, 6, 0, 0}, {1, 2, 2, 1, 1}};
    const struct model_going one = {.window = 1}, all = {.window = 1, .shared = true};
    const int source[] = {2, 3}, target[] = {0, 1, 2};
    const struct given given = {3, far_first};
    double seconds[MODEL_BEGINNINGS];
    struct scene scene;
    scene_make(2, source, 3, target, 3, edges, "mesh(4)", &scene);
    ok(model_network(&in_steps, &given, &scene.input, &bytes, &one, seconds));
    assert_about(seconds[MODEL_BY_RANK], 10);
    assert_about(seconds[MODEL_BY_MEDIAN], 8);
    ok(model_network(&in_steps, &given, &scene.input, &bytes, &all, seconds));
    assert_about(seconds[MODEL_BY_RANK], 10);
    assert_about(seconds[MODEL_BY_MEDIAN], 10);
    scene_free(&scene);
}

/* On two switches of two, 0 sends 4 to 2, and then 4 past it to 4; 1 sends 1 to 0, and
 * then 2 to 2, which comes to its links before the one to 4. Yet that goes first, as the
 * way up from 0 is free before the one down to 2. So at 5, when 3 has sent 5 to 1, its 6
 * for 4 have to wait, until 8; else they would be done at 11, and what is for 4 then at
 * 15. */
static void links_are_freed_one_behind_the_other(void **unused)
{
    static const struct edge edges[] = {{0, 0, 4}, {0, 1, 4}, {1, 0, 2},
                                        {1, 2, 1}, {2, 1, 6}, {2, 3, 5}};
    static const struct entry entries[] = {{0, 0, 4, 0, 0}, {1, 2, 1, 0, 0},
                                           {2, 3, 5, 0, 0}, {0, 1, 4, 1, 1},
                                           {1, 0, 2, 1, 1}, {2, 1, 6, 1, 1}};
    const int source[] = {0, 1, 3}, target[] = {2, 4, 0, 1};
    const struct given given = {6, entries};
    const struct model model = {.alpha = 1e-4, .beta = 1, .unit = 1};
    struct scene scene;
    scene_make(3, source, 4, target, 6, edges, "tree(2:1,2:1,2)", &scene);
    struct model_going all = {.window = 2, .latency = 1e-2};
    double seconds = seconds_of(&in_steps, &given, &scene.input, &model, all);
    assert_true(fabs(seconds - 14) < 0.1);
    scene_free(&scene);
}

/* Rank 0 sends 4 to each of 1 and 2, one after the other, each piece after a latency. */
static void each_piece_of_a_message_waits(void **unused)
{
    static const struct edge edges[] = {{0, 0, 4}, {0, 1, 4}};
    static const struct entry entries[] = {{0, 0, 4, 0, 0}, {0, 1, 4, 1, 1}};
    const int source[] = {0}, target[] = {1, 2};
    const struct given given = {2, entries};
    struct scene scene;
    scene_make(1, source, 2, target, 2, edges, "tree(3)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going whole = {.window = 1, .latency = 1, .shared = shared};
        struct model_going cut = whole;
        cut.chunk = 3;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, whole), 2 * 5);
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, cut), 2 * 6);
    }
    scene_free(&scene);
}

/* On a line ways half way round have two links. */
static void latency_grows_with_the_way(void **unused)
{
    static const struct edge edges[] = {{0, 0, 4}};
    static const struct entry entries[] = {{0, 0, 4, 0, 0}};
    const int source[] = {0, 3};
    const struct given given = {1, entries};
    for (int target = 1; target < 3; target++)
        for (int shared = 0; shared < 2; shared++) {
            struct model_going going = {.window = 1, .latency = 2, .shared = shared};
            struct scene scene;
            scene_make(2, source, 1, &target, 1, edges, "mesh(4)", &scene);
            assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, going),
                         4 + target);
            scene_free(&scene);
        }
}

/* Ranks 0, 1 and 2 send 4 each to 3: it has the first one at 4, and has the others while
 * it looks at them, until 14, in whichever order they come. */
static void who_waits_for_many_looks_at_each(void **unused)
{
    static const struct edge edges[] = {{0, 0, 4}, {1, 0, 4}, {2, 0, 4}};
    static const struct entry entries[] = {
        {0, 0, 4, 0, 0}, {1, 0, 4, 1, 1}, {2, 0, 4, 2, 2}};
    const int source[] = {0, 1, 2}, target[] = {3};
    const struct given given = {3, entries};
    struct scene scene;
    scene_make(3, source, 1, target, 3, edges, "tree(4)", &scene);
    struct model_going all = {.window = 3}, looks = all;
    looks.look = 5;
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, all), 3 * 4);
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, looks), 14);
    looks.room = 12;
    looks.together = 1; /* to unpack them takes longer than to look at them */
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, looks), 14);
    looks.together = 2;
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, looks), 3 * 4);
    scene_free(&scene);
}

/* Rank 0 sends 3, 3 and 4: of 7 bytes the first two take 6, and when the first is over,
 * what is free is not in one piece. */
static void messages_wait_for_room(void **unused)
{
    static const struct edge edges[] = {{0, 0, 3}, {0, 1, 3}, {0, 2, 4}};
    static const struct entry entries[] = {
        {0, 0, 3, 0, 0}, {0, 1, 3, 1, 1}, {0, 2, 4, 2, 2}};
    const int source[] = {0}, target[] = {1, 2, 3};
    const struct given given = {3, entries};
    static const double expected[] = {[7] = 12, [10] = 11, [4] = 13, [3] = 13, [0] = 11};
    static const int64_t rooms[] = {0, 3, 4, 7, 10};
    struct scene scene;
    scene_make(1, source, 3, target, 3, edges, "tree(4)", &scene);
    for (int k = 0; k < 5; k++)
        for (int shared = 0; shared < 2; shared++) {
            struct model_going going = {
                .window = 3, .latency = 1, .room = rooms[k], .shared = shared};
            assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, going),
                         expected[rooms[k]]);
        }
    scene_free(&scene);
}

/* Ranks 3 and then 0 send 6 and 2 to 1, which takes one at a time; then 0 has 2 for 2. */
static void short_messages_do_not_hold_up_their_source(void **unused)
{
    static const struct edge edges[] = {{0, 0, 2}, {0, 1, 2}, {1, 0, 6}};
    static const struct entry entries[] = {
        {1, 0, 6, 0, 0}, {0, 0, 2, 1, 1}, {0, 1, 2, 2, 2}};
    const int source[] = {0, 3}, target[] = {1, 2};
    const struct given given = {3, entries};
    struct scene scene;
    scene_make(2, source, 2, target, 3, edges, "tree(4)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going kept = {.window = 1, .shared = shared}, sent = kept;
        sent.eager = 3;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, kept), 10);
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, sent), 8);
    }
    scene_free(&scene);
}

/* Rank 0 sends 4 to 1, and then 2 to 2, while 3 sends it 8. */
static void a_step_ends_both_ways(void **unused)
{
    static const struct edge edges[] = {{0, 1, 4}, {0, 2, 2}, {1, 0, 8}};
    static const struct entry entries[] = {
        {0, 1, 4, 0, 0}, {1, 0, 8, 0, 0}, {0, 2, 2, 1, 1}};
    const int source[] = {0, 3}, target[] = {0, 1, 2};
    const struct given given = {3, entries};
    struct scene scene;
    scene_make(2, source, 3, target, 3, edges, "tree(4)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going all = {.window = 3, .shared = shared}, steps = all;
        steps.stepwise = true;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, all), 8);
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, steps), 10);
        steps.eager = 9; /* what is sent at once has come late all the same */
        assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, steps), 10);
    }
    scene_free(&scene);
}

/* Rank 0 keeps 3 and sends 8, behind an envelope of 2: 1 + 4 at its end, 16 until it
 * comes to its links, and 4 at the other end, and 1 too if it has been sent at once. */
static void both_ends_and_the_latency_count(void **unused)
{
    static const struct edge edges[] = {{0, 0, 3}, {0, 1, 8}};
    static const struct entry entries[] = {{0, 0, 3, 0, 0}, {0, 1, 8, 1, 1}};
    const struct model model = {2, 1, 0.5, 1};
    const int source[] = {0}, target[] = {0, 1};
    const struct given given = {2, entries};
    struct scene scene;
    scene_make(1, source, 2, target, 2, edges, "mesh(2)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going going = {
            .window = 1, .latency = 16, .envelope = 2, .shared = shared};
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, going),
                     5 + 16 + 10 + 4);
        going.eager = 9;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, going),
                     5 + 16 + 10 + 5);
    }
    scene_free(&scene);
}

/* Rank 0 sends 1 to each of 1 and 2 of six. Behind what it posts first it tells the other
 * 3, 1 each, as all others tell 5; in the end it hears of 5, rank 2 of 4. What is sent at
 * once rank 2 takes in, for 1. */
static void words_are_behind_the_first_messages(void **unused)
{
    static const struct edge edges[] = {{0, 0, 1}, {0, 1, 1}, {1, 2, 1}};
    static const struct entry entries[] = {
        {0, 0, 1, 0, 0}, {0, 1, 1, 1, 1}, {1, 2, 1, 0, 0}};
    const struct model model = {.alpha = 2, .beta = 1, .unit = 1};
    const int source[] = {0, 5}, target[] = {1, 2, 5};
    const struct given given = {3, entries};
    struct scene scene;
    scene_make(2, source, 3, target, 3, edges, "tree(6)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going one = {.window = 1, .shared = shared, .reports_status = true},
                           all = one;
        all.window = 2;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, one),
                     1 + 3 + 1 + 1 + 5);
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, all),
                     1 + 1 + 3 + 5);
        one.eager = 2;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, one),
                     1 + 3 + 1 + 1 + 1 + 4);
    }
    scene_free(&scene);
}

/* Rank 0 sends a message to 3 of four, which without links has it at 11, half a startup
 * and the latency. Then or before, at 11, 12 and 11, the others have heard the first
 * word, and take half a startup for that and half for the next: the last of the second
 * status, 1's to 3 and 3's to 1, leave at 14. A message of 100 takes as long as if there
 * were no words: they go on meanwhile. */
static void words_go_on_beside_messages(void **unused)
{
    static const struct edge edges[] = {{0, 0, 1}};
    static const struct entry entries[] = {{0, 0, 1, 0, 0}};
    const int source[] = {0}, target[] = {3};
    const struct given given = {1, entries};
    struct scene scene;
    scene_make(1, source, 1, target, 1, edges, "tree(4)", &scene);
    struct model_going going = {
        .window = 1, .eager = 200, .latency = 10, .relays = true, .shared = true};
    struct model model = {.alpha = 2, .beta = 1e-9, .unit = 1};
    double seconds = seconds_of(&in_steps, &given, &scene.input, &model, going);
    assert_about(seconds, 14 + 10 + 1);
    model.beta = 100;
    seconds = seconds_of(&in_steps, &given, &scene.input, &model, going);
    assert_about(seconds, 1 + 10 + 100 + 1);
    scene_free(&scene);
}

/* Rank 0 sends 100 to 3 of four, and its first word to 1, of 8 bytes, waits for the link
 * until then; so does 2's to 3; and the second ones for these. Shared links they do not
 * wait for. */
static void words_pass_links(void **unused)
{
    static const struct edge edges[] = {{0, 0, 100}};
    static const struct entry entries[] = {{0, 0, 100, 0, 0}};
    const int source[] = {0}, target[] = {3};
    const struct given given = {1, entries};
    struct scene scene;
    scene_make(1, source, 1, target, 1, edges, "tree(4)", &scene);
    struct model_going alone = {.window = 1, .relays = true}, shared = alone;
    shared.shared = true;
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, alone), 116);
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, shared), 100);
    scene_free(&scene);
}

/* A message of a moment, after an hour. */
static void times_of_any_size_end(void **unused)
{
    static const struct edge edges[] = {{0, 0, 8}};
    static const struct entry entries[] = {{0, 0, 8, 0, 0}};
    const int source[] = {0}, target[] = {1};
    const struct given given = {1, entries};
    struct scene scene;
    scene_make(1, source, 1, target, 1, edges, "mesh(2)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going going = {.window = 1, .latency = 3600, .shared = shared};
        struct model model = {.beta = 1e-13, .unit = 1};
        double seconds = seconds_of(&in_steps, &given, &scene.input, &model, going);
        assert_about(seconds, 3600);
        model.beta = 0;
        assert_about(seconds_of(&in_steps, &given, &scene.input, &model, going), 3600);
    }
    scene_free(&scene);
}

/* Those that wait for a link get it in the order in which they came: on a line 3 sends 4
 * to rank 4; meanwhile 2, after 1 to rank 1, comes with 2 to rank 5, and 1, after 2 to
 * rank 0, with 2 to rank 6. Behind the first of them 2 has 10 to rank 0. */
static void who_comes_first_is_served_first(void **unused)
{
    static const struct edge edges[] = {{0, 0, 2}, {0, 4, 2}, {1, 0, 10},
                                        {1, 1, 1}, {1, 3, 2}, {2, 2, 4}};
    static const struct entry entries[] = {{0, 0, 2, 0, 0}, {1, 1, 1, 0, 0},
                                           {2, 2, 4, 0, 0}, {0, 4, 2, 1, 1},
                                           {1, 3, 2, 1, 1}, {1, 0, 10, 2, 2}};
    const int source[] = {1, 2, 3}, target[] = {0, 1, 4, 5, 6};
    const struct given given = {6, entries};
    const struct model_going one = {.window = 1};
    struct scene scene;
    scene_make(3, source, 5, target, 6, edges, "mesh(7)", &scene);
    assert_about(seconds_of(&in_steps, &given, &scene.input, &bytes, one), 4 + 2 + 10);
    scene_free(&scene);
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
    for (int shared = 0; shared < 2; shared++) {
        struct model_going one = {.window = 1, .shared = shared};
        double seconds =
            seconds_of(&schedule_optimal, state, &problem.input, &bytes, one);
        assert_about(seconds, least);
    }
    struct model_going all = {.window = INT64_MAX, .shared = true};
    double seconds = seconds_of(&schedule_optimal, state, &problem.input, &bytes, all);
    assert_about(seconds, least);
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
