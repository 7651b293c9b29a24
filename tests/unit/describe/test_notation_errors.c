/* SPDX-License-Identifier: MIT
 *
 * A wrong text is refused with a sentence that points at the column where it goes wrong.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/error.h"
#include "describe/view.h"

struct refusal {
    const char *text;
    int column;
    const char *sentence; /* behind "column <n>: " */
};

static void expect_refusals(const struct refusal refusals[], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const struct refusal *refusal = &refusals[k];
        char sentence[ERROR_MESSAGE_SIZE];
        redist_dist *dist = (redist_dist *)&sentence; /* to be set to NULL */
        redist_view view;
        (void)snprintf(sentence, sizeof sentence, "column %d: %s", refusal->column,
                       refusal->sentence);
        redist_err err = redist_view_parse(refusal->text, &dist, &view);
        if (strcmp(redist_error_message(), sentence) != 0)
            fail_msg("%s\n  says:     %s\n  expected: %s", refusal->text,
                     redist_error_message(), sentence);
        assert_int_equal(err, REDIST_ERR_ARG);
        assert_null(dist);
    }
}
#define EXPECT_REFUSALS(refusals)                                                        \
    expect_refusals(refusals, sizeof(refusals) / sizeof *(refusals))

static void broken_syntax_is_pointed_at(void **state)
{
    const struct refusal refusals[] = {
        {"", 1, "expected \"[\", found the end"},
        {"  ", 3, "expected \"[\", found the end"},
        {"[", 2, "expected an integer (extent), found the end"},
        {"[]", 2, "expected an integer (extent), found \"]\""},
        {"[9", 3, "expected \"]\", found the end"},
        {"[9,] (block) onto 3", 4, "expected an integer (extent), found \"]\""},
        {"10] (block) onto 4", 1, "expected \"[\", found \"10\""},
        {"[9 (block) onto 3", 4, "expected \"]\", found \"(\""},
        {"[9] block onto 3", 5, "expected \"(\", found \"block\""},
        {"[9] () onto 3", 6,
         "expected *, block, cyclic, gen_block or indirect, found \")\""},
        {"[9] (cyclc(3)) onto 3", 6,
         "expected *, block, cyclic, gen_block or indirect, found \"cyclc\" "
         "(did you mean cyclic?)"},
        {"[9] (blocks) onto 3", 6,
         "expected *, block, cyclic, gen_block or indirect, found \"blocks\" "
         "(did you mean block?)"},
        {"[9] (block", 11, "expected \")\", found the end"},
        {"[9] (block onto 3", 12, "expected \")\", found \"onto\""},
        {"[9] (block, ) onto 3", 11, "too many formats, expected 1"},
        {"[9] (block,block) onto 2x2", 11, "too many formats, expected 1"},
        {"[9,9] (block) onto 2x2", 13, "too few formats, expected 2"},
        {"[9] (cyclic()) onto 3", 13, "expected an integer (block), found \")\""},
        {"[9] (cyclic(2) onto 3", 16, "expected \")\", found \"onto\""},
        {"[9] (gen_block) onto 3", 15, "expected \"(\", found \")\""},
        {"[9] (gen_block()) onto 3", 16, "expected an integer (size), found \")\""},
        {"[9] (gen_block(3,,6)) onto 3", 18, "expected an integer (size), found \",\""},
        {"[9] (indirect(9*0) onto 3", 20, "expected \")\", found \"onto\""},
        {"[9] (block from) onto 3", 16, "expected an integer (coordinate), found \")\""},
        {"[9] (block from 0 from 1) onto 3", 19, "from is given twice"},
        {"[9] (block on 0 on 0) onto 3", 17, "on is given twice"},
        {"[9] (* on 0) onto 3", 8, "expected \")\", found \"on\""},
        {"[9] (block)", 12, "expected \"onto\", found the end"},
        {"[9] (block frm 1) onto 3", 12,
         "expected \")\", found \"frm\" (did you mean from?)"},
        {"[9] (block) ontto 3", 13,
         "expected \"onto\", found \"ontto\" (did you mean onto?)"},
        {"[9] (block) onto 3 rank 0:2", 20,
         "expected section, axes, order, halo or the end, found \"rank\" (did you mean "
         "ranks?)"},
        {"[9] (block) to 3", 13, "expected \"onto\", found \"to\""},
        {"[9] (block) onto", 17, "expected an integer (shape), found the end"},
        {"[9] (block) onto 3x", 20, "expected an integer (shape), found the end"},
        {"[9] (block) onto 3 x x", 22, "expected an integer (shape), found \"x\""},
        {"[9] (block) onto 3 3", 20,
         "expected section, axes, order, halo or the end, found \"3\""},
        {"[9] (block) onto 3 ranks", 25, "expected an integer (rank), found the end"},
        {"[9] (block) onto 3 ranks 0:", 28, "expected an integer (rank), found the end"},
        {"[9] (block) onto 3 ranks 0,1,2,", 32,
         "expected an integer (rank), found the end"},
        {"[9] (block) onto 3 ranks 0:2 ranks 0:2", 30, "ranks is given twice"},
        {"[9] (block) onto 3 row-major column-major", 30,
         "the grid's order is given twice"},
        {"[9] (block) onto 3 row major", 20,
         "expected section, axes, order, halo or the end, found \"row\" "
         "(did you mean row-major?)"},
        {"[9] (block) onto 3 hallo (1)", 20,
         "expected section, axes, order, halo or the end, found \"hallo\" "
         "(did you mean halo?)"},
        {"[9] (block) onto 3;", 19,
         "expected section, axes, order, halo or the end, found \";\""},
        {"[9] (block) onto 3 \xc3\xa9", 20,
         "expected section, axes, order, halo or the end, found byte 0xc3"},
        {"[9] (block) onto 3 \x07", 20,
         "expected section, axes, order, halo or the end, found byte 0x07"},
        {"[9] (block) onto 3 supercalifragilisticexpialidocious", 20,
         "expected section, axes, order, halo or the end, found "
         "\"supercalifragilisticexpi\".."},
    };
    EXPECT_REFUSALS(refusals);
}

