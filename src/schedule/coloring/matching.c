/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/matching.h"

#include <assert.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/table.h"

/* A node of the searched side, and the distance by which its price must fall to be
 * reached. */
struct reached {
    int64_t distance, node;
};

/* Work space of the searches for augmenting paths. */
struct matching_search {
    int64_t phase;
    int64_t *visited;  /* [nnodes] the last phase that came here */
    int64_t *cursor;   /* [nnodes] edges of a node that this phase has looked at */
    int64_t *path;     /* [nnodes] nodes of the searched side, root first */
    int64_t *via;      /* [nnodes] the node that a node of the path goes on to */
    int64_t *distance; /* [nnodes] INT64_MAX: not reached */
    int64_t *touched;  /* [nnodes] the nodes that are reached */
    int64_t ntouched;
    int64_t nheap;
    struct reached *heap; /* [nnodes + nedges] the nearest first */
};

static redist_err allocate(struct matching *m)
{
    const int64_t n = m->nnodes, nedges = m->grid->nedges;
    struct matching_search s = {.phase = 0};
    const struct mem_part parts[] = {MEM_PART(m->search, 1),
                                     MEM_PART(m->degree, n),
                                     MEM_PART(m->arc, 2 * nedges),
                                     MEM_PART(m->first, n),
                                     MEM_PART(m->mate, n),
                                     MEM_PART(m->must, n),
                                     MEM_PART(m->price, n),
                                     MEM_PART(s.visited, n),
                                     MEM_PART(s.cursor, n),
                                     MEM_PART(s.path, n),
                                     MEM_PART(s.via, n),
                                     MEM_PART(s.distance, n),
                                     MEM_PART(s.touched, n),
                                     MEM_PART(s.heap, n + nedges),
                                     {0}};
    TRY(mem_alloc_parts(NULL, parts));
    for (int64_t v = 0; v < n; v++) s.distance[v] = INT64_MAX;
    *m->search = s;
    return REDIST_OK;
}

void matching_free(struct matching *m)
{
    mem_free(m->search); /* and all in one block with it */
    *m = (struct matching){0};
}

/* Give each node its arcs. */
static void fill(struct matching *m)
{
    const struct comm_grid *grid = m->grid;
    for (int64_t v = 0; v < m->nnodes; v++) {
        bool sends = v < grid->P;
        const int64_t *begin =
            sends ? &grid->by_source[v] : &grid->by_target[v - grid->P];
        m->first[v] = sends ? begin[0] : grid->nedges + begin[0];
        m->degree[v] = begin[1] - begin[0];
        for (int64_t k = 0; k < m->degree[v]; k++) {
            int64_t e = sends ? begin[0] + k : grid->target_edge[begin[0] + k];
            const struct edge *edge = &grid->edge[e];
            int64_t to = sends ? (int64_t)grid->P + edge->q : edge->p;
            m->arc[m->first[v] + k] = (struct arc){e, to, edge->weight};
        }
    }
}

/* Set prices to start from: a source asks for its longest message, a target for
 * nothing. */
static void set_first_prices(struct matching *m)
{
    for (int64_t v = 0; v < m->nnodes; v++) {
        m->price[v] = 0;
        for (int64_t k = 0; v < m->grid->P && k < m->degree[v]; k++)
            m->price[v] = int_max(m->price[v], m->arc[m->first[v] + k].weight);
    }
}

static int64_t longest_of(const struct comm_grid *grid)
{
    int64_t longest = 0;
    for (int64_t e = 0; e < grid->nedges; e++)
        longest = int_max(longest, grid->edge[e].weight);
    return longest;
}

bool matching_applicable(const struct schedule_input *input, const char **why)
{
    const struct comm_grid *grid = input->grid;
    if (!table_applicable(input, why)) return false;
    *why = "needs messages of at most 2^57 / (P + Q), so that sums of them fit 64 bits";
    return longest_of(grid) <= matching_most((int64_t)grid->P + grid->Q);
}

redist_err matching_create(const struct comm_grid *grid, struct matching *matching)
{
    int64_t n = (int64_t)grid->P + grid->Q, longest = longest_of(grid);
    struct matching m = {
        .grid = grid, .nnodes = n, .nleft = grid->nedges, .bound = n * longest};
    assert(longest <= matching_most(n));
    TRY(allocate(&m));
    fill(&m);
    set_first_prices(&m);
    *matching = m;
    return REDIST_OK;
}

