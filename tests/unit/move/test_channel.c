/* SPDX-License-Identifier: MIT
 *
 * A channel between two threads: in runs with pieces, with an array, refused and with
 * nothing at all, each end sees what the other has written before, however the two are
 * scheduled; and so do several that tell each other by status flags. Built with
 * -fsanitize=thread this proves the order of all that is not atomic.
 */
#include <pthread.h>
#include <sched.h>

#include "unit/unit.h"

#include "move/node/status_flag.h"

enum { RUNS = 2000, PIECES = 7, SLOTS = 3, WORDS = 8, ARRAY = 5 };

/* What both ends share, and what lies in the sender's own array. */
static struct channel channel;
static int64_t slots[SLOTS][WORDS], array[WORDS];

static struct channel_end make_end(void)
{
    return (struct channel_end){.channel = &channel,
                                .slots = (char *)slots,
                                .slot = sizeof slots[0],
                                .nslots = SLOTS,
                                .all = PIECES};
}

/* The runs take turns; an offered array is refused every second time. */
static enum offer offer_of(int run)
{
    static const enum offer offers[] = {OFFER_PIECES, OFFER_ARRAYS, OFFER_NOTHING,
                                        OFFER_ARRAYS};
    return offers[run % 4];
}

static bool is_refused(int run) { return run % 4 == 3; }

static int64_t value(int run, int64_t piece, int word)
{
    return ((int64_t)run * PIECES + piece) * WORDS + word;
}

/* Give the slot of the next piece back. */
static void release(struct channel_end *end)
{
    end->done++;
    channel_give_back(end);
}

static void *send_all(void *unused)
{
    struct channel_end end = make_end();
    for (int run = 0; run < RUNS; run++) {
        for (int w = 0; w < WORDS; w++) array[w] = value(run, ARRAY, w);
        channel_offer(&end, offer_of(run));
        for (;;) {
            (void)channel_heed(&end);
            int64_t *slot = (int64_t *)(void *)channel_room(&end);
            if (slot) {
                for (int w = 0; w < WORDS; w++) slot[w] = value(run, end.done, w);
                channel_send(&end);
            } else if (channel_is_over(&end)) {
                break;
            } else {
                (void)sched_yield();
            }
        }
    }
    return unused;
}

/* Words that are not what they should be. */
static int64_t compare(const int64_t *words, int run, int64_t piece)
{
    int64_t wrong = 0;
    for (int w = 0; w < WORDS; w++) wrong += words[w] != value(run, piece, w);
    return wrong;
}

static int64_t receive_run(struct channel_end *end, int run)
{
    int64_t wrong = 0;
    enum offer offer;
    channel_listen(end);
    while (!channel_hear(end, &offer)) (void)sched_yield();
    wrong += offer != offer_of(run);
    if (offer == OFFER_ARRAYS && !is_refused(run)) wrong += compare(array, run, ARRAY);
    if (offer != OFFER_PIECES) channel_answer(end, is_refused(run));
    while (end->done < end->pieces) {
        const int64_t *slot = (const int64_t *)(const void *)channel_piece(end);
        if (slot) {
            wrong += compare(slot, run, end->done);
            release(end);
        } else {
            (void)sched_yield();
        }
    }
    return wrong;
}

