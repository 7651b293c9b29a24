/* SPDX-License-Identifier: MIT
 *
 * The runs of periods (move/runs/hops.h), of any number of bytes, from any number of
 * partners and to any place in a cache line, are what plain copies make of them. Nothing
 * beside is written, nothing out of bounds is read, and the seam is left between two
 * lines: where they are put together in its room and, if the machine has them, in
 * registers.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "move/runs/hops.h"
#include "move/kernel/machine.h"
#include "seed.h"

enum {
    TURNS = 1000,
    PARTNERS = 5,
    RUNS = 40,
    PERIODS = 30,
    LONGEST = 150,
    ENDS = 100,    /* bytes before and behind the periods */
    BEYOND = 3000, /* the same that are there to be asked for */
    GUARD = 2 * SEAM_LINE,
    MOST = PERIODS * RUNS * LONGEST + 2 * ENDS,
    UNTOUCHED = 0xA5
};

/* What is put together: in `is` by the seam, in `should` byte by byte. */
static alignas(SEAM_LINE) char is[MOST + 3 * GUARD];
static char should[sizeof is];

/* Runs that lie anywhere in their partners' periods. */
static void draw_hops(uint64_t *seed, struct hops *hops)
{
    int grain = 1 << below(seed, 4);
    int longest = grain * (1 + below(seed, (below(seed, 2) ? LONGEST : 24) / grain));
    bool alike = below(seed, 2);
    *hops = (struct hops){.partners = 1 + below(seed, PARTNERS)};
    hops->end = hops->hop + 1 + below(seed, RUNS);
    for (int p = 0; p < hops->partners; p++)
        hops->step[p] =
            p > 0 && alike ? hops->step[0] : longest + below(seed, 100) / grain * grain;
    for (struct hop *hop = hops->hop; hop < hops->end; hop++) {
        hop->partner = below(seed, hops->partners);
        hop->bytes = grain * (1 + below(seed, longest / grain));
        hop->from = below(seed, ((int)hops->step[hop->partner] - hop->bytes) / grain + 1);
        hop->from *= grain;
        hops->period += hop->bytes;
    }
}

/* One element of each partner, in any order, all of a partner's side by side: so those
 * are zipped (move/runs/zips.h), if the sizes of registers allow it. */
static void draw_zips(uint64_t *seed, struct hops *hops)
{
    int size = 2 << below(seed, 3), turned = below(seed, PARTNERS);
    *hops = (struct hops){.partners = 1 + below(seed, PARTNERS)};
    hops->end = hops->hop + hops->partners;
    hops->period = hops->partners * size;
    for (int k = 0; k < hops->partners; k++) {
        int64_t from = (int64_t)size * below(seed, 20);
        hops->hop[k] = (struct hop){from, size, (k + turned) % hops->partners};
        hops->step[k] = size;
    }
    if (below(seed, 4) == 0) /* one is left out, and another comes twice */
        hops->hop[0].partner = hops->hop[hops->partners - 1].partner;
}

/* Put all of them into memory that ends where no more may be read. */
static void draw_memory(uint64_t *seed, int64_t periods, struct hops *hops,
                        char *memory[PARTNERS])
{
    for (int p = 0; p < hops->partners; p++) {
        int64_t bytes = periods * hops->step[p] + HOPS_BEYOND;
        for (const struct hop *hop = hops->hop; hop < hops->end; hop++)
            if (hop->partner == p && hop->from >= hops->step[p]) bytes += hop->from;
        memory[p] = malloc((size_t)bytes);
        assert_non_null(memory[p]);
        for (int64_t k = 0; k < bytes; k++) memory[p][k] = (char)below(seed, 256);
        hops->begin[p] = hops->from[p] = memory[p];
    }
}

/* Append bytes that belong to no period. */
static char *append_end(uint64_t *seed, struct seam *seam, char *to)
{
    char end[ENDS];
    int64_t bytes = below(seed, ENDS);
    for (int64_t k = 0; k < bytes; k++) end[k] = (char)below(seed, 256);
    memcpy(to, end, (size_t)bytes);
    for (int64_t k = 0, n; k < bytes; k += n) {
        n = bytes - k < SEAM_LINE ? bytes - k : SEAM_LINE;
        seam_append(seam, end + k, n);
    }
    return to + bytes;
}

static void try_periods(uint64_t *seed, struct hops *hops, int64_t periods)
{
    int64_t at = GUARD + below(seed, SEAM_LINE);
    char *memory[PARTNERS], *to = should + at;
    struct seam seam;
    memset(is, UNTOUCHED, sizeof is);
    memset(should, UNTOUCHED, sizeof should);
    draw_memory(seed, periods, hops, memory);
    seam_begin(&seam, is + at, below(seed, 2) == 0);
    if (below(seed, 2)) to = append_end(seed, &seam, to);
    for (int64_t k = 0; k < periods; k++)
        for (const struct hop *hop = hops->hop; hop < hops->end; to += hop->bytes, hop++)
            memcpy(to, memory[hop->partner] + k * hops->step[hop->partner] + hop->from,
                   (size_t)hop->bytes);
    hops->whole = below(seed, 2);
    hops->beyond = below(seed, 2) * below(seed, BEYOND);
    int64_t some = below(seed, (int)periods + 1); /* then from anywhere in a line again */
    hops_over(hops, some, &seam);
    hops_over(hops, periods - some, &seam);
    assert_true(stream_aligned(seam.to));
    if (below(seed, 2)) (void)append_end(seed, &seam, to);
    seam_finish(&seam);
    assert_memory_equal(is, should, sizeof is);
    for (int p = 0; p < hops->partners; p++) {
        assert_ptr_equal(hops->from[p], memory[p] + periods * hops->step[p]);
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
    struct hops hops;
    for (int turn = 0; turn < TURNS; turn++) {
        set_machine(machines[turn % 3]);
        draw_hops(&seed, &hops);
        try_periods(&seed, &hops, below(&seed, PERIODS + 1));
    }
    assert_int_equal(unsetenv("REDIST_KERNELS"), 0);
}

static void so_is_one_element_of_each(void **state)
{
    uint64_t seed = seed_or(20261123);
    struct hops hops;
    for (int turn = 0; turn < TURNS; turn++) {
        draw_zips(&seed, &hops);
        try_periods(&seed, &hops, below(&seed, 10 * PERIODS));
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
