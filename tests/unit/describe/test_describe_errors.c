/* SPDX-License-Identifier: MIT
 *
 * What is wrong is said in a sentence that names the argument, its value and what was
 * expected; nothing is left behind.
 */
#include <limits.h>

#include "unit/unit.h"

#include "base/error.h"
#include "describe/view.h"
#include "unit/starve.h"

static void expect(redist_err err, const char *sentence)
{
    assert_string_equal(redist_error_message(), sentence);
    assert_int_equal(err, REDIST_ERR_ARG);
}

static redist_dist *parse(const char *text)
{
    redist_dist *dist = NULL;
    if (redist_dist_parse(text, &dist)) fail_msg("%s: %s", text, redist_error_message());
    return dist;
}

/* ---- grids ------------------------------------------------------------------------- */

static void grid_create_refuses(void **state)
{
    redist_grid *grid = NULL;
    const int shape[16] = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    expect(redist_grid_create(1, shape, REDIST_ROW_MAJOR, NULL, NULL), "grid is NULL");
    expect(redist_grid_create(0, shape, REDIST_ROW_MAJOR, NULL, &grid),
           "naxes is 0, must be 1 to 15");
    expect(redist_grid_create(16, shape, REDIST_ROW_MAJOR, NULL, &grid),
           "naxes is 16, must be 1 to 15");
    expect(redist_grid_create(1, NULL, REDIST_ROW_MAJOR, NULL, &grid), "shape is NULL");
    expect(redist_grid_create(1, shape, (redist_order)7, NULL, &grid),
           "order is 7, must be row- or column-major");
    expect(redist_grid_create(2, (int[]){3, 0}, REDIST_ROW_MAJOR, NULL, &grid),
           "axis 1 of the grid has 0 processes, must be >= 1");
    expect(redist_grid_create(2, (int[]){65536, 65536}, REDIST_ROW_MAJOR, NULL, &grid),
           "the grid has more than 2147483647 processes");
    expect(redist_grid_create(2, shape, REDIST_ROW_MAJOR, (int[]){0, 1, -3, 2}, &grid),
           "ranks[2] is -3, must be >= 0");
    expect(redist_grid_create(2, shape, REDIST_ROW_MAJOR, (int[]){0, 5, 3, 5}, &grid),
           "rank 5 stands twice in the grid");
    assert_null(grid);
}

/* ---- dists ------------------------------------------------------------------------- */

static void expect_1d(int64_t extent, redist_format format, const char *sentence)
{
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    ok(redist_grid_create(1, (int[]){3}, REDIST_ROW_MAJOR, NULL, &grid));
    expect(redist_dist_create(1, &extent, &format, grid, &dist), sentence);
    assert_null(dist);
    redist_grid_destroy(&grid);
}

static redist_format from(redist_format format, int first)
{
    format.first = first;
    return format;
}

static redist_format on(redist_format format, int axis)
{
    format.axis = axis;
    return format;
}

