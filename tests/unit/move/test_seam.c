/* SPDX-License-Identifier: MIT
 *
 * A seam (move/runs/seam.h): pieces of any number of bytes, put behind each other from
 * any place in a cache line on, are what a plain copy makes of them, and nothing beside
 * is written.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "move/runs/seam.h"
#include "seed.h"

enum {
    TURNS = 2000,
    PIECES = 60,
    LONGEST = 3 * SEAM_ROOM,
    GUARD = 2 * SEAM_LINE,
    UNTOUCHED = 0xA5
};

/* Append a piece of its own memory, so that what is read beyond it shows. */
static void append(struct seam *seam, uint64_t *seed, char *should, int64_t bytes)
{
    char *piece = malloc((size_t)bytes);
    assert_non_null(piece);
    for (int64_t k = 0; k < bytes; k++) should[k] = piece[k] = (char)below(seed, 256);
    seam_append(seam, piece, bytes);
    free(piece);
}

static void pieces_of_any_length_lie_behind_each_other(void **state)
{
    static alignas(SEAM_LINE) char is[PIECES * LONGEST + 3 * GUARD];
    static char should[sizeof is];
    uint64_t seed = seed_or(20261122);
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t at = GUARD + below(&seed, SEAM_LINE);
        int pieces = below(&seed, PIECES + 1), longest = 1 + below(&seed, LONGEST);
        struct seam seam;
        memset(is, UNTOUCHED, sizeof is);
        memset(should, UNTOUCHED, sizeof should);
        seam_begin(&seam, is + at, below(&seed, 2) == 0);
        for (int k = 0; k < pieces; k++) {
            int64_t bytes = 1 + below(&seed, longest);
            append(&seam, &seed, should + at, bytes);
            at += bytes;
        }
        seam_finish(&seam);
        assert_memory_equal(is, should, sizeof is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_length_lie_behind_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
