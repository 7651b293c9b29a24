/* SPDX-License-Identifier: MIT
 *
 * The proposed ranks against all permutations of them, by a count of the elements that
 * looks at each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include <redist/propose.h>

#include "base/intmath.h"
#include "describe/view.h"
#include "oracle.h"
#include "schedule/order/relabel.h"
#include "unit/starve.h"

enum { MOST_RANKS = 8, CASES = 500, TEXT = 512 };

/* Elements that the place `q` of the target's grid needs and rank r has. */
struct have {
    int places, rank[MOST_RANKS]; /* as given */
    int64_t own[MOST_RANKS][MOST_RANKS], near[MOST_RANKS][MOST_RANKS];
};

/* ---- the truth --------------------------------------------------------------------- */

static bool holds(const redist_dist *dist, const int64_t index[], int rank)
{
    int coords[REDIST_MAX_DIMS];
    if (!redist_grid_coords(redist_dist_grid(dist), rank, coords)) return false;
    for (int i = 0; i < dist->ndims; i++)
        if (dim_block_at(&dist->dim[i], index[i]).owner != dist_coord(dist, i, coords))
            return false;
    return true;
}

/* Count one element, at places `from` and `to` of the two arrays. */
static void count(const redist_dist *source, const redist_dist *target,
                  const int64_t from[], const int64_t to[], const int nodes[],
                  struct have *have)
{
    bool has[2 * MOST_RANKS];
    for (int r = 0; r < 2 * MOST_RANKS; r++) has[r] = holds(source, from, r);
    for (int q = 0; q < have->places; q++) {
        if (!holds(target, to, have->rank[q])) continue;
        for (int k = 0; k < have->places; k++) {
            int rank = have->rank[k];
            bool near = false;
            for (int r = 0; r < 2 * MOST_RANKS; r++)
                near = near || (has[r] && nodes[r] == nodes[rank]);
            have->own[q][k] += has[rank];
            have->near[q][k] += near && !has[rank];
        }
    }
}

static struct have find(const redist_view *source, const redist_view *target,
                        const int nodes[])
{
    struct have have = {.places = (int)target->dist->grid->size};
    int64_t n = view_elements(source), from[REDIST_MAX_DIMS], to[REDIST_MAX_DIMS];
    for (int k = 0; k < have.places; k++)
        have.rank[k] = grid_rank_at(target->dist->grid, k);
    for (int64_t e = 0; e < n; e++) {
        int64_t rest = e;
        for (int j = source->dist->ndims - 1; j >= 0; j--) {
            int a = source->axes[j], b = target->axes[j];
            from[a] = source->start[a] + rest % source->extent[a] * source->stride[a];
            to[b] = target->start[b] + rest % target->extent[b] * target->stride[b];
            rest /= source->extent[a];
        }
        count(source->dist, target->dist, from, to, nodes, &have);
    }
    return have;
}

static int64_t value(const struct have *have, int q, int k, int own, int near)
{
    return own * have->own[q][k] + near * have->near[q][k];
}

/* The most that any assignment of those places from q on is worth. */
static int64_t best(const struct have *have, int q, unsigned taken, int own, int near)
{
    int64_t most = 0;
    if (q == have->places) return 0;
    for (int k = 0; k < have->places; k++) {
        if (taken >> k & 1u) continue;
        int64_t rest = best(have, q + 1, taken | 1u << k, own, near);
        most = int_max(most, rest + value(have, q, k, own, near));
    }
    return most;
}

/* ---- against it -------------------------------------------------------------------- */

/* Check a proposal; `nodes` may stand for none, which is each rank its own. */
static void check(const redist_view *source, const redist_view *target, const int nodes[],
                  bool noded, int within)
{
    redist_dist *dist;
    int64_t kept[2], found = 0, given = 0, own[2] = {0, 0};
    int near = noded ? 100 - within : 0;
    struct have have = find(source, target, nodes);
    ok(redist_relabel(source, target, noded ? nodes : NULL, within, &dist, kept));
    for (int q = 0; q < have.places; q++) {
        int k = 0, rank = grid_rank_at(dist->grid, q);
        while (k < have.places && have.rank[k] != rank) k++;
        assert_in_range(k, 0, have.places - 1);
        found += value(&have, q, k, 100, near);
        given += value(&have, q, q, 100, near);
        own[0] += have.own[q][q];
        own[1] += have.own[q][k];
    }
    assert_int_equal(kept[0], own[0]);
    assert_int_equal(kept[1], own[1]);
    assert_true(found >= given);
    if (found == given) assert_true(redist_dist_equal(dist, target->dist));
    assert_int_equal(found, best(&have, 0, 0, 100, near));
    redist_dist_destroy(&dist);
}

