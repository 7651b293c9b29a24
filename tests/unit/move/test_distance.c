/* SPDX-License-Identifier: MIT
 *
 * How far a receiver is, from what is told of the times that its news take.
 */
#include "unit/unit.h"

#include "move/node/distance.h"

#define SOON (DISTANCE_FRESH / 2)

enum { SHORT, LONG };

static void learn(struct distance *distance, int n, bool far)
{
    for (int k = 0; k < n; k++) distance_vote(distance, far);
}

static void most_news_decide(void **state)
{
    struct distance distance = {.learned = true, .votes = &distance.own};
    assert_false(distance_is_far(&distance));
    learn(&distance, 1, LONG);
    assert_true(distance_is_far(&distance));
    learn(&distance, 4, SHORT);
    assert_false(distance_is_far(&distance));
    for (int k = 0; k < 20; k++) { /* two of three may be short by chance */
        learn(&distance, 1, LONG);
        learn(&distance, 2, SHORT);
    }
    assert_true(distance_is_far(&distance));
    for (int k = 0; k < 20; k++) {
        learn(&distance, 1, LONG);
        learn(&distance, 8, SHORT);
    }
    assert_false(distance_is_far(&distance));
}

/* And what was long ago is forgotten. */
static void a_few_news_change_nothing(void **state)
{
    struct distance distance = {.learned = true, .votes = &distance.own};
    learn(&distance, 1000, LONG);
    learn(&distance, 3, SHORT);
    assert_true(distance_is_far(&distance));
    learn(&distance, 1000, SHORT);
    learn(&distance, 2, LONG);
    assert_false(distance_is_far(&distance));
    learn(&distance, 20, LONG);
    assert_true(distance_is_far(&distance));
}

static void old_news_do_not_count(void **state)
{
    bool far = false;
    double begin = distance_now() - 10 * DISTANCE_NEAR;
    _Atomic double when = begin - SOON;
    assert_true(distance_judge(&when, begin, true, &far));
    assert_true(far);
    assert_false(distance_judge(&when, begin, false, &far));
    when = begin - 2 * DISTANCE_FRESH;
    assert_false(distance_judge(&when, begin, true, &far));
    distance_note(&when);
    assert_true(when > begin);
    assert_true(distance_judge(&when, when, true, &far));
}

static void what_the_receiver_tells_counts_once(void **state)
{
    struct channel channel = {.told = 0};
    struct channel_end end = {.channel = &channel, .runs = 1};
    struct distance distance = {.learned = true, .votes = &distance.own};
    double begin = distance_now() - 10 * DISTANCE_NEAR;
    channel.posted_at = begin - SOON;
    distance_tell(begin, true, &channel);
    for (int k = 0; k < 9; k++) distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, DISTANCE_FAR);
    distance_tell(begin, true, &channel);
    distance_tell(begin, false, &channel); /* nothing */
    distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, 2 * DISTANCE_FAR);
    channel.told++; /* near */
    distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, 2 * DISTANCE_FAR - 1);
}

static void of_short_messages_few_runs_are_timed(void **state)
{
    int timed = 0;
    for (int k = 0; k < 10 * DISTANCE_SELDOM; k++) {
        timed += distance_is_timed(k, DISTANCE_LONG - 1);
        assert_true(distance_is_timed(k, DISTANCE_LONG));
    }
    assert_int_equal(timed, 10);
}

/* Whatever is known of others, and news from there say nothing of them. */
static void the_own_core_is_known(void **state)
{
    struct channel channel = {.taken = 1};
    struct channel_end end = {.channel = &channel};
    struct distance distance = {.learned = true, .votes = &distance.own};
    for (int k = 0; k < 100; k++) { /* the system may move the process meanwhile */
        int core = distance_core();
        distance_tell_core(&channel, 0);
        bool none = distance_is_none(&channel);
        distance_tell_core(&channel, core + 1);
        bool elsewhere = distance_is_none(&channel);
        distance_tell_core(&channel, core);
        bool here = distance_is_none(&channel);
        channel.taken++;
        distance_note(&channel.taken_at);
        distance_heed(&distance, &end, DISTANCE_LONG);
        if (distance_core() != core) {
            distance.own = 0;
            continue;
        }
        assert_false(none || elsewhere);
        assert_int_equal(here, core > 0);
        if (core > 0) assert_int_equal(distance.own, 0);
    }
}

static void some_learn_for_others(void **state)
{
    struct distance first = {.learned = true, .votes = &first.own};
    struct distance second = {.learned = true, .votes = first.votes};
    learn(&first, 4, SHORT);
    learn(&second, 1, LONG);
    assert_false(distance_is_far(&second));
    learn(&second, 1, LONG);
    assert_true(distance_is_far(&first));
}

/* However long they take. */
static void looks_in_vain_do_not_count(void **state)
{
    struct channel channel = {.taken = 1};
    struct channel_end end = {.channel = &channel};
    struct distance distance = {.learned = true, .votes = &distance.own};
    distance_heed(&distance, &end, DISTANCE_LONG); /* news, but nobody says of when */
    assert_int_equal(end.taken, 1);
    channel.taken_at = distance_now() + 3600; /* fresh, however long this takes */
    for (int k = 0; k < 1000; k++) distance_heed(&distance, &end, DISTANCE_LONG);
    assert_int_equal(distance.own, 0);
    channel.taken++;
    distance_heed(&distance, &end, DISTANCE_LONG);
    assert_int_not_equal(distance.own, 0);
}

static void what_is_said_stays(void **state)
{
    struct channel channel = {.taken = 0};
    struct channel_end end = {.channel = &channel};
    struct distance distance = {.votes = &distance.own, .own = 1};
    for (int k = 1; k < 1000; k++) {
        channel.taken = k;
        distance_note(&channel.taken_at);
        distance_heed(&distance, &end, DISTANCE_LONG);
        assert_int_equal(end.taken, k);
    }
    assert_true(distance_is_far(&distance));
    assert_int_equal(distance.own, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_news_decide),
        cmocka_unit_test(a_few_news_change_nothing),
        cmocka_unit_test(old_news_do_not_count),
        cmocka_unit_test(what_the_receiver_tells_counts_once),
        cmocka_unit_test(of_short_messages_few_runs_are_timed),
        cmocka_unit_test(the_own_core_is_known),
        cmocka_unit_test(some_learn_for_others),
        cmocka_unit_test(looks_in_vain_do_not_count),
        cmocka_unit_test(what_is_said_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
