/* SPDX-License-Identifier: MIT
 *
 * How messages go where the links between processes are known.
 */
#include <string.h>

#include "unit/over_network.h"

#include "schedule/core/kinds.h"
#include "schedule/registry/schedules.h"

static void few_messages_at_a_time_go_where_they_meet_nobody(void **unused)
{
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    struct choice choice = choice_of(2400000, "tree(16)", &rates);
    assert_in_range(choice.method.parameter, 1, 2);
    assert_true(choice.strain == 1);
    assert_ptr_equal(choice.method.exchange, &exchange_window);
    /* on a line all messages pass the middle */
    choice = choice_of(2400000, "mesh(16)", &rates);
    assert_true(!choice.method.exchange && choice.strain > 2);
    /* who packs one after the other lets the wire wait */
    rates.seconds[EFFORT_PACKING] = 3e-9;
    choice = choice_of(2400000, "tree(16)", &rates);
    assert_true(choice.method.parameter == 0 || choice.method.parameter > 2);
    /* and who waits for an answer each time */
    rates.seconds[EFFORT_PACKING] = 0;
    rates.seconds[EFFORT_WAITS] = 1e-3;
    assert_null(choice_of(2400000, "tree(16)", &rates).method.exchange);
}

/* Windows keep messages from meeting where a link serves one at a time. */
static void where_links_are_shared_all_are_under_way(void **unused)
{
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    assert_in_range(choice_of(2400000, "tree(16)", &rates).method.parameter, 1, 2);
    rates.fairness = 1;
    assert_null(choice_of(2400000, "tree(16)", &rates).method.exchange);
}

/* From each to each on a tree of few links up: where these serve one message at a time,
 * the windows that lose a little where they are shared are worth more than that. */
static void links_that_serve_one_at_a_time_count_most(void **unused)
{
    struct rates rates = rates_assume(8e-7, 8e-11, 0, 16);
    rates.seconds[EFFORT_WAITS] = 1e-6;
    struct choice choice =
        choice_between(16, &rates, "tree(4:1,4)", "[2457600] (cyclic(1)) onto 16",
                       "[2457600] (block) onto 16");
    assert_ptr_equal(choice.method.exchange, &exchange_window);
}

/* What shared links take of many messages is not found out. */
static void orders_of_many_messages_are_tried_where_links_serve_one(void **unused)
{
    LONG_UNDER_SANITIZERS();
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 1184);
    struct problem problem;
    problem_over(1184, &rates, "tree(1184)", "[10656000] (cyclic(3)) onto 1184",
                 "[10656000] (cyclic(5)) onto 1184", &problem);
    assert_ptr_not_equal(chosen(&problem).method.schedule, &schedule_links);
    rates.fairness = 1;
    assert_ptr_equal(chosen(&problem).method.schedule, &schedule_links);
    problem_free(&problem);
}

/* One block in memory needs no staging memory, which tells how long its pieces are. */
static void long_blocks_go_in_pieces_of_the_better_length(void **unused)
{
    static const char *const networks[] = {"tree(4:2,4)", "mesh(4,4)"};
    static const int64_t staging[] = {EFFORT_NEAR, CAP};
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    struct load load = load_of(16, 2, 2 * MIB);
    struct candidate candidates[CHOOSE_MOST];
    for (int k = 0; k < 2; k++) {
        struct problem problem;
        problem_over(16, &rates, networks[k],
                     "[2457488] (gen_block(8*27926,8*279260)) onto 16",
                     "[2457488] (block) onto 16", &problem);
        struct choice choice = chosen(&problem);
        assert_int_equal(choice.method.staging, staging[k]);
        int n = choose_rank(&load, &rates, CAP, 8, &choice, candidates), follow = 0;
        for (int c = 0; c < n; c++) {
            if (!candidates[c].strategy.schedule) continue;
            follow++;
            assert_int_equal(candidates[c].staging, staging[k]);
        }
        assert_true(follow > 0);
        problem.query.most = EFFORT_NEAR; /* then there is but one length */
        assert_int_equal(chosen(&problem).method.staging, 0);
        problem_free(&problem);
    }
}

/* Where links serve one message at a time, what shared ones take need not be known by
 * both lengths. */
static void lengths_are_tried_though_shared_links_take_too_long(void **unused)
{
    LONG_UNDER_SANITIZERS();
    struct rates rates = rates_assume(8e-7, 8e-11, 0, 128);
    struct choice choice =
        choice_between(128, &rates, "tree(16:16,8)",
                       "[19659904] (gen_block(64*27926,64*279260)) onto 128",
                       "[19659904] (block) onto 128");
    assert_int_equal(choice.method.staging, EFFORT_NEAR);
}

/* What is predicted for one message at a time depends on who comes first: a window that
 * seems better by less than a hundredth is not taken. */
static void where_one_figure_decides_ties_are_wider(void **unused)
{
    struct rates rates = rates_stated("1e-4,5.7e-9,0,8.5e-7,0", 1024);
    struct choice choice =
        choice_between(1024, &rates, "mesh(32,32)", "[4915200] (cyclic(64)) onto 1024",
                       "[4915200] (cyclic(64)) onto 768");
    assert_null(choice.method.exchange);
}

