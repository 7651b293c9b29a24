/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/detachment.h"

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "schedule/coloring/open_shop.h"

/* ---- units ------------------------------------------------------------------------- */

/* Units of class z and group G that have one colour. */
struct units {
    int z, color;
    int group;     /* none yet: 0 */
    int rank;      /* of the first */
    int64_t count; /* up to a b */
    int key[4];    /* by which they are sorted */
};

struct unit_list {
    int64_t n, room;
    struct units *units;
};

static redist_err add_units(struct unit_list *list, struct units units)
{
    return mem_append(NULL, &list->units, &list->n, &list->room, &units, sizeof units);
}

static int by_key(const void *a, const void *b)
{
    const struct units *x = a, *y = b;
    int k = 0;
    while (k < 3 && x->key[k] == y->key[k]) k++;
    return (x->key[k] > y->key[k]) - (x->key[k] < y->key[k]);
}

/* Sort by the nodes of the classes at a side; those of a node by class, group and colour,
 * or by group, colour and class. */
static void sort_units(struct unit_list *list, const int node[], bool by_class)
{
    for (int64_t i = 0; i < list->n; i++) {
        struct units *x = &list->units[i];
        x->key[0] = node[x->z];
        x->key[by_class ? 1 : 3] = x->z;
        x->key[by_class ? 2 : 1] = x->group;
        x->key[by_class ? 3 : 2] = x->color;
    }
    mem_sort(list->units, list->n, sizeof *list->units, by_key);
}

/* ---- distribution ------------------------------------------------------------------ */

/* Units are distributed to parts as messages are to instants: from each class and group,
 * which is one or several sources, to each colour, which is `width` targets. */
struct dealing {
    int parts; /* also the most units of a source, and of a target */
    int colors, width;
    int64_t *used; /* [colors] the units so far of each colour */
    /* Handle units of which parts first .. first + parts - 1 get one each. */
    redist_err (*take)(void *to, struct units *units, int first, int parts);
    void *to;
};

/* Split the units of a node, of which each class and group has a multiple of `parts`.
 * Returns the number of edges, which ascend; origin[] is the units of each. */
static int64_t split_units(const struct dealing *d, struct units units[], int64_t n,
                           struct edge edge[], struct units *origin[])
{
    int64_t edges = 0, row = 0;
    for (int64_t i = 0; i < n; i++) d->used[units[i].color] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t *used = &d->used[units[i].color];
        for (int64_t left = units[i].count, amount; left > 0; left -= amount) {
            amount = int_min(left, d->parts - int_max(row % d->parts, *used % d->parts));
            origin[edges] = &units[i];
            edge[edges++] = (struct edge){
                (int)(row / d->parts),
                (int)(units[i].color * (int64_t)d->width + *used / d->parts), amount};
            row += amount;
            *used += amount;
        }
    }
    return edges;
}

/* Distribute the units of a node. */
static redist_err deal_node(const struct dealing *d, struct units units[], int64_t n)
{
    int64_t total = 0;
    for (int64_t i = 0; i < n; i++) total += units[i].count;
    int64_t room = n + 2 * (total / d->parts);
    struct edge *edge = NULL;
    struct units **origin = NULL;
    const struct mem_part parts[] = {MEM_PART(edge, room), MEM_PART(origin, room), {0}};
    struct comm_grid grid;
    struct open_shop shop = {0};
    TRY(mem_alloc_parts(NULL, parts));
    redist_err err =
        comm_grid_from_edges((int)(total / d->parts), d->colors * d->width,
                             split_units(d, units, n, edge, origin), edge, &grid);
    if (!err) err = open_shop_make(&grid, &shop);
    for (int64_t k = 0; !err && k < shop.npieces; k++) {
        const struct shop_piece *piece = &shop.piece[k];
        err = d->take(d->to, origin[piece->edge], (int)piece->start, (int)piece->length);
    }
    open_shop_free(&shop);
    comm_grid_free(&grid);
    mem_free(edge); /* and their origins */
    return err;
}

