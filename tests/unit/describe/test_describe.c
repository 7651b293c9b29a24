/* SPDX-License-Identifier: MIT
 *
 * Who owns what, against owner maps that are dealt out here element by element, as HPF-2
 * (section 3) says, without a formula in common with the library.
 */
#include <string.h>

#include "unit/unit.h"

#include "base/error.h"
#include "describe/dist.h"

enum { MAX_PROCS = 5, MAX_BLOCK = 5, MAX_EXTENT = 3 * MAX_PROCS * MAX_BLOCK + 1 };

/* ---- owner maps by hand ------------------------------------------------------------ */

/* Deal blocks of m elements round `procs` coordinates from `first` on. */
static void deal(int extent, int m, int procs, int first, int owners[])
{
    int owner = first, dealt = 0;
    for (int i = 0; i < extent; i++) {
        if (dealt == m) {
            dealt = 0;
            owner = owner == procs - 1 ? 0 : owner + 1;
        }
        owners[i] = owner;
        dealt++;
    }
}

static redist_dist *make_1d(int64_t extent, redist_format format, int procs)
{
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    ok(redist_grid_create(1, &procs, REDIST_ROW_MAJOR, NULL, &grid));
    redist_err err = redist_dist_create(1, &extent, &format, grid, &dist);
    redist_grid_destroy(&grid);
    if (err) fail_msg("%s", redist_error_message());
    return dist;
}

/* Owner and place of each element, the way back, and how many each process holds. */
static void check_owners(const redist_dist *dist, int extent, int procs,
                         const int owners[])
{
    int64_t held[MAX_PROCS] = {0};
    for (int64_t i = 0; i < extent; i++) {
        int rank = -1;
        int64_t local = -1, back = -1;
        ok(redist_dist_owner(dist, &i, &rank, &local));
        assert_int_equal(rank, owners[i]);
        assert_int_equal(local, held[rank]);
        held[rank]++;
        ok(redist_dist_index(dist, rank, &local, &back));
        assert_int_equal(back, i);
    }
    for (int c = 0; c < procs; c++) {
        int64_t local = -1;
        ok(redist_dist_local_extents(dist, c, &local));
        assert_int_equal(local, held[c]);
    }
}

/* The blocks are the stretches of one owner, each lying whole in its local array,
 * numbered in ascending order by each coordinate. */
static void check_blocks(const struct dim *dim, const int owners[])
{
    int64_t covered = 0;
    for (int c = 0; c < dim->procs; c++) {
        int64_t end = 0, local = 0;
        for (int64_t j = 0; j < dim_block_count(dim, c); j++) {
            struct block block = dim_block(dim, c, j);
            assert_true(block.begin >= end && block.begin < block.end);
            assert_int_equal(block.owner, c);
            assert_int_equal(block.local, local);
            for (int64_t i = block.begin; i < block.end; i++) {
                struct block at = dim_block_at(dim, i);
                assert_int_equal(owners[i], c);
                assert_int_equal(at.begin, block.begin);
                assert_int_equal(at.end, block.end);
                assert_int_equal(at.local, block.local);
            }
            end = block.end;
            local += block.end - block.begin;
            covered += block.end - block.begin;
        }
        assert_int_equal(dim_count(dim, c), local);
    }
    assert_int_equal(covered, dim->extent);
}

static void check_1d(int extent, redist_format format, int procs, const int owners[])
{
    redist_dist *dist = make_1d(extent, format, procs);
    check_owners(dist, extent, procs, owners);
    check_blocks(&dist->dim[0], owners);
    redist_dist_destroy(&dist);
    assert_null(dist);
}

/* ---- one dimension ----------------------------------------------------------------- */

static void cyclic_deals_blocks_round(void **state)
{
    int owners[MAX_EXTENT + 1];
    for (int procs = 1; procs <= MAX_PROCS; procs++)
        for (int m = 1; m <= MAX_BLOCK; m++)
            for (int extent = 0; extent <= 3 * procs * m + 1; extent++)
                for (int first = 0; first < procs; first++) {
                    redist_format format = redist_cyclic(m);
                    format.first = first;
                    deal(extent, m, procs, first, owners);
                    check_1d(extent, format, procs, owners);
                }
}

static void block_gives_each_coordinate_one_block(void **state)
{
    int owners[MAX_EXTENT + 1];
    for (int procs = 1; procs <= MAX_PROCS; procs++)
        for (int m = 1; m <= MAX_BLOCK; m++)
            for (int extent = 0; extent <= procs * m; extent++)
                for (int first = 0; first < procs; first++) {
                    redist_format format = redist_block_of(m);
                    format.first = first;
                    deal(extent, m, procs, first, owners);
                    check_1d(extent, format, procs, owners);
                }
}