/* By how much the prices of the ends of an arc of `v` exceed its weight; 0: tight. */
static int64_t slack(const struct matching *m, int64_t v, const struct arc *arc)
{
    return m->price[v] + m->price[arc->to] - arc->weight;
}

/* Tell whether a node may stay unmatched: its price is 0 and it need not be covered. */
static bool may_stay_single(const struct matching *m, int64_t v)
{
    return !m->must[v] && m->price[v] == 0;
}

static bool is_settled(const struct matching *m, int64_t v)
{
    return m->mate[v] >= 0 || may_stay_single(m, v);
}

/* Return the node at the next tight arc of `a` not visited in this phase; -1: none is
 * left. */
static int64_t next_tight(struct matching *m, int64_t a)
{
    struct matching_search *s = m->search;
    const struct arc *arc = m->arc + m->first[a];
    while (s->cursor[a] < m->degree[a]) {
        const struct arc *next = &arc[s->cursor[a]++];
        if (slack(m, a, next) == 0 && s->visited[next->to] != s->phase) return next->to;
    }
    return -1;
}

/* Match nodes path[0 .. n) with the nodes that they go on to. */
static void flip(struct matching *m, int64_t n)
{
    const struct matching_search *s = m->search;
    for (int64_t k = 0; k < n; k++) {
        int64_t a = s->path[k], b = s->via[a];
        m->mate[a] = b;
        m->mate[b] = a;
    }
}

/* Match `root` by a path of tight arcs, every second one matched, that ends at an
 * unmatched node of the other side, or at a node of this side that may become unmatched
 * instead. Depth first; a node visited without success is not visited again in this
 * phase. */
static bool augment(struct matching *m, int64_t root)
{
    struct matching_search *s = m->search;
    int64_t depth = 0;
    s->path[0] = root;
    while (depth >= 0) {
        int64_t a = s->path[depth];
        if (may_stay_single(m, a)) {
            m->mate[a] = -1;
            flip(m, depth);
            return true;
        }
        int64_t b = next_tight(m, a);
        if (b < 0) {
            depth--;
            continue;
        }
        s->visited[b] = s->phase;
        s->via[a] = b;
        if (m->mate[b] < 0) {
            flip(m, depth + 1);
            return true;
        }
        s->path[++depth] = m->mate[b];
    }
    return false;
}

/* Match nodes begin .. end - 1, which are one side, as far as tight arcs allow (Pothen
 * and Fan 1990: as many disjoint paths as one sweep over the arcs finds). Returns whether
 * a node is left. */
static bool sweep(struct matching *m, int64_t begin, int64_t end)
{
    struct matching_search *s = m->search;
    bool left = false;
    s->phase++;
    for (int64_t v = begin; v < end; v++) s->cursor[v] = 0;
    for (int64_t v = begin; v < end; v++)
        if (!is_settled(m, v) && !augment(m, v)) left = true;
    return left;
}

