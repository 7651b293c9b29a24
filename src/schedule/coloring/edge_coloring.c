/* SPDX-License-Identifier: MIT */
#include "schedule/coloring/edge_coloring.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/intmath.h"
#include "base/mem.h"

/* The most colours that are coloured anew at a time. */
enum { GROUP = 6 };

struct work {
    const struct multigraph *graph;
    struct division division;
    uint64_t random;
    bool draws; /* how colours are divided */
};

static int64_t random_below(struct work *work, int64_t n)
{
    work->random = hash_int(work->random, n);
    return (int64_t)(work->random % (uint64_t)n);
}

/* ---- an order of the edges --------------------------------------------------------- */

struct ranked {
    int64_t weight;
    uint64_t tie;
    int64_t count;
    int edge;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->tie != y->tie) return x->tie < y->tie ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Sort a list by weight, the heaviest first; equal ones by a hash if `seed` is not 0. */
static redist_err sort_list(const struct work *work, uint64_t seed,
                            struct edge_list *list)
{
    struct ranked *ranked = mem_alloc(NULL, list->n, sizeof *ranked);
    if (!ranked) return REDIST_ERR_MEMORY;
    for (int64_t i = 0; i < list->n; i++) {
        int edge = list->edge[i];
        ranked[i] =
            (struct ranked){work->graph->weight[edge], seed ? hash_int(seed, edge) : 0,
                            list->count[i], edge};
    }
    mem_sort(ranked, list->n, sizeof *ranked, heaviest_first);
    for (int64_t i = 0; i < list->n; i++) {
        list->edge[i] = ranked[i].edge;
        list->count[i] = ranked[i].count;
    }
    mem_free(ranked);
    return REDIST_OK;
}

/* ---- bisection --------------------------------------------------------------------- */

