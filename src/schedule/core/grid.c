/* SPDX-License-Identifier: MIT */
#include "schedule/core/grid.h"

#include <limits.h>

#include "base/error.h"
#include "base/intmath.h"
#include "schedule/core/dims.h"

static int by_pair(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return (x->q > y->q) - (x->q < y->q);
}

static redist_err check_edges(const struct comm_grid *grid)
{
    int64_t sum = 0;
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        if (edge->p < 0 || edge->p >= grid->P || edge->q < 0 || edge->q >= grid->Q)
            return error_arg("message (%d,%d) lies outside the %d x %d grid", edge->p,
                             edge->q, grid->P, grid->Q);
        if (edge->weight < 1)
            return error_arg("message (%d,%d) has length %" PRId64 ", must be >= 1",
                             edge->p, edge->q, edge->weight);
        if (e > 0 && by_pair(edge, edge - 1) == 0)
            return error_arg("message (%d,%d) is given twice", edge->p, edge->q);
        if (!int_add(sum, edge->weight, &sum) || sum > GRID_MOST_WEIGHT)
            return error_arg("the lengths of all messages sum to more than %" PRId64,
                             GRID_MOST_WEIGHT);
    }
    return REDIST_OK;
}

/* Find each process's edges, from the sorted list, and the bounds Delta and W. */
static redist_err index_edges(struct comm_grid *grid)
{
    int64_t *next = NULL, *load = NULL;
    const struct mem_part parts[] = {MEM_PART(grid->by_source, (int64_t)grid->P + 1),
                                     MEM_PART(grid->by_target, (int64_t)grid->Q + 1),
                                     MEM_PART(grid->target_edge, grid->nedges),
                                     {0}};
    const struct mem_part room[] = {
        MEM_PART(next, grid->Q), MEM_PART(load, (int64_t)grid->P + grid->Q), {0}};
    TRY(mem_alloc_parts(NULL, parts));
    TRY(mem_alloc_parts(NULL, room));
    for (int64_t e = 0; e < grid->nedges; e++) {
        const struct edge *edge = &grid->edge[e];
        grid->by_source[edge->p + 1]++;
        grid->by_target[edge->q + 1]++;
        load[edge->p] += edge->weight;
        load[grid->P + edge->q] += edge->weight;
    }
    for (int p = 0; p < grid->P; p++) {
        grid->degree = int_max(grid->degree, grid->by_source[p + 1]);
        grid->load = int_max(grid->load, load[p]);
        grid->by_source[p + 1] += grid->by_source[p];
    }
    for (int q = 0; q < grid->Q; q++) {
        grid->degree = int_max(grid->degree, grid->by_target[q + 1]);
        grid->load = int_max(grid->load, load[grid->P + q]);
        grid->by_target[q + 1] += grid->by_target[q];
        next[q] = grid->by_target[q];
    }
    for (int64_t e = 0; e < grid->nedges; e++)
        grid->target_edge[next[grid->edge[e].q]++] = e;
    mem_free(next); /* and the loads */
    return REDIST_OK;
}

/* Sort, check and index the edges; the grid takes them over. */
static redist_err finish(struct comm_grid *grid)
{
    mem_sort(grid->edge, grid->nedges, sizeof *grid->edge, by_pair);
    redist_err err = check_edges(grid);
    if (!err) err = index_edges(grid);
    if (err) comm_grid_free(grid);
    return err;
}

redist_err comm_grid_from_edges(int P, int Q, int64_t nedges, const struct edge edges[],
                                struct comm_grid *grid)
{
    *grid = (struct comm_grid){.P = P, .Q = Q, .nedges = nedges};
    grid->edge = mem_copy(NULL, edges, nedges, sizeof *edges);
    return grid->edge ? finish(grid) : REDIST_ERR_MEMORY;
}

static redist_err append(struct comm_grid *grid, int64_t *room, struct edge edge)
{
    return mem_append(NULL, &grid->edge, &grid->nedges, room, &edge, sizeof edge);
}

/* Append the messages of one period, a unit of which counts as `scale`. */
static redist_err append_period(const struct classes *k, int64_t scale,
                                struct comm_grid *grid, int64_t *room)
{
    for (int64_t p = 0; p < k->P; p++) {
        int64_t z = classes_first_of(k, REDIST_SOURCE, p);
        for (; z < k->first + k->n; z += k->u) {
            int64_t q = classes_partner(k, REDIST_SOURCE, p, z);
            int64_t weight = scale * classes_weight(k, z);
            for (int64_t B = 0; B < k->b; B++, q += k->g / k->u)
                TRY(append(grid, room, (struct edge){(int)p, (int)q, weight}));
        }
    }
    return REDIST_OK;
}

/* Append the runs of the first `rest` elements of a period. */
static redist_err append_rest(const struct classes *k, int64_t rest,
                              struct comm_grid *grid, int64_t *room)
{
    int64_t r = k->r * k->d, s = k->s * k->d;
    for (int64_t begin = 0, end = 0; begin < rest; begin = end) {
        end = int_min(rest, int_min((begin / r + 1) * r, (begin / s + 1) * s));
        int p = (int)(begin / r % k->P), q = (int)(begin / s % k->Q);
        TRY(append(grid, room, (struct edge){p, q, end - begin}));
    }
    return REDIST_OK;
}

/* Merge the edges of each pair. */
static void join_edges(struct comm_grid *grid)
{
    int64_t n = 0;
    mem_sort(grid->edge, grid->nedges, sizeof *grid->edge, by_pair);
    for (int64_t e = 0; e < grid->nedges; e++) {
        if (n > 0 && by_pair(&grid->edge[n - 1], &grid->edge[e]) == 0)
            grid->edge[n - 1].weight += grid->edge[e].weight;
        else
            grid->edge[n++] = grid->edge[e];
    }
    grid->nedges = n;
}

