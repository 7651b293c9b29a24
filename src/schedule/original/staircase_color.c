/* SPDX-License-Identifier: MIT
 *
 * schedule/original/staircase_color.c - see staircase_color.h.
 */
#include "schedule/original/staircase_color.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

enum { CHOICES = 3, MOST_ORDERS = 16, MOST_EFFORT = 1 << 19 };

/* A process with several messages, or a pair with a single one. */
struct hub {
    int64_t first, last; /* its messages */
    bool left, right;    /* the first, the last is a link to the hub before, after */
};

struct coloring {
    const struct comm_grid *grid;
    int64_t nhubs, colors;
    struct hub *hub;               /* [messages] */
    int64_t *sorted;               /* [2 messages] others of each hub, longest first */
    int64_t *limit, *trial, *best; /* [colors] descending */
    int64_t *bound;                /* [colors] lower bounds of the limits */
    int64_t *size;                 /* [messages] ascending */
    int64_t effort;                /* messages looked at so far */
    int16_t *from;                 /* [CHOICES hubs] the previous choice, or -1 */
};

static int descending(const void *a, const void *b)
{
    const struct edge *x = *(const struct edge *const *)a;
    const struct edge *y = *(const struct edge *const *)b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x > y) - (x < y);
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void find_hubs(struct coloring *x)
{
    const struct comm_grid *grid = x->grid;
    bool left = false;
    for (int64_t e = 0; e < grid->nedges;) {
        int64_t last = int_max(grid->by_source[grid->edge[e].p + 1],
                               grid->by_target[grid->edge[e].q + 1]) -
                       1;
        const struct edge *end = &grid->edge[last];
        int64_t behind =
            int_max(grid->by_source[end->p + 1], grid->by_target[end->q + 1]) - 1;
        bool right = behind > last;
        x->hub[x->nhubs++] = (struct hub){e, last, left, right};
        e = right ? last : last + 1;
        left = right;
    }
}

static redist_err sort_all(struct coloring *x)
{
    const struct edge *edge = x->grid->edge;
    const struct edge **list = mem_alloc(NULL, x->grid->nedges, sizeof *list);
    if (!list) return REDIST_ERR_MEMORY;
    for (int64_t h = 0; h < x->nhubs; h++) {
        const struct hub *hub = &x->hub[h];
        int64_t n = 0, begin = hub->first + hub->left;
        for (int64_t e = begin; e <= hub->last - hub->right; e++) list[n++] = &edge[e];
        mem_sort(list, n, sizeof(void *), descending);
        for (int64_t k = 0; k < n; k++) x->sorted[begin + k] = list[k] - edge;
    }
    mem_free(list);
    for (int64_t e = 0; e < x->grid->nedges; e++) x->size[e] = edge[e].weight;
    mem_sort(x->size, x->grid->nedges, sizeof(int64_t), ascending);
    return REDIST_OK;
}

/* The step of a link's i-th choice, or less than 0. */
static int64_t choice(const struct coloring *x, const int64_t limit[], int64_t e, int i)
{
    int64_t low = 0, high = x->colors;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (limit[mid] >= x->grid->edge[e].weight)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1 - i;
}

/* Tell whether the other messages of a hub fit beside its links, which have steps c and
 * d, or -1 if there is no such link. Stores their steps in `step` unless NULL. */
static bool place(const struct coloring *x, const int64_t limit[], const struct hub *hub,
                  int64_t c, int64_t d, int64_t step[])
{
    int64_t k = 0;
    for (int64_t i = hub->first + hub->left; i <= hub->last - hub->right; i++, k++) {
        while (k < x->colors && (k == c || k == d)) k++;
        int64_t e = x->sorted[i];
        if (k >= x->colors || x->grid->edge[e].weight > limit[k]) return false;
        if (step) step[e] = k;
    }
    return true;
}

/* Return a choice of the previous link compatible with choice j of the next link, or
 * -1. */
static int reach(const struct coloring *x, const int64_t limit[], int64_t h, int j)
{
    const struct hub *hub = &x->hub[h];
    int64_t d = hub->right ? choice(x, limit, hub->last, j) : -1;
    if ((hub->right && d < 0) || (!hub->right && j > 0)) return -1;
    for (int i = 0; i < (hub->left ? CHOICES : 1); i++) {
        int64_t c = hub->left ? choice(x, limit, hub->first, i) : -1;
        if (hub->left && (c < 0 || c == d)) continue;
        if (hub->left && x->from[(h - 1) * CHOICES + i] < 0) continue;
        if (place(x, limit, hub, c, d, NULL)) return i;
    }
    return -1;
}

static bool suffices(struct coloring *x, const int64_t limit[])
{
    x->effort += x->grid->nedges;
    for (int64_t h = 0; h < x->nhubs; h++) {
        bool any = false;
        for (int j = 0; j < CHOICES; j++) {
            int i = reach(x, limit, h, j);
            x->from[h * CHOICES + j] = (int16_t)i;
            any = any || i >= 0;
        }
        if (!any) return false;
    }
    return true;
}

