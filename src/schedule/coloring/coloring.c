/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/coloring.h"

#include "base/intmath.h"
#include "base/mem.h"

struct core core_of_classes(const struct classes *k)
{
    return (struct core){
        .n = k->n,
        .u = k->u,
        .t = k->t,
        .a = k->a,
        .b = k->b,
        .dr = int_ceil_div(k->n, k->u),
        .dc = int_ceil_div(k->n, k->t),
    };
}

int64_t *core_weights(const struct classes *k)
{
    int64_t *weight = mem_alloc(NULL, k->n, sizeof *weight);
    for (int64_t z = 0; weight && z < k->n; z++)
        weight[z] = classes_weight(k, k->first + z);
    return weight;
}

bool coloring_begin(const struct core *core, bool mirrored, struct coloring *coloring)
{
    struct core k = *core;
    if (mirrored) {
        k.u = core->t, k.t = core->u;
        k.a = core->b, k.b = core->a;
        k.dr = core->dc, k.dc = core->dr;
        k.left = core->right, k.right = core->left;
    }
    *coloring = (struct coloring){.mirrored = mirrored, .core = k, .colors = k.dc};
    return k.a * k.dc >= k.b * k.dr;
}

int64_t coloring_size(const struct coloring *c)
{
    int64_t pairs = 0, uses = 0;
    if (!int_mul(c->core.n, c->core.b, &pairs) || !int_mul(c->core.u, c->colors, &uses))
        return INT64_MAX;
    return int_max(pairs, uses);
}

/* Theorem 2 of docs/schedules.md: the windows of a colour, laid end to end, fill b t
 * <= a u places, so that each residue mod u comes at most a times; and a window that
 * runs over the end of the circle keeps clear of the others of its colour if a
 * multiple of u lies in n .. N. */
bool coloring_closed(const struct coloring *c)
{
    const struct core *k = &c->core;
    int64_t N = c->colors * k->t;
    return !k->left && k->b * k->t <= k->a * k->u && N - N % k->u >= k->n;
}

void coloring_pair(const struct coloring *c, int64_t z, int64_t B, int64_t *color,
                   int64_t *rank)
{
    const struct core *k = &c->core;
    /* `at` is the pair's place among the windows of its colour, at most a u places. Pairs
     * of equal z mod u are at distances of multiples of u, so `at` div u numbers them;
     * one beyond the end of the circle is shifted by N mod u to keep this true. */
    int64_t N = c->colors * k->t;
    int64_t place = z + int_mulmod(-B, k->t, k->u);
    int64_t at = B * k->t + place % k->t + (place >= N ? N % k->u : 0);
    *color = place % N / k->t;
    *rank = at / k->u;
}

int64_t coloring_step(const struct coloring *c, int64_t z, int64_t A, int64_t B)
{
    int64_t color = 0, rank = 0;
    coloring_pair(c, z, c->mirrored ? A : B, &color, &rank);
    return c->core.a * color + int_mod((c->mirrored ? B : A) - rank, c->core.a);
}
