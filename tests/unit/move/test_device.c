/* SPDX-License-Identifier: MIT
 *
 * The queue of a device's moves (move/device/device.h) against the host's: random nests
 * and lists between device memory, pinned memory and other memory of the host, copied and
 * combined, in parts of the bounce buffer; and the numbers of a nest's units.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "device/device_memory.h"
#include "device/late_device.h"
#include "move/arith/combine.h"
#include "move/device/device.h"
#include "oracle.h"
#include "seed.h"

enum { CASES = 3000, MOST = 1 << 16 /* bytes of an array */ };
static int cases = CASES; /* or REDIST_TEST_CASES */

enum { DEVICE, HOST, PINNED, MEMORIES };

/* REDIST_TEST_DEVICE=cuda: a real one, without pinned memory. */
static const struct device_memory *device;
static bool is_late;
static const struct memory_kind *kind; /* of it */

/* An array in one kind of memory, and the same bytes in the host's. */
struct array {
    char *at, *plain;
};

/* Fill with numbers of a kind; NUMBER_NONE: with integers. */
static void fill(uint64_t *seed, enum number number, char *plain)
{
    bool singles = number == NUMBER_F4 || number == NUMBER_C8;
    bool doubles = number == NUMBER_F8 || number == NUMBER_C16;
    size_t size = singles ? sizeof(float) : sizeof(int64_t);
    for (size_t k = 0; k < MOST / size; k++) {
        int64_t integer = random_in(seed, -1000000, 1000000);
        double eighth = (double)integer / 7;
        float single = (float)eighth;
        memcpy(plain + k * size,
               singles   ? (void *)&single
               : doubles ? (void *)&eighth
                         : (void *)&integer,
               size);
    }
}

static struct array make_array(uint64_t *seed, int where, enum number number)
{
    struct array array = {.plain = malloc(MOST)};
    array.at = where == DEVICE              ? device->alloc(MOST)
               : where == PINNED && is_late ? late_device.alloc(MOST)
                                            : malloc(MOST);
    assert_true(array.at && array.plain);
    fill(seed, number, array.plain);
    if (where == DEVICE)
        device->put(array.at, array.plain, MOST);
    else
        memcpy(array.at, array.plain, MOST);
    return array;
}

static void free_array(struct array *array, int where)
{
    free(array->plain);
    if (where == DEVICE)
        device->free(array->at);
    else if (where == PINNED && is_late)
        late_device_free_pinned(array->at);
    else
        free(array->at);
}

/* Check that an array holds what its plain twin does. */
static void assert_twins(const struct array *array, int where)
{
    static char is[MOST];
    if (where == DEVICE) device->get(is, array->at, MOST);
    assert_memory_equal(where == DEVICE ? is : array->at, array->plain, MOST);
}

/* Draw a nest that fits the arrays, of whole numbers of `number` bytes if it combines,
 * 0: it does not: dense or with gaps on each side, loops in any order. */
static struct nest draw_nest(uint64_t *seed, int64_t number)
{
    static const int64_t blocks[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 512};
    struct nest nest = {.block = number > 0 ? number * random_in(seed, 1, 9)
                                            : blocks[random_in(seed, 0, 10)]};
    int64_t step[SIDES] = {nest.block, nest.block}, unit = number > 0 ? number : 1;
    int n = (int)random_in(seed, 0, 9);
    for (int k = 0; k < n; k++) {
        struct level *level = &nest.level[nest.n];
        level->count = random_in(seed, 1, k < 2 ? 40 : 3);
        bool fits = true;
        for (int s = 0; s < SIDES; s++) {
            level->step[s] =
                step[s] + unit * random_in(seed, 0, 3) * random_in(seed, 0, 1);
            fits = fits && level->step[s] * level->count <= MOST;
        }
        if (!fits) break;
        for (int s = 0; s < SIDES; s++) step[s] = level->step[s] * level->count;
        nest.n++;
    }
    for (int k = 0; k < nest.n / 2; k++) { /* outermost first */
        struct level level = nest.level[k];
        nest.level[k] = nest.level[nest.n - 1 - k];
        nest.level[nest.n - 1 - k] = level;
    }
    return nest;
}

/* Draw arithmetic of a kind of numbers: each form, coefficients of 0 and 1 too. Returns
 * false for a copy. */
