/* SPDX-License-Identifier: MIT
 *
 * Out of memory, in all that happens on one process: each allocation of a function
 * fails in turn. It returns MEMORY, hands out nothing and leaves nothing allocated.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/mem.h"
#include "intersect/overlap.h"
#include "unit/starve.h"

/* ---- descriptions ------------------------------------------------------------------ */

static redist_err create_grid(const void *given)
{
    static const int shape[2] = {2, 3}, ranks[6] = {5, 3, 1, 0, 2, 4};
    redist_grid *grid = NULL;
    redist_err err = redist_grid_create(2, shape, REDIST_COLUMN_MAJOR, ranks, &grid);
    assert_int_equal(err != REDIST_OK, grid == NULL);
    redist_grid_destroy(&grid);
    return err;
}

static redist_err create_dist(const void *given)
{
    static const int64_t sizes[2] = {3, 4}, extents[3] = {7, 5, 9};
    static const int owners[5] = {2, 0, 0, 1, 2};
    const redist_format formats[3] = {redist_gen_block(sizes), redist_indirect(owners),
                                      redist_cyclic(2)};
    redist_dist *dist = NULL;
    redist_err err = redist_dist_create(3, extents, formats, given, &dist);
    assert_int_equal(err != REDIST_OK, dist == NULL);
    redist_dist_destroy(&dist);
    return err;
}

static redist_err create_descriptor(const void *given)
{
    static const int desc[9] = {1, 0, 20, 30, 2, 3, 0, 1, 20};
    redist_dist *dist = NULL;
    redist_view view;
    redist_err err = redist_view_from_descriptor(desc, given, &dist, &view);
    assert_int_equal(err != REDIST_OK, dist == NULL);
    redist_dist_destroy(&dist);
    return err;
}

static redist_err parse(const void *given)
{
    redist_dist *dist = NULL;
    redist_view view;
    redist_err err = redist_view_parse(given, &dist, &view);
    assert_int_equal(err != REDIST_OK, dist == NULL);
    redist_dist_destroy(&dist);
    return err;
}

