/* SPDX-License-Identifier: MIT */
#include "schedule/nested.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"

/* Nodes are 0 .. lefts - 1 and then the right ones. Level l is the edges of the l + 1
 * heaviest different weights; the last level is all edges. */
struct peeling {
    const struct nested_edge *edge;
    int nodes, nedges, levels, steps;
    int64_t *weight;   /* [levels + 1] of a level, descending; then 0 */
    int *end;          /* [nedges][2] the nodes of an edge */
    int *level;        /* [nedges] of an edge */
    int *first;        /* [nodes + 1] node v's edges are incident[first[v]] .. */
    int *incident;     /* [2 nedges] */
    int *least;        /* [levels] the largest degree within a level: SB's profile */
    int *limit;        /* [levels] the steps that may hold edges of the level */
    int *degree;       /* [nodes][levels] edges that are left */
    int *need;         /* [nodes] the heaviest level that must cover it now, or levels */
    int *mate;         /* [nodes] the edge that covers it, or -1 */
    int *via;          /* [nodes] the edge by which it was reached, or -1 */
    int *queue;        /* [nodes] */
    int *step;         /* [nedges] or -1 */
    int *at;           /* [nodes][steps] the edge of a node in a step, or -1 */
    int *group;        /* [nedges] the edges of a component */
    bool *seen;        /* [nedges] */
    int64_t *heaviest; /* [steps] */
    uint64_t random;
};

static int random_below(struct peeling *p, int n)
{
    p->random = hash_int(p->random, n);
    return (int)(p->random % (uint64_t)n);
}

static int other_end(const struct peeling *p, int e, int v)
{
    return p->end[2 * e] == v ? p->end[2 * e + 1] : p->end[2 * e];
}

/* ---- what does not change from try to try ---- */

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static redist_err find_levels(struct peeling *p)
{
    p->weight = mem_alloc(NULL, (int64_t)p->nedges + 1, sizeof *p->weight);
    p->level = mem_alloc(NULL, p->nedges, sizeof *p->level);
    if (!p->weight || !p->level) return REDIST_ERR_MEMORY;
    for (int e = 0; e < p->nedges; e++) p->weight[e] = p->edge[e].weight;
    qsort(p->weight, (size_t)p->nedges, sizeof *p->weight, descending);
    for (int e = 0; e < p->nedges; e++)
        if (e == 0 || p->weight[e] != p->weight[p->levels - 1])
            p->weight[p->levels++] = p->weight[e];
    p->weight[p->levels] = 0;
    for (int e = 0; e < p->nedges; e++) {
        const int64_t *found = bsearch(&p->edge[e].weight, p->weight, (size_t)p->levels,
                                       sizeof *p->weight, descending);
        p->level[e] = (int)(found - p->weight);
    }
    return REDIST_OK;
}

static redist_err find_incident(struct peeling *p, int lefts)
{
    p->end = mem_alloc(NULL, 2 * (int64_t)p->nedges, sizeof *p->end);
    p->first = mem_alloc(NULL, (int64_t)p->nodes + 2, sizeof *p->first);
    p->incident = mem_alloc(NULL, 2 * (int64_t)p->nedges, sizeof *p->incident);
    if (!p->end || !p->first || !p->incident) return REDIST_ERR_MEMORY;
    int *next = p->first + 1; /* becomes the end of each list as it fills */
    for (int e = 0; e < p->nedges; e++) {
        p->end[2 * e] = p->edge[e].left;
        p->end[2 * e + 1] = lefts + p->edge[e].right;
    }
    for (int i = 0; i < 2 * p->nedges; i++) next[p->end[i] + 1]++;
    for (int v = 0; v < p->nodes; v++) next[v + 1] += next[v];
    for (int i = 0; i < 2 * p->nedges; i++) p->incident[next[p->end[i]]++] = i / 2;
    return REDIST_OK;
}

static void count_degrees(struct peeling *p)
{
    memset(p->degree, 0, (size_t)p->nodes * (size_t)p->levels * sizeof *p->degree);
    for (int i = 0; i < 2 * p->nedges; i++)
        for (int l = p->level[i / 2]; l < p->levels; l++)
            p->degree[p->end[i] * p->levels + l]++;
}

