/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/coloring.h"

#include <stdlib.h>
#include <string.h>

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
    if (c->color) {
        *color = c->color[z * k->b + B];
        *rank = c->rank[z * k->b + B];
        return;
    }
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

/* The parameters of a family: the order of a class among those of equal z mod t. */
struct family {
    enum { GROUP, WINDOW } kind;
    const int64_t *order; /* GROUP: [n] */
    int64_t size, turn;   /* GROUP: colours are taken in groups of `size`, turned by
                             `turn` for each B; 1, 0: the order is the colour */
    int64_t length, base; /* WINDOW: classes in one; begin of the first */
    int sign;             /* WINDOW: their direction; 0: all the same */
};

static int64_t family_color(const struct coloring *c, const struct family *f, int64_t z,
                            int64_t B)
{
    if (f->kind == WINDOW) {
        int64_t offset = int_mod(f->sign * f->length * B, c->core.u);
        return (z + f->base + offset) / f->length % c->colors;
    }
    int64_t first = f->order[z] / f->size * f->size;
    int64_t size = int_min(f->size, c->colors - first);
    return first + (f->order[z] - first + f->turn * B) % size;
}

/* A class, for sorting. */
struct rival {
    int64_t residue, weight, tie, z;
};

/* Work space of the search. */
struct search {
    struct coloring trial;
    struct rival *rivals; /* [n] */
    int64_t *order;       /* [n] */
    int *meets; /* [t b][colors] which candidate last used the colour at a right node */
    int *used;  /* [u][colors] how often the candidate uses it at a left node */
    int64_t *longest; /* [colors] */
    int candidate;
};

/* Colour the trial by a family; false if it violates 1 or 2. */
static bool try_family(struct search *s, const int64_t weight[], const struct family *f)
{
    struct coloring *c = &s->trial;
    const struct core *k = &c->core;
    s->candidate++;
    memset(s->used, 0, (size_t)(k->u * c->colors) * sizeof *s->used);
    memset(s->longest, 0, (size_t)c->colors * sizeof *s->longest);
    for (int64_t z = 0; z < k->n; z++)
        for (int64_t B = 0; B < k->b; B++) {
            int64_t color = family_color(c, f, z, B);
            int *meets = &s->meets[(core_right(k, z) * k->b + B) * c->colors + color];
            int *used = &s->used[core_left(k, z) * c->colors + color];
            if (*meets == s->candidate || *used == k->a) return false;
            *meets = s->candidate;
            c->color[z * k->b + B] = (int)color;
            c->rank[z * k->b + B] = (*used)++;
            s->longest[color] = int_max(s->longest[color], weight[z]);
        }
    c->tc = 0;
    for (int64_t i = 0; i < c->colors; i++) c->tc += k->a * s->longest[i];
    return true;
}

/* Try a family, and keep it if it is the best so far. True if it is good enough. */
static bool consider(struct search *s, struct coloring *best, const int64_t weight[],
                     const struct family *f, int64_t enough, bool *found)
{
    if (try_family(s, weight, f) && (!*found || s->trial.tc < best->tc)) {
        struct coloring better = s->trial;
        s->trial.color = best->color;
        s->trial.rank = best->rank;
        *best = better;
        *found = true;
    }
    return *found && best->tc <= enough;
}