static void descriptions_survive_lack_of_memory(void **state)
{
    static const int shapes[2][3] = {{2, 3, 4}, {2, 2, 1}};
    static const int ranks[24] = {1,  0,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                  12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    redist_grid *grid = NULL, *matrix = NULL;
    ok(redist_grid_create(3, shapes[0], REDIST_ROW_MAJOR, ranks, &grid));
    ok(redist_grid_create(2, shapes[1], REDIST_ROW_MAJOR, NULL, &matrix));
    assert_true(each_allocation_fails_once(create_grid, NULL) >= 2);
    assert_true(each_allocation_fails_once(create_dist, grid) >= 8);
    assert_true(each_allocation_fails_once(create_descriptor, matrix) >= 2);
    redist_grid_destroy(&grid);
    redist_grid_destroy(&matrix);
    assert_int_equal(mem_live_blocks(), 0);
}

/* Make a dist from a text, copy and compare it; return the most bytes that this took. */
static int64_t peak_of(const char *format, int procs)
{
    struct mem_account account = {0, 0};
    redist_dist *dist = NULL, *copy = NULL;
    char text[100], printed[100];
    (void)snprintf(text, sizeof text, format, procs);
    mem_charge_rest_to(&account);
    ok(redist_dist_parse(text, &dist));
    ok(dist_copy(NULL, dist, &copy));
    ok(redist_dist_print(copy, printed, sizeof printed, NULL));
    assert_string_equal(printed, text);
    assert_true(redist_dist_equal(dist, copy));
    redist_dist_destroy(&dist);
    redist_dist_destroy(&copy);
    mem_charge_rest_to(NULL);
    assert_int_equal(account.bytes, 0);
    return account.peak;
}

static void a_dist_takes_memory_by_its_blocks_not_its_processes(void **state)
{
    static const char *const formats[] = {"[9] (indirect(1,8,0,21,1,3*0,1)) onto %d",
                                          "[9] (indirect(2*30,7*29)) onto %d",
                                          "[0] (indirect()) onto %d",
                                          "[9] (block) onto %d",
                                          "[9] (cyclic(2) from 3) onto %d",
                                          "[9] (block) onto 2x%d"};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        assert_int_equal(peak_of(formats[k], 1000000), peak_of(formats[k], 40));
}

/* The sizes that a text stands for are written out; the dist has those alone that are not
 * 0. */
static void a_gen_block_has_its_nonempty_blocks_alone(void **state)
{
    struct mem_account account = {0, 0};
    redist_dist *dist = NULL;
    mem_charge_rest_to(&account);
    ok(redist_dist_parse("[9] (gen_block(4,99998*0,5)) onto 100000", &dist));
    assert_in_range(account.bytes, 1, 2000);
    redist_dist_destroy(&dist);
    mem_charge_rest_to(NULL);
}

static void texts_survive_lack_of_memory(void **state)
{
    static const char *const texts[] = {
        "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2",
        "[1000] (gen_block(10,20,970)) onto 3 section [1:99:2]",
        "[9,5] (indirect(4*0,1,0,1,2*0),block on 0) onto 2x2 ranks 0,5,7:6:-1",
        "[64,64] (cyclic(4) from 1,block on 0) onto 2x3 column-major halo (1,2:0)",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_true(each_allocation_fails_once(parse, texts[k]) >= 2);
    assert_int_equal(mem_live_blocks(), 0);
}

/* ---- overlaps ---------------------------------------------------------------------- */

struct question {
    const redist_view *view; /* [SIDES] */
    redist_side own;
    int rank;
};

static redist_err make_overlap(const void *given)
{
    const struct question *q = given;
    struct mem_account account = {0, 0};
    struct overlap overlap;
    redist_err err =
        overlap_make(&account, &q->view[0], &q->view[1], q->own, q->rank, &overlap);
    if (!err) overlap_free(&overlap);
    assert_int_equal(account.bytes, 0);
    return err;
}

/* Closed form, walk, sections, irregular formats, replicas on either side. */
static void overlaps_survive_lack_of_memory(void **state)
{
    static const char *const texts[][SIDES] = {
        {"[96] (cyclic(3)) onto 4", "[96] (cyclic(4)) onto 3"},
        {"[97] (cyclic(1)) onto 4", "[97] (block) onto 3"},
        {"[97] (cyclic(2)) onto 3 section [1:95:2]", "[48] (block(20)) onto 4"},
        {"[30] (indirect(5*0,5*1,5*2,2,0,1,2,0,1,2,0,1,2,5*0)) onto 3",
         "[30] (gen_block(1,9,20)) onto 3"},
        {"[40,6] (block on 1,*) onto 3x2", "[40,6] (cyclic(3),cyclic(1)) onto 3x2"},
        {"[40,6] (cyclic(2),block) onto 2x2", "[40,6] (*,cyclic(2) on 1) onto 2x2"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        redist_dist *dist[SIDES];
        redist_view view[SIDES];
        for (int s = 0; s < SIDES; s++)
            ok(redist_view_parse(texts[k][s], &dist[s], &view[s]));
        for (int s = 0; s < SIDES; s++) {
            struct question question = {view, (redist_side)s, 1};
            assert_true(each_allocation_fails_once(make_overlap, &question) >= 3);
            struct question outside = {view, (redist_side)s, 99};
            assert_int_equal(each_allocation_fails_once(make_overlap, &outside), 0);
        }
        for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dist[s]);
    }
    assert_int_equal(mem_live_blocks(), 0);
}

/* ---- the allocator ----------------------------------------------------------------- */

static void blocks_and_bytes_are_counted(void **state)
{
    struct mem_account account = {0, 0};
    assert_int_equal(mem_live_blocks(), 0); /* from now on they are counted */
    int64_t *array = mem_alloc(&account, 5, sizeof *array);
    assert_int_equal(account.bytes, 40);
    assert_int_equal(mem_live_blocks(), 1);
    array[4] = 7;
    mem_fail_at(1);
    assert_null(mem_resize(&account, array, 9, sizeof *array));
    assert_int_equal(array[4], 7); /* the old block stays */
    array = mem_resize(&account, array, 9, sizeof *array);
    assert_int_equal(array[4], 7);
    assert_int_equal(array[8], 0);
    assert_int_equal(account.bytes, 72);
    assert_int_equal(account.peak, 112);
    assert_int_equal(mem_live_blocks(), 1);
    mem_free(array);
    assert_int_equal(account.bytes, 0);
    assert_int_equal(mem_live_blocks(), 0);
    assert_null(mem_alloc(NULL, INT64_MAX / 2, 8));
    assert_null(mem_alloc(NULL, -1, 1));
    mem_free(NULL);
    assert_int_equal(mem_live_blocks(), 0);
}

static void parts_lie_side_by_side_in_one_block(void **state)
{
    struct mem_account account = {0, 0};
    void *at[4] = {NULL};
    const struct mem_part parts[] = {
        {&at[0], 3, 1}, {&at[1], 0, 8}, {&at[2], 2, 40}, {&at[3], 1, 8}, {0}};
    int64_t before = mem_live_blocks();
    ok(mem_alloc_parts(&account, parts));
    assert_int_equal(mem_live_blocks(), before + 1);
    for (int k = 0; k < 4; k++) {
        assert_int_equal((uintptr_t)at[k] % _Alignof(max_align_t), 0);
        int64_t room = k < 3 ? (char *)at[k + 1] - (char *)at[k]
                             : (char *)at[0] + account.bytes - (char *)at[k];
        assert_in_range(room, parts[k].count * (int64_t)parts[k].size, account.bytes);
        for (size_t b = 0; b < (size_t)parts[k].count * parts[k].size; b++)
            assert_int_equal(((char *)at[k])[b], 0);
    }
    mem_free(at[0]);
    assert_int_equal(account.bytes, 0);
    void *none = NULL;
    const struct mem_part many[] = {{&none, 1, 1}, {&none, INT64_MAX / 2, 8}, {0}};
    assert_int_equal(mem_alloc_parts(NULL, many), REDIST_ERR_MEMORY);
    mem_fail_at(1);
    assert_int_equal(mem_alloc_parts(NULL, parts), REDIST_ERR_MEMORY);
    mem_fail_at(0);
    assert_null(none);
    assert_int_equal(mem_live_blocks(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_bytes_are_counted),
        cmocka_unit_test(parts_lie_side_by_side_in_one_block),
        cmocka_unit_test(descriptions_survive_lack_of_memory),
        cmocka_unit_test(a_dist_takes_memory_by_its_blocks_not_its_processes),
        cmocka_unit_test(a_gen_block_has_its_nonempty_blocks_alone),
        cmocka_unit_test(texts_survive_lack_of_memory),
        cmocka_unit_test(overlaps_survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