static redist_err prepare(struct peeling *p, const struct nested_graph *graph)
{
    p->edge = graph->edge;
    p->nodes = graph->lefts + graph->rights;
    p->nedges = graph->nedges;
    p->random = HASH_START;
    redist_err err = find_levels(p);
    if (!err) err = find_incident(p, graph->lefts);
    if (err) return err;
    int64_t nodes = p->nodes;
    p->least = mem_alloc(NULL, p->levels, sizeof *p->least);
    p->limit = mem_alloc(NULL, p->levels, sizeof *p->limit);
    p->degree = mem_alloc(NULL, nodes * p->levels, sizeof *p->degree);
    p->need = mem_alloc(NULL, nodes, sizeof *p->need);
    p->mate = mem_alloc(NULL, nodes, sizeof *p->mate);
    p->via = mem_alloc(NULL, nodes, sizeof *p->via);
    p->queue = mem_alloc(NULL, nodes, sizeof *p->queue);
    p->step = mem_alloc(NULL, p->nedges, sizeof *p->step);
    p->group = mem_alloc(NULL, p->nedges, sizeof *p->group);
    p->seen = mem_alloc(NULL, p->nedges, sizeof *p->seen);
    if (!p->least || !p->limit || !p->degree || !p->need || !p->mate || !p->via ||
        !p->queue || !p->step || !p->group || !p->seen)
        return REDIST_ERR_MEMORY;
    count_degrees(p);
    for (int v = 0; v < p->nodes; v++)
        for (int l = 0; l < p->levels; l++)
            p->least[l] = (int)int_max(p->least[l], p->degree[v * p->levels + l]);
    p->steps = p->least[p->levels - 1];
    p->at = mem_alloc(NULL, nodes * p->steps, sizeof *p->at);
    p->heaviest = mem_alloc(NULL, p->steps, sizeof *p->heaviest);
    return p->at && p->heaviest ? REDIST_OK : REDIST_ERR_MEMORY;
}

static void release(struct peeling *p)
{
    void *blocks[] = {p->weight, p->level, p->end,  p->first, p->incident, p->least,
                      p->limit,  p->need,  p->mate, p->via,   p->queue,    p->step,
                      p->degree, p->group, p->seen, p->at,    p->heaviest};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
}

/* ---- peeling ---- */

/* Whether an edge may be used in this step: it is left, and heavy enough for both its
 * nodes. */
static bool allowed(const struct peeling *p, int e)
{
    return p->step[e] < 0 && p->level[e] <= p->need[p->end[2 * e]] &&
           p->level[e] <= p->need[p->end[2 * e + 1]];
}

/* Turn the alternating path that ends at x, so that all its nodes from v on are
 * covered. */
static void turn_path(struct peeling *p, int v, int x)
{
    for (;;) {
        int e = p->via[x], y = other_end(p, e, x), before = p->mate[y];
        p->mate[x] = p->mate[y] = e;
        if (y == v) return;
        x = other_end(p, before, y);
    }
}

/* Cover node v too, by an alternating path to a node of the other side that is not yet
 * covered, or to one of its own side that need not be. Nodes that are covered and must be
 * stay so. */
static bool cover(struct peeling *p, int v)
{
    for (int x = 0; x < p->nodes; x++) p->via[x] = -1;
    int queued = 0;
    p->queue[queued++] = v;
    for (int i = 0; i < queued; i++) {
        int y = p->queue[i];
        for (int k = p->first[y]; k < p->first[y + 1]; k++) {
            int e = p->incident[k];
            if (!allowed(p, e)) continue;
            int x = other_end(p, e, y);
            if (p->via[x] >= 0) continue;
            p->via[x] = e;
            int next = p->mate[x] < 0 ? -1 : other_end(p, p->mate[x], x);
            if (next >= 0 && p->need[next] < p->levels) {
                p->queue[queued++] = next;
                continue;
            }
            if (next >= 0) p->mate[next] = -1;
            turn_path(p, v, x);
            return true;
        }
    }
    return false;
}

/* Find a matching that covers every node that must be in step c. */
static bool match(struct peeling *p, int c)
{
    for (int v = 0; v < p->nodes; v++) {
        const int *degree = &p->degree[v * p->levels];
        int l = 0;
        while (l < p->levels && (degree[l] == 0 || degree[l] < p->limit[l] - c)) l++;
        p->need[v] = l;
        p->mate[v] = -1;
    }
    for (int v = 0; v < p->nodes; v++)
        if (p->need[v] < p->levels && p->mate[v] < 0 && !cover(p, v)) return false;
    return true;
}

/* Give a level that asks for too much one step more: the heaviest, or any if there have
 * been tries before. The last level never does: where it alone restricts, the nodes of
 * largest degree can be covered (Konig). */
static void relax(struct peeling *p, bool any)
{
    int chosen = -1, seen = 0;
    for (int l = 0; l < p->levels && (any || chosen < 0); l++) {
        bool asks = false;
        for (int v = 0; v < p->nodes && !asks; v++) asks = p->need[v] == l;
        if (asks && p->limit[l] < p->steps && random_below(p, ++seen) == 0) chosen = l;
    }
    int limit = ++p->limit[chosen];
    for (int l = chosen; l < p->levels; l++)
        p->limit[l] = (int)int_max(p->limit[l], limit);
}

static void peel(struct peeling *p, bool any)
{
    memcpy(p->limit, p->least, (size_t)p->levels * sizeof *p->limit);
    count_degrees(p);
    for (int e = 0; e < p->nedges; e++) p->step[e] = -1;
    for (int c = 0; c < p->steps; c++) {
        while (!match(p, c)) relax(p, any);
        for (int v = 0; v < p->nodes; v++) {
            int e = p->mate[v];
            if (e < 0) continue;
            p->step[e] = c;
            for (int l = p->level[e]; l < p->levels; l++) p->degree[v * p->levels + l]--;
        }
    }
}

