/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/detachment.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"

/* ---- distribution ------------------------------------------------------------------ */

/* Parts first .. first + parts - 1 get `count` of an edge each. */
struct dealt {
    int edge, first, parts, count;
};

struct dealing {
    struct division division;
    int64_t n, room;
    struct dealt *dealt; /* [n] those of an edge ascending by first */
};

static redist_err give(struct dealing *d, struct dealt dealt)
{
    struct dealt *grown = mem_reserve(NULL, d->dealt, d->n + 1, &d->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    d->dealt = grown;
    grown[d->n++] = dealt;
    return REDIST_OK;
}

/* Count how often the part that was found can be taken from the list. */
static int64_t count_repeats(const struct dealing *d, const struct edge_list *list,
                             const int64_t taken[], int64_t parts)
{
    const struct multigraph *graph = d->division.graph;
    int64_t repeats = parts;
    for (int64_t i = 0; i < list->n; i++)
        if (taken[i] > 0) repeats = int_min(repeats, list->count[i] / taken[i]);
    for (int v = 0; v < graph->lefts + graph->rights; v++) {
        int64_t capacity = graph->capacity[v >= graph->lefts];
        int64_t spare = capacity - d->division.taken[v];
        int64_t slack = capacity * parts - d->division.total[v];
        if (spare > 0) repeats = int_min(repeats, slack / spare);
    }
    return repeats;
}

/* Leave times x taken[i] of each edge (others: what else there is) in `kept`. */
static redist_err keep(const struct edge_list *list, const int64_t taken[], int64_t times,
                       bool others, struct edge_list *kept)
{
    TRY(edge_list_make(list->n, kept));
    for (int64_t i = 0; i < list->n; i++) {
        int64_t count = times * taken[i];
        if (others) count = list->count[i] - count;
        if (count == 0) continue;
        kept->edge[kept->n] = list->edge[i];
        kept->count[kept->n++] = count;
    }
    return REDIST_OK;
}

static bool all_divide(const struct edge_list *list, int64_t parts)
{
    for (int64_t i = 0; parts > 1 && i < list->n; i++)
        if (list->count[i] % parts != 0) return false;
    return true;
}

static redist_err deal(struct dealing *d, const struct edge_list *list, int64_t first,
                       int64_t parts);

/* Find some of the parts, and how often they can be taken: with few edges one part, as
 * often as possible; for an even number of parts half of them; else as many as can be
 * halved repeatedly. */
static int64_t choose_some(struct dealing *d, const struct edge_list *list, int64_t parts,
                           int64_t taken[], int64_t *repeats)
{
    int64_t some = 1;
    *repeats = 1;
    if (list->n < parts) {
        (void)division_find(&d->division, list, parts, 1, 0, taken);
        *repeats = count_repeats(d, list, taken, parts);
    } else if (parts % 2 == 0) {
        some = parts / 2;
        division_halve(&d->division, list, taken);
    } else {
        while (2 * some < parts) some *= 2;
        (void)division_find(&d->division, list, parts, some, 0, taken);
    }
    return some;
}

/* Distribute some parts and then the others. */
static redist_err deal_divided(struct dealing *d, const struct edge_list *list,
                               int64_t taken[], int64_t first, int64_t parts)
{
    int64_t repeats = 1, some = choose_some(d, list, parts, taken, &repeats);
    struct edge_list half;
    redist_err err = keep(list, taken, repeats, false, &half);
    if (!err) err = deal(d, &half, first, some * repeats);
    edge_list_free(&half);
    if (err) return err;
    err = keep(list, taken, repeats, true, &half);
    if (!err) err = deal(d, &half, first + some * repeats, parts - some * repeats);
    edge_list_free(&half);
    return err;
}

static redist_err deal(struct dealing *d, const struct edge_list *list, int64_t first,
                       int64_t parts)
{
    if (list->n == 0) return REDIST_OK;
    if (all_divide(list, parts)) {
        for (int64_t i = 0; i < list->n; i++) {
            int64_t count = parts > 1 ? list->count[i] / parts : list->count[i];
            TRY(give(d,
                     (struct dealt){list->edge[i], (int)first, (int)parts, (int)count}));
        }
        return REDIST_OK;
    }
    int64_t *taken = mem_alloc(NULL, list->n, sizeof *taken);
    if (!taken) return REDIST_ERR_MEMORY;
    redist_err err = deal_divided(d, list, taken, first, parts);
    mem_free(taken);
    return err;
}

/* Distribute all edges of a graph; each node may have its capacity in each part. */
static redist_err deal_all(const struct multigraph *graph, const int64_t count[],
                           int64_t parts, struct dealing *d)
{
    struct edge_list list;
    *d = (struct dealing){.n = 0};
    TRY(division_make(graph, &d->division));
    redist_err err = edge_list_make(graph->n, &list);
    for (int64_t e = 0; !err && e < graph->n; e++) {
        list.edge[list.n] = (int)e;
        list.count[list.n++] = count[e];
    }
    if (!err) err = deal(d, &list, 0, parts);
    edge_list_free(&list);
    division_free(&d->division);
    return err;
}

static void dealing_free(struct dealing *d)
{
    mem_free(d->dealt);
    *d = (struct dealing){.n = 0};
}

/* ---- units ------------------------------------------------------------------------- */

/* Units of class z and group G that have one colour. */
struct units {
    int node; /* of the class, at the side that is distributed */
    int z, color;
    int group;     /* none yet: 0 */
    int64_t count; /* up to a b */
    int rank;      /* of the first */
};

struct unit_list {
    int64_t n, room;
    struct units *units;
};

static redist_err add_units(struct unit_list *list, struct units units)
{
    struct units *grown =
        mem_reserve(NULL, list->units, list->n + 1, &list->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    list->units = grown;
    grown[list->n++] = units;
    return REDIST_OK;
}

/* By node, group, colour and class. */
static int by_node(const void *a, const void *b)
{
    const struct units *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->color != y->color) return x->color < y->color ? -1 : 1;
    return (x->z > y->z) - (x->z < y->z);
}

static void sort_units(struct unit_list *list, const int node[])
{
    for (int64_t i = 0; i < list->n; i++) list->units[i].node = node[list->units[i].z];
    if (list->n > 1) qsort(list->units, (size_t)list->n, sizeof *list->units, by_node);
}

/* The graph of the units of one node: a left node for each class and group, a right node
 * for each colour. */
struct local {
    struct multigraph graph;
    int *left, *right;
    int64_t *count;
};

static void local_free(struct local *local)
{
    mem_free(local->left);
    mem_free(local->right);
    mem_free(local->count);
}

/* Number the rows and colours of a node's units: number_of is all -1 before and after,
 * and has room for each row and colour. */
static redist_err local_make(const struct units units[], int64_t n, int64_t groups,
                             const int64_t capacity[2], int *row_number,
                             int *color_number, struct local *local)
{
    *local = (struct local){.graph = {.n = n, .capacity = {capacity[0], capacity[1]}}};
    local->left = mem_alloc(NULL, n, sizeof *local->left);
    local->right = mem_alloc(NULL, n, sizeof *local->right);
    local->count = mem_alloc(NULL, n, sizeof *local->count);
    if (!local->left || !local->right || !local->count) {
        local_free(local);
        return REDIST_ERR_MEMORY;
    }
    local->graph.left = local->left;
    local->graph.right = local->right;
    for (int64_t i = 0; i < n; i++) {
        int *row = &row_number[units[i].z * groups + units[i].group];
        int *color = &color_number[units[i].color];
        if (*row < 0) *row = local->graph.lefts++;
        if (*color < 0) *color = local->graph.rights++;
        local->left[i] = *row;
        local->right[i] = *color;
        local->count[i] = units[i].count;
    }
    for (int64_t i = 0; i < n; i++) {
        row_number[units[i].z * groups + units[i].group] = -1;
        color_number[units[i].color] = -1;
    }
    return REDIST_OK;
}

/* Handle the distributed units of a node. */
typedef redist_err taker(void *to, struct units *units, const struct dealt *dealt);

/* Distribute the units of each node in turn. */
static redist_err deal_nodes(const struct attached *attached, struct unit_list *list,
                             int64_t groups, const int64_t capacity[2], int64_t parts,
                             taker *take, void *to)
{
    int64_t rows = attached->graph->n * groups, colors = attached->coloring->colors;
    int *row_number = mem_alloc(NULL, rows, sizeof *row_number);
    int *color_number = mem_alloc(NULL, colors, sizeof *color_number);
    redist_err err = row_number && color_number ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t i = 0; !err && i < rows; i++) row_number[i] = -1;
    for (int64_t i = 0; !err && i < colors; i++) color_number[i] = -1;
    for (int64_t i = 0, end; !err && i < list->n; i = end) {
        struct local local;
        struct dealing dealing = {.n = 0};
        for (end = i; end < list->n && list->units[end].node == list->units[i].node;)
            end++;
        err = local_make(list->units + i, end - i, groups, capacity, row_number,
                         color_number, &local);
        if (err) break;
        err = deal_all(&local.graph, local.count, parts, &dealing);
        for (int64_t k = 0; !err && k < dealing.n; k++)
            err = take(to, &list->units[i + dealing.dealt[k].edge], &dealing.dealt[k]);
        dealing_free(&dealing);
        local_free(&local);
    }
    mem_free(row_number);
    mem_free(color_number);
    return err;
}