static void dist_create_refuses_formats(void **state)
{
    expect_1d(-1, redist_block(), "dim 0: extent is -1, must be >= 0");
    expect_1d(9, redist_cyclic(0), "dim 0: cyclic block is 0, must be >= 1");
    expect_1d(9, redist_cyclic(-5), "dim 0: cyclic block is -5, must be >= 1");
    expect_1d(10, redist_block_of(3),
              "dim 0: block(3) onto 3 processes does not cover 10 elements");
    expect_1d(9, from(redist_block(), 3),
              "dim 0: the first owner is coordinate 3, must be 0 to 2");
    expect_1d(9, from(redist_cyclic(2), -1),
              "dim 0: the first owner is coordinate -1, must be 0 to 2");
    expect_1d(9, from(redist_collapsed(), 1),
              "dim 0: the first owner is coordinate 1, must be 0 to 0");
    expect_1d(2, from(redist_indirect((int[]){0, 1}), 1),
              "dim 0: the first owner is coordinate 1, must be 0 to 0");
    expect_1d(9, redist_gen_block(NULL), "dim 0: gen_block sizes is NULL");
    expect_1d(9, redist_gen_block((int64_t[]){10, -1, 0}),
              "dim 0: gen_block size 1 is -1, must be >= 0");
    expect_1d(9, redist_gen_block((int64_t[]){1, 2, 3}),
              "dim 0: gen_block sizes sum to 6, the extent is 9");
    expect_1d(9, redist_indirect(NULL), "dim 0: indirect owners is NULL");
    expect_1d(3, redist_indirect((int[]){0, 1, 3}),
              "dim 0: owner of element 2 is 3, must be 0 to 2");
    expect_1d(3, redist_indirect((int[]){0, -1, 2}),
              "dim 0: owner of element 1 is -1, must be 0 to 2");
    expect_1d(9, on(redist_block(), 1),
              "dim 0: needs axis 1 of the grid, which has 1 axis");
    expect_1d(9, on(redist_block(), -2),
              "dim 0: needs axis -2 of the grid, which has 1 axis");
    redist_format unknown = redist_block();
    unknown.kind = (redist_format_kind)9;
    expect_1d(9, unknown, "dim 0: unknown format kind 9");
}

static void dist_create_refuses_arguments(void **state)
{
    const int64_t extents[16] = {8, 8, 8}, large[3] = {INT64_MAX, 0, 2};
    redist_format formats[16] = {redist_block(), redist_block(), redist_block()};
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    ok(redist_grid_create(2, (int[]){2, 2}, REDIST_ROW_MAJOR, NULL, &grid));
    expect(redist_dist_create(1, extents, formats, grid, NULL), "dist is NULL");
    expect(redist_dist_create(0, extents, formats, grid, &dist),
           "ndims is 0, must be 1 to 15");
    expect(redist_dist_create(16, extents, formats, grid, &dist),
           "ndims is 16, must be 1 to 15");
    expect(redist_dist_create(1, NULL, formats, grid, &dist), "extents is NULL");
    expect(redist_dist_create(1, extents, NULL, grid, &dist), "formats is NULL");
    expect(redist_dist_create(1, extents, formats, NULL, &dist), "grid is NULL");
    expect(redist_dist_create(3, extents, formats, grid, &dist),
           "dim 2: needs axis 2 of the grid, which has 2 axes");
    formats[0].axis = formats[1].axis = 1;
    expect(redist_dist_create(2, extents, formats, grid, &dist),
           "dim 1: axis 1 of the grid is taken by dim 0");
    for (int i = 0; i < 3; i++) formats[i] = redist_collapsed();
    expect(redist_dist_create(3, large, formats, grid, &dist),
           "the array has more than 2^63 elements");
    assert_null(dist);
    redist_grid_destroy(&grid);
}

static void dist_questions_refuse_arguments(void **state)
{
    redist_dist *dist = parse("[7,5] (block,*) onto 2");
    int rank = 0;
    int64_t place[2] = {0, 0}, found[2];
    expect(redist_dist_local_extents(NULL, 0, found), "dist is NULL");
    expect(redist_dist_local_extents(dist, 0, NULL), "local is NULL");
    expect(redist_dist_owner(NULL, place, &rank, found), "dist is NULL");
    expect(redist_dist_owner(dist, NULL, &rank, found), "index is NULL");
    expect(redist_dist_owner(dist, place, NULL, found), "rank is NULL");
    expect(redist_dist_owner(dist, (int64_t[]){0, 5}, &rank, found),
           "dim 1: index is 5, must be >= 0 and < 5");
    expect(redist_dist_owner(dist, (int64_t[]){-1, 0}, &rank, found),
           "dim 0: index is -1, must be >= 0 and < 7");
    expect(redist_dist_index(NULL, 0, place, found), "dist is NULL");
    expect(redist_dist_index(dist, 0, NULL, found), "local is NULL");
    expect(redist_dist_index(dist, 0, place, NULL), "index is NULL");
    expect(redist_dist_index(dist, 2, place, found), "rank 2 is not in the grid");
    expect(redist_dist_index(dist, 1, (int64_t[]){3, 0}, found),
           "dim 0: local index is 3, rank 1 holds 3");
    redist_dist_destroy(&dist);
}

