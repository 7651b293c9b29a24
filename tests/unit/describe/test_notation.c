/* SPDX-License-Identifier: MIT
 *
 * The text form: what is printed parses to the same, and in one way only. The random
 * cases print their seed; REDIST_TEST_SEED=<seed> runs them again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit/unit.h"

#include "base/error.h"
#include "base/mem.h"
#include "describe/view.h"
#include "seed.h"
#include "unit/drawn.h"

/* ---- printing and parsing ---------------------------------------------------------- */

/* The text of a view, allocated. */
static char *text_of(const redist_view *view)
{
    size_t length = 0, again = 0;
    ok(redist_view_print(view, NULL, 0, &length));
    char *text = mem_alloc(NULL, (int64_t)length + 1, 1);
    assert_non_null(text);
    ok(redist_view_print(view, text, length + 1, &again));
    assert_int_equal(again, length);
    assert_int_equal(strlen(text), length);
    return text;
}

static void assert_same_view(const redist_view *a, const redist_view *b)
{
    size_t n = (size_t)redist_dist_ndims(a->dist);
    assert_true(redist_dist_equal(a->dist, b->dist));
    assert_memory_equal(a->start, b->start, n * sizeof *a->start);
    assert_memory_equal(a->extent, b->extent, n * sizeof *a->extent);
    assert_memory_equal(a->stride, b->stride, n * sizeof *a->stride);
    assert_memory_equal(a->axes, b->axes, n * sizeof *a->axes);
    assert_memory_equal(a->order, b->order, n * sizeof *a->order);
    assert_memory_equal(a->halo_low, b->halo_low, n * sizeof *a->halo_low);
    assert_memory_equal(a->halo_high, b->halo_high, n * sizeof *a->halo_high);
}

static void check_round_trip(const redist_view *view)
{
    redist_dist *dist = NULL;
    redist_view parsed;
    char *text = text_of(view);
    if (redist_view_parse(text, &dist, &parsed))
        fail_msg("%s: %s", text, redist_error_message());
    char *again = text_of(&parsed);
    assert_string_equal(again, text);
    assert_same_view(view, &parsed);
    redist_dist_destroy(&dist);
    mem_free(text);
    mem_free(again);
}

static void expect_print(const char *text, const char *printed)
{
    redist_dist *dist = NULL;
    redist_view view;
    if (redist_view_parse(text, &dist, &view))
        fail_msg("%s: %s", text, redist_error_message());
    char *found = text_of(&view);
    assert_string_equal(found, printed);
    mem_free(found);
    check_round_trip(&view);
    redist_dist_destroy(&dist);
}

