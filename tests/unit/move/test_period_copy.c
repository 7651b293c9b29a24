/* SPDX-License-Identifier: MIT
 *
 * The runs of periods (move/runs/period_copy.h), of any number of bytes, from any number
 * of partners and to any place in a cache line, are what plain copies make of them.
 * Nothing beside is written, nothing out of bounds is read, and the line buffer is left
 * between two lines: where they are put together in its room and, if the machine has
 * them, in registers.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "move/kernel/machine.h"
#include "move/runs/period_copy.h"
#include "seed.h"

enum {
    TURNS = 1000,
    PARTNERS = 5,
    RUNS = 40,
    PERIODS = 30,
    LONGEST = 150,
    ENDS = 100,    /* bytes before and behind the periods */
    BEYOND = 3000, /* the same that are there to be asked for */
    GUARD = 2 * LINE_BUFFER_LINE,
    MOST = PERIODS * RUNS * LONGEST + 2 * ENDS,
    UNTOUCHED = 0xA5
};

/* What is put together: in `is` by the buffer, in `should` byte by byte. */
static alignas(LINE_BUFFER_LINE) char is[MOST + 3 * GUARD];
static char should[sizeof is];

/* Runs that lie anywhere in their partners' periods. */
static void draw_periods(uint64_t *seed, struct period_copy *copy)
{
    int grain = 1 << below(seed, 4);
    int longest = grain * (1 + below(seed, (below(seed, 2) ? LONGEST : 24) / grain));
    bool alike = below(seed, 2);
    *copy = (struct period_copy){.partners = 1 + below(seed, PARTNERS)};
    copy->end = copy->run + 1 + below(seed, RUNS);
    for (int p = 0; p < copy->partners; p++)
        copy->step[p] =
            p > 0 && alike ? copy->step[0] : longest + below(seed, 100) / grain * grain;
    for (struct period_run *run = copy->run; run < copy->end; run++) {
        run->partner = below(seed, copy->partners);
        run->bytes = grain * (1 + below(seed, longest / grain));
        run->from = below(seed, ((int)copy->step[run->partner] - run->bytes) / grain + 1);
        run->from *= grain;
        copy->period += run->bytes;
    }
}

/* One element of each partner, in any order, all of a partner's side by side: so those
 * are interleaved in registers (move/runs/interleave_elements.h), if the sizes of
 * registers allow it. */
static void draw_elements(uint64_t *seed, struct period_copy *copy)
{
    int size = 2 << below(seed, 3), turned = below(seed, PARTNERS);
    *copy = (struct period_copy){.partners = 1 + below(seed, PARTNERS)};
    copy->end = copy->run + copy->partners;
    copy->period = copy->partners * size;
    for (int k = 0; k < copy->partners; k++) {
        int64_t from = (int64_t)size * below(seed, 20);
        copy->run[k] = (struct period_run){from, size, (k + turned) % copy->partners};
        copy->step[k] = size;
    }
    if (below(seed, 4) == 0) /* one is left out, and another comes twice */
        copy->run[0].partner = copy->run[copy->partners - 1].partner;
}

/* Put all of them into memory that ends where no more may be read. */
static void draw_memory(uint64_t *seed, int64_t periods, struct period_copy *copy,
                        char *memory[PARTNERS])
{
    for (int p = 0; p < copy->partners; p++) {
        int64_t bytes = periods * copy->step[p] + PERIOD_COPY_BEYOND;
        for (const struct period_run *run = copy->run; run < copy->end; run++)
            if (run->partner == p && run->from >= copy->step[p]) bytes += run->from;
        memory[p] = malloc((size_t)bytes);
        assert_non_null(memory[p]);
        for (int64_t k = 0; k < bytes; k++) memory[p][k] = (char)below(seed, 256);
        copy->begin[p] = copy->from[p] = memory[p];
    }
}

/* Append bytes that belong to no period. */
static char *append_end(uint64_t *seed, struct line_buffer *buffer, char *to)
{
    char end[ENDS];
    int64_t bytes = below(seed, ENDS);
    for (int64_t k = 0; k < bytes; k++) end[k] = (char)below(seed, 256);
    memcpy(to, end, (size_t)bytes);
    for (int64_t k = 0, n; k < bytes; k += n) {
        n = bytes - k < LINE_BUFFER_LINE ? bytes - k : LINE_BUFFER_LINE;
        line_buffer_append(buffer, end + k, n);
    }
    return to + bytes;
}

static void try_periods(uint64_t *seed, struct period_copy *copy, int64_t periods)
{
    int64_t at = GUARD + below(seed, LINE_BUFFER_LINE);
    char *memory[PARTNERS], *to = should + at;
    struct line_buffer buffer;
    memset(is, UNTOUCHED, sizeof is);
    memset(should, UNTOUCHED, sizeof should);
    draw_memory(seed, periods, copy, memory);
    line_buffer_begin(&buffer, is + at, below(seed, 2) == 0);
    if (below(seed, 2)) to = append_end(seed, &buffer, to);
    for (int64_t k = 0; k < periods; k++)
        for (const struct period_run *run = copy->run; run < copy->end;
             to += run->bytes, run++)
            memcpy(to, memory[run->partner] + k * copy->step[run->partner] + run->from,
                   (size_t)run->bytes);
    copy->whole = below(seed, 2);
    copy->beyond = below(seed, 2) * below(seed, BEYOND);
    int64_t some = below(seed, (int)periods + 1); /* then from anywhere in a line again */
    period_copy_append(copy, some, &buffer);
    period_copy_append(copy, periods - some, &buffer);
    assert_true(stream_aligned(buffer.to));
    if (below(seed, 2)) (void)append_end(seed, &buffer, to);
    line_buffer_finish(&buffer);
    assert_memory_equal(is, should, sizeof is);
    for (int p = 0; p < copy->partners; p++) {
        assert_ptr_equal(copy->from[p], memory[p] + periods * copy->step[p]);
        free(memory[p]);
    }
}

static void set_machine(const char *name)
{
    assert_int_equal(setenv("REDIST_KERNELS", name, 1), 0);
    machine_forget();
}

static void periods_are_what_is_copied_run_by_run(void **state)
{
    static const char *const machines[] = {"portable", "avx2", "avx512"};
    uint64_t seed = seed_or(20261123);
    struct period_copy copy;
    for (int turn = 0; turn < TURNS; turn++) {
        set_machine(machines[turn % 3]);
        draw_periods(&seed, &copy);
        try_periods(&seed, &copy, below(&seed, PERIODS + 1));
    }
    assert_int_equal(unsetenv("REDIST_KERNELS"), 0);
}

static void so_is_one_element_of_each(void **state)
{
    uint64_t seed = seed_or(20261123);
    struct period_copy copy;
    for (int turn = 0; turn < TURNS; turn++) {
        draw_elements(&seed, &copy);
        try_periods(&seed, &copy, below(&seed, 10 * PERIODS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_what_is_copied_run_by_run),
        cmocka_unit_test(so_is_one_element_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
