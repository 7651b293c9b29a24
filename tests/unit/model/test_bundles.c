/* SPDX-License-Identifier: MIT
 *
 * Bundles of messages for neighbours: which there are, and what they take over a network.
 */
#include "unit/scene.h"

#include "base/error.h"
#include "schedule/network/bundles.h"
#include "unit/starve.h"

static void groups_are_about_as_many_as_their_members(void **unused)
{
    static const int ranks[] = {1, 2, 4, 5, 16, 17, 1024};
    static const int members[] = {1, 2, 2, 3, 4, 5, 32};
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
        assert_int_equal(bundles_group(ranks[k]), members[k]);
}

/* ---- which ------------------------------------------------------------------------- */

static void assert_bundles(const struct scene *scene, int group, bool any, int64_t n,
                           const struct piece expected[])
{
    struct readout out = {0};
    bool some = !any;
    ok(bundles_list(&scene->input, group, &out, &some));
    assert_int_equal(some, any);
    assert_int_equal(out.n, n);
    for (int64_t k = 0; k < n; k++) {
        assert_int_equal(readout_compare(&out.piece[k], &expected[k]), 0);
        assert_int_equal(out.piece[k].weight, expected[k].weight);
    }
    readout_free(&out);
}

/* Of 0 1 | 2 3 | 4 what 0 has for 2 and 3 goes to 2, and what 1 has to 3; what is alone
 * goes straight, within a group on hop 1. What 1 keeps goes nowhere. */
static void who_passes_on_is_one_of_those_it_is_for(void **unused)
{
    static const struct edge edges[] = {{0, 0, 128}, {1, 0, 32}, {1, 1, 16}, {1, 2, 64},
                                        {2, 0, 2},   {2, 1, 1},  {2, 2, 8},  {2, 3, 4}};
    static const struct piece bundles[] = {
        {0, 2, 1 + 2, 0}, {0, 4, 4, 0}, {1, 3, 16 + 32, 0}, {4, 3, 128, 0},
        {0, 1, 8, 1},     {2, 3, 2, 1}, {3, 2, 16, 1}};
    static const struct piece straight[] = {{0, 1, 8, 0},  {0, 2, 1, 0},  {0, 3, 2, 0},
                                            {0, 4, 4, 0},  {1, 2, 16, 0}, {1, 3, 32, 0},
                                            {4, 3, 128, 0}};
    const int source[] = {4, 1, 0}, target[] = {3, 2, 1, 4};
    struct scene scene;
    scene_make(3, source, 4, target, 8, edges, "tree(5)", &scene);
    assert_bundles(&scene, 2, true, 7, bundles);
    assert_bundles(&scene, 1, false, 7, straight);
    scene_free(&scene);
}

/* ---- what they take ---------------------------------------------------------------- */

static double seconds_of(const struct scene *scene, const struct model *model,
                         struct model_going going)
{
    double seconds[MODEL_BEGINNINGS];
    ok(model_bundles(2, &scene->input, model, &going, seconds));
    return seconds[MODEL_BY_MEDIAN];
}

static const int four[] = {0, 1, 2, 3};

/* Each of 0 1 | 2 3 has 1 for each other one: on either hop a bundle of 2, behind a
 * latency of 1. Those of the second hop wait for those of the first, or just for links.
 */
static void what_is_passed_on_waits_for_all_that_comes(void **unused)
{
    struct edge edges[12];
    struct scene scene;
    int n = 0;
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            if (p != q) edges[n++] = (struct edge){p, q, 1};
    scene_make(4, four, 4, four, n, edges, "tree(4)", &scene);
    for (int shared = 0; shared < 2; shared++) {
        struct model_going going = {.window = 4, .latency = 1, .shared = shared};
        assert_about(seconds_of(&scene, &bytes, going), 1 + 2 + 2);
        going.stepwise = true;
        assert_about(seconds_of(&scene, &bytes, going), 1 + 2 + 1 + 2);
    }
    scene_free(&scene);
}

/* Rank 0 has 1 for 2 and for 3. Both get all it has of 2, which at 3 has told 0, 1 and 3,
 * for 1 each, that it is well: the data does not, though it goes on to 3. In the end 3
 * hears that of 1 and 2. */
static void who_passes_on_tells_for_itself(void **unused)
{
    static const struct edge edges[] = {{0, 0, 1}, {0, 1, 1}};
    const struct model model = {.alpha = 2, .beta = 1, .unit = 1};
    struct scene scene;
    scene_make(1, four, 2, four + 2, 2, edges, "tree(4)", &scene);
    struct model_going going = {.window = 4, .stepwise = true, .reports_status = true};
    assert_about(seconds_of(&scene, &model, going), 3 + 1 + 1 + 2);
    scene_free(&scene);
}

static redist_err tell_seconds(const void *scene)
{
    const struct model_going going = {
        .window = 1, .stepwise = true, .reports_status = true};
    double seconds[MODEL_BEGINNINGS];
    return model_bundles(2, &((const struct scene *)scene)->input, &bytes, &going,
                         seconds);
}

static void a_failed_allocation_is_an_error(void **unused)
{
    static const struct edge edges[] = {{0, 0, 1}, {0, 1, 1}};
    struct scene scene;
    scene_make(1, four, 2, four + 2, 2, edges, "tree(4)", &scene);
    assert_true(each_allocation_fails_once(tell_seconds, &scene) > 0);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_about_as_many_as_their_members),
        cmocka_unit_test(who_passes_on_is_one_of_those_it_is_for),
        cmocka_unit_test(what_is_passed_on_waits_for_all_that_comes),
        cmocka_unit_test(who_passes_on_tells_for_itself),
        cmocka_unit_test(a_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
