/* SPDX-License-Identifier: MIT
 *
 * A line buffer (move/runs/line_buffer.h): pieces of any number of bytes, put behind each
 * other from any place in a cache line on, are what a plain copy makes of them, and
 * nothing beside is written.
 */
#include <stdlib.h>

#include "unit/unit.h"

#include "move/runs/line_buffer.h"
#include "seed.h"

enum {
    TURNS = 2000,
    PIECES = 60,
    LONGEST = 3 * LINE_BUFFER_ROOM,
    GUARD = 2 * LINE_BUFFER_LINE,
    UNTOUCHED = 0xA5
};

/* Append a piece of its own memory, so that what is read beyond it shows. */
static void append(struct line_buffer *buffer, uint64_t *seed, char *should,
                   int64_t bytes)
{
    char *piece = malloc((size_t)bytes);
    assert_non_null(piece);
    for (int64_t k = 0; k < bytes; k++) should[k] = piece[k] = (char)below(seed, 256);
    line_buffer_append(buffer, piece, bytes);
    free(piece);
}

static void pieces_of_any_length_lie_behind_each_other(void **state)
{
    static alignas(LINE_BUFFER_LINE) char is[PIECES * LONGEST + 3 * GUARD];
    static char should[sizeof is];
    uint64_t seed = seed_or(20261122);
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t at = GUARD + below(&seed, LINE_BUFFER_LINE);
        int pieces = below(&seed, PIECES + 1), longest = 1 + below(&seed, LONGEST);
        struct line_buffer buffer;
        memset(is, UNTOUCHED, sizeof is);
        memset(should, UNTOUCHED, sizeof should);
        line_buffer_begin(&buffer, is + at, below(&seed, 2) == 0);
        for (int k = 0; k < pieces; k++) {
            int64_t bytes = 1 + below(&seed, longest);
            append(&buffer, &seed, should + at, bytes);
            at += bytes;
        }
        line_buffer_finish(&buffer);
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
