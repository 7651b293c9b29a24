/* SPDX-License-Identifier: MIT
 *
 * Process grids, dists of many dimensions over them, and views: where things lie.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/error.h"
#include "describe/view.h"

static redist_grid *make_grid(int naxes, const int shape[], redist_order order,
                              const int ranks[])
{
    redist_grid *grid = NULL;
    if (redist_grid_create(naxes, shape, order, ranks, &grid))
        fail_msg("%s", redist_error_message());
    return grid;
}

static redist_dist *parse(const char *text)
{
    redist_dist *dist = NULL;
    if (redist_dist_parse(text, &dist)) fail_msg("%s: %s", text, redist_error_message());
    return dist;
}

/* ---- grids ------------------------------------------------------------------------- */

static void check_grid(const redist_grid *grid, const int rank_at[2][3])
{
    int seen[2] = {-1, -1};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++) {
            assert_int_equal(redist_grid_rank(grid, (int[]){a, b}), rank_at[a][b]);
            assert_int_equal(redist_grid_coords(grid, rank_at[a][b], seen), 1);
            assert_int_equal(seen[0], a);
            assert_int_equal(seen[1], b);
        }
    assert_int_equal(redist_grid_naxes(grid), 2);
    assert_int_equal(redist_grid_shape(grid, 0), 2);
    assert_int_equal(redist_grid_shape(grid, 1), 3);
    assert_int_equal(redist_grid_shape(grid, 2), 0);
    assert_int_equal(redist_grid_shape(grid, -1), 0);
    assert_int_equal(redist_grid_size(grid), 6);
    assert_int_equal(redist_grid_rank(grid, (int[]){2, 0}), -1);
    assert_int_equal(redist_grid_rank(grid, (int[]){0, -1}), -1);
    assert_int_equal(redist_grid_coords(grid, 100, seen), 0);
    assert_int_equal(redist_grid_coords(grid, -1, seen), 0);
}

static void grids_map_coordinates_to_ranks_and_back(void **state)
{
    const int shape[] = {2, 3}, ranks[] = {9, 2, 4, 0, 7, 5};
    const struct {
        redist_order order;
        const int *ranks;
        int rank_at[2][3];
        int highest;
    } cases[] = {
        {REDIST_ROW_MAJOR, NULL, {{0, 1, 2}, {3, 4, 5}}, 5},
        {REDIST_COLUMN_MAJOR, NULL, {{0, 2, 4}, {1, 3, 5}}, 5},
        {REDIST_ROW_MAJOR, ranks, {{9, 2, 4}, {0, 7, 5}}, 9},
        {REDIST_COLUMN_MAJOR, ranks, {{9, 4, 7}, {2, 0, 5}}, 9},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        redist_grid *grid = make_grid(2, shape, cases[k].order, cases[k].ranks);
        check_grid(grid, cases[k].rank_at);
        assert_int_equal(grid_max_rank(grid), cases[k].highest);
        redist_grid_destroy(&grid);
        assert_null(grid);
        redist_grid_destroy(&grid); /* NULL-safe */
    }
}

static void grids_are_equal_if_they_hold_the_same_ranks(void **state)
{
    const int shape[] = {2, 3}, turned[] = {0, 2, 4, 1, 3, 5};
    redist_grid *row = make_grid(2, shape, REDIST_ROW_MAJOR, NULL);
    redist_grid *column = make_grid(2, shape, REDIST_COLUMN_MAJOR, NULL);
    redist_grid *listed = make_grid(2, shape, REDIST_ROW_MAJOR, turned);
    redist_grid *flat = make_grid(1, (int[]){6}, REDIST_ROW_MAJOR, NULL);
    assert_true(grid_equal(column, listed));
    assert_false(grid_equal(row, column));
    assert_false(grid_equal(row, flat));
    redist_grid_destroy(&row);
    redist_grid_destroy(&column);
    redist_grid_destroy(&listed);
    redist_grid_destroy(&flat);
}

static void the_order_of_a_single_long_axis_does_not_count(void **state)
{
    static const int shapes[][3] = {
        {1, 1, 1}, {1, 1, 7}, {7, 1, 1}, {1, 7, 1}, {2, 1, 3}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        redist_grid *row = make_grid(3, shapes[k], REDIST_ROW_MAJOR, NULL);
        redist_grid *column = make_grid(3, shapes[k], REDIST_COLUMN_MAJOR, NULL);
        assert_int_equal(grid_equal(row, column), k < 4);
        redist_grid_destroy(&row);
        redist_grid_destroy(&column);
    }
}