static void each_end_sees_what_the_other_wrote(void **state)
{
    pthread_t sender;
    struct channel_end end = make_end();
    int64_t wrong = 0, before = channel.posted;
    assert_int_equal(pthread_create(&sender, NULL, send_all, NULL), 0);
    for (int run = 0; run < RUNS; run++) wrong += receive_run(&end, run);
    assert_int_equal(pthread_join(sender, NULL), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(channel.posted, channel.taken);
    assert_int_equal(channel.posted, before + RUNS + RUNS / 2 * PIECES);
}

/* What there is after a look. */
static char *room(struct channel_end *from)
{
    (void)channel_heed(from);
    return channel_room(from);
}

static bool is_over(struct channel_end *from)
{
    (void)channel_heed(from);
    return channel_is_over(from);
}

/* The sender packs no more than there is room for. */
static void a_slot_is_filled_anew_when_it_has_been_taken(void **state)
{
    struct channel_end from = make_end(), to = make_end();
    enum offer offer = OFFER_PIECES;
    channel_offer(&from, offer);
    channel_listen(&to);
    assert_true(channel_hear(&to, &offer));
    assert_null(channel_piece(&to));
    for (int k = 0; k < SLOTS; k++) {
        assert_ptr_equal(room(&from), slots[k]);
        channel_send(&from);
    }
    assert_null(room(&from));
    assert_ptr_equal(channel_piece(&to), slots[0]);
    assert_false(channel_heed(&from));
    release(&to);
    assert_true(channel_heed(&from));
    assert_false(channel_heed(&from));
    assert_ptr_equal(channel_room(&from), slots[0]);
    for (int k = SLOTS; k < PIECES; k++) {
        assert_false(is_over(&from));
        assert_non_null(room(&from));
        channel_send(&from);
        assert_non_null(channel_piece(&to));
        release(&to);
    }
    assert_null(room(&from));
    assert_true(is_over(&from));
    while (channel_piece(&to)) release(&to);
}

/* A sender whose pieces all have room goes on to the next run, but to no third; there are
 * no more pieces of both runs than slots, and none is taken for one of the other. */
static void a_sender_is_a_run_ahead_of_its_receiver(void **state)
{
    struct channel_end from = make_end(), to = make_end();
    from.all = to.all = SLOTS - 1;
    for (int run = 0; run < RUNS; run++) {
        enum offer offer = OFFER_NOTHING;
        int64_t n = 0;
        if (run == 0) channel_offer(&from, OFFER_PIECES);
        for (int k = run == 0 ? 0 : 1; k < SLOTS - 1; k++) {
            assert_non_null(room(&from));
            channel_send(&from);
        }
        assert_true(is_over(&from));
        channel_offer(&from, OFFER_PIECES);
        assert_non_null(room(&from));
        channel_send(&from);
        assert_null(room(&from));
        assert_false(is_over(&from));
        channel_listen(&to);
        assert_true(channel_hear(&to, &offer));
        assert_int_equal(offer, OFFER_PIECES);
        for (int k = 0; k < SLOTS - 1; k++) {
            int slot = (run * (SLOTS - 1) + k) % SLOTS;
            assert_ptr_equal(channel_piece(&to), slots[slot]);
            assert_ptr_equal(channel_pieces(&to, &n), slots[slot]);
            assert_int_equal(n, slot == SLOTS - 1 ? 1 : SLOTS - 1 - k);
            release(&to);
        }
        assert_null(channel_piece(&to));
        assert_null(channel_pieces(&to, &n));
    }
    channel_listen(&to); /* what is left of the last, for the next test */
    channel_take(&to, 2);
}

/* However much room there is; and each run has the offer that it began with. */
static void no_sender_is_two_runs_ahead(void **state)
{
    struct channel_end from = make_end(), to = make_end();
    enum offer offer = OFFER_ARRAYS;
    from.all = to.all = 1;
    for (int run = 0; run < 2; run++) {
        channel_offer(&from, OFFER_PIECES);
        assert_non_null(room(&from));
        channel_send(&from);
        assert_int_equal(is_over(&from), run == 0);
    }
    for (int run = 0; run < 2; run++) {
        channel_listen(&to);
        assert_true(channel_hear(&to, &offer));
        assert_int_equal(offer, OFFER_PIECES);
        assert_non_null(channel_piece(&to));
        release(&to);
        if (run > 0) continue;
        assert_true(is_over(&from));
        channel_offer(&from, OFFER_NOTHING);
    }
    assert_false(is_over(&from));
    channel_listen(&to);
    assert_true(channel_hear(&to, &offer));
    assert_int_equal(offer, OFFER_NOTHING);
    channel_answer(&to, false);
    assert_true(is_over(&from));
}

/* However late the answer comes, a refused array is not taken for one that was read. */
static void a_refusal_is_no_end(void **state)
{
    struct channel_end from = make_end(), to = make_end();
    enum offer offer = OFFER_ARRAYS;
    channel_offer(&from, offer);
    channel_listen(&to);
    assert_null(room(&from));
    assert_true(channel_hear(&to, &offer));
    channel_answer(&to, true);
    assert_false(is_over(&from));
    for (int k = 0; k < PIECES; k++) {
        assert_non_null(room(&from));
        channel_send(&from);
        assert_non_null(channel_piece(&to));
        release(&to);
    }
    assert_true(is_over(&from));
}

/* A receiver may refuse an array and give pieces back that it does not need (of a source
 * window) before the sender looks: it still learns that it must send them. */
static void a_refusal_is_heard_after_pieces_are_given_back(void **state)
{
    struct channel_end from = make_end(), to = make_end();
    enum offer offer = OFFER_ARRAYS;
    channel_offer(&from, offer);
    channel_listen(&to);
    assert_true(channel_hear(&to, &offer));
    channel_answer(&to, true);
    release(&to);
    for (int k = 0; k < PIECES; k++) {
        assert_non_null(room(&from));
        channel_send(&from);
        if (k > 0) release(&to);
    }
    assert_true(is_over(&from));
}

/* ---- status flags
 * ----------------------------------------------------------------------- */

enum { THREADS = 3 };

struct teller {
    int rank;
    int64_t wrong; /* what it has heard that was not said */
};

static struct status_flag flags[THREADS];
static int64_t said[THREADS][2]; /* not atomic: the status flag orders it */

static bool has_invalid_buffers(int rank, int64_t run) { return (run + rank) % 5 == 0; }

/* Tell all others in each run, and hear them before the next. */
static void *tell_all(void *context)
{
    struct teller *teller = context;
    for (int64_t run = 1; run <= RUNS; run++) {
        said[teller->rank][run % 2] = run;
        status_flag_post(&flags[teller->rank], run,
                         has_invalid_buffers(teller->rank, run));
        for (int k = 0; k < THREADS; k++) {
            bool buffers_invalid = false;
            while (!status_flag_read(&flags[k], run, &buffers_invalid))
                (void)sched_yield();
            teller->wrong +=
                buffers_invalid != has_invalid_buffers(k, run) || said[k][run % 2] != run;
        }
    }
    return NULL;
}

static void all_hear_what_each_says_in_a_run(void **state)
{
    pthread_t thread[THREADS];
    struct teller teller[THREADS];
    for (int k = 0; k < THREADS; k++) {
        teller[k] = (struct teller){.rank = k};
        assert_int_equal(pthread_create(&thread[k], NULL, tell_all, &teller[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_int_equal(teller[k].wrong, 0);
    }
}

/* One that has gone on to the next run is still heard in the one before. */
static void a_status_flag_lasts_until_the_run_after_the_next(void **state)
{
    struct status_flag flag = {.holds = true};
    bool buffers_invalid = false;
    assert_false(status_flag_read(&flag, 1, &buffers_invalid));
    status_flag_post(&flag, 1, true);
    assert_false(status_flag_read(&flag, 2, &buffers_invalid));
    status_flag_post(&flag, 2, false);
    assert_true(status_flag_read(&flag, 1, &buffers_invalid));
    assert_true(buffers_invalid);
    assert_true(status_flag_read(&flag, 2, &buffers_invalid));
    assert_false(buffers_invalid);
    assert_false(status_flag_read(&flag, 3, &buffers_invalid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_is_filled_anew_when_it_has_been_taken),
        cmocka_unit_test(a_refusal_is_no_end),
        cmocka_unit_test(a_refusal_is_heard_after_pieces_are_given_back),
        cmocka_unit_test(a_sender_is_a_run_ahead_of_its_receiver),
        cmocka_unit_test(no_sender_is_two_runs_ahead),
        cmocka_unit_test(each_end_sees_what_the_other_wrote),
        cmocka_unit_test(a_status_flag_lasts_until_the_run_after_the_next),
        cmocka_unit_test(all_hear_what_each_says_in_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
