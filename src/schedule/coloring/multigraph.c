/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/multigraph.h"

#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

redist_err edge_list_make(int64_t room, struct edge_list *list)
{
    const struct mem_part parts[] = {
        MEM_PART(list->edge, room), MEM_PART(list->count, room), {0}};
    *list = (struct edge_list){0};
    return mem_alloc_parts(NULL, parts);
}

void edge_list_free(struct edge_list *list)
{
    mem_free(list->edge); /* and the counts */
    *list = (struct edge_list){0};
}

redist_err division_make(const struct multigraph *graph, struct division *division)
{
    int64_t nodes = (int64_t)graph->lefts + graph->rights;
    struct division *d = division;
    const struct mem_part parts[] = {MEM_PART(d->total, nodes),
                                     MEM_PART(d->taken, nodes),
                                     MEM_PART(d->least, nodes),
                                     MEM_PART(d->most, nodes),
                                     MEM_PART(d->first, nodes + 2),
                                     MEM_PART(d->incident, 2 * graph->n),
                                     MEM_PART(d->via, nodes),
                                     MEM_PART(d->next, nodes),
                                     MEM_PART(d->layer, nodes),
                                     MEM_PART(d->queue, nodes),
                                     {0}};
    *d = (struct division){.graph = graph};
    return mem_alloc_parts(NULL, parts);
}

void division_free(struct division *d)
{
    mem_free(d->total); /* and all in one block with it */
    *d = (struct division){0};
}

/* Nodes are the left ones and then the right ones. */
static int end_of(const struct multigraph *graph, int edge, int side)
{
    return side == 0 ? graph->left[edge] : graph->lefts + graph->right[edge];
}

static int side_of(const struct multigraph *graph, int node)
{
    return node >= graph->lefts;
}

/* Count the edges of each node, take the forced ones, and set the bounds between which
 * the number of edges taken at a node must lie. False if the forced ones are too many. */
static bool set_bounds(struct division *d, const struct edge_list *list, int64_t colors,
                       int64_t part, int64_t forced, int64_t taken[])
{
    const struct multigraph *graph = d->graph;
    int nodes = graph->lefts + graph->rights;
    memset(d->total, 0, (size_t)nodes * sizeof *d->total);
    memset(d->taken, 0, (size_t)nodes * sizeof *d->taken);
    d->effort += list->n + nodes;
    for (int64_t i = 0; i < list->n; i++) {
        taken[i] = i < forced ? list->count[i] : 0;
        for (int side = 0; side < 2; side++) {
            d->total[end_of(graph, list->edge[i], side)] += list->count[i];
            d->taken[end_of(graph, list->edge[i], side)] += taken[i];
        }
    }
    for (int v = 0; v < nodes; v++) {
        int64_t capacity = graph->capacity[side_of(graph, v)];
        d->most[v] = capacity * part;
        d->least[v] = int_max(0, d->total[v] - capacity * (colors - part));
        if (d->taken[v] > d->most[v]) return false;
    }
    return true;
}

/* Take more edges, the preferred ones first, as long as both their nodes allow it. */
static void fill(struct division *d, const struct edge_list *list, int64_t forced,
                 int64_t taken[])
{
    int64_t others = list->n - forced, i = others > 0 ? forced + d->start % others : 0;
    for (int64_t k = 0; k < others; k++, i = i + 1 < list->n ? i + 1 : forced) {
        int64_t *l = &d->taken[end_of(d->graph, list->edge[i], 0)];
        int64_t *r = &d->taken[end_of(d->graph, list->edge[i], 1)];
        int64_t more = int_min(d->most[l - d->taken] - *l, d->most[r - d->taken] - *r);
        more = int_min(more, list->count[i]);
        taken[i] = more;
        *l += more, *r += more;
    }
}

/* Find the edges of each node. */
static void index_edges(struct division *d, const struct edge_list *list)
{
    int nodes = d->graph->lefts + d->graph->rights;
    int64_t *next = d->first + 1; /* becomes the end of each list as it fills */
    memset(d->first, 0, (size_t)(nodes + 2) * sizeof *d->first);
    for (int64_t i = 0; i < list->n; i++)
        for (int side = 0; side < 2; side++)
            next[end_of(d->graph, list->edge[i], side) + 1]++;
    for (int v = 0; v < nodes; v++) next[v + 1] += next[v];
    for (int64_t i = 0; i < list->n; i++)
        for (int side = 0; side < 2; side++)
            d->incident[next[end_of(d->graph, list->edge[i], side)]++] = i;
    d->effort += 2 * list->n + nodes;
}

/* Return how much more of the i-th edge can be taken, or given back. */
static int64_t room_of(const struct edge_list *list, int64_t forced,
                       const int64_t taken[], int64_t i, bool takes)
{
    if (takes) return list->count[i] - taken[i];
    return i < forced ? 0 : taken[i];
}

