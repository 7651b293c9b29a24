/* SPDX-License-Identifier: MIT
 *
 * The conversion of every kind of number, in either byte order, to every other, against
 * its definition (numbers.h): all values that have 16 bits; of longer ones those near the
 * ends of all kinds, and random ones. With the kernels of every machine that this one can
 * be, from and to any address.
 * REDIST_TEST_SEED=<seed> repeats the cases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unit/unit.h"

#include "long.h"
#include "move/arith/convert.h"
#include "move/kernel/machine.h"
#include "numbers.h"
#include "random.h"
#include "seed.h"

static const char *const machines[] = {"portable", "avx2"};
enum { ALL_MACHINES = sizeof machines / sizeof *machines };

enum { MOST = 1 << 16 };

/* Numbers of one kind. */
struct numbers {
    const struct kind *kind;
    bool big;
    int n;
    unsigned char *at;
};

static uint64_t seed;

static struct format format_of(const struct kind *kind, bool big)
{
    struct format format;
    char name[8];
    (void)snprintf(name, sizeof name, "%c%s", big ? '>' : '<', kind->name);
    assert_true(format_parse(name, &format));
    return format;
}

/* A value round an end of some kind, or between two floats of another. */
static long double draw_value(void)
{
    static const int powers[] = {0,  7,  8,  11,  15,  16,  24,   31,  32,
                                 53, 63, 64, -14, -24, -25, -126, 127, 128};
    const int power = powers[random_in(&seed, 0, sizeof powers / sizeof *powers - 1)];
    const long double sign = random_in(&seed, 0, 1) ? -1 : 1;
    const long double step = (long double)random_in(&seed, -4, 4);
    switch (random_in(&seed, 0, 3)) {
        case 0: return sign * (ldexpl(1, power) + step);
        case 1: return sign * (ldexpl(1, power) + step / 2);
        case 2: /* halfway, or next to it, for as many digits */
            return sign * ldexpl((long double)random_in(&seed, 1, 1 << 13) +
                                     ldexpl(step, (int)random_in(&seed, -40, 0)),
                                 power - (int)random_in(&seed, 0, 20));
        default: return sign * (long double)random_in(&seed, 0, 70000);
    }
}

static uint64_t draw_bits(const struct kind *kind)
{
    if (random_in(&seed, 0, 2) == 0) return random_next(&seed);
    const long double value = draw_value();
    uint64_t bits =
        kind->letter == 'f' ? float_bits(kind, value) : integer_bits(kind, true, value);
    return bits + (uint64_t)random_in(&seed, -1, 1);
}

static struct numbers draw_numbers(const struct kind *kind, bool big)
{
    const int all = kind->bytes == 1 ? 1 << 8 : MOST;
    struct numbers numbers = {kind, big, all, NULL};
    if (kind->bytes > 2) numbers.n = long_run() ? MOST : MOST / 32;
    numbers.at = malloc((size_t)numbers.n * NUMBER_BYTES + 1);
    assert_non_null(numbers.at);
    numbers.at++; /* no number is aligned */
    for (int k = 0; k < numbers.n * kind->parts; k++)
        write_bits(numbers.at + k * kind->bytes, kind->bytes, big,
                   kind->bytes > 2 ? draw_bits(kind) : (uint64_t)k);
    return numbers;
}

static void fail_at(const struct numbers *source, const struct numbers *target, int k,
                    const char *what)
{
    const struct format format = format_of(source->kind, source->big);
    char text[FORMAT_TEXT];
    const int size = source->kind->bytes * source->kind->parts;
    format_print_number(&format, (const char *)source->at + (size_t)k * (size_t)size,
                        text);
    fail_msg("%c%s -> %c%s: number %d, %s, is %s", source->big ? '>' : '<',
             source->kind->name, target->big ? '>' : '<', target->kind->name, k, text,
             what);
}

/* Whether numbers are found that the target cannot hold, alone and in a row. */
static void check_lost(const struct convert *convert, const struct numbers *source,
                       const struct numbers *target, const bool lost[])
{
    const int64_t size = convert->size[REDIST_SOURCE];
    for (int k = 0; k < source->n; k++) {
        const char *number = (const char *)source->at + k * size;
        if (!convert->checked && lost[k]) fail_at(source, target, k, "never lost");
        if ((convert_find_lost(convert, number, 0, 1) == 0) != lost[k])
            fail_at(source, target, k, lost[k] ? "not found" : "found lost");
    }
    int first = 1;
    while (first < source->n && !lost[first]) first++;
    assert_int_equal(convert_find_lost(convert, (const char *)source->at, 1, source->n),
                     first);
}

