/* SPDX-License-Identifier: MIT
 *
 * schedule/published/guo_pan_1.c - all messages of a step have one length (Guo and Pan
 * 2005, section 4.1, algorithm 1), which is possible where gcd(r, Q) = gcd(s, P) = 1.
 *
 * After r s elements the same blocks meet again, s sources and r targets later, so (p + s
 * k, q + r k) is as long as (p, q) for any k (theorem 1), wrapped round P and Q. So
 * source 0 sends in any order, here to ascending targets. If it sends to j at step l,
 * source s k sends to j + r k:
 *
 *   cyclic(4) onto 5 -> cyclic(3) onto 5       step 0 1 2 3 4
 *                                      source 0     0 1 2 3 4
 *                                      source 1     3 4 0 1 2    1 = 3 k, k = 2
 *                                      ..
 *
 * This needs P <= Q, so that targets stay distinct; else target 0 takes the place of
 * source 0. NS = Delta and TC = W. No process needs the others' part.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/kinds.h"

struct aligned {
    struct classes classes;
    redist_side anchor;    /* whose process 0 defines the order: the side with fewer */
    int64_t count[SIDES];  /* processes */
    int64_t stride[SIDES]; /* by which (p, q) moves to the next pair of its length */
    int64_t inverse;       /* of the anchor's stride */
    int64_t n;
    int64_t *order; /* [n] partners of the anchor's process 0, ascending */
};

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Return the step of the message between process `own` of the anchor's side and
 * `other`: both move back until the former is 0; then it is the place of the latter in
 * the order. */
static int64_t step_of(const struct aligned *s, int64_t own, int64_t other)
{
    int64_t k = int_mulmod(own, s->inverse, s->count[s->anchor]);
    int64_t modulus = s->count[!s->anchor];
    int64_t moved = int_mulmod(k, s->stride[!s->anchor], modulus);
    int64_t first = int_mod(other - moved, modulus);
    const int64_t *found =
        bsearch(&first, s->order, (size_t)s->n, sizeof *s->order, ascending);
    return found - s->order;
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    const struct classes *k = schedule_classes(input);
    if (k && k->u == 1 && k->t == 1) return true;
    *why = k ? "needs gcd(r, Q) = 1 and gcd(s, P) = 1 of the coprime r and s"
             : SCHEDULE_NEEDS_CLASSES;
    return false;
}

/* Append the messages of coordinate c without their steps. */
static redist_err append_partners(const struct classes *k, redist_side side, int64_t c,
                                  struct own_list *list)
{
    int64_t copies = side == REDIST_SOURCE ? k->b : k->a;
    int64_t apart = k->g / (side == REDIST_SOURCE ? k->u : k->t);
    for (int64_t z = k->first; z < k->first + k->n; z++) { /* u = t = 1: all classes */
        int64_t partner = classes_partner(k, side, c, z), weight = classes_weight(k, z);
        for (int64_t copy = 0; copy < copies; copy++, partner += apart) {
            TRY(own_list_append(list, (struct own_message){(int)partner, weight, 0}));
        }
    }
    return REDIST_OK;
}

static void aligned_free(void *state)
{
    struct aligned *s = state;
    if (!s) return;
    mem_free(s->order);
    mem_free(s);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    const struct classes *k = schedule_classes(input);
    struct own_list list = {0};
    struct aligned *s = mem_alloc(NULL, 1, sizeof *s);
    if (!s) return REDIST_ERR_MEMORY;
    *s = (struct aligned){
        .classes = *k,
        .anchor = k->P <= k->Q ? REDIST_SOURCE : REDIST_TARGET,
        .count = {k->P, k->Q},
        .stride = {k->s, k->r},
    };
    s->inverse = int_inverse(s->stride[s->anchor], s->count[s->anchor]);
    redist_err err = append_partners(k, s->anchor, 0, &list);
    if (!err) {
        s->n = list.n;
        s->order = mem_alloc(NULL, list.n, sizeof *s->order);
        if (!s->order) err = REDIST_ERR_MEMORY;
    }
    if (!err) {
        for (int64_t i = 0; i < list.n; i++) s->order[i] = list.message[i].partner;
        mem_sort(s->order, list.n, sizeof *s->order, ascending);
        *state = s;
    } else {
        aligned_free(s);
    }
    own_list_free(&list);
    return err;
}

static redist_err own(const void *state, redist_side side, int64_t c,
                      struct own_list *list)
{
    const struct aligned *s = state;
    int64_t begin = list->n;
    TRY(append_partners(&s->classes, side, c, list));
    for (int64_t i = begin; i < list->n; i++) {
        struct own_message *message = &list->message[i];
        message->step = side == s->anchor ? step_of(s, c, message->partner)
                                          : step_of(s, message->partner, c);
    }
    own_list_sort(list);
    return REDIST_OK;
}

const struct schedule_kind schedule_guo_pan_1 = {
    .name = "guo-pan-1",
    .what = "all messages of a step have one length",
    .source = "Guo and Pan 2005, section 4.1, algorithm 1",
    .applicable = applicable,
    .make = make,
    .own = own,
    .free = aligned_free,
};
