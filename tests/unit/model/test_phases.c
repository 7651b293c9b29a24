/* SPDX-License-Identifier: MIT
 *
 * The phases of a redistribution: one by one the dimensions of the section go from the
 * source's owners to the target's; nobody has more messages than is said, or holds more.
 */
#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "intersect/overlap.h"
#include "oracle.h"
#include "schedule/model/phases.h"
#include "unit/starve.h"

enum { TEXT = 256 };

struct pair {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
};

static struct pair parse(const char *source, const char *target)
{
    struct pair pair;
    ok(redist_view_parse(source, &pair.dist[0], &pair.view[0]));
    ok(redist_view_parse(target, &pair.dist[1], &pair.view[1]));
    return pair;
}

static void free_pair(struct pair *pair)
{
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&pair->dist[s]);
}

/* ---- messages ---------------------------------------------------------------------- */

/* The view that phase k starts from (k - 1 leads to). */
static const redist_view *stage(const struct pair *pair, const struct phases *phases,
                                int k)
{
    return k == 0           ? &pair->view[REDIST_SOURCE]
           : k == phases->n ? &pair->view[REDIST_TARGET]
                            : &phases->between[k - 1];
}

/* The most messages to others that a process sends, or receives, in a redistribution. */
static int64_t most_messages(const redist_view *from, const redist_view *to, int nranks)
{
    int64_t most = 0;
    for (int rank = 0; rank < nranks; rank++)
        for (int s = 0; s < SIDES; s++) {
            struct overlap overlap;
            int64_t n = 0;
            ok(overlap_make(NULL, from, to, (redist_side)s, rank, &overlap));
            for (int64_t k = 0; k < overlap.nmessages; k++)
                n += overlap.message[k].rank != rank;
            most = int_max(most, n);
            overlap_free(&overlap);
        }
    return most;
}

/* The elements that the fullest process holds of a view. */
static int64_t most_elements(const redist_view *view, int nranks)
{
    int64_t most = 0;
    for (int rank = 0; rank < nranks; rank++) {
        int64_t span = 0;
        ok(redist_view_span(view, rank, &span));
        most = int_max(most, span);
    }
    return most;
}

/* In how many phases, with how many messages each, through how many elements at most. */
static void check_phases(const char *source, const char *target, int nranks, int n,
                         const int64_t messages[])
{
    struct pair pair = parse(source, target);
    struct phases phases;
    ok(phases_make(&pair.view[0], &pair.view[1], nranks, INT64_MAX, &phases));
    assert_int_equal(phases.n, n);
    int64_t held[REDIST_MAX_DIMS + 1] = {0}, most = 0;
    for (int k = 0; k < n; k++) {
        const redist_view *from = stage(&pair, &phases, k);
        const redist_view *to = stage(&pair, &phases, k + 1);
        assert_int_equal(most_messages(from, to, nranks), messages[k]);
        if (k > 0) held[k] = most_elements(from, nranks);
    }
    for (int k = 0; k < n; k++) most = int_max(most, held[k] + held[k + 1]);
    assert_int_equal(phases.elements, most);
    assert_true(phases.least >= 0 && phases.least <= most);
    phases_free(&phases);
    free_pair(&pair);
}

static void messages_are_the_sum_of_the_degrees(void **unused)
{
    static const int64_t square[] = {3, 3}, cube[] = {3, 3, 3}, flat[] = {1, 2};
    static const int64_t large[] = {31, 31}, halves[] = {1, 1};
    check_phases("[64,60] (cyclic(1),block) onto 4x4",
                 "[64,60] (block,cyclic(1)) onto 4x4", 16, 2, square);
    check_phases("[9,8,7] (cyclic(1),cyclic(1),*) onto 2x4",
                 "[9,8,7] (block,block,*) onto 2x4 column-major", 8, 2, flat);
    check_phases("[16,16,16] (block,block,block) onto 4x4x4",
                 "[16,16,16] (cyclic(1),cyclic(1),cyclic(1)) onto 4x4x4", 64, 3, cube);
    check_phases("[1024,1024] (cyclic(1),block) onto 32x32",
                 "[1024,1024] (block,cyclic(1)) onto 32x32", 1024, 2, large);
    /* nearly 2^63 elements */
    check_phases("[3037000499,3037000499] (block,cyclic(7)) onto 2x2",
                 "[3037000499,3037000499] (cyclic(3),block) onto 2x2", 4, 2, halves);
}

