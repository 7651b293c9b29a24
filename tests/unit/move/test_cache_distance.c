/* SPDX-License-Identifier: MIT
 *
 * How far a receiver is, from what is told of the times that its news take.
 */
#include "unit/unit.h"

#include "move/node/cache_distance.h"

#define SOON (CACHE_FRESH_SECONDS / 2)

enum { SHORT, LONG };

static void learn(struct cache_distance *distance, int n, bool far)
{
    for (int k = 0; k < n; k++) cache_distance_vote(distance, far);
}

static void most_news_decide(void **state)
{
    struct cache_distance distance = {.learned = true, .votes = &distance.own};
    assert_false(cache_is_remote(&distance));
    learn(&distance, 1, LONG);
    assert_true(cache_is_remote(&distance));
    learn(&distance, 4, SHORT);
    assert_false(cache_is_remote(&distance));
    for (int k = 0; k < 20; k++) { /* two of three may be short by chance */
        learn(&distance, 1, LONG);
        learn(&distance, 2, SHORT);
    }
    assert_true(cache_is_remote(&distance));
    for (int k = 0; k < 20; k++) {
        learn(&distance, 1, LONG);
        learn(&distance, 8, SHORT);
    }
    assert_false(cache_is_remote(&distance));
}

/* And what was long ago is forgotten. */
static void a_few_news_change_nothing(void **state)
{
    struct cache_distance distance = {.learned = true, .votes = &distance.own};
    learn(&distance, 1000, LONG);
    learn(&distance, 3, SHORT);
    assert_true(cache_is_remote(&distance));
    learn(&distance, 1000, SHORT);
    learn(&distance, 2, LONG);
    assert_false(cache_is_remote(&distance));
    learn(&distance, 20, LONG);
    assert_true(cache_is_remote(&distance));
}

static void old_news_do_not_count(void **state)
{
    bool far = false;
    double begin = cache_distance_now() - 10 * CACHE_SHARED_SECONDS;
    _Atomic double when = begin - SOON;
    assert_true(cache_distance_judge(&when, begin, true, &far));
    assert_true(far);
    assert_false(cache_distance_judge(&when, begin, false, &far));
    when = begin - 2 * CACHE_FRESH_SECONDS;
    assert_false(cache_distance_judge(&when, begin, true, &far));
    cache_distance_note(&when);
    assert_true(when > begin);
    assert_true(cache_distance_judge(&when, when, true, &far));
}

static void what_the_receiver_tells_counts_once(void **state)
{
    struct channel channel = {.reports = 0};
    struct channel_end end = {.channel = &channel, .runs = 1};
    struct cache_distance distance = {.learned = true, .votes = &distance.own};
    double begin = cache_distance_now() - 10 * CACHE_SHARED_SECONDS;
    channel.posted_at = begin - SOON;
    cache_distance_tell(begin, true, &channel);
    for (int k = 0; k < 9; k++) cache_distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, CACHE_REMOTE_VOTES);
    cache_distance_tell(begin, true, &channel);
    cache_distance_tell(begin, false, &channel); /* nothing */
    cache_distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, 2 * CACHE_REMOTE_VOTES);
    channel.reports++; /* near */
    cache_distance_heed(&distance, &end, 1);
    assert_int_equal(distance.own, 2 * CACHE_REMOTE_VOTES - 1);
}

static void of_short_messages_few_runs_are_timed(void **state)
{
    int timed = 0;
    for (int k = 0; k < 10 * CACHE_TIMED_SELDOM; k++) {
        timed += cache_distance_is_timed(k, CACHE_TIMED_LONG - 1);
        assert_true(cache_distance_is_timed(k, CACHE_TIMED_LONG));
    }
    assert_int_equal(timed, 10);
}

/* Whatever is known of others, and news from there say nothing of them. */
static void the_own_core_is_known(void **state)
{
    struct channel channel = {.taken = 1};
    struct channel_end end = {.channel = &channel};
    struct cache_distance distance = {.learned = true, .votes = &distance.own};
    for (int k = 0; k < 100; k++) { /* the system may move the process meanwhile */
        int core = cache_distance_core();
        cache_distance_tell_core(&channel, 0);
        bool none = cache_is_own(&channel);
        cache_distance_tell_core(&channel, core + 1);
        bool elsewhere = cache_is_own(&channel);
        cache_distance_tell_core(&channel, core);
        bool here = cache_is_own(&channel);
        channel.taken++;
        cache_distance_note(&channel.taken_at);
        cache_distance_heed(&distance, &end, CACHE_TIMED_LONG);
        if (cache_distance_core() != core) {
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
    struct cache_distance first = {.learned = true, .votes = &first.own};
    struct cache_distance second = {.learned = true, .votes = first.votes};
    learn(&first, 4, SHORT);
    learn(&second, 1, LONG);
    assert_false(cache_is_remote(&second));
    learn(&second, 1, LONG);
    assert_true(cache_is_remote(&first));
}

/* However long they take. */
static void looks_in_vain_do_not_count(void **state)
{
    struct channel channel = {.taken = 1};
    struct channel_end end = {.channel = &channel};
    struct cache_distance distance = {.learned = true, .votes = &distance.own};
    cache_distance_heed(&distance, &end,
                        CACHE_TIMED_LONG); /* news, but nobody says of when */
    assert_int_equal(end.taken, 1);
    channel.taken_at = cache_distance_now() + 3600; /* fresh, however long this takes */
    for (int k = 0; k < 1000; k++) cache_distance_heed(&distance, &end, CACHE_TIMED_LONG);
    assert_int_equal(distance.own, 0);
    channel.taken++;
    cache_distance_heed(&distance, &end, CACHE_TIMED_LONG);
    assert_int_not_equal(distance.own, 0);
}

static void what_is_said_stays(void **state)
{
    struct channel channel = {.taken = 0};
    struct channel_end end = {.channel = &channel};
    struct cache_distance distance = {.votes = &distance.own, .own = 1};
    for (int k = 1; k < 1000; k++) {
        channel.taken = k;
        cache_distance_note(&channel.taken_at);
        cache_distance_heed(&distance, &end, CACHE_TIMED_LONG);
        assert_int_equal(end.taken, k);
    }
    assert_true(cache_is_remote(&distance));
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