/* Distribute the units of each node in turn. */
static redist_err deal_nodes(struct dealing *d, struct unit_list *list)
{
    d->used = mem_alloc(NULL, d->colors, sizeof *d->used);
    redist_err err = d->used ? REDIST_OK : REDIST_ERR_MEMORY;
    for (int64_t i = 0, end; !err && i < list->n; i = end) {
        for (end = i; end < list->n && list->units[end].key[0] == list->units[i].key[0];)
            end++;
        err = deal_node(d, list->units + i, end - i);
    }
    mem_free(d->used);
    return err;
}

/* ---- groups ------------------------------------------------------------------------ */

/* Store units distributed to groups. */
static redist_err take_groups(void *to, struct units *units, int first, int parts)
{
    for (int k = 0; k < parts; k++) {
        struct units next = *units;
        next.group = first + k;
        next.count = 1;
        TRY(add_units(to, next));
    }
    return REDIST_OK;
}

/* Join the units of each class, group and colour, and number those of each node, group
 * and colour; they are adjacent. */
static void rank_units(struct unit_list *list)
{
    int64_t n = 0;
    for (int64_t i = 0; i < list->n; i++) {
        struct units units = list->units[i], *last = &list->units[n > 0 ? n - 1 : 0];
        bool alike = n > 0 && units.key[0] == last->key[0] &&
                     units.key[1] == last->key[1] && units.key[2] == last->key[2];
        if (alike && units.z == last->z) {
            last->count += units.count;
            continue;
        }
        units.rank = alike ? last->rank + (int)last->count : 0;
        list->units[n++] = units;
    }
    list->n = n;
}

/* Distribute the units of the left nodes to groups. */
static redist_err make_groups(const struct attached *attached, struct unit_list *grouped)
{
    const struct edge_coloring *coloring = attached->coloring;
    struct unit_list all = {0};
    struct dealing dealing = {.parts = (int)attached->groups,
                              .colors = (int)coloring->colors,
                              .width = (int)attached->width,
                              .take = take_groups,
                              .to = grouped};
    redist_err err = REDIST_OK;
    for (int64_t i = 0; !err && i < coloring->n; i++) {
        const struct edge_color *entry = &coloring->entry[i];
        err = add_units(&all, (struct units){.z = entry->edge,
                                             .color = (int)entry->color,
                                             .count = entry->count});
    }
    if (!err && attached->groups == 1) {
        *grouped = all;
    } else {
        sort_units(&all, attached->graph->left, true);
        if (!err) err = deal_nodes(&dealing, &all);
        mem_free(all.units);
    }
    sort_units(grouped, attached->graph->left, false);
    rank_units(grouped);
    return err;
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

static redist_err take_copies(void *to, struct units *units, int first, int parts)
{
    struct run_list *list = to;
    const struct run_of of = {units->z * list->groups + units->group,
                              {first, units->color, units->rank}};
    /* The next copies of these units have the next ranks. */
    units->rank += parts;
    return mem_append(NULL, &list->of, &list->n, &list->room, &of, sizeof of);
}

/* Give each row its runs, in the order in which they were made. */
static redist_err sort_runs(const struct run_list *list, int64_t rows,
                            struct detachment *detachment)
{
    int64_t *begin = NULL;
    struct detached_run *run = NULL;
    const struct mem_part parts[] = {
        MEM_PART(begin, rows + 2), MEM_PART(run, list->n), {0}};
    TRY(mem_alloc_parts(NULL, parts));
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
    struct unit_list grouped = {0};
    struct run_list runs = {.groups = (int)attached->groups};
    struct dealing dealing = {.parts = (int)attached->copies,
                              .colors = (int)attached->coloring->colors,
                              .width = 1,
                              .take = take_copies,
                              .to = &runs};
    *detachment = (struct detachment){.groups = attached->groups};
    redist_err err = make_groups(attached, &grouped);
    sort_units(&grouped, attached->graph->right, true);
    if (!err) err = deal_nodes(&dealing, &grouped);
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
    mem_free(detachment->begin); /* and the runs */
    detachment->begin = NULL;
    detachment->run = NULL;
}
