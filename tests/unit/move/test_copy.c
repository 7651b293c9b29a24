/* SPDX-License-Identifier: MIT
 *
 * Gathering, scattering and copying against a reference that moves byte by byte: random
 * nests of loops through the kernels, then messages between random views, whole and in
 * random pieces; grains of 8 bytes are added to the target, too. The buffers end where
 * they must, so that a sanitizer sees a byte too many. REDIST_TEST_SEED=<seed> repeats
 * the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "base/intmath.h"
#include "intersect/overlap.h"
#include "move/arith/combine.h"
#include "move/walk/memory.h"
#include "move/walk/walk.h"
#include "seed.h"
#include "unit/nests.h"

static void assert_same(const struct bytes *is, const struct bytes *should,
                        const char *what)
{
    for (int64_t k = 0; k < is->n; k++)
        if (is->at[k] != should->at[k])
            fail_msg("%s: byte %ld of %ld differs", what, (long)k, (long)is->n);
}

/* ---- nests ------------------------------------------------------------------------- */

static void reference_nest(const struct nest *nest, int k, char *to, const char *from)
{
    if (k == nest->n) {
        for (int64_t b = 0; b < nest->block; b++) to[b] = from[b];
        return;
    }
    for (int64_t c = 0; c < nest->level[k].count; c++)
        reference_nest(nest, k + 1, to + c * nest->level[k].step[REDIST_TARGET],
                       from + c * nest->level[k].step[REDIST_SOURCE]);
}

static void kernels_move_nests_of_any_loops(void **state)
{
    uint64_t seed = seed_or(20260901);
    for (int turn = 0; turn < 4000; turn++) {
        struct nest nest;
        draw_nest(&seed, &nest);
        int64_t source = draw_steps(&seed, &nest, REDIST_SOURCE, draw(&seed, 0, 1));
        int64_t target = draw_steps(&seed, &nest, REDIST_TARGET, true);
        if (source > 1 << 20 || target > 1 << 20) continue;
        struct bytes from = bytes_make(source, draw(&seed, 0, 17), seed);
        struct bytes to =
            bytes_make(target, draw(&seed, 0, 1) * draw(&seed, 0, 17), seed + 1);
        struct bytes should = bytes_like(&to);
        reference_nest(&nest, 0, should.at, from.at);
        memory_host.kind->move(&memory_host, &nest, to.at, from.at);
        assert_same(&to, &should, "nest");
        free(from.block), free(to.block), free(should.block);
    }
}

/* ---- messages ---------------------------------------------------------------------- */

enum { MOST_DIMS = 4, MOST_EXTENT = 4000, MOST_PROCS = 4 };

/* One side of a random case. */
struct sample {
    int64_t sizes[MOST_DIMS][MOST_PROCS];
    int *owners[MOST_DIMS];
    redist_dist *dist;
    redist_view view;
};

static void draw_order(uint64_t *seed, int n, int list[])
{
    bool plain = draw(seed, 0, 1);
    for (int k = 0; k < n; k++) {
        int j = plain ? k : (int)draw(seed, 0, k);
        list[k] = list[j];
        list[j] = k;
    }
}

static redist_format draw_format(uint64_t *seed, struct sample *sample, int i, int64_t n,
                                 int procs)
{
    sample->owners[i] = malloc((size_t)(n + 1) * sizeof(int));
    assert_non_null(sample->owners[i]);
    if (draw(seed, 0, 2) == 0)
        return random_format(seed, n, procs, sample->sizes[i], sample->owners[i]);
    return redist_cyclic(draw(seed, 1, draw(seed, 0, 1) ? 7 : 100));
}