/* A random dist of one or two dimensions over up to 8 of 10 ranks; sometimes a
 * section. */
static redist_dist *random_side(uint64_t *seed, int ndims, const int64_t n[],
                                redist_view *view)
{
    int64_t extents[2], sizes[2][64];
    int owners[2][64], shape[3], ranks[MOST_RANKS + 2], left = MOST_RANKS, naxes = 0;
    redist_format formats[2];
    redist_grid *grid;
    redist_dist *dist;
    bool part = random_in(seed, 0, 3) == 0;
    for (int i = 0; i < ndims; i++) {
        extents[i] = n[i] + (part ? 2 : 0);
        shape[naxes] = (int)random_in(seed, 1, left);
        left /= shape[naxes];
        formats[i] = random_format(seed, extents[i], shape[naxes], sizes[i], owners[i]);
        if (formats[i].kind != REDIST_COLLAPSED) formats[i].axis = naxes;
        naxes++;
    }
    if (random_in(seed, 0, 3) == 0) shape[naxes++] = (int)random_in(seed, 1, left);
    for (int k = 0; k < MOST_RANKS + 2; k++) {
        int j = (int)random_in(seed, 0, k);
        ranks[k] = ranks[j];
        ranks[j] = k;
    }
    ok(redist_grid_create(naxes, shape, REDIST_ROW_MAJOR, ranks, &grid));
    ok(redist_dist_create(ndims, extents, formats, grid, &dist));
    redist_grid_destroy(&grid);
    ok(redist_view_init(dist, view));
    for (int i = 0; i < ndims; i++) {
        view->extent[i] = n[i];
        view->start[i] = part ? 1 : 0;
    }
    return dist;
}

static void no_permutation_keeps_more(void **state)
{
    uint64_t seed = 20260803;
    for (int k = 0; k < CASES; k++) {
        int64_t n[2] = {random_in(&seed, 0, 20), random_in(&seed, 1, 8)};
        int ndims = (int)random_in(&seed, 1, 2), nodes[2 * MOST_RANKS];
        bool noded = random_in(&seed, 0, 1);
        redist_view view[2];
        redist_dist *dist[2];
        for (int s = 0; s < 2; s++) dist[s] = random_side(&seed, ndims, n, &view[s]);
        for (int r = 0; r < 2 * MOST_RANKS; r++)
            nodes[r] = noded ? (int)random_in(&seed, 0, 3) : r;
        check(&view[0], &view[1], nodes, noded, (int)random_in(&seed, 0, 4) * 25);
        for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
    }
}

/* Whole periods, between as many processes: where there is a closed form, it is one. */
static void closed_forms_are_as_good(void **state)
{
    static const int shapes[][2] = {{1, 6}, {2, 3}, {3, 2}, {6, 1},
                                    {1, 4}, {2, 2}, {4, 1}};
    const int nodes[2 * MOST_RANKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    int64_t applied = 0;
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 7; b++)
            for (int code = 0; code < 81; code++) {
                const int *from = shapes[a], *to = shapes[b];
                int r[2] = {code % 3 + 1, code / 3 % 3 + 1};
                int s[2] = {code / 9 % 3 + 1, code / 27 + 1}, assigned[MOST_RANKS];
                int64_t n[2];
                char text[2][TEXT];
                redist_dist *dist[2];
                redist_view view[2];
                bool applies;
                if (from[0] * from[1] != to[0] * to[1]) continue;
                for (int i = 0; i < 2; i++)
                    (void)int_lcm((int64_t)from[i] * r[i], (int64_t)to[i] * s[i], &n[i]);
                (void)snprintf(text[0], TEXT,
                               "[%" PRId64 ",%" PRId64
                               "] (cyclic(%d) from %d,cyclic(%d)) "
                               "onto %dx%d column-major",
                               n[0], n[1], r[0], code % from[0], r[1], from[0], from[1]);
                (void)snprintf(text[1], TEXT,
                               "[%" PRId64 ",%" PRId64
                               "] (cyclic(%d),cyclic(%d) from %d) "
                               "onto %dx%d",
                               n[0], n[1], s[0], s[1], code % to[1], to[0], to[1]);
                for (int k = 0; k < 2; k++)
                    ok(redist_view_parse(text[k], &dist[k], &view[k]));
                ok(relabel_regular(&view[0], &view[1], assigned, &applies));
                applied += applies;
                if (applies) check(&view[0], &view[1], nodes, false, 0);
                for (int k = 0; k < 2; k++) redist_dist_destroy(&dist[k]);
            }
    assert_true(applied > 300);
}