static void canonical_texts_print_as_they_stand(void **state)
{
    const char *texts[] = {
        "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2",
        "[1000] (gen_block(10,20,970)) onto 3",
        "[300,300] (block,*) onto 20 ranks 4:23",
        "[9] (indirect(4*0,1,3*0,1)) onto 2",
        "[64,64] (cyclic(4) from 1 on 1,block on 0) onto 2x3 column-major",
        "[10] (block) onto 1",
        "[10] (block(7)) onto 3 ranks 5,2,9",
        "[10] (cyclic from 2) onto 3 ranks 2:0:-1",
        "[10] (cyclic) onto 8 ranks 1,5:9:2,0,2,3,100",
        "[5] (gen_block(3*0,5)) onto 4",
        "[5] (gen_block(2,2*0,3,0) from 3) onto 5",
        "[9223372036854775807] (gen_block(0,9223372036854775807)) onto 2",
        "[6] (gen_block(1,2,3) from 2) onto 3",
        "[0] (indirect()) onto 2",
        "[0,7] (gen_block(0),*) onto 1",
        "[7] (*) onto 3x2 column-major",
        "[9223372036854775807] (cyclic(9223372036854775807)) onto 2147483647",
        "[4,4] (block,block) onto 2x2 column-major ranks 7,3:5",
        "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] (*,*,*,*,*,*,*,*,*,*,*,*,*,*,*) onto "
        "1x1x1x1x1x1x1x1x1x1x1x1x1x1x2",
        "[100,10] (block,*) onto 2 section [0:98:2,5:9]",
        "[100,10] (block,*) onto 2 section [100:99,0:-1:3]",
        "[100,10] (block,*) onto 2 axes (1,0)",
        "[100,10] (block,*) onto 2 order column-major",
        "[4,4,4] (block,*,*) onto 2 order (2,0,1)",
        "[4,4,4] (block,*,*) onto 2 halo (1,2:0,0)",
        "[9,8] (block,*) onto 2 section [0:8:2,5:7] axes (1,0) order column-major "
        "halo (1,2:0)",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        expect_print(texts[k], texts[k]);
}

static void other_spellings_print_canonically(void **state)
{
    const struct {
        const char *text, *printed;
    } cases[] = {
        {"  [ 8 ,8]\n( BLOCK ( 4 ) ON 1 from 1\t, Cyclic(2)on 0)ONTO2X2",
         "[8,8] (block(4) from 1 on 1,cyclic(2) on 0) onto 2x2"},
        {"[8](cyclic(1)from 0 on 0)onto 3", "[8] (cyclic) onto 3"},
        {"[+8] (Gen_Block(2*4)) onto 2 row-major", "[8] (gen_block(2*4)) onto 2"},
        {"[3] (indirect(0:2)) onto 3", "[3] (indirect(0,1,2)) onto 3"},
        {"[3] (indirect(2*1,1)) onto 3", "[3] (indirect(3*1)) onto 3"},
        {"[3] (block) onto 4 ranks 0:3", "[3] (block) onto 4"},
        {"[3] (block) onto 4 ranks 4:7:1", "[3] (block) onto 4 ranks 4:7"},
        {"[3] (block) onto 4 ranks 4:5,6:7", "[3] (block) onto 4 ranks 4:7"},
        {"[3] (block) onto 3 ranks 4:9:2", "[3] (block) onto 3 ranks 4:8:2"},
        {"[3] (block) onto 3 ranks 9 : 4 : -2", "[3] (block) onto 3 ranks 9:5:-2"},
        {"[3] (block) onto 4 column-major", "[3] (block) onto 4"},
        {"[3] (block) onto 2x2 ranks 1:4 column-major",
         "[3] (block) onto 2x2 column-major ranks 1:4"},
        {"[9,8] (block,*) onto 2 halo (1:1,0) order (1,0) axes (0,1) section [:,:]",
         "[9,8] (block,*) onto 2 order column-major halo (1,0)"},
        {"[9,8] (block,*) onto 2 order row-major halo (0,0:0)", "[9,8] (block,*) onto 2"},
        {"[9,8] (block,*) onto 2 section [3,2:]",
         "[9,8] (block,*) onto 2 section [3:3,2:7]"},
        {"[9,8] (block,*) onto 2 section [:3,::5]",
         "[9,8] (block,*) onto 2 section [0:3,0:5:5]"},
        {"[9,8] (block,*) onto 2 section [7:2,8:]",
         "[9,8] (block,*) onto 2 section [7:6,8:7]"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_print(cases[k].text, cases[k].printed);
}

static void a_dist_prints_without_what_its_view_adds(void **state)
{
    static const char whole[] = "[9] (block) onto 2 section [1:3] halo (1)";
    redist_dist *dist = NULL, *again = NULL;
    redist_view view;
    char text[64];
    ok(redist_view_parse(whole, &dist, &view));
    ok(redist_dist_print(dist, text, sizeof text, NULL));
    assert_string_equal(text, "[9] (block) onto 2");
    ok(redist_dist_parse(text, &again));
    assert_true(redist_dist_equal(dist, again));
    redist_dist_destroy(&dist);
    redist_dist_destroy(&again);
}

static void print_cuts_off_what_does_not_fit(void **state)
{
    static const char whole[] = "[300,300] (block,*) onto 20 ranks 4:23 halo (1,2)";
    redist_dist *dist = NULL;
    redist_view view;
    ok(redist_view_parse(whole, &dist, &view));
    for (size_t size = 0; size <= sizeof whole + 2; size++) {
        char text[sizeof whole + 8];
        size_t length = 0, kept = size < sizeof whole ? size : sizeof whole;
        memset(text, '#', sizeof text);
        ok(redist_view_print(&view, text, size, &length));
        assert_int_equal(length, sizeof whole - 1);
        if (size > 0) assert_memory_equal(text, whole, kept - 1);
        if (size > 0) assert_int_equal(text[kept - 1], 0);
        for (size_t k = kept; k < sizeof text; k++) assert_int_equal(text[k], '#');
    }
    redist_dist_destroy(&dist);
}

static void long_lists_take_short_texts(void **state)
{
    expect_print("[1000000] (gen_block(1000000*1)) onto 1000000 ranks 999999:0:-1",
                 "[1000000] (gen_block(1000000*1)) onto 1000000 ranks 999999:0:-1");
    expect_print("[1000000] (indirect(1000000*2)) onto 3",
                 "[1000000] (indirect(1000000*2)) onto 3");
}

/* ---- random views ------------------------------------------------------------------ */

static uint64_t seed;

static int pick(int low, int high) { return (int)random_in(&seed, low, high); }

/* Draw a view, and then another memory order and halos for it. */
static redist_view random_view(redist_dist **dist)
{
    static struct drawn drawn; /* large */
    redist_view view;
    draw_problem(random_next(&seed), &drawn);
    ok(redist_view_parse(drawn.side[pick(0, 1)].text, dist, &view));
    for (int i = 0; i < drawn.ndims; i++) {
        int j = pick(0, 1) ? pick(0, i) : i;
        view.order[i] = view.order[j];
        view.order[j] = i;
        view.halo_low[i] = pick(0, 3) ? 0 : pick(0, 3);
        view.halo_high[i] = pick(0, 3) ? view.halo_low[i] : pick(0, 3);
    }
    return view;
}

static void print_then_parse_gives_an_equal_view(void **state)
{
    seed = seed_or((uint64_t)time(NULL)) | 1;
    for (int k = 0; k < 3000; k++) {
        redist_dist *dist = NULL;
        redist_view view = random_view(&dist);
        check_round_trip(&view);
        redist_dist_destroy(&dist);
    }
}

/* ---- random damage ----------------------------------------------------------------- */

/* Damage a text in one place; `size` is its room. */
static void damage(char *text, size_t size)
{
    static const char alphabet[] = "[](),:*x-+ 0123456789abcdefgiklmnorsty_\n\x01\xc3";
    size_t length = strlen(text), place = (size_t)pick(0, (int)length);
    char fresh = alphabet[pick(0, (int)sizeof alphabet - 2)];
    switch (pick(0, 4)) {
        case 0: text[place] = 0; break;
        case 1: /* replace */
            if (place < length) text[place] = fresh;
            break;
        case 2: /* delete */
            if (place < length) memmove(text + place, text + place + 1, length - place);
            break;
        default: /* insert */
            if (length + 2 > size) break;
            memmove(text + place + 1, text + place, length - place + 1);
            text[place] = fresh;
    }
}

/* Numbers so large that a valid text would take gigabytes are no good test. */
static int longest_number(const char *text)
{
    int longest = 0, digits = 0;
    for (; *text; text++) {
        digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
        if (digits > longest) longest = digits;
    }
    return longest;
}

/* Either a view that round-trips or an error that points into the text. */
static void check_damaged(const char *text)
{
    redist_dist *dist = NULL;
    redist_view view;
    redist_err err = redist_view_parse(text, &dist, &view);
    if (!err) {
        check_round_trip(&view);
        redist_dist_destroy(&dist);
        return;
    }
    int column = 0;
    assert_int_equal(err, REDIST_ERR_ARG);
    assert_null(dist);
    assert_int_equal(sscanf(redist_error_message(), "column %d: ", &column), 1);
    assert_in_range(column, 1, strlen(text) + 1);
}

static void damaged_texts_are_refused_or_round_trip(void **state)
{
    seed = seed_or((uint64_t)time(NULL)) | 1;
    for (int k = 0; k < 4000; k++) {
        redist_dist *dist = NULL;
        redist_view view = random_view(&dist);
        char *printed = text_of(&view), text[512];
        (void)snprintf(text, sizeof text, "%s", printed);
        for (int times = pick(1, 5); times > 0; times--) {
            damage(text, sizeof text);
            if (longest_number(text) <= 5) check_damaged(text);
        }
        mem_free(printed);
        redist_dist_destroy(&dist);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_texts_print_as_they_stand),
        cmocka_unit_test(other_spellings_print_canonically),
        cmocka_unit_test(a_dist_prints_without_what_its_view_adds),
        cmocka_unit_test(print_cuts_off_what_does_not_fit),
        cmocka_unit_test(long_lists_take_short_texts),
        cmocka_unit_test(print_then_parse_gives_an_equal_view),
        cmocka_unit_test(damaged_texts_are_refused_or_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
