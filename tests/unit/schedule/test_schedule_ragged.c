/* SPDX-License-Identifier: MIT
 *
 * Arrays that do not end with a period of their distributions: what schedules of them
 * cost. Their messages are checked by unit.every_schedule.
 */
#include <stdio.h>

#include "unit/unit.h"

#include "schedule/core/kinds.h"
#include "schedule/core/pattern.h"
#include "schedule/model/cost.h"

struct problem {
    redist_dist *dist[2];
    redist_view view[2];
    struct pattern pattern;
};

static void problem_make(struct problem *problem, const char *const text[2])
{
    for (int s = 0; s < 2; s++)
        ok(redist_view_parse(text[s], &problem->dist[s], &problem->view[s]));
    ok(pattern_make(&problem->view[0], &problem->view[1], &problem->pattern));
    ok(pattern_build_grid(&problem->pattern, INT64_MAX));
}

static void problem_free(struct problem *problem)
{
    pattern_free(&problem->pattern);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&problem->dist[s]);
}

static struct cost count(const struct problem *problem, const struct schedule_kind *kind)
{
    const struct schedule_input *input = &problem->pattern.input;
    const char *why = NULL;
    void *state = NULL;
    struct cost cost;
    if (!kind->applicable(input, &why)) fail_msg("%s: %s", kind->name, why);
    ok(kind->make(input, &state));
    ok(cost_count(kind, state, input, &cost));
    kind->free(state);
    return cost;
}

/* Few periods, and less than one: `optimal` has as few steps as the array's own degree,
 * and costs no more than `stepwise`; TC and W are those of the array's own messages. */
static void own_messages_count(void **unused)
{
    static const struct {
        const char *text[2];
        int64_t messages, delta, w, tc;
    } cases[] = {
        {{"[5841] (cyclic(14)) onto 22", "[5841] (cyclic(12)) onto 28"},
         528,
         24,
         266,
         388},
        {{"[20000] (cyclic(64)) onto 30", "[20000] (cyclic(64)) onto 31"},
         313,
         11,
         704,
         704},
        {{"[1000000] (block) onto 30", "[1000000] (block) onto 31"}, 60, 2, 33334, 64489},
        {{"[20000,20000] (block,block) onto 16x16",
          "[20000,20000] (block,block) onto 17x15"},
         960,
         4,
         1177 * 1334,
         3452452},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        problem_make(&problem, cases[k].text);
        struct cost optimal = count(&problem, &schedule_optimal);
        struct cost stepwise = count(&problem, &schedule_stepwise);
        assert_int_equal(optimal.messages, cases[k].messages);
        assert_int_equal(optimal.delta, cases[k].delta);
        assert_int_equal(optimal.ns, cases[k].delta);
        assert_int_equal(optimal.w, cases[k].w);
        assert_int_equal(optimal.tc, cases[k].tc);
        assert_true(optimal.tc <= stepwise.tc);
        assert_true(count(&problem, &schedule_timeline).tc < 2 * cases[k].w);
        problem_free(&problem);
    }
}

/* From many periods on, the steps are those of a period: what the rest adds is less than
 * one more period. */
static void many_periods_go_by_one(void **unused)
{
    enum { PERIOD = 3696, WHOLE = 40 };
    static const char *const one[2] = {"[3696] (cyclic(14)) onto 22",
                                       "[3696] (cyclic(12)) onto 28"};
    static const char *const many[2] = {"[149985] (cyclic(14)) onto 22",
                                        "[149985] (cyclic(12)) onto 28"};
    struct problem period, array;
    problem_make(&period, one);
    problem_make(&array, many);
    assert_int_equal(array.view[0].extent[0], WHOLE * PERIOD + 2145);
    assert_false(array.pattern.input.by_grid);
    struct cost part = count(&period, &schedule_optimal);
    struct cost all = count(&array, &schedule_optimal);
    int64_t unit = period.pattern.unit;
    assert_int_equal(all.ns, part.ns);
    assert_true(all.tc > WHOLE * part.tc * unit);
    assert_true(all.tc <= (WHOLE + 1) * part.tc * unit);
    assert_true(all.w > WHOLE * part.w * unit);
    assert_true(count(&array, &schedule_timeline).tc <= (WHOLE + 1) * part.w * unit);
    problem_free(&period);
    problem_free(&array);
}

/* ---- packing ----------------------------------------------------------------------- */

/* Tell whether a message is several blocks at one of its ends; whether one has several
 * runs. */
static bool any_is_scattered(const struct problem *problem, bool *several)
{
    const redist_view *view = problem->view;
    bool scattered = *several = false;
    for (int rank = 0; rank < redist_grid_size(view[0].dist->grid); rank++) {
        struct overlap overlap;
        ok(overlap_make(NULL, &view[0], &view[1], REDIST_SOURCE, rank, &overlap));
        for (int64_t k = 0; k < overlap.nmessages; k++) {
            const struct message *message = &overlap.message[k];
            const struct runs *runs = &overlap_partner(&overlap, message, 0)->runs;
            for (int s = 0; s < SIDES; s++) scattered |= !runs_contiguous(runs, s);
            *several |= runs->run[0].length < message->elements;
        }
        overlap_free(&overlap);
    }
    return scattered;
}

/* Which messages of a part of a period have several runs is not found out, nor which of
 * irregular formats. */
static void messages_of_several_blocks_are_packed(void **unused)
{
    static const char *const formats[] = {
        "block",           "cyclic", "cyclic(2)", "cyclic(3)", "gen_block(%d,3*0)",
        "indirect(0,%d*1)"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    for (int n = 1; n <= 40; n++)
        for (int k = 0; k < FORMATS * FORMATS; k++)
            for (int q = 2; q <= 5; q++) {
                char format[SIDES][40], text[SIDES][96];
                const int id[SIDES] = {k / FORMATS, k % FORMATS};
                for (int s = 0; s < SIDES; s++) {
                    (void)snprintf(format[s], sizeof format[s], formats[id[s]],
                                   id[s] == 4 ? n : n - 1);
                    (void)snprintf(text[s], sizeof text[s], "[%d] (%s) onto %d", n,
                                   format[s], s == 0 || id[s] == 4 ? 4 : q);
                }
                if (n == 1 && (id[0] == 5 || id[1] == 5)) continue; /* 0*1 is no list */
                struct problem problem;
                problem_make(&problem, (const char *const[]){text[0], text[1]});
                const struct schedule_input *input = &problem.pattern.input;
                bool several, scattered = any_is_scattered(&problem, &several);
                bool packs = pattern_packs(&problem.pattern);
                bool known = input->ndims == 1 && !input->is_part;
                if ((scattered && !packs) || (known && !several && packs))
                    fail_msg("%s -> %s: %s", text[0], text[1], packs ? "packs" : "not");
                problem_free(&problem);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_messages_count),
        cmocka_unit_test(many_periods_go_by_one),
        cmocka_unit_test(messages_of_several_blocks_are_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
