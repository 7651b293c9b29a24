/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on the way to the target against a reference that does one number after the
 * other in integers: random nests of loops, every type, every kind of coefficient; what
 * has a coefficient of 0 is poisoned. The buffers end where they must and begin anywhere.
 * All with the kernels of every machine that this one can be.
 * REDIST_TEST_SEED=<seed> repeats the cases.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "move/arith/combine.h"
#include "move/kernel/machine.h"
#include "move/walk/memory.h"
#include "seed.h"
#include "unit/nests.h"

static const char *const machines[] = {"portable", "avx2", "avx512"};
enum { ALL_MACHINES = sizeof machines / sizeof *machines };

/* From now on combine_make finds the kernels of machine k, or of the best one before. */
static void be(int64_t k)
{
    assert_int_equal(setenv("REDIST_KERNELS", machines[k], 1), 0);
    machine_forget();
}

/* A number of any type: integers wrap around, of the others the real and the imaginary
 * part are small integers, so that arithmetic is exact. */
struct value {
    uint64_t re, im;
};

static const int64_t bytes_of[NUMBERS] = {0, 4, 8, 4, 8, 8, 16};

static bool is_integer(enum number number)
{
    return number == NUMBER_I4 || number == NUMBER_I8;
}

static void put(enum number number, char *at, struct value value)
{
    const uint32_t i4 = (uint32_t)value.re;
    const double f8[] = {(double)(int64_t)value.re, (double)(int64_t)value.im};
    const float f4[] = {(float)f8[0], (float)f8[1]};
    const void *from = number == NUMBER_I4   ? (const void *)&i4
                       : number == NUMBER_I8 ? (const void *)&value.re
                       : number == NUMBER_F4 || number == NUMBER_C8 ? (const void *)f4
                                                                    : (const void *)f8;
    memcpy(at, from, (size_t)bytes_of[number]);
}

static struct value draw_value(uint64_t *seed, enum number number)
{
    if (is_integer(number)) return (struct value){random_next(seed), 0};
    int64_t re = 2 * draw(seed, -50, 49) + 1; /* never 0, which has a sign */
    int64_t im = number_is_complex(number) ? 2 * draw(seed, -50, 49) + 1 : 0;
    return (struct value){(uint64_t)re, (uint64_t)im};
}

static struct value draw_coefficient(uint64_t *seed, enum number number)
{
    static const uint64_t usual[] = {0, 0, 1, 1, (uint64_t)-1, 2, 7};
    struct value value = {usual[draw(seed, 0, 6)], 0};
    if (draw(seed, 0, 2) == 0) value = draw_value(seed, number);
    if (draw(seed, 0, 2)) value.im = 0;
    return value;
}