static bool draw_combine(uint64_t *seed, enum number number, struct combine *combine)
{
    char coefficient[2][NUMBER_SIZE];
    for (int k = 0; k < 2; k++)
        for (int part = 0; part < 2; part++) {
            int64_t integer =
                random_in(seed, -2, 3) * random_in(seed, 0, 1) * (1 - part) +
                part * random_in(seed, 0, 1);
            double real = (double)integer / 4;
            float single = (float)real;
            int32_t four = (int32_t)integer;
            char *to = coefficient[k];
            switch (number) {
                case NUMBER_I4: memcpy(to, &four, part ? 0 : sizeof four); break;
                case NUMBER_I8: memcpy(to, &integer, part ? 0 : sizeof integer); break;
                case NUMBER_F4: memcpy(to, &single, part ? 0 : sizeof single); break;
                case NUMBER_F8: memcpy(to, &real, part ? 0 : sizeof real); break;
                case NUMBER_C8: memcpy(to + 4 * part, &single, sizeof single); break;
                default: memcpy(to + 8 * part, &real, sizeof real); break;
            }
        }
    bool conjugates = number_is_complex(number) && random_in(seed, 0, 1);
    return combine_make(number, conjugates, coefficient[0], coefficient[1], combine);
}

static void nests_are_moved(void **state)
{
    (void)state;
    uint64_t seed = seed_or(20261127);
    for (int k = 0; k < cases; k++) {
        int where[SIDES] = {(int)random_in(&seed, 0, MEMORIES - 1),
                            (int)random_in(&seed, 0, MEMORIES - 1)};
        static const int64_t bytes[NUMBERS] = {0, 4, 8, 4, 8, 8, 16};
        enum number number = (enum number)(random_in(&seed, 0, 1) *
                                           random_in(&seed, NUMBER_I4, NUMBERS - 1));
        struct array from = make_array(&seed, where[0], number);
        struct array to = make_array(&seed, where[1], number);
        struct combine combine;
        struct memory memory;
        struct nest nest = draw_nest(&seed, bytes[number]);
        bool combines = number != NUMBER_NONE && draw_combine(&seed, number, &combine);
        combine.adds_up = true; /* each meets itself */
        nest.combine = combines ? &combine : NULL;
        assert_int_equal(memory_open(&memory, kind, NULL), REDIST_OK);
        for (int turn = 0; turn < 1 + combines; turn++) {
            memory.kind->move(&memory, &nest, to.at, from.at);
            memory_host.kind->move(&memory_host, &nest, to.plain, from.plain);
        }
        assert_int_equal(memory_fence(&memory), REDIST_OK);
        memory_close(&memory);
        assert_twins(&to, where[1]);
        assert_twins(&from, where[0]);
        free_array(&from, where[0]);
        free_array(&to, where[1]);
    }
}

/* A real coefficient multiplies both parts of a complex number, also beside a complex
 * one: 0 times infinity would be a NaN. */
static void infinite_parts_stay_apart(void **state)
{
    (void)state;
    const double two[] = {2, 0}, complex[] = {3, 5};
    for (int side = 0; side < SIDES; side++) {
        uint64_t seed = 0;
        struct array array[SIDES];
        struct nest nest = {.block = 2 * sizeof(double)};
        struct combine combine;
        struct memory memory;
        for (int s = 0; s < SIDES; s++) {
            const double number[] = {s == side ? (double)INFINITY : 1, 1};
            array[s] = make_array(&seed, DEVICE, NUMBER_C16);
            memcpy(array[s].plain, number, sizeof number);
            device->put(array[s].at, array[s].plain, MOST);
        }
        nest.combine = &combine;
        assert_true(combine_make(NUMBER_C16, true, side ? complex : two,
                                 side ? two : complex, &combine));
        assert_int_equal(memory_open(&memory, kind, NULL), REDIST_OK);
        memory.kind->move(&memory, &nest, array[1].at, array[0].at);
        memory_host.kind->move(&memory_host, &nest, array[1].plain, array[0].plain);
        assert_int_equal(memory_fence(&memory), REDIST_OK);
        memory_close(&memory);
        double *is = (double *)(void *)array[1].plain;
        assert_true(is[0] == (double)INFINITY && is[1] == (side ? 4 : 6));
        assert_twins(&array[1], DEVICE);
        for (int s = 0; s < SIDES; s++) free_array(&array[s], DEVICE);
    }
}

/* Draw the places of n elements, no two the same, out of `room`. */
static void draw_places(uint64_t *seed, int64_t n, int64_t room, uint32_t place[])
{
    int64_t step = 1 + 2 * random_in(seed, 0, room), first = random_in(seed, 0, room - 1);
    while (int_gcd(step, room) > 1) step += 2;
    for (int64_t k = 0; k < n; k++) place[k] = (uint32_t)((first + k * step) % room);
}