/* The parameters of a flow. */
struct flow {
    struct division *d;
    const struct edge_list *list;
    int64_t forced, *taken;
    int side; /* of the nodes that have too few edges */
};

/* Tell whether a path may end at a node: one of the other side that may have one more
 * edge, or of the same side that may have one less. */
static bool may_end(const struct flow *f, int v)
{
    const struct division *d = f->d;
    return side_of(d->graph, v) == f->side ? d->taken[v] > d->least[v]
                                           : d->taken[v] < d->most[v];
}

/* Return the node at the j-th incident edge of x, -1: nothing can be taken, or given
 * back, along it. Paths take at nodes of the side where they begin, and give back at the
 * others. */
static int step_from(const struct flow *f, int x, int64_t j)
{
    int64_t i = f->d->incident[j];
    int side = side_of(f->d->graph, x);
    if (room_of(f->list, f->forced, f->taken, i, side == f->side) == 0) return -1;
    return end_of(f->d->graph, f->list->edge[i], !side);
}

/* Find the distance of nodes from those with too few edges, up to the nearest end of a
 * path. False: there is no path. */
static bool find_layers(struct flow *f)
{
    struct division *d = f->d;
    int nodes = d->graph->lefts + d->graph->rights, queued = 0, last = nodes;
    for (int v = 0; v < nodes; v++) {
        d->layer[v] = -1;
        d->next[v] = d->first[v];
        if (side_of(d->graph, v) != f->side || d->taken[v] >= d->least[v]) continue;
        d->layer[v] = 0;
        d->queue[queued++] = v;
    }
    d->effort += nodes;
    for (int k = 0; k < queued && d->layer[d->queue[k]] < last; k++) {
        int x = d->queue[k];
        d->effort += d->first[x + 1] - d->first[x];
        for (int64_t j = d->first[x]; j < d->first[x + 1]; j++) {
            int y = step_from(f, x, j);
            if (y < 0 || d->layer[y] >= 0) continue;
            d->layer[y] = d->layer[x] + 1;
            d->queue[queued++] = y;
            if (may_end(f, y)) last = d->layer[y];
        }
    }
    return last < nodes;
}

/* Find the end of a path from v that goes from layer to layer, or -1. */
static int find_path(struct flow *f, int v)
{
    struct division *d = f->d;
    int depth = 0;
    d->queue[0] = v;
    while (depth >= 0) {
        int x = d->queue[depth];
        if (d->next[x] == d->first[x + 1]) {
            if (--depth >= 0) d->next[d->queue[depth]]++;
            continue;
        }
        int y = step_from(f, x, d->next[x]);
        if (y < 0 || d->layer[y] != d->layer[x] + 1) {
            d->next[x]++;
            continue;
        }
        d->via[y] = d->incident[d->next[x]];
        if (may_end(f, y)) return y;
        d->queue[++depth] = y;
    }
    return -1;
}

/* Move as much as possible along the path from v to its end. */
static void augment(struct flow *f, int v, int end)
{
    struct division *d = f->d;
    bool same = side_of(d->graph, end) == f->side;
    int64_t amount =
        int_min(d->least[v] - d->taken[v],
                same ? d->taken[end] - d->least[end] : d->most[end] - d->taken[end]);
    for (int pass = 0; pass < 2; pass++)
        for (int y = end; y != v;) {
            int64_t i = d->via[y];
            int side = side_of(d->graph, y);
            bool takes = side != f->side;
            if (pass == 0)
                amount = int_min(amount, room_of(f->list, f->forced, f->taken, i, takes));
            else
                f->taken[i] += takes ? amount : -amount;
            y = end_of(d->graph, f->list->edge[i], !side);
        }
    d->taken[v] += amount;
    d->taken[end] += same ? -amount : amount;
}

/* Give each node of a side as many edges as it needs. False if impossible. */
static bool supply(struct flow *f, int side)
{
    struct division *d = f->d;
    int first = side == 0 ? 0 : d->graph->lefts;
    int end = side == 0 ? d->graph->lefts : first + d->graph->rights;
    f->side = side;
    for (;;) {
        bool lacks = false;
        for (int v = first; v < end && !lacks; v++) lacks = d->taken[v] < d->least[v];
        if (!lacks) return true;
        if (!find_layers(f)) return false;
        for (int v = first; v < end; v++)
            while (d->taken[v] < d->least[v]) {
                int to = find_path(f, v);
                if (to < 0) break;
                augment(f, v, to);
            }
    }
}

bool division_find(struct division *d, const struct edge_list *list, int64_t colors,
                   int64_t part, int64_t forced, int64_t taken[])
{
    struct flow flow = {.d = d, .list = list, .forced = forced, .taken = taken};
    if (!set_bounds(d, list, colors, part, forced, taken)) return false;
    fill(d, list, forced, taken);
    index_edges(d, list);
    return supply(&flow, 0) && supply(&flow, 1);
}