static void numbers_out_of_range_are_pointed_at(void **state)
{
    const struct refusal refusals[] = {
        {"[-1] (block) onto 3", 2, "extent is -1, must be 0 to 9223372036854775807"},
        {"[9223372036854775808] (block) onto 3", 2,
         "extent is 9223372036854775808, must be 0 to 9223372036854775807"},
        {"[9] (cyclic(-9223372036854775808)) onto 3", 13,
         "block is -9223372036854775808, must be -9223372036854775807 to "
         "9223372036854775807"},
        {"[9] (cyclic(123456789012345678901234567890)) onto 3", 13,
         "block is 123456789012345678901234.., must be -9223372036854775807 to "
         "9223372036854775807"},
        {"[9] (block from -1) onto 3", 17, "coordinate is -1, must be 0 to 2147483647"},
        {"[9] (block from 2147483648) onto 3", 17,
         "coordinate is 2147483648, must be 0 to 2147483647"},
        {"[9] (block on -1) onto 3", 15, "axis is -1, must be 0 to 14"},
        {"[9] (block on 15) onto 3", 15, "axis is 15, must be 0 to 14"},
        {"[9] (gen_block(-1,10)) onto 2", 16,
         "size is -1, must be 0 to 9223372036854775807"},
        {"[9] (indirect(8*0,-1)) onto 2", 19, "owner is -1, must be 0 to 2147483647"},
        {"[9] (indirect(0*0,9*1)) onto 2", 15,
         "count is 0, must be 1 to 9223372036854775807"},
        {"[9] (block) onto 0", 18, "shape is 0, must be 1 to 2147483647"},
        {"[9] (block) onto 3x-1", 20, "shape is -1, must be 1 to 2147483647"},
        {"[9] (block) onto 3 ranks -1:1", 26, "rank is -1, must be 0 to 2147483647"},
        {"[9] (block) onto 3 ranks 0,1,2147483648", 30,
         "rank is 2147483648, must be 0 to 2147483647"},
        {"[9] (block) onto 3 ranks 2:0", 26, "the range 2:0:1 never reaches its end"},
        {"[9] (block) onto 3 ranks 0:2:-1", 26, "the range 0:2:-1 never reaches its end"},
        {"[9] (block) onto 3 ranks 0:2:0", 26, "the range 0:2:0 never reaches its end"},
        {"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] (block) onto 4", 32,
         "more than 15 dimensions"},
        {"[9] (block) onto 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 48, "more than 15 axes"},
    };
    EXPECT_REFUSALS(refusals);
}

static void what_makes_no_dist_is_pointed_at(void **state)
{
    const struct refusal refusals[] = {
        {"[8,8] (block,cyclic(0)) onto 2x2", 14,
         "dim 1: cyclic block is 0, must be >= 1"},
        {"[8,8] (block,cyclic(-2)) onto 2x2", 14,
         "dim 1: cyclic block is -2, must be >= 1"},
        {"[8,8] (block,block(3)) onto 2x2", 14,
         "dim 1: block(3) onto 2 processes does not cover 8 elements"},
        {"[8,8] (block,block) onto 4", 14,
         "dim 1: needs axis 1 of the grid, which has 1 axis"},
        {"[8,8] (block on 1,block on 1) onto 2x2", 19,
         "dim 1: axis 1 of the grid is taken by dim 0"},
        {"[8,8] (block on 2,block) onto 2x2", 8,
         "dim 0: needs axis 2 of the grid, which has 2 axes"},
        {"[8,8] (block,cyclic from 2) onto 2x2", 14,
         "dim 1: the first owner is coordinate 2, must be 0 to 1"},
        {"[8,8] (*,gen_block(2,6,0)) onto 2", 10,
         "dim 1: 3 gen_block sizes for 2 coordinates"},
        {"[8,8] (*,gen_block(8)) onto 2", 10,
         "dim 1: 1 gen_block sizes for 2 coordinates"},
        {"[8,8] (*,gen_block(4,5)) onto 2", 10,
         "dim 1: gen_block sizes sum to 9, the extent is 8"},
        {"[8,8] (*,gen_block(8,0) on 1) onto 2", 10,
         "dim 1: needs axis 1 of the grid, which has 1 axis"},
        {"[8] (indirect(7*0)) onto 2", 6, "dim 0: 7 indirect owners for 8 elements"},
        {"[8] (indirect(99999999999999*0)) onto 2", 6,
         "dim 0: 99999999999999 indirect owners for 8 elements"},
        {"[8] (indirect(7*0,2)) onto 2", 6,
         "dim 0: owner of element 7 is 2, must be 0 to 1"},
        {"[0] (indirect(0)) onto 2", 6, "dim 0: 1 indirect owners for 0 elements"},
        {"[8] (indirect()) onto 2", 6, "dim 0: 0 indirect owners for 8 elements"},
        {"[8] (indirect(8*0) from 1) onto 2", 6,
         "dim 0: the first owner is coordinate 1, must be 0 to 0"},
        {"[8] (indirect(9223372036854775807*0,0)) onto 2", 37,
         "the list has more than 9223372036854775807 integers"},
        {"[8] (gen_block(0:9223372036854775807)) onto 2", 16,
         "the list has more than 9223372036854775807 integers"},
        {"[8] (gen_block(9223372036854775807:0:-1)) onto 2", 16,
         "the list has more than 9223372036854775807 integers"},
        {"[8] (gen_block(0:9223372036854775806,0)) onto 2", 38,
         "the list has more than 9223372036854775807 integers"},
        {"[9223372036854775807,2] (*,*) onto 2", 1,
         "the array has more than 2^63 elements"},
        {"[8] (block) onto 65536x65536", 18,
         "the grid has more than 2147483647 processes"},
        {"[8] (block) onto 4 ranks 0:2", 26, "3 ranks for a grid of 4 processes"},
        {"[8] (block) onto 4 ranks 0:999999999", 26,
         "1000000000 ranks for a grid of 4 processes"},
        {"[8] (block) onto 4 ranks 3,1,3,2", 26, "rank 3 stands twice in the grid"},
    };
    EXPECT_REFUSALS(refusals);
}

static void what_makes_no_view_is_pointed_at(void **state)
{
    const struct refusal refusals[] = {
        {"[9,8] (*,*) onto 1 section", 27, "expected \"[\", found the end"},
        {"[9,8] (*,*) onto 1 section (0,0)", 28, "expected \"[\", found \"(\""},
        {"[9,8] (*,*) onto 1 section [0:8]", 32, "too few ranges, expected 2"},
        {"[9,8] (*,*) onto 1 section [:,:,:]", 32, "too many ranges, expected 2"},
        {"[9,8] (*,*) onto 1 section [0:9,:]", 31, "last is 9, must be -1 to 8"},
        {"[9,8] (*,*) onto 1 section [:,-1:7]", 31, "first is -1, must be 0 to 8"},
        {"[9,8] (*,*) onto 1 section [10:,:]", 29, "first is 10, must be 0 to 9"},
        {"[9,8] (*,*) onto 1 section [:,8]", 20,
         "dim 1: section of 1 elements from 8 by 1 leaves the extent 8"},
        {"[9,8] (*,*) onto 1 section [::0,:]", 31,
         "stride is 0, must be 1 to 9223372036854775807"},
        {"[9,8] (*,*) onto 1 section [::,:]", 31,
         "expected an integer (stride), found \",\""},
        {"[9,8] (*,*) onto 1 section [0-8,:]", 30, "expected \",\", found \"-8\""},
        {"[9,8] (*,*) onto 1 axes", 24, "expected \"(\", found the end"},
        {"[9,8] (*,*) onto 1 axes (0)", 27, "too few dimensions, expected 2"},
        {"[9,8] (*,*) onto 1 axes (1,0,2)", 29, "too many dimensions, expected 2"},
        {"[9,8] (*,*) onto 1 axes (1,2)", 28, "dimension is 2, must be 0 to 1"},
        {"[9,8] (*,*) onto 1 axes (1,1)", 20, "axes names dimension 1 twice"},
        {"[9,8] (*,*) onto 1 order", 25,
         "expected column-major, row-major or \"(\", found the end"},
        {"[9,8] (*,*) onto 1 order diagonal", 26,
         "expected column-major, row-major or \"(\", found \"diagonal\""},
        {"[9,8] (*,*) onto 1 order (0,0)", 20, "order names dimension 0 twice"},
        {"[9,8] (*,*) onto 1 halo 1", 25, "expected \"(\", found \"1\""},
        {"[9,8] (*,*) onto 1 halo (1,-1)", 28,
         "halo is -1, must be 0 to 9223372036854775807"},
        {"[9,8] (*,*) onto 1 halo (1,2:-1)", 30,
         "halo is -1, must be 0 to 9223372036854775807"},
        {"[9,8] (*,*) onto 1 halo (1,2,3)", 29, "too many halos, expected 2"},
        {"[9,8] (*,*) onto 1 halo (1)", 27, "too few halos, expected 2"},
        {"[9,8] (*,*) onto 1 halo (1,1) axes (0,1) halo (1,1)", 42,
         "halo is given twice"},
        {"[9,8] (*,*) onto 1 order row-major order (1,0)", 36, "order is given twice"},
    };
    EXPECT_REFUSALS(refusals);
}

static void a_dist_takes_no_clauses_of_a_view(void **state)
{
    redist_dist *dist = NULL;
    assert_int_equal(redist_dist_parse("[9] (block) onto 3 halo (1)", &dist),
                     REDIST_ERR_ARG);
    assert_null(dist);
    assert_string_equal(redist_error_message(),
                        "column 20: expected the end, found \"halo\"");
}

static void a_refused_text_leaves_the_view_as_it_was(void **state)
{
    redist_dist *dist = NULL;
    redist_view view, before;
    memset(&view, 0x5a, sizeof view);
    memcpy(&before, &view, sizeof view);
    assert_int_equal(redist_view_parse("[9] (block) onto 3 halo (1,1)", &dist, &view),
                     REDIST_ERR_ARG);
    assert_memory_equal(&view, &before, sizeof view);
}

static void expect_null(redist_err err, const char *sentence)
{
    assert_int_equal(err, REDIST_ERR_ARG);
    assert_string_equal(redist_error_message(), sentence);
}

static void null_arguments_are_named(void **state)
{
    static const char text[] = "[9] (block) onto 3";
    char room[8];
    redist_dist *dist = NULL;
    redist_view view, bare = {0};
    expect_null(redist_dist_parse(NULL, &dist), "text is NULL");
    expect_null(redist_dist_parse(text, NULL), "dist is NULL");
    expect_null(redist_view_parse(NULL, &dist, &view), "text is NULL");
    expect_null(redist_view_parse(text, NULL, &view), "dist is NULL");
    expect_null(redist_view_parse(text, &dist, NULL), "view is NULL");
    expect_null(redist_dist_print(NULL, room, sizeof room, NULL), "dist is NULL");
    expect_null(redist_view_print(NULL, room, sizeof room, NULL), "view is NULL");
    expect_null(redist_view_print(&bare, room, sizeof room, NULL),
                "the view's dist is NULL");
    ok(redist_view_parse(text, &dist, &view));
    expect_null(redist_dist_print(dist, NULL, 10, NULL),
                "text is NULL, but its size is 10");
    expect_null(redist_view_print(&view, NULL, 10, NULL),
                "text is NULL, but its size is 10");
    redist_dist_destroy(&dist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_syntax_is_pointed_at),
        cmocka_unit_test(numbers_out_of_range_are_pointed_at),
        cmocka_unit_test(what_makes_no_dist_is_pointed_at),
        cmocka_unit_test(what_makes_no_view_is_pointed_at),
        cmocka_unit_test(a_dist_takes_no_clauses_of_a_view),
        cmocka_unit_test(a_refused_text_leaves_the_view_as_it_was),
        cmocka_unit_test(null_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