static void lists_are_moved(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 4, 8, 24, 16, 1000};
    uint64_t seed = seed_or(20261127);
    for (int k = 0; k < cases; k++) {
        int where[SIDES] = {(int)random_in(&seed, 0, MEMORIES - 1),
                            (int)random_in(&seed, 0, MEMORIES - 1)};
        struct array from = make_array(&seed, where[0], NUMBER_I8);
        struct array to = make_array(&seed, where[1], NUMBER_I8);
        uint32_t place[SIDES][1024];
        struct listed list[SIDES];
        int64_t alpha = 2, beta = 1;
        bool combines = random_in(&seed, 0, 3) == 0;
        struct combine combine;
        struct memory memory;
        int64_t size = combines ? 8 : sizes[random_in(&seed, 0, 5)];
        int64_t room = MOST / size, n = random_in(&seed, 1, int_min(room, 1024));
        if (combines) (void)combine_make(NUMBER_I8, false, &alpha, &beta, &combine);
        combine.adds_up = true; /* each meets itself */
        struct blocks blocks = {.nest = {.block = size,
                                         .combine = combines ? &combine : NULL,
                                         .n = 1,
                                         .level = {{n, {size, size}}}}};
        for (int s = 0; s < SIDES; s++) {
            draw_places(&seed, n, room, place[s]);
            list[s] = (struct listed){.elements = n, .place = place[s]};
            if (random_in(&seed, 0, 2)) blocks.list[s] = &list[s];
        }
        assert_int_equal(memory_open(&memory, kind, NULL), REDIST_OK);
        for (int turn = 0; turn < 1 + combines; turn++) {
            memory.kind->move_blocks(&memory, &blocks, to.at, from.at);
            memory_move_blocks(&memory_host, &blocks, to.plain, from.plain);
        }
        assert_int_equal(memory_fence(&memory), REDIST_OK);
        memory_close(&memory);
        for (int s = 0; s < SIDES; s++) kind->leave(&list[s]);
        assert_twins(&to, where[1]);
        free_array(&from, where[0]);
        free_array(&to, where[1]);
    }
    assert_int_equal(late_device_counts().lists, 0);
    if (is_late) assert_true(late_device_counts().linears > cases / 30);
}

/* Moves of one fence begin in one launch. */
static void moves_begin_together(void **state)
{
    (void)state;
    struct memory memory;
    late_device_reset();
    char *from = late_device_alloc(MOST), *to = late_device_alloc(MOST);
    struct nest nest = {.block = 8};
    struct late_device_counts before = late_device_counts();
    assert_int_equal(memory_open(&memory, kind, NULL), REDIST_OK);
    for (int k = 0; k < 100; k++)
        memory.kind->move(&memory, &nest, to + 8 * k, from + 16 * k);
    assert_int_equal(memory_fence(&memory), REDIST_OK);
    memory_close(&memory);
    struct late_device_counts after = late_device_counts();
    assert_int_equal(after.launches - before.launches, 1);
    assert_int_equal(after.moves - before.moves, 100);
}

/* After a failing launch nothing is moved, and each fence has its error. */
static void an_error_is_kept(void **state)
{
    (void)state;
    struct memory memory;
    late_device_reset();
    char *from = late_device_alloc(MOST), *to = late_device_alloc(MOST);
    const struct nest nest = {.block = 8};
    memset(late_device_bytes(from), 1, MOST);
    memset(late_device_bytes(to), 2, MOST);
    assert_int_equal(memory_open(&memory, kind, NULL), REDIST_OK);
    late_device_fail(1);
    for (int k = 0; k < 2; k++) {
        memory.kind->move(&memory, &nest, to, from);
        assert_int_equal(memory_fence(&memory), REDIST_ERR_DEVICE);
        assert_string_equal(redist_error_message(),
                            "late device: a launch that was to fail");
    }
    memory_close(&memory);
    assert_int_equal(late_device_bytes(to)[0], 2);
    assert_int_equal(memory_move(&nest, to, from), REDIST_OK); /* in a new queue */
    assert_int_equal(late_device_bytes(to)[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests_are_moved), cmocka_unit_test(infinite_parts_stay_apart),
        cmocka_unit_test(lists_are_moved), cmocka_unit_test(moves_begin_together),
        cmocka_unit_test(an_error_is_kept)};
    const struct CMUnitTest on_cuda[] = {cmocka_unit_test(nests_are_moved),
                                         cmocka_unit_test(infinite_parts_stay_apart),
                                         cmocka_unit_test(lists_are_moved)};
    const char *few = getenv("REDIST_TEST_CASES");
    if (few) cases = atoi(few);
    device = device_memory_of_test(&kind);
    is_late = strcmp(device->name, "late") == 0;
    return is_late ? cmocka_run_group_tests(tests, NULL, NULL)
                   : cmocka_run_group_tests(on_cuda, NULL, NULL);
}