/* Store units distributed to groups. */
static redist_err take_groups(void *to, struct units *units, const struct dealt *dealt)
{
    for (int k = 0; k < dealt->parts; k++) {
        struct units next = *units;
        next.group = dealt->first + k;
        next.count = dealt->count;
        TRY(add_units(to, next));
    }
    return REDIST_OK;
}

/* Number the units of each node, group and colour, which are adjacent. */
static void rank_units(struct unit_list *list)
{
    for (int64_t i = 1; i < list->n; i++) {
        const struct units *before = &list->units[i - 1];
        struct units *units = &list->units[i];
        bool alike = units->node == before->node && units->group == before->group &&
                     units->color == before->color;
        units->rank = alike ? before->rank + (int)before->count : 0;
    }
}

/* Distribute the units of the left nodes to groups. */
static redist_err make_groups(const struct attached *attached, struct unit_list *grouped)
{
    const struct edge_coloring *coloring = attached->coloring;
    const int64_t capacity[2] = {attached->copies, attached->width};
    struct unit_list all = {0};
    redist_err err = REDIST_OK;
    for (int64_t i = 0; !err && i < coloring->n; i++) {
        const struct edge_color *entry = &coloring->entry[i];
        err = add_units(&all, (struct units){.z = entry->edge,
                                             .color = (int)entry->color,
                                             .count = entry->count});
    }
    if (!err) {
        sort_units(&all, attached->graph->left);
        err = deal_nodes(attached, &all, 1, capacity, attached->groups, take_groups,
                         grouped);
    }
    mem_free(all.units);
    if (err) return err;
    sort_units(grouped, attached->graph->left);
    rank_units(grouped);
    return REDIST_OK;
}