static struct value times(struct value a, struct value b)
{
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static bool is_zero(struct value value) { return value.re == 0 && value.im == 0; }

/* ---- nests ------------------------------------------------------------------------- */

struct nest_case {
    enum number number;
    bool conjugate;
    struct value alpha, beta;
    uint64_t *seed;
    struct bytes from, to, should;
};

/* One number of the source and of the target, and what is to become of it. What must not
 * be read is a NaN, or whatever it is as an integer. */
static void fill_number(struct nest_case *c, int64_t to, int64_t from)
{
    struct value x = draw_value(c->seed, c->number), y = draw_value(c->seed, c->number);
    size_t size = (size_t)bytes_of[c->number];
    put(c->number, c->from.at + from, x);
    put(c->number, c->to.at + to, y);
    if (is_zero(c->alpha)) memset(c->from.at + from, 0xff, size);
    if (is_zero(c->beta)) memset(c->to.at + to, 0xff, size);
    if (c->conjugate) x.im = -x.im;
    struct value ax = times(c->alpha, x), by = times(c->beta, y);
    put(c->number, c->should.at + to, (struct value){ax.re + by.re, ax.im + by.im});
}

static void fill_nest(struct nest_case *c, const struct nest *nest, int k, int64_t to,
                      int64_t from)
{
    if (k == nest->n) {
        for (int64_t b = 0; b < nest->block; b += bytes_of[c->number])
            fill_number(c, to + b, from + b);
        return;
    }
    for (int64_t i = 0; i < nest->level[k].count; i++)
        fill_nest(c, nest, k + 1, to + i * nest->level[k].step[REDIST_TARGET],
                  from + i * nest->level[k].step[REDIST_SOURCE]);
}

/* A nest whose blocks are whole numbers, often one or a few. */
static void draw_numbers(uint64_t *seed, int64_t size, struct nest *nest)
{
    draw_nest(seed, nest);
    int64_t n = int_max(nest->block / size, 1);
    if (nest->n > 0 && draw(seed, 0, 1)) n = draw(seed, 1, 9);
    if (nest->n < 2 && draw(seed, 0, 1)) n = draw(seed, 1, 20000 / size);
    if (nest->n == 1) nest->level[0].count = draw(seed, 2, 9);
    nest->block = n * size;
}

/* Combine by a nest that takes so many bytes of each side. */
static void check_nest(uint64_t *seed, enum number number, struct nest *nest,
                       int64_t source, int64_t target)
{
    struct combine combine;
    char alpha[16], beta[16];
    struct nest_case c = {.number = number, .conjugate = draw(seed, 0, 1), .seed = seed};
    c.alpha = draw_coefficient(seed, number);
    c.beta = draw_coefficient(seed, number);
    put(number, alpha, c.alpha);
    put(number, beta, c.beta);
    be(draw(seed, 0, ALL_MACHINES - 1));
    bool combines = combine_make(number, c.conjugate, alpha, beta, &combine);
    bool plain = c.alpha.re == 1 && is_zero((struct value){0, c.alpha.im}) &&
                 is_zero(c.beta) && !(c.conjugate && number_is_complex(number));
    assert_int_equal(combines, !plain);
    nest->combine = combines ? &combine : NULL;
    c.from = bytes_make(source, draw(seed, 0, 17), *seed);
    c.to = bytes_make(target, draw(seed, 0, 1) * draw(seed, 0, 17), *seed + 1);
    c.should = bytes_like(&c.to);
    fill_nest(&c, nest, 0, 0, 0);
    memory_host.kind->move(&memory_host, nest, c.to.at, c.from.at);
    for (int64_t b = 0; b < target; b++)
        if (c.to.at[b] != c.should.at[b])
            fail_msg("number %d, conjugate %d, byte %ld of %ld differs", (int)number,
                     c.conjugate, (long)b, (long)target);
    free(c.from.block), free(c.to.block), free(c.should.block);
}

static bool draw_and_check(uint64_t *seed, enum number number)
{
    struct nest nest;
    draw_numbers(seed, bytes_of[number], &nest);
    int64_t source = draw_steps(seed, &nest, REDIST_SOURCE, draw(seed, 0, 1));
    int64_t target = draw_steps(seed, &nest, REDIST_TARGET, true);
    bool small = source <= 1 << 18 && target <= 1 << 18;
    if (small) check_nest(seed, number, &nest, source, target);
    return small;
}

static void nests_of_any_loops_are_combined(void **state)
{
    uint64_t seed = seed_or(20261121);
    for (int number = NUMBER_I4; number < NUMBERS; number++) {
        int checked = 0;
        for (int turn = 0; turn < 1200; turn++)
            checked += draw_and_check(&seed, (enum number)number);
        assert_true(checked > 600);
    }
}

/* Of one number, or of two, which no tile is made of. */
static void transposed_sums_are_right_round_the_edges_of_tiles(void **state)
{
    enum { TILE = 16, TURNS = 500 };
    uint64_t seed = seed_or(20261123);
    for (int turn = 0; turn < (NUMBERS - NUMBER_I4) * TURNS; turn++) {
        enum number number = (enum number)(NUMBER_I4 + turn / TURNS);
        int64_t block = bytes_of[number] * (draw(&seed, 0, 4) ? 1 : 2);
        int64_t wide = draw(&seed, 2, 3 * TILE), high = draw(&seed, 2, 3 * TILE);
        int64_t read = wide * block + draw(&seed, 0, 9), write = high * block;
        write += draw(&seed, 0, 1) * draw(&seed, 0, 9);
        struct nest nest = {.block = block, .n = 2};
        nest.level[0] = (struct level){wide, {block, write}};
        nest.level[1] = (struct level){high, {read, block}};
        check_nest(&seed, number, &nest, (high - 1) * read + wide * block,
                   (wide - 1) * write + high * block);
    }
}

/* ---- single rows ------------------------------------------------------------------- */

static void combine_row(const struct combine *combine, void *to, const void *from,
                        int64_t bytes)
{
    const struct level once = {.count = 1};
    combine_blocks(combine, to, from, &once, &once, bytes, false);
}

static void rows_of_every_length_end_where_they_end(void **state)
{
    const double alpha = 3, beta = 2;
    struct combine combine;
    assert_true(combine_make(NUMBER_F8, false, &alpha, &beta, &combine));
    for (int64_t n = 1; n <= 70; n++) {
        double *from = malloc((size_t)n * sizeof *from), to[72];
        for (int64_t k = 0; k < n; k++) from[k] = (double)k;
        for (int64_t k = 0; k < 72; k++) to[k] = (double)(5 * k);
        combine_row(&combine, to, from, n * 8);
        for (int64_t k = 0; k < 72; k++)
            assert_true(to[k] == (double)(k < n ? 13 * k : 5 * k));
        free(from);
    }
}

/* A real coefficient of a complex number is none with an imaginary part of 0: 0 times
 * infinity would be a NaN. */
static void infinite_parts_stay_apart(void **state)
{
    const double one[] = {1, 0}, two[] = {2, 0}, zero[] = {0, 0};
    const double x[] = {1, INFINITY, -INFINITY, 3, 0, -4};
    double y[6];
    struct combine combine;
    assert_true(combine_make(NUMBER_C16, true, one, zero, &combine));
    combine_row(&combine, y, x, sizeof y);
    for (int k = 0; k < 6; k++) assert_true(y[k] == (k % 2 ? -x[k] : x[k]));
    assert_true(combine_make(NUMBER_C16, false, two, zero, &combine));
    combine_row(&combine, y, x, sizeof y);
    for (int k = 0; k < 6; k++) assert_true(y[k] == 2 * x[k]);
    assert_true(combine_make(NUMBER_C16, true, one, two, &combine));
    combine_row(&combine, y, x, sizeof y);
    for (int k = 0; k < 6; k++)
        assert_true(y[k] == (k % 2 ? 3 * x[k] : 5 * x[k]) || k == 1);
    assert_true(y[0] == 5 && y[2] == -INFINITY);
}

/* That is so whatever the other coefficient is. */
static void a_real_coefficient_is_real_beside_a_complex_one(void **state)
{
    const double two[] = {2, 0}, complex[] = {3, 5};
    const double finite[] = {1, 1}, infinite[] = {INFINITY, 1};
    for (int conjugates = 0; conjugates < 2; conjugates++) {
        double y[] = {INFINITY, 1}, z[] = {1, 1}, sign = conjugates ? -1 : 1;
        struct combine combine;
        assert_true(combine_make(NUMBER_C16, conjugates, complex, two, &combine));
        combine_row(&combine, y, finite, sizeof y);
        assert_true(y[0] == INFINITY && y[1] == 5 + 3 * sign + 2);
        assert_true(combine_make(NUMBER_C16, conjugates, two, complex, &combine));
        combine_row(&combine, z, infinite, sizeof z);
        assert_true(z[0] == INFINITY && z[1] == 2 * sign + 5 + 3);
    }
}

/* Multiplied and added at once, some of these would be rounded otherwise. */
static void sums_are_rounded_alike_on_every_machine(void **state)
{
    enum { WIDE = 40, HIGH = 25, N = WIDE * HIGH };
    const double alpha = 1.0 / 3, beta = 1.0 / 7;
    const struct level across = {HIGH, {8, 8 * WIDE}}, along = {WIDE, {8 * HIGH, 8}};
    double x[N], turned[N], y[N], z[N], first[N];
    for (int k = 0; k < N; k++) x[k] = 1.0 / (k + 1);
    for (int k = 0; k < N; k++) turned[k % WIDE * HIGH + k / WIDE] = x[k];
    for (int k = 0; k < ALL_MACHINES; k++) {
        struct combine combine;
        be(k);
        for (int i = 0; i < N; i++) y[i] = z[i] = 1.0 / (3 * i + 2);
        assert_true(combine_make(NUMBER_F8, false, &alpha, &beta, &combine));
        combine_row(&combine, y, x, sizeof y);
        combine_transposed(&combine, (char *)z, (char *)turned, &across, &along, 8,
                           false);
        if (k == 0) memcpy(first, y, sizeof y);
        assert_memory_equal(y, first, sizeof y);
        assert_memory_equal(z, first, sizeof z);
    }
}

static void kernels_are_of_no_machine_after_the_one_asked_for(void **state)
{
    (void)unsetenv("REDIST_KERNELS");
    machine_forget();
    enum machine here = machine_here();
    assert_int_equal(setenv("REDIST_KERNELS", "abacus", 1), 0);
    machine_forget();
    assert_int_equal(machine_here(), here);
    for (int k = 0; k < ALL_MACHINES; k++) {
        be(k);
        assert_int_equal(machine_here(), int_min(k, here));
    }
    assert_int_equal(unsetenv("REDIST_KERNELS"), 0);
    machine_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests_of_any_loops_are_combined),
        cmocka_unit_test(transposed_sums_are_right_round_the_edges_of_tiles),
        cmocka_unit_test(rows_of_every_length_end_where_they_end),
        cmocka_unit_test(infinite_parts_stay_apart),
        cmocka_unit_test(a_real_coefficient_is_real_beside_a_complex_one),
        cmocka_unit_test(sums_are_rounded_alike_on_every_machine),
        cmocka_unit_test(kernels_are_of_no_machine_after_the_one_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