/* ---- exchanging ---- */

/* Collect the edges of steps c and d that hang together with e. */
static int component(struct peeling *p, int e, int c, int d)
{
    int n = 0;
    p->group[n++] = e;
    p->seen[e] = true;
    for (int i = 0; i < n; i++) {
        int x = p->group[i], other = p->step[x] == c ? d : c;
        for (int side = 0; side < 2; side++) {
            int y = p->at[p->end[2 * x + side] * p->steps + other];
            if (y < 0 || p->seen[y]) continue;
            p->seen[y] = true;
            p->group[n++] = y;
        }
    }
    return n;
}

static void place(struct peeling *p, int e, int edge)
{
    for (int side = 0; side < 2; side++)
        p->at[p->end[2 * e + side] * p->steps + p->step[e]] = edge;
}

/* Exchange the steps c and d of the first n edges of the group. */
static void exchange(struct peeling *p, int n, int c, int d)
{
    for (int i = 0; i < n; i++) place(p, p->group[i], -1);
    for (int i = 0; i < n; i++) {
        int e = p->group[i];
        p->step[e] = p->step[e] == c ? d : c;
        place(p, e, e);
    }
}

/* Make the best of steps c and d: in each component the heaviest edge goes to c. No two
 * matchings of the same edges cost less. True if these did. */
static bool improve_pair(struct peeling *p, int c, int d)
{
    int64_t heaviest[2] = {0, 0};
    for (int v = 0; v < p->nodes; v++)
        for (int i = 0; i < 2; i++) {
            int e = p->at[v * p->steps + (i == 0 ? c : d)];
            if (e >= 0) p->seen[e] = false;
        }
    for (int v = 0; v < p->nodes; v++)
        for (int i = 0; i < 2; i++) {
            int e = p->at[v * p->steps + (i == 0 ? c : d)];
            if (e < 0 || p->seen[e]) continue;
            int n = component(p, e, c, d);
            int64_t in[2] = {0, 0};
            for (int k = 0; k < n; k++) {
                int x = p->group[k], where = p->step[x] != c;
                in[where] = int_max(in[where], p->edge[x].weight);
            }
            if (in[0] < in[1]) exchange(p, n, c, d);
            heaviest[0] = int_max(heaviest[0], int_max(in[0], in[1]));
            heaviest[1] = int_max(heaviest[1], int_min(in[0], in[1]));
        }
    int64_t before = p->heaviest[c] + p->heaviest[d];
    p->heaviest[c] = heaviest[0];
    p->heaviest[d] = heaviest[1];
    return heaviest[0] + heaviest[1] < before;
}

/* Improve pairs of steps until none can be; return the cost. */
static int64_t improve(struct peeling *p)
{
    memset(p->at, -1, (size_t)p->nodes * (size_t)p->steps * sizeof *p->at);
    memset(p->heaviest, 0, (size_t)p->steps * sizeof *p->heaviest);
    for (int e = 0; e < p->nedges; e++) {
        int64_t *heaviest = &p->heaviest[p->step[e]];
        *heaviest = int_max(*heaviest, p->edge[e].weight);
        place(p, e, e);
    }
    for (bool better = true; better;) {
        better = false;
        for (int c = 0; c < p->steps; c++)
            for (int d = c + 1; d < p->steps; d++)
                if (improve_pair(p, c, d)) better = true;
    }
    int64_t cost = 0;
    for (int c = 0; c < p->steps; c++) cost += p->heaviest[c];
    return cost;
}

/* ---- all tries ---- */

/* Let matchings look at the edges of each node in another order. */
static void shuffle(struct peeling *p)
{
    for (int v = 0; v < p->nodes; v++)
        for (int i = p->first[v + 1] - 1; i > p->first[v]; i--) {
            int j = p->first[v] + random_below(p, i - p->first[v] + 1);
            int e = p->incident[i];
            p->incident[i] = p->incident[j];
            p->incident[j] = e;
        }
}

redist_err nested_color(const struct nested_graph *graph, int tries, int64_t enough,
                        int step[], int64_t *cost)
{
    struct peeling p = {0};
    redist_err err = prepare(&p, graph);
    if (!err) {
        int64_t bound = 0;
        for (int l = 0; l < p.levels; l++)
            bound += p.least[l] * (p.weight[l] - p.weight[l + 1]);
        enough = int_max(enough, bound);
        *cost = INT64_MAX;
    }
    for (int k = 0; !err && k<tries && * cost> enough; k++) {
        if (k > 0) shuffle(&p);
        peel(&p, k > 0);
        int64_t found = improve(&p);
        if (found >= *cost) continue;
        *cost = found;
        memcpy(step, p.step, (size_t)p.nedges * sizeof *step);
    }
    release(&p);
    return err;
}
