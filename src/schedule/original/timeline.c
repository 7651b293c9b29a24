/* SPDX-License-Identifier: MIT
 *
 * schedule/original/timeline.c - no steps, no barriers, makespan W, the lower bound.
 *
 * Each element gets a start time tau in 0 .. W-1 such that no process sends two at a time
 * or receives two, and the elements of a run take consecutive times, round W: a run in
 * progress at W goes on at 0. Element i has places x = i mod r and y = i mod s in its
 * blocks; z = y - x and the copy indices A, B of its process (classes.h) stay the same
 * along a run. Of P = Q, the first case, every number below is plain:
 *
 *   tau = y - B (mod s),  tau = x - A (mod r)        W = r s
 *
 * In general tau is computed by the Chinese remainder theorem from one residue k modulo
 * each prime power of W, where k is x or y plus a constant of the run. docs/schedules.md
 * proves that a source can tell (x, y, B) from tau, and a target (x, y, A), which
 * suffices. Sides are named here for P >= Q; otherwise they swap roles. If all send
 * equally much to all, whole messages follow the ring instead, as in optimal.c.
 */
#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/dims.h"
#include "schedule/core/kinds.h"
#include "schedule/lists/list.h"

/* With more runs a process, as from BLOCK to CYCLIC(1), a list of few messages takes less
 * time to make. */
enum { MANY_RUNS = 1 << 16, FEW_MESSAGES = 1 << 12 };

/* Distinct primes of r s < 2^63 are at most 15; then what P has, and what Q has, of
 * others. */
enum { MAX_FACTORS = 17 };

/* The powers of one prime of r s in all relevant numbers. Other primes, for which block =
 * shared = 1, need not be distinguished: P's excess over Q in them is one factor, Q's
 * excess is another. */
struct factor {
    bool of_r;                  /* a prime of r; else of s or of neither */
    int64_t modulus;            /* in W */
    int64_t unit;               /* 1 modulo this modulus, 0 modulo all others */
    int64_t block;              /* in r if of_r, else in s */
    int64_t shared;             /* in t = gcd(r, Q) if of_r, else in u = gcd(s, P) */
    int64_t a, b;               /* in a, in b: the numbers of copies */
    int64_t p_excess, q_excess; /* in P / gcd(P, Q), in Q / gcd(P, Q) */
};

struct timeline {
    struct classes classes; /* as given */
    bool swapped;           /* P < Q: sources and targets swap roles */
    int64_t stretch;        /* of the array's messages over a period's (periods.h) */
    int nfactors;
    struct factor factor[MAX_FACTORS];
    int64_t *start; /* without a closed form: of the messages of the core */
    void *dense;    /* without a core either: the state of `dense` */
};

/* The structure with sources and targets swapped, as far as it is used here. */
static struct classes swap(const struct classes *k)
{
    struct classes swapped = *k;
    swapped.P = k->Q, swapped.Q = k->P;
    swapped.r = k->s, swapped.s = k->r;
    swapped.u = k->t, swapped.t = k->u;
    swapped.a = k->b, swapped.b = k->a;
    return swapped;
}

bool timeline_applies(const struct classes *classes)
{
    if (classes_are_alike(classes)) return true;
    struct classes k = classes->P < classes->Q ? swap(classes) : *classes;
    int128 z = (int128)k.r + k.s - 1;
    bool few = dims_messages(1, classes) <= FEW_MESSAGES;
    int128 most = few ? MANY_RUNS : SCHEDULE_MOST_PIECES;
    if (z / k.u * k.b > most || z / k.t * k.a > most) return false;
    return int_gcd(k.r, k.Q / int_gcd(k.P, k.Q)) == 1 || k.u == 1;
}

/* Divide all that is prime to `l` out of *n and leave it there; return the rest. */
static int64_t take_power(int64_t *n, int64_t l)
{
    int64_t power = 1;
    for (; *n % l == 0; *n /= l) power *= l;
    return power;
}