/* ---- views ------------------------------------------------------------------------- */

static redist_view fresh(const redist_dist *dist)
{
    redist_view view;
    ok(redist_view_init(dist, &view));
    return view;
}

static void view_functions_refuse_arguments(void **state)
{
    redist_dist *dist = parse("[7,5] (block,*) onto 2");
    redist_view view = fresh(dist), bare = {0};
    int64_t span = 0;
    expect(redist_view_init(NULL, &view), "dist is NULL");
    expect(redist_view_init(dist, NULL), "view is NULL");
    expect(redist_view_set_order(NULL, REDIST_ROW_MAJOR), "view is NULL or has no dist");
    expect(redist_view_set_order(&bare, REDIST_ROW_MAJOR), "view is NULL or has no dist");
    expect(redist_view_set_order(&view, (redist_order)2),
           "order is 2, must be row- or column-major");
    expect(redist_view_span(NULL, 0, &span), "view is NULL");
    expect(redist_view_span(&bare, 0, &span), "the view's dist is NULL");
    expect(redist_view_span(&view, 0, NULL), "elements is NULL");
    redist_dist_destroy(&dist);
}

static void view_check_refuses(void **state)
{
    redist_dist *dist = parse("[7,5] (block,*) onto 2");
    redist_view view = fresh(dist);
    view.extent[1] = -1;
    expect(view_check(&view), "dim 1: section extent is -1, must be >= 0");
    view = fresh(dist);
    view.stride[0] = 0;
    expect(view_check(&view), "dim 0: section stride is 0, must be >= 1");
    view = fresh(dist);
    view.start[0] = 1;
    expect(view_check(&view),
           "dim 0: section of 7 elements from 1 by 1 leaves the extent 7");
    view = fresh(dist);
    view.start[0] = -1;
    expect(view_check(&view),
           "dim 0: section of 7 elements from -1 by 1 leaves the extent 7");
    view = fresh(dist);
    view.stride[1] = INT64_MAX;
    expect(view_check(&view),
           "dim 1: section of 5 elements from 0 by 9223372036854775807 "
           "leaves the extent 5");
    view = fresh(dist);
    view.halo_high[1] = -2;
    expect(view_check(&view), "dim 1: halo is 0:-2, must be >= 0");
    view = fresh(dist);
    view.axes[1] = 2;
    expect(view_check(&view), "axes[1] is 2, must be 0 to 1");
    view = fresh(dist);
    view.order[1] = 0;
    expect(view_check(&view), "order names dimension 0 twice");
    redist_dist_destroy(&dist);
}

static void view_layout_refuses(void **state)
{
    redist_dist *dist = parse("[8,5] (block,*) onto 2");
    redist_view view = fresh(dist);
    int64_t span = -1;
    view.lead[0] = 1;
    expect(redist_view_span(&view, 0, &span), "dim 1: lead is 0, must be >= 1");
    view.lead[1] = 3;
    expect(redist_view_span(&view, 0, &span),
           "dim 1: lead is 3, but the other dimensions span 4 elements");
    view.lead[1] = INT64_MAX / 2;
    expect(redist_view_span(&view, 0, &span),
           "the local array spans more than 2^63 elements");
    view = fresh(dist);
    view.halo_low[0] = INT64_MAX;
    expect(redist_view_span(&view, 0, &span),
           "the local array spans more than 2^63 elements");
    redist_dist_destroy(&dist);
}

/* ---- descriptors ------------------------------------------------------------------- */