/* ---- runs -------------------------------------------------------------------------- */

struct run_of {
    int row; /* z groups + G */
    struct detached_run run;
};

struct run_list {
    int groups;
    int64_t n, room;
    struct run_of *of;
};

static redist_err take_copies(void *to, struct units *units, const struct dealt *dealt)
{
    struct run_list *list = to;
    struct run_of *grown =
        mem_reserve(NULL, list->of, list->n + 1, &list->room, sizeof *grown);
    if (!grown) return REDIST_ERR_MEMORY;
    list->of = grown;
    grown[list->n++] = (struct run_of){units->z * list->groups + units->group,
                                       {dealt->first, units->color, units->rank}};
    /* The next copies of these units have the next ranks. */
    units->rank += dealt->parts;
    return REDIST_OK;
}

/* Give each row its runs, in the order in which they were made. */
static redist_err sort_runs(const struct run_list *list, int64_t rows,
                            struct detachment *detachment)
{
    int64_t *begin = mem_alloc(NULL, rows + 2, sizeof *begin);
    struct detached_run *run = mem_alloc(NULL, list->n, sizeof *run);
    if (!begin || !run) {
        mem_free(begin);
        mem_free(run);
        return REDIST_ERR_MEMORY;
    }
    for (int64_t i = 0; i < list->n; i++) begin[list->of[i].row + 2]++;
    for (int64_t row = 0; row < rows; row++) begin[row + 2] += begin[row + 1];
    for (int64_t i = 0; i < list->n; i++)
        run[begin[list->of[i].row + 1]++] = list->of[i].run;
    detachment->begin = begin;
    detachment->run = run;
    return REDIST_OK;
}

redist_err detachment_make(const struct attached *attached, struct detachment *detachment)
{
    const int64_t capacity[2] = {1, 1};
    struct unit_list grouped = {0};
    struct run_list runs = {.groups = (int)attached->groups};
    *detachment = (struct detachment){.groups = attached->groups};
    redist_err err = make_groups(attached, &grouped);
    if (!err) {
        sort_units(&grouped, attached->graph->right);
        err = deal_nodes(attached, &grouped, attached->groups, capacity, attached->copies,
                         take_copies, &runs);
    }
    if (!err) err = sort_runs(&runs, attached->graph->n * attached->groups, detachment);
    mem_free(grouped.units);
    mem_free(runs.of);
    return err;
}

void detachment_find(const struct detachment *detachment, int64_t z, int64_t group,
                     int64_t copy, int64_t *color, int64_t *rank)
{
    int64_t row = z * detachment->groups + group;
    int64_t low = detachment->begin[row], high = detachment->begin[row + 1];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (detachment->run[middle].copy <= copy)
            low = middle;
        else
            high = middle;
    }
    const struct detached_run *run = &detachment->run[low];
    *color = run->color;
    *rank = run->rank + copy - run->copy;
}

void detachment_free(struct detachment *detachment)
{
    mem_free(detachment->begin);
    mem_free(detachment->run);
    detachment->begin = NULL;
    detachment->run = NULL;
}