/* Take the powers of a prime of r or s out of `rest`, and out of r or s and t or u. */
static struct factor take_factor(struct factor *rest, int64_t l, bool of_r,
                                 int64_t *blocks, int64_t *shared)
{
    return (struct factor){
        .of_r = of_r,
        .modulus = take_power(&rest->modulus, l),
        .block = take_power(blocks, l),
        .shared = take_power(shared, l),
        .a = take_power(&rest->a, l),
        .b = take_power(&rest->b, l),
        .p_excess = take_power(&rest->p_excess, l),
        .q_excess = take_power(&rest->q_excess, l),
    };
}

/* Take the factors of all primes of `blocks` (r or s) out of `rest`. */
static void take_factors(struct timeline *timeline, struct factor *rest, bool of_r,
                         int64_t blocks, int64_t shared)
{
    for (int64_t l = 2; blocks > 1; l += l == 2 ? 1 : 2) {
        if (l > blocks / l) l = blocks; /* what is left is a prime */
        if (blocks % l == 0)
            timeline->factor[timeline->nfactors++] =
                take_factor(rest, l, of_r, &blocks, &shared);
    }
}

static void find_factors(struct timeline *timeline)
{
    struct classes k = timeline->swapped ? swap(&timeline->classes) : timeline->classes;
    int64_t common = int_gcd(k.P, k.Q);
    struct factor rest = {.modulus = k.least,
                          .a = k.a,
                          .b = k.b,
                          .p_excess = k.P / common,
                          .q_excess = k.Q / common};
    take_factors(timeline, &rest, true, k.r, k.t);
    take_factors(timeline, &rest, false, k.s, k.u);
    struct factor more_p = {.modulus = rest.modulus,
                            .block = 1,
                            .shared = 1,
                            .a = rest.a,
                            .b = 1,
                            .p_excess = rest.p_excess,
                            .q_excess = 1};
    struct factor more_q = {.modulus = 1,
                            .block = 1,
                            .shared = 1,
                            .a = 1,
                            .b = rest.b,
                            .p_excess = 1,
                            .q_excess = rest.q_excess};
    timeline->factor[timeline->nfactors++] = more_p;
    timeline->factor[timeline->nfactors++] = more_q;
    for (int f = 0; f < timeline->nfactors; f++) {
        struct factor *factor = &timeline->factor[f];
        int64_t others = k.least / factor->modulus;
        factor->unit = others * int_inverse(others, factor->modulus);
    }
}

/* The excess number distinguishes source copies beyond those for which the factors of Q
 * have room: a number below the product of all q_excess, the same for all that one target
 * receives along a run of one class. */
static int64_t excess_number(const struct timeline *timeline, int64_t B, int64_t z)
{
    int64_t number = 0, radix = 1;
    for (int k = 0; k < timeline->nfactors; k++) {
        const struct factor *f = &timeline->factor[k];
        if (f->q_excess == 1) continue;
        int64_t copy = B % f->b;
        int64_t digit = f->of_r
                            ? int_mod(z, int_min(f->q_excess, f->block)) + f->block * copy
                            : copy / f->shared;
        number += radix * digit;
        radix *= f->q_excess;
    }
    return number;
}

/* The residue of tau modulo a factor, for the element at (y - z, y), not reduced. `digit`
 * is this factor's share of the excess number. */
static int128 residue(const struct factor *f, int64_t A, int64_t B, int64_t y, int64_t z,
                      int64_t digit)
{
    A %= f->a;
    B %= f->b;
    if (!f->of_r) {
        int128 shift = f->q_excess > 1 ? B % f->shared : B + (int128)f->b * digit;
        return y + (int128)f->block * A - shift;
    }
    if (f->q_excess > 1)
        return (int128)y + (z - int_mod(z, f->q_excess)) / f->q_excess - A;
    int128 shift = A % f->shared + (int128)f->block * (A / f->shared);
    return y - int_mod(z, f->block) - shift + (int128)f->block * digit;
}

