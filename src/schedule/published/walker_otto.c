/* SPDX-License-Identifier: MIT */
#include "schedule/published/walker_otto.h"

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/kinds.h"

struct walker_otto walker_otto_make(int64_t P, int64_t K, enum walker_otto_layout layout)
{
    int64_t g = int_gcd(P, K);
    return (struct walker_otto){layout, P, K, g, int_inverse(K / g, P / g)};
}

int64_t walker_otto_send_block(const struct walker_otto *w, int64_t k, int64_t p)
{
    int64_t reduced_P = w->P / w->g, reduced_K = w->K / w->g;
    int64_t reduced_k = k / w->g, gamma = k % w->g;
    int64_t reduced_p = p / w->g, alpha = p % w->g;
    int64_t reduced_q = int_mulmod(reduced_p - reduced_k, w->inverse, reduced_P);
    int64_t reduced_B = reduced_q * reduced_K + reduced_k;
    bool diagonal = w->layout == WALKER_OTTO_DIAGONAL;
    int64_t beta = int_mod(diagonal ? alpha - gamma : alpha + gamma, w->g);
    return w->g * reduced_B + w->P * reduced_K * beta + alpha;
}

int64_t walker_otto_receive_block(const struct walker_otto *w, int64_t k, int64_t q)
{
    int64_t beta = q / (w->P / w->g), gamma = k % w->g;
    bool diagonal = w->layout == WALKER_OTTO_DIAGONAL;
    int64_t alpha = int_mod(diagonal ? beta + gamma : beta - gamma, w->g);
    return w->K * q + k - gamma + alpha;
}

/* The most blocks that a process sends of a superblock, one a step. */
enum { MOST_BLOCKS = 1 << 16 };

/* As a schedule of a communication grid: a message of several blocks, as for K > P, is
 * sent in as many pieces. */
struct state {
    struct walker_otto schedule;
    redist_side growing; /* the side of the smaller blocks, the paper's senders */
};

static bool applicable(const struct schedule_input *input, const char **why)
{
    const struct classes *k = schedule_classes(input);
    if (!k)
        *why = SCHEDULE_NEEDS_CLASSES;
    else if (k->P != k->Q)
        *why = "needs as many targets as sources";
    else if (k->r > 1 && k->s > 1)
        *why = "needs one block to divide the other; lcm-phases goes through their lcm";
    else if (int_max(k->r, k->s) > MOST_BLOCKS)
        *why = "needs blocks that become at most 2^16 times as long, as it sends each "
               "short one by itself";
    else
        return true;
    return false;
}

/* A block is a piece. */
static int64_t pieces(const struct schedule_input *input)
{
    const struct classes *k = schedule_classes(input);
    return k->P * int_max(k->r, k->s);
}

static redist_err make_layout(const struct schedule_input *input,
                              enum walker_otto_layout layout, void **state)
{
    const struct classes *k = schedule_classes(input);
    struct state *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_ERR_MEMORY;
    made->growing = k->r == 1 ? REDIST_SOURCE : REDIST_TARGET;
    made->schedule = walker_otto_make(k->P, int_max(k->r, k->s), layout);
    *state = made;
    return REDIST_OK;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    return make_layout(input, WALKER_OTTO_DIAGONAL, state);
}

static redist_err make_b(const struct schedule_input *input, void **state)
{
    return make_layout(input, WALKER_OTTO_ANTIDIAGONAL, state);
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct state *made = state;
    const struct walker_otto *w = &made->schedule;
    for (int64_t k = 0; k < w->K; k++) {
        int64_t partner = side == made->growing
                              ? walker_otto_send_block(w, k, c) / w->K
                              : walker_otto_receive_block(w, k, c) % w->P;
        TRY(own_list_append(list, (struct own_message){(int)partner, 1, k}));
    }
    return REDIST_OK;
}

static void free_state(void *state) { mem_free(state); }

const struct schedule_kind schedule_walker_otto = {
    .name = "walker-otto",
    .what = "permutation blocks of the reduced system; blocks grow or shrink K-fold",
    .source = "Walker and Otto 1996, section 2.2, layout (a)",
    .cut = true,
    .applicable = applicable,
    .pieces = pieces,
    .make = make,
    .own = own,
    .free = free_state,
};

const struct schedule_kind schedule_walker_otto_b = {
    .name = "walker-otto-b",
    .what = "the same with permutation blocks of antidiagonals",
    .source = "Walker and Otto 1996, section 2.2, layout (b)",
    .cut = true,
    .applicable = applicable,
    .pieces = pieces,
    .make = make_b,
    .own = own,
    .free = free_state,
};