static int by_weight(const void *a, const void *b)
{
    const struct rival *x = a, *y = b;
    if (x->residue != y->residue) return x->residue < y->residue ? -1 : 1;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

/* Three orders of the classes of equal z mod t: by length, longest first, ties up or
 * down; or by z. With the first two, the order itself as the colour costs as little as
 * the right nodes alone allow. */
enum { LONGEST_UP, LONGEST_DOWN, BY_CLASS, ORDERS };

static void order_classes(const struct coloring *c, const int64_t weight[], int which,
                          struct rival rivals[], int64_t order[])
{
    const struct core *k = &c->core;
    for (int64_t z = 0; z < k->n; z++)
        rivals[z] = (struct rival){core_right(k, z), which == BY_CLASS ? 0 : weight[z],
                                   which == LONGEST_DOWN ? -z : z, z};
    qsort(rivals, (size_t)k->n, sizeof *rivals, by_weight);
    for (int64_t i = 0; i < k->n; i++) {
        bool first = i == 0 || rivals[i].residue != rivals[i - 1].residue;
        order[rivals[i].z] = first ? 0 : order[rivals[i - 1].z] + 1;
    }
}

/* A candidate costs n b; with more pairs only the first few are tried. */
enum { EXHAUSTIVE_PAIRS = 1 << 12 };

static bool search_groups(struct search *s, struct coloring *best, const int64_t weight[],
                          int64_t enough, bool *found)
{
    bool large = best->core.n * best->core.b > EXHAUSTIVE_PAIRS;
    int64_t most = large ? 1 : int_min(best->colors, 2 * best->core.u + 2);
    for (int which = 0; which < ORDERS; which++) {
        order_classes(best, weight, which, s->rivals, s->order);
        for (int64_t size = 1; size <= most; size++) {
            const int64_t turns[] = {1, 2, 3, size - 1};
            for (int m = 0; m < (size == 1 ? 1 : 4); m++) {
                struct family f = {GROUP, s->order, size, turns[m], 0, 0, 0};
                if (consider(s, best, weight, &f, enough, found)) return true;
            }
        }
    }
    return false;
}

static bool search_windows(struct search *s, struct coloring *best,
                           const int64_t weight[], int64_t enough, bool *found)
{
    bool large = best->core.n * best->core.b > EXHAUSTIVE_PAIRS;
    const int64_t lengths[] = {best->core.t, int_ceil_div(best->core.n, best->colors)};
    for (int i = 0; i < (lengths[0] == lengths[1] ? 1 : 2); i++)
        for (int sign = -1; sign <= 1; sign++) {
            int64_t stride = large ? lengths[i] : int_max(1, lengths[i] / 16);
            for (int64_t base = 0; base < lengths[i]; base += stride) {
                struct family f = {WINDOW, NULL, 0, 0, lengths[i], base, sign};
                if (consider(s, best, weight, &f, enough, found)) return true;
            }
        }
    return false;
}

/* Allocate the tables of a colouring. */
static bool reserve_tables(struct coloring *c)
{
    if (!c->color) c->color = mem_alloc(NULL, c->core.n * c->core.b, sizeof *c->color);
    if (!c->rank) c->rank = mem_alloc(NULL, c->core.n * c->core.b, sizeof *c->rank);
    return c->color && c->rank;
}

redist_err coloring_search(struct coloring *c, const int64_t weight[], int64_t enough,
                           bool *found)
{
    struct search s = {.trial = *c};
    s.trial.color = s.trial.rank = NULL;
    s.meets = mem_alloc(NULL, c->core.t * c->core.b * c->colors, sizeof *s.meets);
    s.used = mem_alloc(NULL, c->core.u * c->colors, sizeof *s.used);
    s.longest = mem_alloc(NULL, c->colors, sizeof *s.longest);
    s.rivals = mem_alloc(NULL, c->core.n, sizeof *s.rivals);
    s.order = mem_alloc(NULL, c->core.n, sizeof *s.order);
    bool ok = reserve_tables(c) && reserve_tables(&s.trial) && s.meets && s.used &&
              s.longest && s.rivals && s.order;
    *found = false;
    if (ok && !search_groups(&s, c, weight, enough, found) && !c->core.left)
        (void)search_windows(&s, c, weight, enough, found);
    if (!*found) coloring_free(c);
    coloring_free(&s.trial);
    mem_free(s.meets);
    mem_free(s.used);
    mem_free(s.longest);
    mem_free(s.rivals);
    mem_free(s.order);
    return ok ? REDIST_OK : REDIST_ERR_MEMORY;
}

void coloring_free(struct coloring *c)
{
    mem_free(c->color);
    mem_free(c->rank);
    c->color = c->rank = NULL;
}