/* A view whose section has `extent`[ndims] elements in the order of its axes. */
static void draw_sample(uint64_t *seed, int ndims, const int64_t extent[],
                        struct sample *sample)
{
    redist_format format[MOST_DIMS];
    redist_grid *grid = NULL;
    redist_view *view = &sample->view;
    int64_t n[MOST_DIMS];
    int shape[MOST_DIMS], axes[MOST_DIMS];
    bool plain = draw(seed, 0, 1);
    draw_order(seed, ndims, axes);
    for (int j = 0; j < ndims; j++) {
        int i = axes[j];
        view->stride[i] = plain || draw(seed, 0, 3) ? 1 : draw(seed, 2, 3);
        view->start[i] = plain ? 0 : draw(seed, 0, 3);
        n[i] = view->start[i] + (extent[j] - 1) * view->stride[i] + 1 +
               (plain ? 0 : draw(seed, 0, 3));
        shape[i] = (int)draw(seed, 1, ndims < 3 ? 3 : 2);
        format[i] = draw_format(seed, sample, i, n[i], shape[i]);
    }
    ok(redist_grid_create(ndims, shape, REDIST_ROW_MAJOR, NULL, &grid));
    ok(redist_dist_create(ndims, n, format, grid, &sample->dist));
    redist_grid_destroy(&grid);
    redist_view whole;
    ok(redist_view_init(sample->dist, &whole));
    memcpy(whole.start, view->start, sizeof whole.start);
    memcpy(whole.stride, view->stride, sizeof whole.stride);
    *view = whole;
    for (int j = 0; j < ndims; j++) {
        view->axes[j] = axes[j];
        view->extent[axes[j]] = extent[j];
        view->halo_low[j] = plain ? 0 : draw(seed, 0, 2);
        view->halo_high[j] = plain ? 0 : draw(seed, 0, 2);
    }
    draw_order(seed, ndims, view->order);
}

static void free_sample(struct sample *sample)
{
    for (int i = 0; i < MOST_DIMS; i++) free(sample->owners[i]);
    redist_dist_destroy(&sample->dist);
}

/* The byte place on both sides of each element of a message, in its order. */
struct elements {
    int64_t n;
    int64_t *place[SIDES];
};

/* The dimension of the section along the k-th of a view's memory. */
static int dimension(const redist_view *view, int k)
{
    int j = 0;
    while (view->axes[j] != view->order[k]) j++;
    return j;
}

/* Append the places of all that dimension j of the target's order and those inside it
 * make, run by run. */
static void enumerate(const struct overlap *overlap, const struct message *message,
                      const struct memory_side sides[SIDES], int k,
                      const int64_t place[SIDES], struct elements *elements)
{
    if (k == overlap->ndims) {
        for (int s = 0; s < SIDES; s++) elements->place[s][elements->n] = place[s];
        elements->n++;
        return;
    }
    int j = dimension(sides[REDIST_TARGET].view, k);
    const struct runs *runs = &overlap_partner(overlap, message, j)->runs;
    for (int64_t e = 0, rep = 0; rep <= runs->repeats; rep++) {
        bool tail = rep == runs->repeats;
        int64_t first = tail ? runs->nperiod : 0;
        for (int64_t r = first; r < runs->nperiod + (tail ? runs->ntail : 0); r++) {
            const struct run *run = &runs->run[r];
            for (int64_t x = 0; x < run->count * run->length; x++, e++) {
                int64_t at[SIDES];
                for (int s = 0; s < SIDES; s++) {
                    int i = sides[s].view->axes[j];
                    int64_t local = run->local[s] + x / run->length * run->local_step[s] +
                                    x % run->length * sides[s].view->stride[i] +
                                    (tail ? 0 : rep * runs->local_period[s]);
                    at[s] = place[s] + local * sides[s].layout.stride[i];
                }
                enumerate(overlap, message, sides, k + 1, at, elements);
            }
        }
    }
}

struct message_case {
    struct walk walk[3];
    struct axis axes[3][REDIST_MAX_DIMS];
    struct elements elements;
    struct bytes source, target;
    int64_t element, grain; /* bytes */
};

/* Where grain g of the message lies on side s. */
static int64_t grain_place(const struct message_case *c, int s, int64_t g)
{
    int64_t grains = c->element / c->grain;
    return c->elements.place[s][g / grains] * c->element + g % grains * c->grain;
}