static void heap_push(struct matching_search *s, struct reached item)
{
    int64_t k = s->nheap++;
    for (; k > 0 && s->heap[(k - 1) / 2].distance > item.distance; k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = item;
}

static struct reached heap_pop(struct matching_search *s)
{
    struct reached top = s->heap[0], item = s->heap[--s->nheap];
    int64_t k = 0;
    for (int64_t child; (child = 2 * k + 1) < s->nheap; k = child) {
        if (child + 1 < s->nheap && s->heap[child + 1].distance < s->heap[child].distance)
            child++;
        if (item.distance <= s->heap[child].distance) break;
        s->heap[k] = s->heap[child];
    }
    s->heap[k] = item;
    return top;
}

static void reach(struct matching_search *s, int64_t v, int64_t distance)
{
    if (s->distance[v] == INT64_MAX) s->touched[s->ntouched++] = v;
    s->distance[v] = distance;
}

/* Expand node `a` of the searched side; returns the distance of the nearest known end of
 * an augmenting path. */
static int64_t expand(struct matching *m, int64_t a, int64_t nearest)
{
    struct matching_search *s = m->search;
    int64_t here = s->distance[a];
    for (int64_t k = 0; k < m->degree[a]; k++) {
        const struct arc *arc = &m->arc[m->first[a] + k];
        int64_t b = arc->to, distance = here + slack(m, a, arc);
        if (distance >= nearest || distance >= s->distance[b]) continue;
        reach(s, b, distance);
        if (m->mate[b] < 0) {
            nearest = distance;
        } else {
            reach(s, m->mate[b], distance);
            heap_push(s, (struct reached){distance, m->mate[b]});
        }
    }
    return nearest;
}

/* Lower the prices of the nodes begin .. end - 1 that unmatched ones among them reach,
 * and raise those on the other side, just enough to create a path of tight arcs from an
 * unmatched node to an end (Dijkstra, with the slack of an arc as its length). */
static redist_err lower_prices(struct matching *m, int64_t begin, int64_t end)
{
    struct matching_search *s = m->search;
    int64_t nearest = INT64_MAX, root = -1;
    for (int64_t v = begin; v < end; v++) {
        if (is_settled(m, v)) continue;
        root = v;
        reach(s, v, 0);
        heap_push(s, (struct reached){0, v});
    }
    while (s->nheap > 0) {
        struct reached top = heap_pop(s);
        if (top.distance >= nearest) break;
        if (top.distance > s->distance[top.node]) continue; /* it was reached earlier */
        if (!m->must[top.node])
            nearest = int_min(nearest, top.distance + m->price[top.node]);
        nearest = expand(m, top.node, nearest);
    }
    s->nheap = 0;
    for (; s->ntouched > 0; s->ntouched--) {
        int64_t v = s->touched[s->ntouched - 1];
        int64_t change = int_max(0, nearest - s->distance[v]);
        if (nearest < INT64_MAX) m->price[v] += v >= begin && v < end ? -change : change;
        s->distance[v] = INT64_MAX;
    }
    if (nearest < INT64_MAX) return REDIST_OK;
    bool sends = root < m->grid->P;
    return error_arg("no matching covers %s %" PRId64
                     " and all others that must be covered",
                     sends ? "source" : "target", sends ? root : root - m->grid->P);
}

static redist_err settle(struct matching *m, int64_t begin, int64_t end)
{
    while (sweep(m, begin, end)) TRY(lower_prices(m, begin, end));
    return REDIST_OK;
}

/* The length of a path, the sum of the slacks of its arcs, is the prices at its ends plus
 * weights added and subtracted in turn. So neither side's turn changes a price by more
 * than 3 times the larger of m->bound and the prices before. If a solve starts within the
 * bound, no price and no distance comes near 64 times it. */
static bool prices_have_run_away(const struct matching *m)
{
    for (int64_t v = 0; v < m->nnodes; v++)
        if (m->price[v] > m->bound || m->price[v] < -m->bound) return true;
    return false;
}

redist_err matching_solve(struct matching *m)
{
    if (prices_have_run_away(m)) set_first_prices(m);
    for (int64_t v = 0; v < m->nnodes; v++) m->mate[v] = -1;
    TRY(settle(m, 0, m->grid->P));
    /* This leaves no source unmatched: a path from a target ends at a target, or where an
     * unmatched source becomes matched. */
    return settle(m, m->grid->P, m->nnodes);
}

/* Drop the arc from `v` to `to`; returns its edge. */
static int64_t drop(struct matching *m, int64_t v, int64_t to)
{
    struct arc *arc = m->arc + m->first[v];
    while (arc->to != to) arc++;
    int64_t edge = arc->edge;
    *arc = m->arc[m->first[v] + --m->degree[v]];
    return edge;
}

void matching_remove(struct matching *m, int64_t step, int64_t step_of[])
{
    for (int64_t p = 0; p < m->grid->P; p++) {
        int64_t q = m->mate[p];
        if (q < 0) continue;
        drop(m, q, p);
        step_of[drop(m, p, q)] = step;
        m->nleft--;
    }
}

redist_err matching_peel(const struct comm_grid *grid, void (*cover)(struct matching *),
                         int64_t step_of[])
{
    struct matching matching;
    redist_err err = matching_create(grid, &matching);
    if (err) return err;
    for (int64_t step = 0; !err && matching.nleft > 0; step++) {
        if (cover) cover(&matching);
        err = matching_solve(&matching);
        if (!err) matching_remove(&matching, step, step_of);
    }
    matching_free(&matching);
    return err;
}