static void a_window_comes_before_all_that_go_by_the_same_order(void **unused)
{
    struct load load = load_of(16, 6, 64 * KIB), short_ones = load_of(256, 255, 64);
    struct rates rates = rates_assume(1e-4, 3e-9, 0, 16);
    struct choice choice = {.method = {&schedule_timeline, 0, &exchange_window, 2, 0},
                            .strain = 1};
    struct candidate candidates[CHOOSE_MOST];
    assert_true(choose_rank(&load, &rates, CAP, 8, &choice, candidates) > 1);
    assert_string_equal(candidates[0].strategy.text, "timeline/window(2)");
    assert_string_equal(candidates[1].strategy.text, "timeline/nonblocking");
    assert_string_equal(choose(&load, &rates, CAP).strategy.text, "nonblocking");
    /* but not before what sends fewer of them */
    rates = rates_default(256);
    assert_true(choose_rank(&short_ones, &rates, CAP, 8, &choice, candidates) > 1);
    assert_string_equal(candidates[0].strategy.text, "aggregated");
}

/* And is kept to where nobody is in its way, as where no network is known. */
static void an_order_that_is_given_is_kept(void **unused)
{
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    struct load load = load_of(16, 6, 64 * KIB);
    struct candidate candidates[CHOOSE_MOST];
    static const char *const crossbars[] = {"tree(16)", NULL};
    for (int k = 0; k < 2; k++) {
        struct choice choice =
            choice_along(&schedule_dense, 2400000, crossbars[k], &rates);
        assert_true(choice.given && choice.method.parameter == 1);
        assert_ptr_equal(choice.method.schedule, &schedule_dense);
        int n = choose_rank(&load, &rates, CAP, 8, &choice, candidates);
        assert_string_equal(candidates[0].strategy.text, "dense/window(1)");
        for (int c = 0; c < n; c++)
            assert_ptr_equal(candidates[c].strategy.schedule, &schedule_dense);
    }
    struct choice choice = choice_along(&schedule_dense, 2400000, "mesh(16)", &rates);
    assert_ptr_equal(choice.method.schedule, &schedule_dense);
    assert_null(choice.method.exchange);
}

/* All messages are of one length, so that all orders in as few steps take as long at
 * their ends; on a mesh they share links, in some orders more than in others. */
static void what_is_least_goes_by_the_order_that_links_prefer(void **unused)
{
    static const struct schedule_kind *const least[] = {&schedule_optimal,
                                                        &schedule_timeline};
    struct rates rates = rates_in_turn(64);
    struct problem problem;
    problem_over(64, &rates, "mesh(8,8)", "[9830400] (cyclic(64)) onto 64",
                 "[9830400] (cyclic(64)) onto 48", &problem);
    for (int k = 0; k < 2; k++) {
        problem.query.schedule = least[k];
        problem.query.topology = NULL;
        assert_ptr_equal(chosen(&problem).method.schedule, least[k]);
        problem.query.topology = problem.topology;
        struct choice choice = chosen(&problem);
        assert_true(choice.given);
        assert_ptr_not_equal(choice.method.schedule, least[k]);
    }
    problem_free(&problem);
}

/* Another is easier on these links, but messages of one step of it differ in length. */
static void what_takes_longer_does_not_go_for_what_is_least(void **unused)
{
    static const struct schedule_kind *const least[] = {&schedule_optimal,
                                                        &schedule_timeline};
    struct rates rates = rates_in_turn(16);
    struct problem problem;
    problem_over(16, &rates, "torus(4,4)", "[307200] (cyclic(3)) onto 16",
                 "[307200] (cyclic(7)) onto 12", &problem);
    assert_ptr_not_equal(chosen(&problem).method.schedule, &schedule_timeline);
    for (int k = 0; k < 2; k++) {
        problem.query.schedule = least[k];
        assert_ptr_equal(chosen(&problem).method.schedule, least[k]);
    }
    problem_free(&problem);
}

/* Here what messages that take longer at their ends save on the links is more. */
static void what_takes_longer_goes_if_links_make_up_for_it(void **unused)
{
    struct rates rates = rates_in_turn(16);
    struct problem problem;
    problem_over(16, &rates, "torus(4,4)", "[307200] (cyclic(5)) onto 16",
                 "[307200] (cyclic(8)) onto 16", &problem);
    problem.query.schedule = &schedule_timeline;
    assert_ptr_equal(chosen(&problem).method.schedule, &schedule_shifted);
    problem_free(&problem);
}