/* Lower limit k, and those after it, as far as they suffice. */
static void lower(struct coloring *x, int64_t k)
{
    int64_t low = 0, high = x->grid->nedges - 1;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        for (int64_t j = 0; j < x->colors; j++)
            x->trial[j] = j < k ? x->limit[j] : int_min(x->limit[j], x->size[mid]);
        if (suffices(x, x->trial))
            high = mid;
        else
            low = mid + 1;
    }
    for (int64_t j = k; j < x->colors; j++)
        x->limit[j] = int_min(x->limit[j], x->size[high]);
}

/* The sum, at most INT64_MAX. */
static int64_t sum(const struct coloring *x, const int64_t limit[])
{
    int64_t total = 0;
    for (int64_t k = 0; k < x->colors; k++) {
        if (limit[k] > INT64_MAX - total) return INT64_MAX;
        total += limit[k];
    }
    return total;
}

/* The k-th limit is at least the k-th longest message of any process. */
static void set_bound(struct coloring *x)
{
    for (int64_t h = 0; h < x->nhubs; h++) {
        int64_t first = x->hub[h].first, n = x->hub[h].last - first + 1;
        for (int64_t k = 0; k < n; k++) x->trial[k] = x->grid->edge[first + k].weight;
        mem_sort(x->trial, n, sizeof(int64_t), ascending);
        for (int64_t k = 0; k < n; k++)
            x->bound[k] = int_max(x->bound[k], x->trial[n - 1 - k]);
    }
}

/* Begin with the bound, shifted by as few steps as suffice. Shifted by all of them, each
 * limit is that of the longest message. */
static void shift_bound(struct coloring *x)
{
    int64_t low = 0, high = x->colors - 1;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        for (int64_t k = 0; k < x->colors; k++)
            x->trial[k] = x->bound[int_max(0, k - mid)];
        if (suffices(x, x->trial))
            high = mid;
        else
            low = mid + 1;
    }
    for (int64_t k = 0; k < x->colors; k++) x->best[k] = x->bound[int_max(0, k - high)];
}

/* Lower all limits, from one on cyclically, forwards or backwards. The limits still
 * suffice when the effort is spent. */
static void lower_all(struct coloring *x, int64_t start, bool back)
{
    int64_t n = x->colors;
    for (int64_t i = 0; i < n && x->effort < MOST_EFFORT; i++)
        lower(x, back ? (start + n - i) % n : (start + i) % n);
    if (sum(x, x->limit) < sum(x, x->best))
        memcpy(x->best, x->limit, (size_t)n * sizeof(int64_t));
}

static void search(struct coloring *x)
{
    int64_t n = x->colors, least = sum(x, x->bound);
    shift_bound(x);
    for (int64_t s = -1; s < 2 * int_min(n, MOST_ORDERS); s++) {
        if (sum(x, x->best) == least || x->effort >= MOST_EFFORT) return;
        for (int64_t k = 0; k < n; k++)
            x->limit[k] = s < 0 ? x->best[k] : x->size[x->grid->nedges - 1];
        lower_all(x, s < 0 ? 0 : s % 2 ? n - 1 - s / 2 : s / 2, s % 2 == 1);
    }
}

/* Read the steps, from the last hub to the first. */
static void read_off(struct coloring *x, int64_t step[])
{
    int j = 0;
    suffices(x, x->best);
    for (int64_t h = x->nhubs - 1; h >= 0; h--) {
        const struct hub *hub = &x->hub[h];
        if (!hub->right) j = 0;
        int i = x->from[h * CHOICES + j];
        int64_t c = hub->left ? choice(x, x->best, hub->first, i) : -1;
        int64_t d = hub->right ? choice(x, x->best, hub->last, j) : -1;
        if (hub->left) step[hub->first] = c;
        place(x, x->best, hub, c, d, step);
        j = i;
    }
}

static redist_err make_room(struct coloring *x)
{
    int64_t n = x->grid->nedges, colors = x->colors;
    const struct mem_part parts[] = {MEM_PART(x->hub, n),
                                     MEM_PART(x->sorted, n),
                                     MEM_PART(x->size, n),
                                     MEM_PART(x->limit, colors),
                                     MEM_PART(x->trial, colors),
                                     MEM_PART(x->best, colors),
                                     MEM_PART(x->bound, colors),
                                     MEM_PART(x->from, CHOICES * n),
                                     {0}};
    return mem_alloc_parts(NULL, parts);
}

redist_err staircase_color(const struct comm_grid *grid, int64_t step[])
{
    if (grid->nedges == 0) return REDIST_OK;
    struct coloring x = {.grid = grid, .colors = grid->degree};
    TRY(make_room(&x));
    find_hubs(&x);
    redist_err err = sort_all(&x);
    if (!err) {
        set_bound(&x);
        search(&x);
        read_off(&x, step);
    }
    mem_free(x.hub);
    return err;
}