static void plain_block_takes_the_least_block_that_covers(void **state)
{
    int owners[MAX_EXTENT + 1];
    for (int procs = 1; procs <= MAX_PROCS; procs++)
        for (int extent = 0; extent <= 3 * procs * MAX_BLOCK + 1; extent++)
            for (int first = 0; first < procs; first++) {
                redist_format format = redist_block();
                format.first = first;
                int m = 1;
                while (m * procs < extent) m++;
                deal(extent, m, procs, first, owners);
                check_1d(extent, format, procs, owners);
            }
}

static void gen_block_gives_each_coordinate_its_size(void **state)
{
    enum { PROCS = 4, LARGEST = 3 };
    for (int code = 0; code < 256; code++) /* all sizes 0 .. 3 of 4 coordinates */
        for (int first = 0; first < PROCS; first++) {
            int64_t sizes[PROCS];
            int owners[PROCS * LARGEST + 1], extent = 0;
            for (int k = 0; k < PROCS; k++) {
                sizes[k] = code >> 2 * k & LARGEST;
                for (int64_t e = 0; e < sizes[k]; e++)
                    owners[extent++] = k + first < PROCS ? k + first : k + first - PROCS;
            }
            redist_format format = redist_gen_block(sizes);
            format.first = first;
            check_1d(extent, format, PROCS, owners);
        }
}

static void indirect_gives_each_element_its_owner(void **state)
{
    enum { PROCS = 3, EXTENT = 6 };
    for (int extent = 0; extent <= EXTENT; extent++) {
        int nlists = 1, owners[EXTENT + 1];
        for (int i = 0; i < extent; i++) nlists *= PROCS;
        for (int list = 0; list < nlists; list++) {
            for (int i = 0, rest = list; i < extent; i++, rest /= PROCS)
                owners[i] = rest % PROCS;
            check_1d(extent, redist_indirect(owners), PROCS, owners);
        }
    }
}

static void collapsed_leaves_all_to_one(void **state)
{
    int owners[10] = {0};
    for (int extent = 0; extent <= 10; extent++)
        check_1d(extent, redist_collapsed(), 1, owners);
}

static void lists_are_copied(void **state)
{
    int owners[4] = {1, 0, 0, 1}, kept[4];
    int64_t sizes[2] = {1, 3};
    memcpy(kept, owners, sizeof owners);
    redist_dist *indirect = make_1d(4, redist_indirect(owners), 2);
    redist_dist *gen_block = make_1d(4, redist_gen_block(sizes), 2);
    memset(owners, 0, sizeof owners);
    memset(sizes, 0, sizeof sizes);
    check_owners(indirect, 4, 2, kept);
    check_owners(gen_block, 4, 2, (int[]){0, 1, 1, 1});
    redist_dist_destroy(&indirect);
    redist_dist_destroy(&gen_block);
}

static void extents_near_2_to_the_63_do_not_overflow(void **state)
{
    const int64_t last = INT64_MAX - 1;
    redist_format formats[] = {redist_block(), redist_cyclic(1), redist_cyclic(1 << 20),
                               redist_cyclic(INT64_MAX), redist_block_of(INT64_MAX)};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (int first = 0; first < 3; first++) {
            formats[k].first = first;
            redist_dist *dist = make_1d(INT64_MAX, formats[k], 3);
            int rank = -1;
            int64_t local = -1, back = -1, sum = 0;
            ok(redist_dist_owner(dist, &last, &rank, &local));
            ok(redist_dist_index(dist, rank, &local, &back));
            assert_int_equal(back, last);
            for (int c = 0; c < 3; c++) {
                int64_t held = 0;
                ok(redist_dist_local_extents(dist, c, &held));
                sum += held;
            }
            assert_int_equal(sum, INT64_MAX);
            redist_dist_destroy(&dist);
        }
}

/* ---- equality ---------------------------------------------------------------------- */

static void dists_are_equal_where_each_element_lies_at_the_same_place(void **state)
{
    redist_dist *dists[120];
    int owners[120][12], n = 0;
    for (int extent = 0; extent <= 5; extent++) {
        for (int m = 1; m <= 6; m++)
            for (int first = 0; first < 3; first++) {
                redist_format format = redist_cyclic(m);
                format.first = first;
                owners[n][0] = extent;
                deal(extent, m, 3, first, owners[n] + 1);
                dists[n++] = make_1d(extent, format, 3);
            }
        owners[n][0] = extent;
        for (int i = 0; i < extent; i++) owners[n][1 + i] = i < 2 ? 0 : 2;
        dists[n] = make_1d(extent, redist_indirect(owners[n] + 1), 3);
        n++;
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            size_t bytes = (size_t)(1 + owners[a][0]) * sizeof(int);
            bool same = memcmp(owners[a], owners[b], bytes) == 0;
            assert_int_equal(redist_dist_equal(dists[a], dists[b]), same);
        }
    for (int k = 0; k < n; k++) redist_dist_destroy(&dists[k]);
}

