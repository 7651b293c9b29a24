/* SPDX-License-Identifier: MIT */
#include "intersect/period.h"

#include "base/error.h"
#include "base/intmath.h"

bool period_applies(const struct side sides[SIDES], int64_t extent, struct period *period)
{
    int64_t cycle[SIDES];
    for (int s = 0; s < SIDES; s++) {
        const struct dim *dim = sides[s].dim;
        if (!dim_is_regular(dim) || sides[s].stride != 1) return false;
        period->procs[s] = dim->procs;
        period->block[s] = dim->m;
        if (!int_mul(dim->m, dim->procs, &cycle[s])) return false;
    }
    period->g = int_gcd(cycle[0], cycle[1]);
    if (!int_mul(cycle[0] / period->g, cycle[1], &period->length) ||
        period->length > int_min(extent, INT64_MAX / 4)) /* sums below are of four */
        return false;
    for (int s = 0; s < SIDES; s++)
        if (period->block[s] / 2 >= cycle[!s]) return false;
    period->shift =
        int_mod(sides[1].start, period->length) - int_mod(sides[0].start, period->length);
    period->sources_inverse = int_inverse(cycle[0] / period->g, cycle[1] / period->g);
    return true;
}

/* A coordinate's place in the cycle of its dimension. */
static int64_t turn_of(const struct side *side, int64_t coord)
{
    return int_mod(coord - side->dim->first, side->dim->procs);
}

static int by_at(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Append the run [k, k + length) of the period; a part beyond the period's end moves to
 * its begin. Local indices follow from k. */
static redist_err append_wrapped(const struct period *period,
                                 const struct side sides[SIDES],
                                 struct runs_builder *builder, int64_t k, int64_t length)
{
    int64_t first = int_min(length, period->length - k);
    for (int part = 0; part < 2; part++) {
        struct run run = {
            .at = part ? 0 : k, .length = part ? length - first : first, .count = 1};
        if (run.length == 0) continue;
        for (int s = 0; s < SIDES; s++) {
            struct block block = side_block_at(&sides[s], run.at);
            run.local[s] = block.local + run.at - block.begin;
        }
        TRY(mem_append(builder->account, &builder->run, &builder->n, &builder->room, &run,
                       sizeof run));
    }
    return REDIST_OK;
}

/* Join runs that continue each other, without further memory. */
static redist_err join(struct runs_builder *builder)
{
    int64_t n = builder->n;
    redist_err err = REDIST_OK;
    builder->n = 0;
    for (int64_t j = 0; j < n && !err; j++) err = runs_append(builder, builder->run[j]);
    return err;
}

/* Find the runs of the pair of turns (p, q): one for each z of their class. The equation
 * of period.h is solved for the source's block number l in the period. */
static redist_err pair_runs(const struct period *period, const struct side sides[SIDES],
                            const int64_t turn[SIDES], struct runs_builder *runs)
{
    int64_t r = period->block[0], s = period->block[1], blocks = period->length / r;
    int64_t per_source = blocks / period->procs[0]; /* Q s / g */
    int64_t class = turn[0] * r - turn[1] * s + period->shift;
    int64_t first = -(r - 1) + int_mod(class + r - 1, period->g);
    for (int64_t z = first; z < s; z += period->g) {
        int64_t l =
            int_mulmod((z - class) / period->g, period->sources_inverse, per_source);
        int64_t x = int_max(0, -z), length = int_min(r, s - z) - x;
        int64_t i = (l * period->procs[0] + turn[0]) * r + x;
        int64_t k = int_mod(i - sides[0].start, period->length);
        TRY(append_wrapped(period, sides, runs, k, length));
    }
    mem_sort(runs->run, runs->n, sizeof *runs->run, by_at);
    return join(runs);
}

static int by_coord(const void *a, const void *b)
{
    int x = ((const struct partner *)a)->coord, y = ((const struct partner *)b)->coord;
    return (x > y) - (x < y);
}

/* Collect the partners of coordinate c of side `own`, each once, without their runs. With
 * m and n the own and the other block and t the own turn, the other turn u satisfies n u
 * = m t +- shift - z (mod g). This is solvable for the z that gcd(n, g) divides, and z
 * takes at most g consecutive classes. */
static redist_err collect(const struct period *period, const struct side sides[SIDES],
                          redist_side own, int c, struct partners *partners)
{
    int other = own == REDIST_SOURCE ? REDIST_TARGET : REDIST_SOURCE;
    int64_t r = period->block[0], s = period->block[1], g = period->g;
    int64_t sign = own == REDIST_SOURCE ? 1 : -1;
    int64_t n = period->block[other], e = int_gcd(n, g), turns = g / e;
    int64_t inverse = int_inverse(n / e, turns), classes = int_min(r + s - 1, g);
    int64_t own_place =
        turn_of(&sides[own], c) * period->block[own] + sign * period->shift;
    int64_t first = -(r - 1) + int_mod(sign * own_place + r - 1, e);
    for (int64_t z = first; z < -(r - 1) + classes; z += e) {
        int64_t u = int_mulmod((own_place - sign * z) / e, inverse, turns);
        for (; u < period->procs[other]; u += turns) {
            const struct dim *dim = sides[other].dim;
            TRY(partners_add(partners, (int)((u + dim->first) % dim->procs)));
        }
    }
    mem_sort(partners->partner, partners->n, sizeof *partners->partner, by_coord);
    return REDIST_OK;
}

/* Find all runs of coordinate c of side `own` with one of the other side. */
static redist_err runs_with(const struct period *period, const struct side sides[SIDES],
                            redist_side own, int c, int other,
                            struct mem_account *account, struct runs *found)
{
    struct runs_builder runs = {.account = account};
    int64_t turn[SIDES];
    turn[own] = turn_of(&sides[own], c);
    turn[!own] = turn_of(&sides[!own], other);
    redist_err err = pair_runs(period, sides, turn, &runs);
    if (!err) err = runs_finish(&runs, sides, period->length, sides[0].extent, found);
    mem_free(runs.run);
    return err;
}

redist_err period_partners(const struct period *period, const struct side sides[SIDES],
                           redist_side own, int c, struct partners *partners)
{
    redist_err err = collect(period, sides, own, c, partners);
    for (int64_t k = 0; !err && k < partners->n; k++) {
        struct partner *partner = &partners->partner[k];
        err = runs_with(period, sides, own, c, partner->coord, partners->account,
                        &partner->runs);
    }
    return err;
}

/* Count the elements before global element i that a coordinate owns. */
static int64_t owned_before(const struct side *side, int c, int64_t i)
{
    int64_t block = side->dim->m, cycle = block * side->dim->procs;
    int64_t within = i % cycle - turn_of(side, c) * block;
    return i / cycle * block + int_min(int_max(within, 0), block);
}

redist_err period_count(const struct period *period, const struct side sides[SIDES],
                        redist_side own, int c, int other, struct partner_counts *counts)
{
    const struct side *side = &sides[own];
    struct partners partners = {0};
    struct runs runs = {0};
    redist_err err = collect(period, sides, own, c, &partners);
    if (!err && partners_find(&partners, other) >= 0)
        err = runs_with(period, sides, own, c, other, NULL, &runs);
    counts->partners = partners.n;
    counts->elements = owned_before(side, c, side->start + side->extent) -
                       owned_before(side, c, side->start);
    counts->with = runs.elements;
    runs_free(&runs);
    partners_free(&partners);
    return err;
}