/* Add grains lo .. hi - 1, as integers, to where they already are. */
static void check_sum(struct message_case *c, enum way way, int64_t lo, int64_t hi,
                      const char *from, struct bytes *to)
{
    const int64_t one = 1;
    struct combine combine;
    struct bytes should = bytes_like(to);
    assert_true(combine_make(NUMBER_I8, false, &one, &one, &combine));
    for (int64_t g = lo; g < hi; g++) {
        uint64_t x;
        char *at = should.at + grain_place(c, REDIST_TARGET, g);
        memcpy(&x, at, sizeof x);
        x *= 2;
        memcpy(at, &x, sizeof x);
    }
    walk_seek(&c->walk[way], lo);
    walk_combine(&c->walk[way], way, &combine, from, to->at, hi - lo);
    assert_same(to, &should, "sum");
    free(should.block);
}

/* Move grains lo .. hi - 1 one way and compare all bytes of where they go. */
static void check_piece(struct message_case *c, enum way way, int64_t lo, int64_t hi,
                        uint64_t *seed)
{
    bool gathers = way == WAY_GATHER, scatters = way == WAY_SCATTER;
    size_t size = (size_t)c->grain;
    struct bytes dense = bytes_make((hi - lo) * c->grain, draw(seed, 0, 9), *seed);
    struct bytes to = bytes_like(gathers ? &dense : &c->target);
    struct bytes should = bytes_like(&to);
    for (int64_t g = lo; g < hi; g++) {
        int64_t place = (g - lo) * c->grain; /* in the dense buffer */
        const char *from =
            scatters ? dense.at + place : c->source.at + grain_place(c, REDIST_SOURCE, g);
        if (!gathers) place = grain_place(c, REDIST_TARGET, g);
        memcpy(should.at + place, from, size);
    }
    walk_seek(&c->walk[way], lo);
    walk_move(&c->walk[way], way, scatters ? dense.at : c->source.at, to.at, hi - lo);
    assert_int_equal(c->walk[way].done, hi);
    assert_same(&to, &should, gathers ? "gather" : scatters ? "scatter" : "copy");
    if (!gathers && size == 8)
        check_sum(c, way, lo, hi, scatters ? dense.at : c->source.at, &to);
    free(dense.block), free(to.block), free(should.block);
}

/* Count the elements that don't lie behind the one before them on side s: where blocks
 * happen to touch, walk_blocks counts some more. */
static void check_blocks(const struct message_case *c, int s)
{
    const int64_t *place = c->elements.place[s];
    int64_t blocks = walk_blocks(&c->walk[s == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER],
                                 (redist_side)s);
    int64_t breaks = 1, touching = 0;
    for (int64_t e = 1; e < c->elements.n; e++) {
        breaks += place[e] != place[e - 1] + 1;
        touching += place[e] == place[e - 1] + 1;
    }
    assert_in_range(blocks, breaks, breaks + touching);
}

/* The elements of a message in the target's order: of the dimensions outside the one that
 * is innermost in the source, of that one, of those inside it, of the innermost. */
struct shape {
    int64_t outside, along, inside, row;
};

static struct shape shape_of(const struct overlap *overlap, const struct message *message,
                             const struct memory_side sides[SIDES])
{
    struct shape shape = {1, 1, 1, 1};
    int last = overlap->ndims - 1, k = last;
    while (
        k > 0 &&
        overlap_partner(overlap, message, dimension(sides[0].view, k))->runs.elements ==
            1)
        k--;
    int along = dimension(sides[0].view, k);
    int64_t *part = &shape.outside;
    for (k = 0; k <= last; k++) {
        int j = dimension(sides[1].view, k);
        int64_t n = overlap_partner(overlap, message, j)->runs.elements;
        if (j == along && k < last) {
            shape.along = n;
            part = &shape.inside;
        } else {
            *(k == last ? &shape.row : part) *= n;
        }
    }
    return shape;
}

/* Order the elements by panels of the last dimension, of whose rows each has all. */
static void order_by_panels(struct elements *elements, struct shape shape, int64_t panel)
{
    const int64_t row = shape.row;
    for (int s = 0; s < SIDES; s++) {
        int64_t *ordered = calloc((size_t)elements->n, sizeof *ordered), n = 0;
        assert_non_null(ordered);
        for (int64_t begin = 0; begin < row; begin += panel)
            for (int64_t k = 0; k < shape.outside; k++)
                for (int64_t i = 0; i < shape.inside; i++)
                    for (int64_t r = 0; r < shape.along; r++) {
                        int64_t at = ((k * shape.along + r) * shape.inside + i) * row;
                        for (int64_t e = begin; e < row && e < begin + panel; e++)
                            ordered[n++] = elements->place[s][at + e];
                    }
        free(elements->place[s]);
        elements->place[s] = ordered;
    }
}