/* The start time of the first element of run z between copies A and B. */
static int64_t start_time(const struct timeline *timeline, int64_t A, int64_t B,
                          int64_t z)
{
    int64_t y = int_max(0, z);
    if (timeline->swapped) {
        int64_t swap_copies = A;
        A = B, B = swap_copies;
        y -= z;
        z = -z;
    }
    int64_t W = timeline->classes.least, tau = 0;
    int64_t number = excess_number(timeline, B, z);
    for (int k = 0; k < timeline->nfactors; k++) {
        const struct factor *f = &timeline->factor[k];
        if (f->modulus == 1) continue;
        int128 value = residue(f, A, B, y, z, number % f->p_excess) % f->modulus;
        number /= f->p_excess;
        tau = (int64_t)(((int128)int_mulmod((int64_t)value, f->unit, W) + tau) % W);
    }
    return tau;
}

/* Append a run; a part that would end after W becomes a piece that begins at 0. */
static redist_err append_run(struct own_list *list, int64_t partner, int64_t start,
                             int64_t length, int64_t W)
{
    struct own_message run = {(int)partner, length, start};
    if (length > W - start) {
        struct own_message wrapped = {(int)partner, length - (W - start), 0};
        TRY(own_list_append(list, wrapped));
        run.weight = W - start;
    }
    return own_list_append(list, run);
}

/* The own runs in closed form: those z of -(r-1) .. s-1 that c holds, which are u (of a
 * source) or t (of a target) apart, each with all copies of the partner. */
static redist_err own_runs(const struct timeline *timeline, redist_side side, int64_t c,
                           struct own_list *list)
{
    const struct classes *k = &timeline->classes;
    bool sends = side == REDIST_SOURCE;
    int64_t held = sends ? int_mulmod(c, k->r, k->u) : int_mulmod(-c, k->s, k->t);
    int64_t apart = sends ? k->u : k->t, copies = sends ? k->b : k->a;
    int64_t own = classes_copy(k, side, c);
    int64_t z = -(k->r - 1) + int_mod(held + k->r - 1, apart);
    for (; z < k->s; z += apart) {
        int64_t partner = classes_partner(k, side, c, z);
        int64_t length = int_min(k->r, k->s - z) - int_max(0, -z);
        for (int64_t copy = 0; copy < copies; copy++, partner += k->g / apart) {
            int64_t start = sends ? start_time(timeline, own, copy, z)
                                  : start_time(timeline, copy, own, z);
            TRY(append_run(list, partner, start, length, k->least));
        }
    }
    own_list_sort(list);
    return REDIST_OK;
}

/* Find the own messages if all have the same length: each as long as a step of the
 * ring. */
static redist_err own_ring(const struct classes *k, redist_side side, int64_t c,
                           struct own_list *list)
{
    TRY(dims_own(k, side, c, list));
    for (int64_t i = 0; i < list->n; i++) {
        struct own_message *message = &list->message[i];
        message->step = message->weight * classes_ring_step(k, side, c, message->partner);
    }
    own_list_sort(list);
    return REDIST_OK;
}

/* Find the start time of each message of the core, start[(z a + A) b + B] of class z,
 * counted from 0, between the copies A and B, by a list schedule. It holds for all copies
 * of the core. */
static redist_err list_core(const struct classes *k, int64_t **start)
{
    int64_t n = k->n * k->a * k->b;
    struct edge *message = mem_alloc(NULL, n, sizeof *message), *next = message;
    *start = mem_alloc(NULL, n, sizeof **start);
    redist_err err = message && *start ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t z = k->first; !err && z < k->first + k->n; z++)
        for (int64_t A = 0; A < k->a; A++)
            for (int64_t B = 0; B < k->b; B++)
                *next++ = (struct edge){(int)(int_mod(z, k->u) * k->a + A),
                                        (int)(int_mod(z, k->t) * k->b + B),
                                        classes_weight(k, z)};
    if (!err)
        err = list_schedule_ends((int)(k->u * k->a), (int)(k->t * k->b), n, message,
                                 *start);
    mem_free(message);
    return err;
}