redist_err comm_grid_from_classes(const struct classes *k, const struct periods *periods,
                                  struct comm_grid *grid)
{
    if (k->P > INT_MAX || k->Q > INT_MAX)
        return error_arg("more than %d processes", INT_MAX);
    *grid = (struct comm_grid){.P = (int)k->P, .Q = (int)k->Q};
    int64_t room = 0, scale = periods ? periods->whole * k->d : 1;
    redist_err err = REDIST_OK;
    if (scale > 0) err = append_period(k, scale, grid, &room);
    if (!err && periods && periods->rest > 0) {
        err = append_rest(k, periods->rest, grid, &room);
        join_edges(grid);
    }
    if (!err) return finish(grid);
    comm_grid_free(grid);
    return err;
}

/* Multiply a grid by that of one more dimension. */
static redist_err multiply(const struct comm_grid *along, struct comm_grid *grid)
{
    struct comm_grid product = {.P = grid->P * along->P,
                                .Q = grid->Q * along->Q,
                                .nedges = grid->nedges * along->nedges};
    product.edge = mem_alloc(NULL, product.nedges, sizeof *product.edge);
    if (!product.edge) return REDIST_ERR_MEMORY;
    struct edge *next = product.edge;
    for (int64_t e = 0; e < grid->nedges; e++)
        for (int64_t f = 0; f < along->nedges; f++) {
            const struct edge *x = &grid->edge[e], *y = &along->edge[f];
            *next++ = (struct edge){x->p * along->P + y->p, x->q * along->Q + y->q,
                                    x->weight * y->weight};
        }
    comm_grid_free(grid);
    *grid = product;
    return finish(grid);
}

redist_err comm_grid_from_dims(int ndims, const struct classes dim[],
                               const struct periods periods[], int64_t most,
                               struct comm_grid *grid)
{
    if (!dims_fit(ndims, dim))
        return error_arg("one period of all dimensions exceeds 2^63 elements, or there "
                         "are more than %d processes",
                         INT_MAX);
    *grid = (struct comm_grid){0};
    redist_err err = comm_grid_from_classes(&dim[0], periods, grid);
    bool fits = !err && grid->nedges <= most;
    for (int j = 1; fits && j < ndims; j++) {
        struct comm_grid along = {0};
        err = comm_grid_from_classes(&dim[j], periods ? &periods[j] : NULL, &along);
        fits = !err && along.nedges <= most / grid->nedges;
        if (fits) err = multiply(&along, grid);
        comm_grid_free(&along);
    }
    if (err || !fits) comm_grid_free(grid);
    return err;
}

redist_err comm_grid_from_views(const redist_view *source, const redist_view *target,
                                int64_t most, struct comm_grid *grid)
{
    *grid = (struct comm_grid){0};
    redist_err err = overlap_check(source, target);
    if (err) return err;
    const redist_grid *from = source->dist->grid, *to = target->dist->grid;
    grid->P = (int)from->size;
    grid->Q = (int)to->size;
    int64_t room = 0;
    for (int p = 0; !err && p < grid->P; p++) {
        struct overlap overlap;
        err = overlap_make(NULL, source, target, REDIST_SOURCE, grid_rank_at(from, p),
                           &overlap);
        if (err) break;
        if (overlap.nmessages > most - grid->nedges) {
            overlap_free(&overlap);
            comm_grid_free(grid);
            return REDIST_OK;
        }
        for (int64_t k = 0; !err && k < overlap.nmessages; k++) {
            const struct message *message = &overlap.message[k];
            struct edge edge = {p, (int)grid_find(to, message->rank), message->elements};
            err = append(grid, &room, edge);
        }
        overlap_free(&overlap);
    }
    if (!err && !grid->edge) { /* no messages: an empty list is allocated, too */
        grid->edge = mem_alloc(NULL, 0, sizeof *grid->edge);
        if (!grid->edge) err = REDIST_ERR_MEMORY;
    }
    if (!err) return finish(grid);
    comm_grid_free(grid);
    return err;
}

void comm_grid_free(struct comm_grid *grid)
{
    mem_free(grid->edge);
    mem_free(grid->by_source); /* and the other lists */
    *grid = (struct comm_grid){0};
}

int64_t comm_grid_find(const struct comm_grid *grid, int64_t p, int64_t q)
{
    int64_t low = grid->by_source[p], high = grid->by_source[p + 1];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (grid->edge[middle].q <= q)
            low = middle;
        else
            high = middle;
    }
    return low < high && grid->edge[low].q == q ? low : -1;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

redist_err comm_grid_step_bound(const struct comm_grid *grid, int64_t *bound)
{
    int64_t *weights = NULL, *largest = NULL;
    const struct mem_part room[] = {
        MEM_PART(weights, grid->degree), MEM_PART(largest, grid->degree), {0}};
    *bound = 0;
    TRY(mem_alloc_parts(NULL, room));
    for (int node = 0; node < grid->P + grid->Q; node++) {
        bool sends = node < grid->P;
        const int64_t *begin =
            sends ? &grid->by_source[node] : &grid->by_target[node - grid->P];
        int64_t n = 0;
        for (int64_t e = begin[0]; e < begin[1]; e++)
            weights[n++] = grid->edge[sends ? e : grid->target_edge[e]].weight;
        mem_sort(weights, n, sizeof *weights, descending);
        for (int64_t k = 0; k < n; k++) largest[k] = int_max(largest[k], weights[k]);
    }
    for (int64_t k = 0; k < grid->degree; k++) *bound += largest[k];
    mem_free(weights); /* and the largest */
    return REDIST_OK;
}