static void two_billion_processes_take_no_memory_of_their_own(void **state)
{
    redist_grid *grid =
        make_grid(3, (int[]){1290, 1290, 1290}, REDIST_COLUMN_MAJOR, NULL);
    int coords[3];
    assert_null(grid->ranks);
    assert_int_equal(redist_grid_coords(grid, 2146688999, coords), 1);
    assert_int_equal(redist_grid_rank(grid, coords), 2146688999);
    redist_grid_destroy(&grid);
}

/* ---- dists of many dimensions ------------------------------------------------------ */

/* The owner along one dimension by counting: blocks of m from `first` on. */
static int owner_of(int i, int m, int procs, int first)
{
    int owner = first;
    for (int k = m; k <= i; k += m) owner = owner == procs - 1 ? 0 : owner + 1;
    return owner;
}

static void a_matrix_is_dealt_along_rows_and_columns(void **state)
{
    redist_dist *dist = parse(
        "[7,10] (cyclic(2) from 1 on 1, cyclic(3) on 0) onto 2x3 ranks 9,2,4,0,7,5");
    const int rank_at[2][3] = {{9, 2, 4}, {0, 7, 5}};
    int64_t held[10] = {0};
    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < 10; j++) {
            int rank = -1, row = owner_of((int)j, 3, 2, 0),
                column = owner_of((int)i, 2, 3, 1);
            int64_t local[2], back[2];
            ok(redist_dist_owner(dist, (int64_t[]){i, j}, &rank, local));
            assert_int_equal(rank, rank_at[row][column]);
            ok(redist_dist_owner(dist, (int64_t[]){i, j}, &rank, NULL));
            ok(redist_dist_index(dist, rank, local, back));
            assert_int_equal(back[0], i);
            assert_int_equal(back[1], j);
            held[rank]++;
        }
    for (int rank = -1; rank < 11; rank++) {
        int64_t local[2] = {-1, -1};
        ok(redist_dist_local_extents(dist, rank, local));
        assert_int_equal(local[0] * local[1], rank < 0 || rank > 9 ? 0 : held[rank]);
    }
    redist_dist_destroy(&dist);
}

static void processes_outside_the_grid_hold_nothing(void **state)
{
    redist_dist *dist = parse("[8,5] (block,*) onto 4 ranks 4:7");
    for (int rank = -1; rank < 12; rank++) {
        int64_t local[2] = {-1, -1};
        ok(redist_dist_local_extents(dist, rank, local));
        assert_int_equal(local[0], rank >= 4 && rank < 8 ? 2 : 0);
        assert_int_equal(local[1], rank >= 4 && rank < 8 ? 5 : 0);
    }
    redist_dist_destroy(&dist);
}

static void an_axis_that_no_dimension_takes_replicates(void **state)
{
    redist_dist *dist = parse("[8] (block on 1) onto 3x2x2");
    assert_int_equal(dist->nreplicas, 6);
    for (int rank = 0; rank < 12; rank++) {
        int64_t local = -1, index = -1;
        int coords[3];
        assert_int_equal(redist_grid_coords(dist->grid, rank, coords), 1);
        ok(redist_dist_local_extents(dist, rank, &local));
        assert_int_equal(local, 4);
        ok(redist_dist_index(dist, rank, (int64_t[]){1}, &index));
        assert_int_equal(index, 4 * coords[1] + 1);
        int64_t replica = dist_replica(dist, coords);
        assert_int_equal(replica, 2 * coords[0] + coords[2]);
        assert_int_equal(dist_rank(dist, &coords[1], replica), rank);
    }
    int rank = -1;
    ok(redist_dist_owner(dist, (int64_t[]){7}, &rank, NULL));
    assert_int_equal(rank, 2); /* the first of replicas 2 3 6 7 10 11 */
    redist_dist_destroy(&dist);
}

/* In each of them the ranks that are that replica, in the order of the whole. */
static void a_replica_has_a_dist_of_its_own(void **state)
{
    redist_dist *dist = parse("[8] (block on 1) onto 3x2x2 column-major"), *one = NULL;
    for (int64_t replica = 0; replica < 6; replica++) {
        int coords[3];
        ok(dist_of_replica(dist, replica, &one));
        assert_int_equal(one->nreplicas, 1);
        assert_int_equal(redist_grid_size(one->grid), 2);
        for (int rank = 0; rank < 12; rank++) {
            int64_t local = -1;
            assert_int_equal(redist_grid_coords(dist->grid, rank, coords), 1);
            bool mine = dist_replica(dist, coords) == replica;
            ok(redist_dist_local_extents(one, rank, &local));
            assert_int_equal(local, mine ? 4 : 0);
            if (mine) assert_int_equal(dist_rank(one, &coords[1], 0), rank);
        }
        redist_dist_destroy(&one);
    }
    assert_int_equal(dist_of_replica(dist, 6, &one), REDIST_ERR_ARG);
    assert_null(one);
    redist_dist_destroy(&dist);
}

