/* SPDX-License-Identifier: MIT
 *
 * A misspelt name finds the one that is meant, wherever names are looked up.
 */
#include <string.h>

#include "unit/unit.h"

#include "base/error.h"
#include "base/nearest.h"
#include "move/registry/exchanges.h"
#include "plan/choice/strategy.h"
#include "schedule/registry/schedules.h"
#include "tool/store/partial.h"

static void expect_hint(const char *word, const char *hint)
{
    static const char *const names[] = {"block", "cyclic", "gen_block", "indirect", "on"};
    char text[NEAREST_HINT_SIZE];
    struct nearest nearest = nearest_to(word);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        nearest_offer(&nearest, names[k]);
    assert_string_equal(nearest_hint(&nearest, text), hint);
}

static void a_misspelt_word_finds_its_name(void **state)
{
    expect_hint("cyclc", " (did you mean cyclic?)");    /* one is missing */
    expect_hint("cyclicc", " (did you mean cyclic?)");  /* one too many */
    expect_hint("cyclik", " (did you mean cyclic?)");   /* another */
    expect_hint("cylcic", " (did you mean cyclic?)");   /* two swapped */
    expect_hint("CYCLC(4)", " (did you mean cyclic?)"); /* in capitals, with a number */
    expect_hint("ind", " (did you mean indirect?)");    /* how it begins */
    expect_hint("genblock", " (did you mean gen_block?)");
    expect_hint("blokc", " (did you mean block?)");
}

static void what_is_far_from_all_finds_nothing(void **state)
{
    expect_hint("", "");
    expect_hint("no", ""); /* one of two characters is more than a third */
    expect_hint("in", "");
    expect_hint("diagonal", "");
    expect_hint("clock-wise", "");
    expect_hint("cyclic-cyclic-cyclic-cyclic-cyclic-cyclic-cyclic", "");
}

static void the_nearest_counts_and_of_two_the_first(void **state)
{
    struct nearest nearest = nearest_to("walker-otto");
    nearest_offer(&nearest, "walker-otto-b"); /* begins so, but is another */
    assert_string_equal(nearest.name, "walker-otto-b");
    nearest_offer(&nearest, "walker-otto");
    assert_string_equal(nearest.name, "walker-otto");
    nearest = nearest_to("LBOR");
    nearest_offer(&nearest, "LXOR");
    nearest_offer(&nearest, "LOR");
    assert_string_equal(nearest.name, "LXOR");
}

/* The sentence of a wrong strategy begins like this. */
static void expect_strategy(const char *text, const char *sentence)
{
    struct strategy strategy;
    assert_int_equal(strategy_parse(text, &strategy), REDIST_ERR_ARG);
    if (strncmp(redist_error_message(), sentence, strlen(sentence)) != 0)
        fail_msg("%s\n  says:     %s\n  expected: %s", text, redist_error_message(),
                 sentence);
}

static void strategies_are_looked_up_so(void **state)
{
    expect_strategy("nonblokcing", "unknown strategy \"nonblokcing\" (did you mean "
                                   "nonblocking?), there are: auto, ");
    expect_strategy("windw(3)", "unknown strategy \"windw(3)\" (did you mean window?), ");
    expect_strategy("atuo", "unknown strategy \"atuo\" (did you mean auto?), ");
    expect_strategy("optiml", "unknown schedule \"optiml\" (did you mean optimal?), ");
    expect_strategy("optiml/sendrecv",
                    "unknown schedule \"optiml\" (did you mean optimal?), ");
    expect_strategy("optimal/sendrcv",
                    "unknown strategy \"sendrcv\" (did you mean sendrecv?), ");
    expect_strategy("telepathy", "unknown strategy \"telepathy\", there are: auto, ");
}

static void every_name_is_found_as_before(void **state)
{
    struct strategy strategy;
    for (size_t k = 0; schedules[k]; k++) {
        assert_int_equal(strategy_parse(schedules[k]->name, &strategy), REDIST_OK);
        if (strcmp(schedules[k]->name, "naive") != 0)
            assert_ptr_equal(strategy.schedule, schedules[k]);
    }
    for (size_t k = 0; exchanges[k]; k++) {
        assert_int_equal(strategy_parse(exchanges[k]->name, &strategy), REDIST_OK);
        assert_ptr_equal(strategy.exchange, exchanges[k]);
    }
}

static void reductions_are_looked_up_so(void **state)
{
    redist_reduction reduction;
    assert_int_equal(partial_parse("PRDO", &reduction), REDIST_ERR_ARG);
    assert_string_equal(redist_error_message(),
                        "--reduction is \"PRDO\" (did you mean PROD?), must be SUM, "
                        "PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR or BXOR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_word_finds_its_name),
        cmocka_unit_test(what_is_far_from_all_finds_nothing),
        cmocka_unit_test(the_nearest_counts_and_of_two_the_first),
        cmocka_unit_test(strategies_are_looked_up_so),
        cmocka_unit_test(every_name_is_found_as_before),
        cmocka_unit_test(reductions_are_looked_up_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
