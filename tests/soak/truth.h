/* SPDX-License-Identifier: MIT
 *
 * tests/soak/truth.h - which element lies where in the buffers of the calling process,
 * and what it is before and after a run, from the definitions.
 */
#ifndef REDIST_TESTS_SOAK_TRUTH_H
#define REDIST_TESTS_SOAK_TRUTH_H

#include "soak/case.h"

/* Element `id` lies at place `at` of a buffer. */
struct held {
    int64_t at, id;
};

struct holding {
    int64_t span, n, room; /* span: elements of the buffer */
    struct held *held;     /* [n] */
};

static inline void holding_add(struct holding *holding, int64_t at, int64_t id)
{
    if (holding->n == holding->room) {
        holding->room = 2 * holding->room + 64;
        holding->held =
            realloc(holding->held, (size_t)holding->room * sizeof *holding->held);
    }
    holding->held[holding->n++] = (struct held){at, id};
}

static void holding_visit(void *context, int64_t at, int64_t k)
{
    holding_add(context, at, k);
}

/* ---- where ------------------------------------------------------------------------- */

enum { UNITS = MOST_SIZE + 1 }; /* ids of the units of one sized element */

static inline int64_t dealt_id(int rank, int64_t local)
{
    return rank * MOST_COUNT + local;
}

/* Of balanced elements: each, or, of sized ones, item 0 their sizes and item 1 their
 * units. */
static inline void holding_of_deal(struct holding *holding, const struct job *job, int k,
                                   int side)
{
    const struct deal_problem *problem = &job->problem;
    const struct deal *deal =
        job->kind == SIZED ? deal_sized(problem) : deal_counts(problem);
    int64_t n = side == REDIST_SOURCE ? problem->count[problem->rank] : deal->n;
    for (int64_t l = 0; l < n; l++) {
        struct element from = {problem->rank, l};
        if (side == REDIST_TARGET) from = deal->element[l];
        int64_t id = dealt_id(from.rank, from.local);
        int64_t size = problem->size[from.rank][from.local];
        for (int64_t u = 0; u < (k == 1 ? size : 1); u++)
            holding_add(holding, holding->n, k == 1 ? id * UNITS + u : id);
    }
    holding->span = holding->n;
}

static inline struct holding holding_make(const struct job *job, int k, int side,
                                          const struct team *team)
{
    struct holding holding = {0};
    if (team->rank < 0) return holding;
    if (has_views(job)) {
        const struct sample *sample = &job->item[k].side[side];
        int reversed = job->transpose && side == REDIST_SOURCE;
        sample_each(sample, reversed, holding_visit, &holding);
        holding.span = sample->span;
    } else if (job->kind == INDEXED) {
        const struct share *share = &job->lists.share[side][team->rank];
        for (int64_t l = 0; l < share->n; l++) holding_add(&holding, l, share->index[l]);
        holding.span = share->n;
    } else {
        holding_of_deal(&holding, job, k, side);
    }
    return holding;
}

/* ---- what -------------------------------------------------------------------------- */

enum { BEFORE = -1 }; /* in place of a replica: what the target had */

struct truth {
    const struct job *job;
    int item;
    uint64_t salt;          /* by which the values of runs differ */
    int64_t replicas, mine; /* of the source, and the one that this process is */
};

/* A number: odd if it is small, so that none is 0 and no product -0. */
static inline union value truth_number(const struct truth *truth, int64_t id,
                                       int64_t replica)
{
    const struct operand *number = &truth->job->number;
    uint64_t state =
        (truth->salt * 977 + (uint64_t)(64 * id + replica + 2)) * 2654435761u + 1;
    random_next(&state);
    uint64_t drawn[2] = {random_next(&state), random_next(&state)};
    int re = 2 * (int)(drawn[0] >> 40) % 10 - 5, im = 2 * (int)(drawn[1] >> 40) % 10 - 5;
    if (number->pair) return number->pair(re, im);
    int exact = number->values == SMALL || number->values == ANY_REALS;
    if (number->values == SMALL || (exact && is_linear(truth->job)))
        return whole_number(number, re, im);
    if (number->values == TRUTHS) return (union value){.u8 = re > 0};
    if (number->values == BITS) { /* often 0, for the logical operations */
        u8 bits = drawn[1] % 3 ? drawn[0] : 0;
        return (union value){.u8 = bits >> (64 - 8 * number->bytes)};
    }
    f8 real = (f8)(int64_t)drawn[0] * 0x1p-62;
    union value value;
    memset(&value, 0, sizeof value);
    if (number->bytes == 4) value.f4[0] = (f4)real;
    if (number->bytes == 8) value.f8[0] = real;
    if (number->bytes == 16) value.f16[0] = real;
    return value;
}