static void there_is_one_phase_where_more_are_no_use(void **unused)
{
    static const int64_t row[] = {3}, none[] = {0}, all[] = {15};
    check_phases("[64] (cyclic(1)) onto 4", "[64] (block) onto 4", 4, 1, row);
    check_phases("[64,5] (cyclic(1),*) onto 4", "[64,5] (block,*) onto 4 column-major", 4,
                 1, row);
    check_phases("[64,60] (block,*) onto 4", "[64,60] (*,block) onto 4", 4, 1, row);
    check_phases("[64,60] (block,block) onto 2x2",
                 "[128,60] (block,block) onto 2x2 section [0:127:2,0:59]", 4, 1, none);
    check_phases("[0,60] (block,block) onto 2x2", "[0,60] (cyclic(1),cyclic(1)) onto 2x2",
                 4, 1, none);
    check_phases("[1] (*) onto 1", "[1] (*) onto 1", 1, 1, none);
    /* the grid between would be 16 x 16, or all would be on one process */
    check_phases("[64,64] (cyclic(1),block) onto 16x1",
                 "[64,64] (block,cyclic(1)) onto 1x16", 16, 1, all);
}

/* ---- owners ------------------------------------------------------------------------ */

/* The coordinate that owns element k of dimension j of a view's section. */
static int owner_of(const redist_view *view, int j, int64_t k)
{
    int i = view->axes[j];
    return dim_block_at(&view->dist->dim[i], view->start[i] + k * view->stride[i]).owner;
}

/* Whether dimension j has the same owners in two views. */
static bool same_owners(const redist_view *a, const redist_view *b, int j)
{
    if (a->dist->dim[a->axes[j]].procs != b->dist->dim[b->axes[j]].procs) return false;
    for (int64_t k = 0; k < a->extent[a->axes[j]]; k++)
        if (owner_of(a, j, k) != owner_of(b, j, k)) return false;
    return true;
}

/* Each dimension is as in the source, then as in the target; what lies between is dense
 * and has the section's extents. */
static void check_owners(const struct pair *pair, const struct phases *phases, int nranks)
{
    const redist_view *source = &pair->view[0], *target = &pair->view[1];
    for (int k = 1; k < phases->n; k++) {
        const redist_view *view = stage(pair, phases, k);
        bool changes = false;
        assert_true(grid_max_rank(view->dist->grid) < nranks);
        for (int j = 0; j < source->dist->ndims; j++) {
            int64_t extent = source->extent[source->axes[j]];
            bool before = same_owners(source, view, j);
            assert_true(before || same_owners(view, target, j));
            assert_true(before || same_owners(view, stage(pair, phases, k + 1), j));
            changes = changes || !same_owners(stage(pair, phases, k - 1), view, j);
            assert_int_equal(view->dist->dim[j].extent, extent);
            assert_int_equal(view->extent[j], extent);
            assert_int_equal(target->axes[view->order[j]] == target->order[j], 1);
        }
        assert_true(changes);
    }
}

/* Write one side over a grid of `shape`. */
static void write_side(uint64_t *seed, int ndims, const int n[], const int shape[],
                       char text[TEXT])
{
    static const char *const formats[] = {"cyclic(1)", "cyclic(2)", "cyclic(6)", "block"};
    int first[3], stride[3];
    size_t at = 0;
    for (int j = 0; j < ndims; j++) {
        first[j] = random_in(seed, 0, 1) ? 0 : (int)random_in(seed, 0, 12);
        stride[j] = random_in(seed, 0, 1) ? 1 : (int)random_in(seed, 1, 3);
        at += (size_t)snprintf(text + at, TEXT - at, "%s%d", j ? "," : "[",
                               first[j] + n[j] * stride[j]);
    }
    for (int j = 0; j < ndims; j++)
        at += (size_t)snprintf(text + at, TEXT - at, "%s%s from %d", j ? "," : "] (",
                               formats[random_in(seed, 0, 3)],
                               (int)random_in(seed, 0, shape[j] - 1));
    for (int j = 0; j < ndims; j++)
        at +=
            (size_t)snprintf(text + at, TEXT - at, "%s%d", j ? "x" : ") onto ", shape[j]);
    for (int j = 0; j < ndims; j++)
        at += (size_t)snprintf(text + at, TEXT - at, "%s%d:%d:%d", j ? "," : " section [",
                               first[j], first[j] + (n[j] - 1) * stride[j], stride[j]);
    at += (size_t)snprintf(text + at, TEXT - at, "]%s",
                           random_in(seed, 0, 1) ? " order column-major" : "");
    assert_true(at < TEXT);
}

static struct pair random_pair(uint64_t *seed, int *nranks)
{
    int ndims = (int)random_in(seed, 2, 3), n[3], shape[SIDES][3];
    char text[SIDES][TEXT];
    *nranks = 1;
    for (int j = 0; j < ndims; j++) {
        int most = (int)random_in(seed, 1, 6);
        n[j] = (int)random_in(seed, 1, 40);
        for (int s = 0; s < SIDES; s++)
            shape[s][j] = random_in(seed, 0, 1) ? most : (int)random_in(seed, 1, most);
        *nranks *= most;
    }
    for (int s = 0; s < SIDES; s++) write_side(seed, ndims, n, shape[s], text[s]);
    return parse(text[0], text[1]);
}