static void a_dist_tells_what_it_was_made_of(void **state)
{
    redist_dist *dist = parse("[8,5] (block,*) onto 4");
    assert_int_equal(redist_dist_ndims(dist), 2);
    assert_int_equal(redist_dist_extent(dist, 0), 8);
    assert_int_equal(redist_dist_extent(dist, 1), 5);
    assert_int_equal(redist_dist_extent(dist, 2), 0);
    assert_int_equal(redist_dist_extent(dist, -1), 0);
    assert_int_equal(redist_grid_size(redist_dist_grid(dist)), 4);
    assert_int_equal(dist_elements(dist), 40);
    assert_int_equal(redist_dist_ndims(NULL), 0);
    assert_null(redist_dist_grid(NULL));
    redist_dist_destroy(&dist);
    redist_dist_destroy(&dist); /* NULL-safe */
}

static void a_copy_is_equal_and_its_own(void **state)
{
    const char *texts[] = {
        "[9] (indirect(4*0,1,3*0,1)) onto 2 ranks 3,1",
        "[9,9] (gen_block(4,0,5) from 1,cyclic(2)) onto 3x2 column-major",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        redist_dist *dist = parse(texts[k]), *again = parse(texts[k]), *copy = NULL;
        ok(dist_copy(NULL, dist, &copy));
        redist_dist_destroy(&dist);
        assert_true(redist_dist_equal(copy, again));
        assert_true(dist_hash(copy) == dist_hash(again));
        redist_dist_destroy(&copy);
        redist_dist_destroy(&again);
    }
}

static void dists_over_different_grids_differ(void **state)
{
    const char *texts[] = {
        "[8,8] (block,block) onto 2x2",
        "[8,8] (block,block) onto 2x2 column-major",
        "[8,8] (block,block) onto 2x2x2",
        "[8,8] (block on 1,block on 0) onto 2x2",
        "[8,8] (block,*) onto 2x2",
        "[8,8] (block,block) onto 2x2 ranks 1:4",
        "[8,8] (block,block from 1) onto 2x2",
        "[8,9] (block,block) onto 2x2",
    };
    enum { N = sizeof texts / sizeof *texts };
    redist_dist *dists[N];
    for (int k = 0; k < N; k++) dists[k] = parse(texts[k]);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            assert_int_equal(redist_dist_equal(dists[a], dists[b]), a == b);
    for (int k = 0; k < N; k++) redist_dist_destroy(&dists[k]);
}

/* ---- views ------------------------------------------------------------------------- */

static void a_fresh_view_is_the_whole_array_in_row_major_order(void **state)
{
    redist_dist *dist = parse("[7,5,3] (block,*,cyclic) onto 2x2");
    redist_view view;
    memset(&view, 0xff, sizeof view);
    ok(redist_view_init(dist, &view));
    assert_ptr_equal(view.dist, dist);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(view.start[i], 0);
        assert_int_equal(view.extent[i], redist_dist_extent(dist, i));
        assert_int_equal(view.stride[i], 1);
        assert_int_equal(view.axes[i], i);
        assert_int_equal(view.order[i], i);
        assert_int_equal(view.halo_low[i], 0);
        assert_int_equal(view.halo_high[i], 0);
        assert_int_equal(view.lead[i], 0);
    }
    assert_int_equal(view_elements(&view), 105);
    redist_dist_destroy(&dist);
}