static void kept_of(const char *source, const char *target, int64_t kept[2], char *text)
{
    redist_dist *dist[2], *proposed;
    redist_view view[2];
    ok(redist_view_parse(source, &dist[0], &view[0]));
    ok(redist_view_parse(target, &dist[1], &view[1]));
    ok(redist_relabel(&view[0], &view[1], NULL, 0, &proposed, kept));
    ok(redist_dist_print(proposed, text, TEXT, NULL));
    redist_dist_destroy(&proposed);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
}

/* 2 x 4 -> 4 x 2 with blocks of 100: a third less. */
static void a_turned_grid_moves_a_third_less(void **state)
{
    int64_t kept[2], all = 800 * 800;
    char text[TEXT];
    kept_of("[800,800] (cyclic(100),cyclic(100)) onto 2x4",
            "[800,800] (cyclic(100),cyclic(100)) onto 4x2", kept, text);
    assert_int_equal(all - kept[0], all * 3 / 4);
    assert_int_equal(all - kept[1], all / 2);
}

static void equal_distributions_move_nothing_whatever_the_ranks(void **state)
{
    int64_t kept[2];
    char text[TEXT];
    kept_of("[90] (cyclic(3)) onto 6 ranks 5,3,1,0,2,4", "[90] (cyclic(3)) onto 6", kept,
            text);
    assert_int_equal(kept[1], 90);
    assert_string_equal(text, "[90] (cyclic(3)) onto 6 ranks 5:1:-2,0:4:2");
    kept_of("[90] (block) onto 3 ranks 7:9", "[90] (cyclic(3)) onto 6", kept, text);
    assert_int_equal(kept[1], 0);
    assert_string_equal(text, "[90] (cyclic(3)) onto 6");
}

static void arguments_that_cannot_be_are_named(void **state)
{
    redist_dist *dist[2], *made;
    redist_view view[2];
    const int nodes[2] = {0};
    ok(redist_view_parse("[9] (block) onto 2", &dist[0], &view[0]));
    ok(redist_view_parse("[8] (block) onto 2", &dist[1], &view[1]));
    assert_int_equal(redist_relabel(&view[0], &view[0], NULL, 0, NULL, NULL),
                     REDIST_ERR_ARG);
    assert_string_equal(redist_error_message(), "dist is NULL");
    assert_int_equal(redist_relabel(&view[0], &view[1], NULL, 0, &made, NULL),
                     REDIST_ERR_ARG);
    assert_int_equal(redist_relabel(&view[0], &view[0], nodes, 101, &made, NULL),
                     REDIST_ERR_ARG);
    assert_string_equal(redist_error_message(), "within is 101, must be 0 to 100");
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
}

static redist_err relabel(const void *given)
{
    static const int nodes[6] = {0, 0, 1, 1, 2, 2};
    const redist_view *view = given;
    redist_dist *made = NULL;
    int64_t kept[2];
    redist_err err = redist_relabel(&view[0], &view[1], nodes, 10, &made, kept);
    redist_dist_destroy(&made);
    return err;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    redist_dist *dist[2];
    redist_view view[2];
    ok(redist_view_parse("[30] (cyclic(2)) onto 6", &dist[0], &view[0]));
    ok(redist_view_parse("[30] (cyclic(3)) onto 6", &dist[1], &view[1]));
    assert_true(each_allocation_fails_once(relabel, view) >= 50);
    for (int s = 0; s < 2; s++) redist_dist_destroy(&dist[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_permutation_keeps_more),
        cmocka_unit_test(closed_forms_are_as_good),
        cmocka_unit_test(a_turned_grid_moves_a_third_less),
        cmocka_unit_test(equal_distributions_move_nothing_whatever_the_ranks),
        cmocka_unit_test(arguments_that_cannot_be_are_named),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