static void check_message(struct message_case *c, struct shape shape, uint64_t *seed)
{
    int64_t n = c->elements.n * (c->element / c->grain),
            panel = c->walk[WAY_GATHER].panel;
    assert_int_equal(c->walk[WAY_SCATTER].panel, panel);
    assert_int_equal(c->walk[WAY_COPY].panel, 0);
    for (int way = WAY_COPY; way >= WAY_GATHER; way--) {
        if (way == WAY_SCATTER && panel > 0) order_by_panels(&c->elements, shape, panel);
        if (way == WAY_SCATTER)
            for (int s = 0; s < SIDES; s++) check_blocks(c, s);
        assert_int_equal(c->walk[way].total, n);
        check_piece(c, (enum way)way, 0, n, seed);
        int64_t lo = draw(seed, 0, n - 1), left = 4; /* on from anywhere, .. */
        for (int64_t hi; lo < n && left > 0; lo = hi, left--) {
            hi = lo + draw(seed, 1, draw(seed, 0, 1) ? n - lo : (n - lo) / 8 + 1);
            check_piece(c, (enum way)way, lo, hi, seed);
        }
        lo = draw(seed, 0, n - 1); /* .. and to anywhere */
        check_piece(c, (enum way)way, lo, draw(seed, lo, n), seed);
    }
}

/* All messages from one process, of which there are `sides` already, to all others. */
static int check_process(const struct overlap *overlap, struct memory_side sides[SIDES],
                         int64_t element, uint64_t *seed)
{
    int checked = 0;
    struct message_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->element = element;
    for (int64_t k = 0; k < overlap->nmessages; k++) {
        c->grain = draw(seed, 0, 1) ? element : int_gcd(element, draw(seed, 1, 24));
        const struct message *message = &overlap->message[k];
        if (k > 0 && draw(seed, 0, 2)) continue;
        assert_int_equal(view_layout(sides[REDIST_TARGET].view, message->rank,
                                     &sides[REDIST_TARGET].layout),
                         0);
        c->elements.n = 0;
        int64_t start[SIDES];
        for (int s = 0; s < SIDES; s++) {
            start[s] = sides[s].layout.offset;
            c->elements.place[s] = calloc((size_t)message->elements, sizeof(int64_t));
            assert_non_null(c->elements.place[s]);
        }
        enumerate(overlap, message, sides, 0, start, &c->elements);
        assert_int_equal(c->elements.n, message->elements);
        for (int s = 0; s < SIDES; s++) {
            int64_t past = draw(seed, 0, 1) ? draw(seed, 0, 9) : 8 * draw(seed, 0, 8);
            struct bytes *bytes = s == REDIST_SOURCE ? &c->source : &c->target;
            *bytes =
                bytes_make(sides[s].layout.span * element, past, *seed + (uint64_t)s);
        }
        for (int way = WAY_GATHER; way <= WAY_COPY; way++)
            walk_make(overlap, message, sides, (struct sizes){element, c->grain, 0},
                      (enum way)way, way != WAY_COPY, c->axes[way], &c->walk[way]);
        check_message(c, shape_of(overlap, message, sides), seed);
        for (int s = 0; s < SIDES; s++) free(c->elements.place[s]);
        free(c->source.block), free(c->target.block);
        checked++;
    }
    free(c);
    return checked;
}

/* Check some messages between two random views; returns how many. One extent may be
 * longer. */