static void descriptors_are_checked_field_by_field(void **state)
{
    const struct {
        int field, value;
        const char *sentence;
    } cases[] = {
        {2, -1, "desc[2]: M is -1, must be >= 0"},
        {3, -7, "desc[3]: N is -7, must be >= 0"},
        {4, 0, "desc[4]: MB is 0, must be >= 1"},
        {5, INT_MIN, "desc[5]: NB is -2147483648, must be >= 1"},
        {6, 2, "desc[6]: RSRC is 2, must be 0 to 1"},
        {7, -1, "desc[7]: CSRC is -1, must be 0 to 2"},
        {8, 0, "desc[8]: LLD is 0, must be >= 1"},
    };
    redist_grid *grid = NULL, *line = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    ok(redist_grid_create(2, (int[]){2, 3}, REDIST_ROW_MAJOR, NULL, &grid));
    ok(redist_grid_create(1, (int[]){6}, REDIST_ROW_MAJOR, NULL, &line));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int desc[9] = {1, 0, 100, 80, 8, 16, 1, 2, 60};
        desc[cases[k].field] = cases[k].value;
        expect(redist_view_from_descriptor(desc, grid, &dist, &view), cases[k].sentence);
        assert_null(dist);
    }
    const int desc[9] = {1, 0, 100, 80, 8, 16, 1, 2, 60};
    expect(redist_view_from_descriptor(desc, line, &dist, &view),
           "a descriptor's grid has 2 axes, this one has 1");
    expect(redist_view_from_descriptor(NULL, grid, &dist, &view), "desc is NULL");
    expect(redist_view_from_descriptor(desc, NULL, &dist, &view), "grid is NULL");
    expect(redist_view_from_descriptor(desc, grid, NULL, &view), "dist is NULL");
    expect(redist_view_from_descriptor(desc, grid, &dist, NULL), "view is NULL");
    redist_grid_destroy(&grid);
    redist_grid_destroy(&line);
}

/* The lead must cover the rows of the rank in question: 48 on process row 1. */
static void a_leading_dimension_below_the_local_rows_is_found_with_the_rank(void **state)
{
    const int desc[9] = {1, 0, 96, 80, 16, 16, 0, 0, 47};
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    int64_t span = 0;
    ok(redist_grid_create(2, (int[]){2, 3}, REDIST_ROW_MAJOR, NULL, &grid));
    ok(redist_view_from_descriptor(desc, grid, &dist, &view));
    expect(redist_view_span(&view, 3, &span),
           "dim 1: lead is 47, but the other dimensions span 48 elements");
    redist_dist_destroy(&dist);
    redist_grid_destroy(&grid);
}

/* ---- memory ------------------------------------------------------------------------ */

static redist_err parse_again(const void *text)
{
    redist_dist *dist = NULL;
    redist_view view;
    redist_err err = redist_view_parse(text, &dist, &view);
    if (err) assert_null(dist);
    redist_dist_destroy(&dist);
    return err;
}

static void a_failed_allocation_is_an_error_and_leaks_nothing(void **state)
{
    static const char text[] =
        "[9,9,9] (indirect(4*0,1,3*0,1),gen_block(4,5),block) onto 2x2x2 ranks 7:0:-1 "
        "section [1:8:2,:,:] order column-major";
    assert_true(each_allocation_fails_once(parse_again, text) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_create_refuses),
        cmocka_unit_test(dist_create_refuses_formats),
        cmocka_unit_test(dist_create_refuses_arguments),
        cmocka_unit_test(dist_questions_refuse_arguments),
        cmocka_unit_test(view_functions_refuse_arguments),
        cmocka_unit_test(view_check_refuses),
        cmocka_unit_test(view_layout_refuses),
        cmocka_unit_test(descriptors_are_checked_field_by_field),
        cmocka_unit_test(a_leading_dimension_below_the_local_rows_is_found_with_the_rank),
        cmocka_unit_test(a_failed_allocation_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