/* The own messages by the list schedule of the core. */
static redist_err own_listed(const struct timeline *timeline, redist_side side, int64_t c,
                             struct own_list *list)
{
    const struct classes *k = &timeline->classes;
    TRY(dims_own(k, side, c, list));
    for (int64_t i = 0; i < list->n; i++) {
        int64_t *step = &list->message[i].step;
        struct core_message in_core = dims_message(k, side, c, *step);
        *step = timeline->start[(in_core.z * k->a + in_core.A) * k->b + in_core.B];
    }
    own_list_sort(list);
    return REDIST_OK;
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct timeline *timeline = state;
    if (timeline->dense) return schedule_dense.own(timeline->dense, side, c, list);
    if (timeline->start)
        TRY(own_listed(timeline, side, c, list));
    else if (classes_are_alike(&timeline->classes))
        TRY(own_ring(&timeline->classes, side, c, list));
    else
        TRY(own_runs(timeline, side, c, list));
    own_list_stretch(list, timeline->stretch);
    return REDIST_OK;
}

/* Return the classes whose core has the start times; NULL: the grid has. */
static const struct classes *find_core(const struct schedule_input *input)
{
    const struct classes *k = input->by_grid ? NULL : schedule_classes(input);
    return k && (timeline_applies(k) || classes_core_is_small(k)) ? k : NULL;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    *why = "needs one whole dimension; product-timeline is the same of several";
    if (input->ndims > 1 && !input->by_grid) return false;
    if (input->grid || find_core(input)) return true;
    *why =
        "needs a closed form, a core of 2^20 messages or the whole communication grid, "
        "which is too large here";
    return false;
}

/* In closed form a run is a piece, and one run of a process may be two. Runs end at the
 * ends of blocks. */
static int64_t pieces(const struct schedule_input *input)
{
    const struct classes *k = find_core(input);
    bool runs = k && timeline_applies(k) && !classes_are_alike(k);
    return runs ? k->length / k->r + k->length / k->s + int_min(k->P, k->Q) : 0;
}

static void destroy(void *state)
{
    struct timeline *timeline = state;
    if (!timeline) return;
    schedule_dense.free(timeline->dense);
    mem_free(timeline->start);
    mem_free(timeline);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    const struct classes *classes = find_core(input);
    struct timeline *timeline = mem_alloc(NULL, 1, sizeof *timeline);
    if (!timeline) return REDIST_ERR_MEMORY;
    redist_err err = REDIST_OK;
    if (classes) {
        timeline->classes = *classes;
        timeline->stretch = input->periods ? periods_stretch(classes, input->periods) : 1;
        timeline->swapped = classes->P < classes->Q;
        if (timeline_applies(classes))
            find_factors(timeline);
        else
            err = list_core(classes, &timeline->start);
    } else {
        err = schedule_dense.make(input, &timeline->dense);
    }
    return schedule_give(timeline, err, destroy, state);
}

static const char *note(const void *state)
{
    const struct timeline *timeline = state;
    if (timeline->start) return "not in closed form here: a list schedule of the core";
    return timeline->dense ? "not in closed form here: the list schedule `dense`" : NULL;
}

const struct schedule_kind schedule_timeline = {
    .name = "timeline",
    .what = "no barriers: start times in closed form, done at the lower bound W",
    .source = "docs/schedules.md, Without barriers",
    .timed = true,
    .least = true,
    .lifted = true,
    .applicable = applicable,
    .pieces = pieces,
    .make = make,
    .own = own,
    .note = note,
    .free = destroy,
};