/* Of other numbers of coordinates, too. */
static void dims_are_equal_where_each_element_lies_at_the_same_place(void **state)
{
    struct dim dims[150];
    int owners[150][12], n = 0;
    for (int procs = 1; procs <= 4; procs++)
        for (int m = 1; m <= 6; m++)
            for (int first = 0; first < procs; first++) {
                redist_format format = redist_cyclic(m);
                format.first = first;
                deal(7, m, procs, first, owners[n]);
                ok(dim_make(0, 7, &format, procs, 0, &dims[n++]));
                ok(dim_make(
                    0, 7,
                    &(redist_format){.kind = REDIST_INDIRECT, .owners = owners[n - 1]},
                    procs, 0, &dims[n]));
                memcpy(owners[n], owners[n - 1], sizeof *owners);
                n++;
            }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            assert_int_equal(dim_equal(&dims[a], &dims[b]),
                             memcmp(owners[a], owners[b], 7 * sizeof(int)) == 0);
    for (int k = 0; k < n; k++) dim_free(&dims[k]);
}

/* Those that own nothing count, too. */
static void the_most_and_the_least_of_a_dim_are_found(void **state)
{
    static const int owners[][6] = {{0, 0, 0, 0, 0, 0}, {0, 1, 1, 2, 2, 3},
                                    {3, 3, 1, 1, 0, 2}, {3, 3, 3, 2, 2, 1},
                                    {1, 2, 3, 1, 2, 0}, {0, 2, 2, 3, 3, 0}};
    for (size_t k = 0; k < sizeof owners / sizeof *owners; k++)
        for (int extent = 0; extent <= 6; extent++) {
            redist_format format = redist_indirect(owners[k]);
            struct dim dim;
            int64_t most = 0, least = extent;
            ok(dim_make(0, extent, &format, 4, 0, &dim));
            for (int c = 0; c < 4; c++) {
                int64_t count = 0;
                for (int i = 0; i < extent; i++) count += owners[k][i] == c;
                most = count > most ? count : most;
                least = count < least ? count : least;
            }
            assert_int_equal(dim_count(&dim, dim_extreme(&dim, 1)), most);
            assert_int_equal(dim_count(&dim, dim_extreme(&dim, -1)), least);
            dim_free(&dim);
        }
}

/* An owner's number is sorted by byte after byte. */
static void coordinates_of_any_size_find_their_blocks(void **state)
{
    enum { PROCS = 1 << 25 };
    static const int owners[] = {PROCS - 1, 255,       65536, 256,       0, 1 << 24,
                                 255,       257 << 16, 0,     PROCS - 1, 1, 65535};
    enum { N = sizeof owners / sizeof *owners };
    redist_dist *dist = make_1d(N, redist_indirect(owners), PROCS);
    for (int64_t i = 0; i < N; i++) {
        int rank = -1;
        int64_t local = -1, back = -1, before = 0;
        for (int64_t j = 0; j < i; j++) before += owners[j] == owners[i];
        ok(redist_dist_owner(dist, &i, &rank, &local));
        assert_int_equal(rank, owners[i]);
        assert_int_equal(local, before);
        ok(redist_dist_index(dist, rank, &local, &back));
        assert_int_equal(back, i);
    }
    redist_dist_destroy(&dist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cyclic_deals_blocks_round),
        cmocka_unit_test(block_gives_each_coordinate_one_block),
        cmocka_unit_test(plain_block_takes_the_least_block_that_covers),
        cmocka_unit_test(gen_block_gives_each_coordinate_its_size),
        cmocka_unit_test(indirect_gives_each_element_its_owner),
        cmocka_unit_test(collapsed_leaves_all_to_one),
        cmocka_unit_test(lists_are_copied),
        cmocka_unit_test(extents_near_2_to_the_63_do_not_overflow),
        cmocka_unit_test(dists_are_equal_where_each_element_lies_at_the_same_place),
        cmocka_unit_test(dims_are_equal_where_each_element_lies_at_the_same_place),
        cmocka_unit_test(the_most_and_the_least_of_a_dim_are_found),
        cmocka_unit_test(coordinates_of_any_size_find_their_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