/* Of many orders that are drawn one is lucky: what saves little is not taken. */
static void what_is_drawn_is_taken_if_it_saves_more_than_luck(void **unused)
{
    static const struct {
        const char *network, *source, *target;
        bool drawn;
    } cases[] = {
        {"tree(4:4,4)", "[2457600] (cyclic(3)) onto 16", "[2457600] (cyclic(5)) onto 16",
         true},
        {"mesh(4,4)", "[2457600] (cyclic(64)) onto 16", "[2457600] (cyclic(64)) onto 12",
         false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct rates rates = rates_in_turn(16);
        struct choice choice = choice_between(16, &rates, cases[k].network,
                                              cases[k].source, cases[k].target);
        struct candidate candidates[CHOOSE_MOST];
        struct load load = load_of(16, 3, 64 * KIB);
        assert_int_equal(choice.method.seed > 0, cases[k].drawn);
        assert_true(choose_rank(&load, &rates, CAP, 8, &choice, candidates) > 0);
        char order[SCHEDULE_NAME_SIZE];
        schedule_print(choice.method.schedule, choice.method.seed, order);
        assert_int_equal(strncmp(candidates[0].strategy.text, order, strlen(order)), 0);
    }
}

/* Messages of 1,024 on a torus pass too many links for what they take to be found out,
 * if they are shared: of many orders one would be lucky by a model of others. */
static void none_is_drawn_where_shared_links_are_not_known(void **unused)
{
    struct rates rates = rates_stated("1e-5,5.7e-9,0,8.5e-7,1", 1024);
    struct problem problem;
    problem_over(1024, &rates, "torus(32,32)", "[157286400] (cyclic(64)) onto 1024",
                 "[157286400] (cyclic(64)) onto 768", &problem);
    problem.query.schedule = &schedule_optimal;
    assert_int_equal(chosen(&problem).method.seed, 0);
    problem_free(&problem);
}

static void rivals_differ(void **unused)
{
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 16);
    static const char *const networks[] = {NULL, "mesh(16)", "tree(4:1,4)"};
    for (int k = 0; k < 3; k++) {
        struct problem problem;
        struct method rivals[CHOOSE_RIVALS];
        int n = 0, orders = 1, links = 0;
        problem_make(2400000, networks[k], &rates, &problem);
        ok(choose_rivals(&problem.query, NULL, rivals, &n));
        assert_int_equal(n, CHOOSE_RIVALS);
        for (int i = 0; i < n; i++) {
            links += rivals[i].schedule == &schedule_links;
            orders += i > 0 && rivals[i].schedule != rivals[0].schedule;
            for (int j = 0; j < i; j++)
                assert_memory_not_equal(&rivals[i], &rivals[j], sizeof *rivals);
        }
        assert_true(orders > 1 && (k > 0) == (links > 0));
        problem.query.schedule = &schedule_dense; /* whose issues alone are tried */
        ok(choose_rivals(&problem.query, NULL, rivals, &n));
        assert_int_equal(n, 5);
        for (int i = 0; i < n; i++) assert_ptr_equal(rivals[i].schedule, &schedule_dense);
        problem_free(&problem);
    }
}

/* From cyclic(1) to blocks each element is a piece. */
static void schedules_of_very_many_pieces_are_not_simulated(void **unused)
{
    static const struct schedule_kind *const cut[] = {&schedule_timeline,
                                                      &schedule_walker_otto};
    static const char *const text[][SIDES] = {
        {"[404] (cyclic) onto 4", "[404] (block) onto 4"},
        {"[40004] (cyclic) onto 4", "[40004] (block) onto 4"}};
    struct rates rates = rates_assume(2e-6, 3e-9, 0, 4);
    for (int many = 0; many < 2; many++)
        for (int k = 0; k < 2; k++) {
            struct problem problem;
            struct method rivals[CHOOSE_RIVALS];
            int n = 0;
            problem_over(4, &rates, "tree(4)", text[many][REDIST_SOURCE],
                         text[many][REDIST_TARGET], &problem);
            problem.query.schedule = cut[k];
            ok(choose_rivals(&problem.query, NULL, rivals, &n));
            assert_int_equal(n > 0, !many);
            assert_ptr_equal(chosen(&problem).method.schedule, cut[k]);
            problem_free(&problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_messages_at_a_time_go_where_they_meet_nobody),
        cmocka_unit_test(where_links_are_shared_all_are_under_way),
        cmocka_unit_test(links_that_serve_one_at_a_time_count_most),
        cmocka_unit_test(orders_of_many_messages_are_tried_where_links_serve_one),
        cmocka_unit_test(long_blocks_go_in_pieces_of_the_better_length),
        cmocka_unit_test(lengths_are_tried_though_shared_links_take_too_long),
        cmocka_unit_test(where_one_figure_decides_ties_are_wider),
        cmocka_unit_test(a_window_comes_before_all_that_go_by_the_same_order),
        cmocka_unit_test(an_order_that_is_given_is_kept),
        cmocka_unit_test(what_is_least_goes_by_the_order_that_links_prefer),
        cmocka_unit_test(what_takes_longer_does_not_go_for_what_is_least),
        cmocka_unit_test(what_takes_longer_goes_if_links_make_up_for_it),
        cmocka_unit_test(what_is_drawn_is_taken_if_it_saves_more_than_luck),
        cmocka_unit_test(none_is_drawn_where_shared_links_are_not_known),
        cmocka_unit_test(rivals_differ),
        cmocka_unit_test(schedules_of_very_many_pieces_are_not_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