static int check_case(uint64_t *seed, int ndims, int64_t most, int64_t longest,
                      int64_t element)
{
    int64_t extent[MOST_DIMS];
    struct sample samples[SIDES] = {0};
    struct memory_side sides[SIDES];
    struct overlap overlap;
    for (int j = 0; j < ndims; j++) extent[j] = draw(seed, 1, most);
    extent[draw(seed, 0, ndims - 1)] = draw(seed, 1, longest);
    for (int s = 0; s < SIDES; s++) {
        draw_sample(seed, ndims, extent, &samples[s]);
        sides[s].view = &samples[s].view;
    }
    assert_int_equal(overlap_check(sides[0].view, sides[1].view), 0);
    int64_t ranks = redist_grid_size(redist_dist_grid(samples[0].dist));
    int rank = (int)draw(seed, 0, ranks - 1);
    assert_int_equal(view_layout(sides[0].view, rank, &sides[0].layout), 0);
    assert_int_equal(
        overlap_make(NULL, sides[0].view, sides[1].view, REDIST_SOURCE, rank, &overlap),
        0);
    int checked = check_process(&overlap, sides, element, seed);
    overlap_free(&overlap);
    for (int s = 0; s < SIDES; s++) free_sample(&samples[s]);
    return checked;
}

/* The messages of rank 0 to rank 1 between two texts. */
static void check_text(const char *source, const char *target, int64_t from, int64_t to)
{
    redist_dist *dists[SIDES];
    redist_view views[SIDES];
    struct memory_side sides[SIDES] = {{.view = &views[0]}, {.view = &views[1]}};
    struct overlap overlap;
    struct axis axes[REDIST_MAX_DIMS];
    struct walk walk;
    ok(redist_view_parse(source, &dists[0], &views[0]));
    ok(redist_view_parse(target, &dists[1], &views[1]));
    assert_int_equal(overlap_make(NULL, &views[0], &views[1], REDIST_SOURCE, 0, &overlap),
                     0);
    for (int s = 0; s < SIDES; s++)
        assert_int_equal(view_layout(&views[s], s, &sides[s].layout), 0);
    assert_int_equal(overlap.message[1].rank, 1);
    const int64_t expected[SIDES] = {from, to};
    for (int s = 0; s < SIDES; s++) {
        walk_make(&overlap, &overlap.message[1], sides, (struct sizes){8, 8, 0},
                  s == REDIST_SOURCE ? WAY_GATHER : WAY_SCATTER, false, axes, &walk);
        assert_int_equal(walk_blocks(&walk, (redist_side)s), expected[s]);
    }
    overlap_free(&overlap);
    for (int s = 0; s < SIDES; s++) redist_dist_destroy(&dists[s]);
}

static void blocks_are_the_stretches_that_mpi_sees(void **state)
{
    /* 6 7 8, 18 19, 25 26 of each period */
    check_text("[60] (cyclic(3)) onto 2", "[60] (cyclic(5)) onto 2", 6, 6);
    /* half of each of three rows, which lie side by side at the target */
    check_text("[6,8] (block,*) onto 2", "[6,8] (*,block) onto 2", 3, 1);
    /* columns first: element by element, into half of each of four columns */
    check_text("[6,8] (block,*) onto 2", "[6,8] (*,block) onto 2 order column-major", 12,
               4);
}

static void messages_of_one_dimension_move_whole_and_in_pieces(void **state)
{
    uint64_t seed = seed_or(20260901);
    int checked = 0;
    for (int64_t element = 1; element <= 64; element++)
        for (int turn = 0; turn < 5; turn++)
            checked += check_case(&seed, 1, 1, turn == 0 ? MOST_EXTENT : 300, element);
    assert_true(checked > 300);
}

static void messages_of_many_dimensions_move_whole_and_in_pieces(void **state)
{
    static const int64_t most[] = {0, 0, 90, 24, 9};
    static const int64_t usual[] = {1, 2, 3, 4, 8, 8, 12, 16, 24};
    uint64_t seed = seed_or(20260901) + 1;
    int checked = 0;
    for (int turn = 0; turn < 700; turn++) {
        int ndims = (int)draw(&seed, 2, MOST_DIMS);
        int64_t element =
            draw(&seed, 0, 3) ? usual[draw(&seed, 0, 8)] : draw(&seed, 1, 64);
        checked += check_case(&seed, ndims, most[ndims], most[ndims], element);
    }
    assert_true(checked > 500);
    for (int turn = 0; turn < 100; turn++) (void)check_case(&seed, 3, 12, 400, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_move_nests_of_any_loops),
        cmocka_unit_test(blocks_are_the_stretches_that_mpi_sees),
        cmocka_unit_test(messages_of_one_dimension_move_whole_and_in_pieces),
        cmocka_unit_test(messages_of_many_dimensions_move_whole_and_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