/* Rank 1 of these holds 3 x 2 of 7 x 3 elements: rows 4-6, columns 0 and 2. */
static void views_lie_in_memory_as_order_halo_and_lead_say(void **state)
{
    static const char base[] = "[7,3] (block,cyclic) onto 2x2 ranks 0,8,1,9";
    const struct {
        const char *clauses;
        int64_t lead[2], stride[2], offset, span;
    } cases[] = {
        {"", {0, 0}, {2, 1}, 0, 6},
        {"order column-major", {0, 0}, {1, 3}, 0, 6},
        {"halo (1,2:0)", {0, 0}, {4, 1}, 6, 20},
        {"halo (1,2:0) order column-major", {0, 0}, {1, 5}, 11, 20},
        {"halo (0:1,0)", {0, 0}, {2, 1}, 0, 8},
        {"order column-major", {1, 10}, {1, 10}, 0, 13},
        {"", {7, 2}, {7, 2}, 0, 17},
        {"section [4:4,0:0]", {0, 0}, {2, 1}, 0, 6}, /* memory is that of the whole */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[128];
        redist_dist *dist = NULL;
        redist_view view;
        struct layout layout;
        int64_t span = -1;
        (void)snprintf(text, sizeof text, "%s %s", base, cases[k].clauses);
        ok(redist_view_parse(text, &dist, &view));
        memcpy(view.lead, cases[k].lead, sizeof cases[k].lead);
        ok(view_layout(&view, 1, &layout));
        assert_true(layout.member);
        assert_int_equal(layout.count[0], 3);
        assert_int_equal(layout.count[1], 2);
        assert_int_equal(layout.stride[0], cases[k].stride[0]);
        assert_int_equal(layout.stride[1], cases[k].stride[1]);
        assert_int_equal(layout.offset, cases[k].offset);
        ok(redist_view_span(&view, 1, &span));
        assert_int_equal(span, cases[k].span);
        ok(redist_view_span(&view, 2, &span));
        assert_int_equal(span, 0);
        redist_dist_destroy(&dist);
    }
}

static void views_hash_alike_exactly_if_they_mean_the_same(void **state)
{
    const char *texts[] = {
        "[9,9] (block,*) onto 3",
        "[9,9] (block,*) onto 3 section [0:8,0:7]",
        "[9,9] (block,*) onto 3 section [0:8:2,0:7]",
        "[9,9] (block,*) onto 3 axes (1,0)",
        "[9,9] (block,*) onto 3 order (1,0)",
        "[9,9] (block,*) onto 3 halo (1:0,0)",
        "[9,9] (block,*) onto 3 halo (0:1,0)",
        "[9,9] (block from 1,*) onto 3",
    };
    enum { N = sizeof texts / sizeof *texts };
    uint64_t hashes[N];
    for (int k = 0; k < N; k++) {
        redist_dist *dist = NULL;
        redist_view view;
        ok(redist_view_parse(texts[k], &dist, &view));
        hashes[k] = view_hash(&view);
        view.lead[0] = 50, view.lead[1] = 1; /* local to a process: not hashed */
        assert_true(view_hash(&view) == hashes[k]);
        for (int j = 0; j < k; j++) assert_true(hashes[j] != hashes[k]);
        redist_dist_destroy(&dist);
    }
}

static void a_descriptor_is_a_column_major_block_cyclic_matrix(void **state)
{
    redist_grid *grid = make_grid(2, (int[]){2, 3}, REDIST_ROW_MAJOR, NULL);
    const int desc[9] = {1, -1, 100, 80, 8, 16, 1, 2, 60};
    redist_dist *dist = NULL,
                *same = parse("[100,80] (cyclic(8) from 1,cyclic(16) from 2) onto 2x3");
    redist_view view;
    int64_t span = -1;
    ok(redist_view_from_descriptor(desc, grid, &dist, &view));
    assert_true(redist_dist_equal(dist, same));
    assert_ptr_equal(view.dist, dist);
    assert_int_equal(view.order[0], 1);
    assert_int_equal(view.order[1], 0);
    assert_int_equal(view.lead[0], 1);
    assert_int_equal(view.lead[1], 60);
    /* Rank 0 holds 48 rows, those of blocks 1 3 5 7 9 11, and 32 columns, blocks 1 and
     * 4. */
    ok(redist_view_span(&view, 0, &span));
    assert_int_equal(span, 31 * 60 + 48);
    redist_dist_destroy(&dist);
    redist_dist_destroy(&same);
    redist_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_map_coordinates_to_ranks_and_back),
        cmocka_unit_test(grids_are_equal_if_they_hold_the_same_ranks),
        cmocka_unit_test(the_order_of_a_single_long_axis_does_not_count),
        cmocka_unit_test(two_billion_processes_take_no_memory_of_their_own),
        cmocka_unit_test(a_matrix_is_dealt_along_rows_and_columns),
        cmocka_unit_test(processes_outside_the_grid_hold_nothing),
        cmocka_unit_test(an_axis_that_no_dimension_takes_replicates),
        cmocka_unit_test(a_replica_has_a_dist_of_its_own),
        cmocka_unit_test(a_dist_tells_what_it_was_made_of),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(dists_over_different_grids_differ),
        cmocka_unit_test(a_fresh_view_is_the_whole_array_in_row_major_order),
        cmocka_unit_test(views_lie_in_memory_as_order_halo_and_lead_say),
        cmocka_unit_test(views_hash_alike_exactly_if_they_mean_the_same),
        cmocka_unit_test(a_descriptor_is_a_column_major_block_cyclic_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
