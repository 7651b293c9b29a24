/* SPDX-License-Identifier: MIT
 *
 * Lists of runs that are written past the cache, against a reference that moves byte by
 * byte: elements of any size, arrays that begin anywhere, messages in pieces. The buffers
 * end where they must, so that a sanitizer sees a byte too many. REDIST_TEST_SEED=<seed>
 * repeats the cases. And which places become runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "move/kernel/stream.h"
#include "move/walk/listed.h"
#include "unit/nests.h"

enum { MOST_RUNS = 40, MOST_RUN = 3000, TURNS = 1000 };

static uint64_t first_seed(void)
{
    const char *given = getenv("REDIST_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20261122;
    print_message("REDIST_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* A message of these runs, which lie in any order in an array of `span` elements. */
struct sample {
    struct listed list;
    struct listed_run run[MOST_RUNS];
    int64_t span;
};

/* Runs of these lengths, with gaps between them or not. */
static void draw_sample(uint64_t *seed, int64_t n, const int64_t length[],
                        struct sample *sample)
{
    int64_t order[MOST_RUNS], at = 0;
    memset(sample, 0, sizeof *sample);
    for (int64_t k = 0; k < n; k++) order[k] = k;
    for (int64_t k = n - 1; k > 0; k--) {
        int64_t other = draw(seed, 0, k), swapped = order[k];
        order[k] = order[other];
        order[other] = swapped;
    }
    for (int64_t k = 0; k < n; k++) {
        sample->span += draw(seed, 0, 2);
        sample->run[order[k]].place = sample->span;
        sample->span += length[order[k]];
    }
    for (int64_t k = 0; k < n; at += length[k++]) sample->run[k].at = at;
    sample->list = (struct listed){.elements = at, .nruns = n, .run = sample->run};
}

/* Where element `e` of the message lies. */
static int64_t place_of(const struct sample *sample, int64_t e)
{
    int64_t k = 0;
    while (k + 1 < sample->list.nruns && sample->run[k + 1].at <= e) k++;
    return sample->run[k].place + (e - sample->run[k].at);
}

static void assert_same(const struct bytes *is, const struct bytes *should)
{
    for (int64_t k = 0; k < is->n; k++)
        if (is->at[k] != should->at[k])
            fail_msg("byte %ld of %ld differs", (long)k, (long)is->n);
}

static void runs_go_past_the_cache_to_where_they_belong(void **state)
{
    static const int64_t sizes[] = {1, 2, 4, 8, 12, 24, 100, 1024};
    const struct filling filling = {NULL, true};
    uint64_t seed = first_seed();
    for (int turn = 0; turn < TURNS; turn++) {
        struct sample source, target;
        int64_t size = sizes[draw(&seed, 0, 7)], n = draw(&seed, 1, MOST_RUNS);
        int64_t length[MOST_RUNS], most = int_max(draw(&seed, 1, MOST_RUN) / size, 1);
        for (int64_t k = 0; k < n; k++) length[k] = draw(&seed, 1, most);
        draw_sample(&seed, n, length, &target);
        draw_sample(&seed, n, length, &source);
        int64_t all = target.list.elements;
        struct bytes from = bytes_make(source.span * size, draw(&seed, 0, 70), seed);
        struct bytes dense = bytes_make(all * size, draw(&seed, 0, 70), seed + 1);
        struct bytes to = bytes_make(target.span * size, draw(&seed, 0, 70), seed + 2);
        struct bytes should = bytes_like(&to);
        const bool copies = draw(&seed, 0, 1);
        for (int64_t e = 0; e < all; e++) {
            const char *element =
                copies ? from.at + place_of(&source, e) * size : dense.at + e * size;
            memcpy(should.at + place_of(&target, e) * size, element, (size_t)size);
        }
        for (int64_t at = 0, count; at < all; at += count) {
            count = draw(&seed, 1, all - at);
            if (copies)
                listed_copy(&source.list, &target.list, at, count, size, filling, from.at,
                            to.at);
            else
                listed_scatter(&target.list, at, count, size, filling,
                               dense.at + at * size, to.at);
        }
        stream_fence();
        assert_same(&to, &should);
        free(from.block), free(dense.block), free(to.block), free(should.block);
    }
}

static void only_long_runs_go_past_the_cache(void **state)
{
    const struct listed_run run[2] = {{0, 64}, {64, 0}};
    const uint32_t place[2] = {1, 0};
    const struct blocked_scatter scatter = {.elements = 128};
    struct listed list = {.elements = 128, .nruns = 2, .run = run};
    assert_true(listed_streams(&list, 8));
    assert_false(listed_streams(&list, 4));
    list.scatter = &scatter;
    assert_false(listed_streams(&list, 8));
    list = (struct listed){.elements = 2, .place = place};
    assert_false(listed_streams(&list, 1024));
}

/* Messages of runs of 16, of 15 and of 16 again. */
static void places_in_long_runs_become_runs(void **state)
{
    enum { RUNS = 3, APART = 100 };
    static const int64_t length[] = {LISTED_LONG, LISTED_LONG - 1, LISTED_LONG};
    struct mem_account account = {0, 0};
    for (int n = 1; n <= 3; n += 2) {
        struct listed message[3] = {{0}};
        struct listing listing = {.n = n, .message = message};
        uint32_t *place = mem_alloc(&account, n * RUNS * LISTED_LONG, sizeof *place);
        assert_non_null(place);
        listing.place = place;
        for (int m = 0; m < n; m++) {
            message[m] = (struct listed){.elements = RUNS * length[m], .place = place};
            for (int64_t k = 0; k < message[m].elements; k++)
                *place++ = (uint32_t)(k / length[m] * APART + k % length[m]);
        }
        assert_true(listing_shorten(&account, &listing));
        assert_int_equal(listing.place != NULL, n == 3); /* the second has them still */
        for (int m = 0; m < n; m++) {
            assert_int_equal(message[m].nruns, m == 1 ? 0 : RUNS);
            assert_int_equal(message[m].place != NULL, m == 1);
            for (int64_t k = 0; k < message[m].nruns; k++) {
                assert_int_equal(message[m].run[k].at, k * LISTED_LONG);
                assert_int_equal(message[m].run[k].place, k * APART);
            }
        }
        mem_free(listing.place);
        mem_free(listing.run);
    }
    assert_int_equal(account.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_go_past_the_cache_to_where_they_belong),
        cmocka_unit_test(only_long_runs_go_past_the_cache),
        cmocka_unit_test(places_in_long_runs_become_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