static void check_pair(const struct numbers *source, struct numbers *target)
{
    static unsigned char truth[MOST * NUMBER_BYTES];
    static bool lost[MOST];
    const struct format from = format_of(source->kind, source->big);
    const struct format to = format_of(target->kind, target->big);
    const int sizes[] = {source->kind->bytes * source->kind->parts,
                         target->kind->bytes * target->kind->parts};
    struct convert convert;
    const bool same =
        source->kind == target->kind && (source->big == target->big || sizes[0] == 1);
    assert_int_equal(convert_make(&from, &to, true, &convert), !same);
    if (same) return;
    for (int k = 0; k < source->n; k++)
        lost[k] = !convert_one(source->kind, source->big, source->at + k * sizes[0],
                               target->kind, target->big, truth + k * sizes[1]);
    check_lost(&convert, source, target, lost);
    for (int m = 0; m < ALL_MACHINES; m++) {
        assert_int_equal(setenv("REDIST_KERNELS", machines[m], 1), 0);
        machine_forget();
        assert_true(convert_make(&from, &to, false, &convert));
        target->at[(size_t)source->n * (size_t)sizes[1]] = 0xA5; /* behind the end */
        convert_numbers(&convert, (char *)target->at, (const char *)source->at,
                        source->n);
        for (int k = 0; k < source->n; k++)
            if (!same_number(target->kind, target->big, target->at + k * sizes[1],
                             truth + k * sizes[1]))
                fail_at(source, target, k, machines[m]);
        assert_int_equal(target->at[(size_t)source->n * (size_t)sizes[1]], 0xA5);
    }
}

static void every_number_becomes_what_it_should(void **state)
{
    struct numbers target = {.at = malloc((size_t)MOST * NUMBER_BYTES + 2)};
    assert_non_null(target.at);
    target.at++;
    for (int s = 0; s < 2 * KINDS; s++) {
        struct numbers source = draw_numbers(&kinds[s / 2], s % 2);
        for (int t = 0; t < 2 * KINDS; t++) {
            target.kind = &kinds[t / 2];
            target.big = t % 2;
            check_pair(&source, &target);
        }
        free(source.at - 1);
    }
    free(target.at - 1);
}

/* Doubles half way between two shorter floats of any size, and next to that. */
static void numbers_next_to_a_tie_are_rounded_once(void **state)
{
    struct numbers source = {.kind = &kinds[10], .at = malloc((size_t)MOST * 8)};
    struct numbers target = {.at = malloc((size_t)MOST * NUMBER_BYTES + 1)};
    assert_true(source.at && target.at);
    for (int power = -160; power < 20; power++)
        for (int odd = 1; odd < 32; odd += 2)
            for (int step = -1; step <= 1; step++)
                write_bits(source.at + 8 * source.n++, 8, false,
                           float_bits(source.kind,
                                      ldexpl(odd, power) + ldexpl(step, power - 40)));
    for (int t = 0; t < KINDS; t++) {
        target.kind = &kinds[t];
        check_pair(&source, &target);
    }
    free(source.at);
    free(target.at);
}

/* Few numbers take the ends of the loops only. */
static void any_count_is_converted(void **state)
{
    const struct format from = format_of(&kinds[9], false),
                        to = format_of(&kinds[8], true);
    struct convert convert;
    assert_true(convert_make(&from, &to, false, &convert));
    for (int n = 0; n < 600; n += n < 40 ? 1 : 37) {
        float source[600];
        unsigned char target[2 * 600 + 1], truth[2];
        for (int k = 0; k < n; k++) source[k] = (float)k / 3;
        target[2 * n] = 0xA5;
        convert_numbers(&convert, (char *)target, (const char *)source, n);
        for (int k = 0; k < n; k++) {
            (void)convert_one(&kinds[9], false, (const unsigned char *)&source[k],
                              &kinds[8], true, truth);
            assert_memory_equal(target + 2 * k, truth, 2);
        }
        assert_int_equal(target[2 * n], 0xA5);
    }
}

static void names_are_those_of_numpy(void **state)
{
    static const char *const good[][2] = {
        {"<f8", "<f8"}, {">i4", ">i4"},   {"|u1", "|u1"},    {"<u1", "|u1"},
        {"i1", "|i1"},  {"=c16", "<c16"}, {"bf16", "<bf16"}, {">bf16", ">bf16"}};
    static const char *const bad[] = {"",    "<",   "f",   "f3",  "<f16", "|f8", "<<f8",
                                      "f8 ", "<b1", "c32", "u16", "bf",   ">S1", "F8"};
    struct format format;
    char name[FORMAT_NAME];
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_true(format_parse(good[k][0], &format));
        format_print(&format, name);
        assert_string_equal(name, good[k][1]);
        const struct format again = format_of_code(format_code(&format));
        assert_int_equal(format_code(&again), format_code(&format));
        assert_int_equal(format_size(&again), format_size(&format));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(format_parse(bad[k], &format));
}

int main(void)
{
    seed = seed_or(20261128);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_numpy),
        cmocka_unit_test(any_count_is_converted),
        cmocka_unit_test(numbers_next_to_a_tie_are_rounded_once),
        cmocka_unit_test(every_number_becomes_what_it_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