/* A number that is converted: any but a NaN, whose bits may change, or a small one. */
static inline void truth_converted(const struct truth *truth, int64_t id,
                                   unsigned char *at)
{
    const struct type *type = &truth->job->type[REDIST_SOURCE];
    const struct kind *kind = type->kind;
    uint64_t state = (truth->salt * 977 + (uint64_t)id + 1) * 2654435761u + 1;
    random_next(&state);
    for (int part = 0; part < kind->parts; part++) {
        uint64_t bits = random_next(&state) >> (64 - 8 * kind->bytes);
        const long double small = part ? 0 : (long double)(bits % 100);
        if (truth->job->checked || isnan(value_of(kind, bits)))
            bits = kind->letter == 'f' ? float_bits(kind, small) : (uint64_t)small;
        write_bits(at + part * kind->bytes, kind->bytes, type->big, bits);
    }
}

/* Write what an element is in a replica of the source, or was in the target. */
static inline void truth_put(const struct truth *truth, int64_t id, int64_t replica,
                             unsigned char *at)
{
    const struct job *job = truth->job;
    int64_t element = job->item[truth->item].element[replica == BEFORE];
    if (is_converted(job) && replica != BEFORE) {
        truth_converted(truth, id, at);
        return;
    }
    if (has_arithmetic(job)) {
        memcpy(at, truth_number(truth, id, replica).byte, (size_t)element);
        return;
    }
    if (job->kind == SIZED && truth->item == 0) {
        int64_t size = job->problem.size[id / MOST_COUNT][id % MOST_COUNT];
        if (replica == BEFORE) size = -1;
        memcpy(at, &size, sizeof size);
        return;
    }
    for (int64_t b = 0; b < element; b++)
        at[b] = sample_byte(id * 2 + (replica == BEFORE),
                            b + 211 * (int64_t)truth->salt + 17 * truth->item);
}

static inline int is_zero(const int factor[2]) { return !factor[0] && !factor[1]; }

static inline union value scaled_by(const struct operand *number, const int factor[2],
                                    union value x)
{
    union value y = whole_number(number, factor[0], factor[1]);
    number->fold(REDIST_REDUCTION_PROD, &y, x);
    return y;
}

static inline union value conjugated(const struct operand *number, union value x)
{
    if (number->fold == fold_pair_of_f4) x.f4[1] = -x.f4[1];
    if (number->fold == fold_pair_of_f8) x.f8[1] = -x.f8[1];
    return x;
}

/* Write what an element is to be in the target after a run. */
static inline void truth_result(const struct truth *truth, int64_t id, unsigned char *at)
{
    const struct job *job = truth->job;
    const struct operand *number = &job->number;
    if (is_converted(job)) {
        unsigned char from[NUMBER_BYTES];
        truth_converted(truth, id, from);
        (void)convert_one(job->type[0].kind, job->type[0].big, from, job->type[1].kind,
                          job->type[1].big, at);
        return;
    }
    if (!has_arithmetic(job)) {
        truth_put(truth, id, 0, at);
        return;
    }
    int64_t replicas = job->reduction ? truth->replicas : 1;
    union value y = truth_number(truth, id, 0);
    int linear = is_linear(job);
    if (linear) {
        y = whole_number(number, 0, 0);
        if (!is_zero(job->beta))
            y = scaled_by(number, job->beta, truth_number(truth, id, BEFORE));
    }
    for (int64_t r = !linear; r < replicas; r++) {
        union value x = truth_number(truth, id, r);
        if (job->conjugate) x = conjugated(number, x);
        if (linear && is_zero(job->alpha)) continue;
        if (linear) x = scaled_by(number, job->alpha, x);
        number->fold(linear ? REDIST_REDUCTION_SUM : job->reduction, &y, x);
    }
    memcpy(at, y.byte, number->bytes);
}

/* Whether an element that a run does not read may hold anything. */
static inline int is_unread(const struct job *job, int side)
{
    return is_linear(job) && is_zero(side == REDIST_SOURCE ? job->alpha : job->beta);
}

#endif