/* Count the edges that weigh at least as much as the i-th of a sorted list. */
static int64_t end_of_level(const struct work *work, const struct edge_list *list,
                            int64_t i)
{
    int64_t weight = work->graph->weight[list->edge[i]], end = list->n;
    for (int64_t low = i + 1; low < end;) {
        int64_t middle = low + (end - low) / 2;
        if (work->graph->weight[list->edge[middle]] == weight)
            low = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* Count the edges heavier than the i-th of a sorted list. */
static int64_t start_of_level(const struct work *work, const struct edge_list *list,
                              int64_t i)
{
    int64_t weight = work->graph->weight[list->edge[i]], start = i;
    for (int64_t low = 0; low < start;) {
        int64_t middle = low + (start - low) / 2;
        if (work->graph->weight[list->edge[middle]] == weight)
            start = middle;
        else
            low = middle + 1;
    }
    return start;
}

/* Find how many of the heaviest edges `part` of the colours can take all of; best[i] of
 * each edge belongs to that half; trial[] is work space. */
static int64_t find_division(struct work *work, const struct edge_list *list,
                             int64_t colors, int64_t part, int64_t best[],
                             int64_t trial[])
{
    struct division *division = &work->division;
    (void)division_find(division, list, colors, part, 0, best);
    int64_t can = 0, cannot = list->n + 1;
    while (can < list->n) {
        /* Only whole levels count, from `can` on and before `cannot`. */
        int64_t next = end_of_level(work, list, can);
        if (next >= cannot) break;
        int64_t middle = can + (int_min(cannot, list->n) - can) / 2;
        int64_t forced = int_max(next, start_of_level(work, list, middle));
        if (division_find(division, list, colors, part, forced, trial)) {
            for (int64_t i = 0; i < list->n; i++) best[i] = trial[i];
            can = forced;
        } else {
            cannot = forced;
        }
    }
    return can;
}

static redist_err append(struct edge_coloring *coloring, struct edge_color entry)
{
    return mem_append(NULL, &coloring->entry, &coloring->n, &coloring->room, &entry,
                      sizeof entry);
}

static redist_err color_list(struct work *work, const struct edge_list *list,
                             int64_t first, int64_t colors,
                             struct edge_coloring *coloring);

/* Color both parts of a divided list. */
static redist_err color_parts(struct work *work, const struct edge_list *list,
                              const int64_t taken[], int64_t first, int64_t colors,
                              int64_t part, struct edge_coloring *coloring)
{
    redist_err err = REDIST_OK;
    for (int half = 0; !err && half < 2; half++) {
        struct edge_list own;
        err = edge_list_make(list->n, &own);
        for (int64_t i = 0; !err && i < list->n; i++) {
            int64_t count = half == 0 ? taken[i] : list->count[i] - taken[i];
            if (count == 0) continue;
            own.edge[own.n] = list->edge[i];
            own.count[own.n++] = count;
        }
        if (!err)
            err = color_list(work, &own, half == 0 ? first : first + part,
                             half == 0 ? part : colors - part, coloring);
        edge_list_free(&own);
    }
    return err;
}

/* Color a sorted list with the colours from `first` on, and append the entries and the
 * cost. */
static redist_err color_list(struct work *work, const struct edge_list *list,
                             int64_t first, int64_t colors,
                             struct edge_coloring *coloring)
{
    if (list->n == 0) return REDIST_OK;
    if (colors == 1) {
        coloring->cost += work->graph->weight[list->edge[0]];
        for (int64_t i = 0; i < list->n; i++)
            TRY(append(coloring,
                       (struct edge_color){list->edge[i], first, list->count[i]}));
        return REDIST_OK;
    }
    int64_t part = work->draws ? 1 + random_below(work, colors - 1) : colors / 2;
    int64_t *best = mem_alloc(NULL, list->n, sizeof *best);
    int64_t *trial = mem_alloc(NULL, list->n, sizeof *trial);
    redist_err err = best && trial ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) (void)find_division(work, list, colors, part, best, trial);
    mem_free(trial);
    if (!err) err = color_parts(work, list, best, first, colors, part, coloring);
    mem_free(best);
    return err;
}

/* ---- the bound --------------------------------------------------------------------- */

/* Find the bound of a sorted list: for each weight, the fewest colours that can take all
 * edges of this weight and more while the other colours suffice for the rest. */
static redist_err find_bound(struct work *work, const struct edge_list *list,
                             int64_t colors, int64_t *bound)
{
    int64_t *taken = mem_alloc(NULL, list->n, sizeof *taken), least = 1;
    *bound = 0;
    if (!taken) return REDIST_ERR_MEMORY;
    for (int64_t i = 0, end; i < list->n; i = end) {
        end = end_of_level(work, list, i);
        int64_t enough = colors;
        while (least < enough) {
            int64_t part = least + (enough - least) / 2;
            if (division_find(&work->division, list, colors, part, end, taken))
                enough = part;
            else
                least = part + 1;
        }
        int64_t next = end < list->n ? work->graph->weight[list->edge[end]] : 0;
        *bound += least * (work->graph->weight[list->edge[i]] - next);
    }
    mem_free(taken);
    return REDIST_OK;
}

/* ---- local search ------------------------------------------------------------------ */

/* The entries of each color, which change as colours are coloured anew. */
struct palette {
    struct edge_list *of; /* [colors] sorted */
    int64_t *cost;        /* [colors] */
    int64_t *sum;         /* [edges] the multiplicity of each in a group, or 0 */
};

static void palette_free(struct palette *palette, int64_t colors)
{
    for (int64_t c = 0; palette->of && c < colors; c++) edge_list_free(&palette->of[c]);
    mem_free(palette->of); /* and costs and sums */
}

/* Replace the edges of color c by the entries begin .. end - 1. */
static redist_err palette_set(struct palette *palette, const struct work *work, int64_t c,
                              const struct edge_color entry[], int64_t n)
{
    struct edge_list list;
    TRY(edge_list_make(n, &list));
    palette->cost[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        list.edge[list.n] = entry[i].edge;
        list.count[list.n++] = entry[i].count;
        palette->cost[c] = int_max(palette->cost[c], work->graph->weight[entry[i].edge]);
    }
    edge_list_free(&palette->of[c]);
    palette->of[c] = list;
    return REDIST_OK;
}

/* The entries of a coloring that have color c and begin at *at; moves *at behind them. */
static int64_t count_of(const struct edge_coloring *coloring, int64_t c, int64_t *at)
{
    int64_t begin = *at;
    while (*at < coloring->n && coloring->entry[*at].color == c) ++*at;
    return *at - begin;
}

static redist_err palette_make(const struct work *work,
                               const struct edge_coloring *coloring,
                               struct palette *palette)
{
    const struct mem_part parts[] = {MEM_PART(palette->of, coloring->colors),
                                     MEM_PART(palette->cost, coloring->colors),
                                     MEM_PART(palette->sum, work->graph->n),
                                     {0}};
    redist_err err = mem_alloc_parts(NULL, parts);
    int64_t at = 0;
    for (int64_t c = 0; !err && c < coloring->colors; c++) {
        int64_t begin = at, n = count_of(coloring, c, &at);
        err = palette_set(palette, work, c, coloring->entry + begin, n);
    }
    if (err) palette_free(palette, coloring->colors);
    return err;
}

/* Choose some colours. Returns their number. */
static int choose_group(struct work *work, int64_t colors, int64_t chosen[GROUP])
{
    int n = (int)int_min(colors, 2 + random_below(work, GROUP - 1));
    for (int k = 0; k < n; k++) {
        bool again = true;
        while (again) {
            chosen[k] = random_below(work, colors);
            again = false;
            for (int j = 0; j < k; j++) again = again || chosen[j] == chosen[k];
        }
    }
    return n;
}

/* Put the edges of a group of colours into one list, sorted. */
static redist_err join_group(struct work *work, struct palette *palette,
                             const int64_t chosen[], int n, struct edge_list *list)
{
    int64_t room = 0;
    for (int k = 0; k < n; k++) room += palette->of[chosen[k]].n;
    TRY(edge_list_make(room, list));
    for (int k = 0; k < n; k++) {
        const struct edge_list *of = &palette->of[chosen[k]];
        for (int64_t i = 0; i < of->n; i++) {
            if (palette->sum[of->edge[i]] == 0) list->edge[list->n++] = of->edge[i];
            palette->sum[of->edge[i]] += of->count[i];
        }
    }
    for (int64_t i = 0; i < list->n; i++) {
        list->count[i] = palette->sum[list->edge[i]];
        palette->sum[list->edge[i]] = 0;
    }
    work->random = hash_int(work->random, n);
    redist_err err = sort_list(work, work->random, list);
    if (err) edge_list_free(list);
    return err;
}

/* Color a group of colours anew, and keep it if it costs no more. */
static redist_err try_group(struct work *work, struct palette *palette, int64_t colors,
                            int64_t *cost)
{
    int64_t chosen[GROUP], before = 0, at = 0;
    struct edge_list list;
    struct edge_coloring anew = {.colors = 0};
    int n = choose_group(work, colors, chosen);
    work->draws = random_below(work, 2) == 0;
    work->division.start =
        random_below(work, 2) == 0 ? 0 : random_below(work, work->graph->n);
    for (int k = 0; k < n; k++) before += palette->cost[chosen[k]];
    TRY(join_group(work, palette, chosen, n, &list));
    redist_err err = color_list(work, &list, 0, n, &anew);
    for (int k = 0; !err && anew.cost <= before && k < n; k++) {
        int64_t begin = at, entries = count_of(&anew, k, &at);
        err = palette_set(palette, work, chosen[k], anew.entry + begin, entries);
    }
    if (!err && anew.cost < before) *cost -= before - anew.cost;
    edge_coloring_free(&anew);
    edge_list_free(&list);
    return err;
}

static redist_err improve(struct work *work, int64_t effort,
                          struct edge_coloring *coloring)
{
    struct palette palette = {0};
    int64_t end = work->division.effort + effort, cost = coloring->cost;
    if (cost <= coloring->bound || coloring->colors < 2) return REDIST_OK;
    TRY(palette_make(work, coloring, &palette));
    redist_err err = REDIST_OK;
    while (!err && cost > coloring->bound && work->division.effort < end)
        err = try_group(work, &palette, coloring->colors, &cost);
    coloring->n = 0;
    coloring->cost = cost;
    for (int64_t c = 0; !err && c < coloring->colors; c++)
        for (int64_t i = 0; !err && i < palette.of[c].n; i++)
            err = append(coloring, (struct edge_color){palette.of[c].edge[i], c,
                                                       palette.of[c].count[i]});
    palette_free(&palette, coloring->colors);
    return err;
}

static int by_color(const void *a, const void *b)
{
    const struct edge_color *x = a, *y = b;
    if (x->color != y->color) return x->color < y->color ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Take a known colouring, if it costs less. */
static redist_err take_known(const struct work *work, const int64_t known[],
                             struct edge_coloring *coloring)
{
    const struct multigraph *graph = work->graph;
    int64_t *heaviest = mem_alloc(NULL, coloring->colors, sizeof *heaviest), cost = 0;
    if (!heaviest) return REDIST_ERR_MEMORY;
    for (int64_t e = 0; e < graph->n; e++)
        heaviest[known[e]] = int_max(heaviest[known[e]], graph->weight[e]);
    for (int64_t c = 0; c < coloring->colors; c++) cost += heaviest[c];
    mem_free(heaviest);
    if (cost >= coloring->cost) return REDIST_OK;
    coloring->n = 0;
    coloring->cost = cost;
    for (int64_t e = 0; e < graph->n; e++)
        TRY(append(coloring, (struct edge_color){(int)e, known[e], 1}));
    mem_sort(coloring->entry, coloring->n, sizeof *coloring->entry, by_color);
    return REDIST_OK;
}

redist_err edge_coloring_make(const struct multigraph *graph, const int64_t count[],
                              int64_t colors, const int64_t known[], int64_t effort,
                              struct edge_coloring *coloring)
{
    struct work work = {.graph = graph, .random = HASH_START};
    struct edge_list list = {0};
    *coloring = (struct edge_coloring){.colors = colors};
    redist_err err = division_make(graph, &work.division);
    if (!err) err = edge_list_make(graph->n, &list);
    for (int64_t e = 0; !err && e < graph->n; e++)
        if (count[e] > 0) {
            list.edge[list.n] = (int)e;
            list.count[list.n++] = count[e];
        }
    if (!err) err = sort_list(&work, 0, &list);
    if (!err) err = find_bound(&work, &list, colors, &coloring->bound);
    if (!err) err = color_list(&work, &list, 0, colors, coloring);
    if (!err && known) err = take_known(&work, known, coloring);
    if (!err) err = improve(&work, effort, coloring);
    edge_list_free(&list);
    division_free(&work.division);
    if (err) edge_coloring_free(coloring);
    return err;
}

void edge_coloring_free(struct edge_coloring *coloring)
{
    mem_free(coloring->entry);
    *coloring = (struct edge_coloring){0};
}