static void dimensions_change_one_after_the_other(void **unused)
{
    uint64_t seed = 2026;
    int several = 0, three = 0;
    for (int number = 0; number < 400; number++) {
        struct phases phases, none;
        int nranks;
        struct pair pair = random_pair(&seed, &nranks);
        const redist_view *source = &pair.view[0], *target = &pair.view[1];
        ok(phases_make(source, target, nranks, INT64_MAX, &phases));
        check_owners(&pair, &phases, nranks);
        several += phases.n > 1;
        three += phases.n > 2;
        /* `least` is enough, and no less is */
        assert_true(phases.n == 1 ||
                    (phases.least > 0 && phases.least <= phases.elements));
        ok(phases_make(source, target, nranks, phases.least, &none));
        assert_true((none.n > 1) == (phases.n > 1) && none.elements <= phases.least);
        check_owners(&pair, &none, nranks);
        phases_free(&none);
        ok(phases_make(source, target, nranks, int_max(phases.least - 1, 0), &none));
        assert_int_equal(none.n, 1);
        assert_int_equal(none.least, phases.least);
        phases_free(&none);
        phases_free(&phases);
        free_pair(&pair);
    }
    assert_true(several > 100 && three > 10);
}

/* ---- through blocks of the lcm ----------------------------------------------------- */

/* The text of the array between, or of the sentence that says why there is none; "": none
 * is needed. */
static void check_multiple(const char *source, const char *target, const char *between)
{
    struct pair pair = parse(source, target);
    struct phases phases;
    redist_err err = phases_through_lcm(&pair.view[0], &pair.view[1], &phases);
    if (err) {
        assert_int_equal(err, REDIST_ERR_ARG);
        assert_string_equal(redist_error_message(), between);
    } else if (phases.n == 1) {
        assert_string_equal(between, "");
        assert_int_equal(phases.elements, 0);
    } else {
        size_t length = 0;
        char text[256];
        ok(redist_view_print(&phases.between[0], text, sizeof text, &length));
        assert_string_equal(text, between);
        assert_int_equal(phases.elements, most_elements(&phases.between[0], 12));
    }
    phases_free(&phases);
    free_pair(&pair);
}

static void two_phases_meet_in_blocks_of_the_lcm(void **unused)
{
    check_multiple("[72] (cyclic(4)) onto 3", "[72] (cyclic(6)) onto 3",
                   "[72] (cyclic(12)) onto 3");
    check_multiple("[70] (cyclic(4)) onto 3",
                   "[70] (cyclic(6) from 2) onto 3 ranks 2,0,1",
                   "[70] (cyclic(12) from 2) onto 3");
    check_multiple("[40,60] (cyclic(2),*) onto 3", "[40,60] (cyclic(3),*) onto 3",
                   "[40,60] (cyclic(6),block) onto 3x1");
    check_multiple("[40,60] (cyclic(2),cyclic(4)) onto 3x2",
                   "[40,60] (cyclic(3),cyclic(2)) onto 3x2",
                   "[40,60] (cyclic(6),cyclic(4)) onto 3x2");
    check_multiple("[72] (cyclic(4)) onto 3", "[72] (cyclic(12)) onto 3", "");
    check_multiple("[72] (cyclic(9)) onto 3", "[72] (cyclic(3)) onto 3", "");
    check_multiple("[72] (cyclic(4)) onto 3", "[72] (cyclic(6)) onto 2",
                   "lcm-phases goes from 3 processes to 2 along dimension 0, must be as "
                   "many");
    check_multiple("[9] (gen_block(4,3,2)) onto 3", "[9] (cyclic(6)) onto 3",
                   "lcm-phases needs block-cyclic formats, dimension 0 has another");
    check_multiple("[6000000000000000000] (cyclic(4000000000)) onto 3",
                   "[6000000000000000000] (cyclic(4000000001)) onto 3",
                   "the lcm of blocks 4000000000 and 4000000001 exceeds 2^63 elements");
}

/* ---- memory ------------------------------------------------------------------------ */

static redist_err make_phases(const void *given)
{
    const redist_view *view = given;
    struct phases phases;
    redist_err err = phases_make(&view[0], &view[1], 12, INT64_MAX, &phases);
    phases_free(&phases);
    return err;
}

static void running_out_of_memory_leaks_nothing(void **unused)
{
    struct pair pair = parse("[30,20,9] (cyclic(1),block,*) onto 3x4",
                             "[30,20,9] (block,cyclic(1),*) onto 3x4");
    struct pair odd = parse("[31,20] (cyclic(2),block) onto 3x4 section [1:30,1:19:2]",
                            "[30,10] (block,cyclic(1)) onto 3x4");
    for (int which = 0; which < 2; which++) {
        const redist_view *view = which ? odd.view : pair.view;
        assert_true(each_allocation_fails_once(make_phases, view) >= 20);
    }
    free_pair(&pair);
    free_pair(&odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_the_sum_of_the_degrees),
        cmocka_unit_test(there_is_one_phase_where_more_are_no_use),
        cmocka_unit_test(dimensions_change_one_after_the_other),
        cmocka_unit_test(two_phases_meet_in_blocks_of_the_lcm),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
