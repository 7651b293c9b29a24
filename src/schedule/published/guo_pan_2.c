/* SPDX-License-Identifier: MIT
 *
 * schedule/published/guo_pan_2.c - large and small steps (Guo and Pan 2005, section 4.2,
 * algorithm 2), for where algorithm 1 cannot align lengths as u = gcd(s, P) or t = gcd(r,
 * Q) > 1.
 *
 * Cut the communication grid into blocks of u x t messages. All are alike (theorem 2), so
 * a large step in which each source sends one row of a block, done again shifted by one
 * block, by two, .. sends all. A large step consists of small ones, each filled with the
 * longest messages first. A source stays in one block: the first, from the diagonal to
 * the right, where the target of its longest message is idle.
 *
 *   cyclic(2) onto 6 -> cyclic(3) onto 6       large     1       2       3
 *                                              small   1   2   1   2   1   2
 *     2 0 | 2 0 | 2 0                  source 0  ->  0   .   2   .   4   .
 *     1 1 | 1 1 | 1 1   u x t = 3 x 2         1      4   5   0   1   2   3
 *     0 2 | 0 2 | 0 2                         2      1   .   3   .   5   .
 *     ----+-----+----                         3      2   .   4   .   0   .
 *     2 0 | 2 0 | 2 0                         4      5   4   1   0   3   2
 *     ..                                      5      3   .   5   .   1   .
 *
 * Theorem 2 as printed holds only if g0 = gcd(P/u, Q/t) = 1: in (12,2) -> (12,3), M(0,0)
 * = 2 and M(3,0) = 0. What always holds is that block (h, l) is the same as (h + s/u, l +
 * r/t), by theorem 1, and as (h, l + g0). So diagonals here go down by s/u and right by
 * r/t; g0 of them differ, each has a large step of its own, which is shifted by g0 blocks
 * at a time. The paper takes P/u <= Q/t; otherwise sources and targets swap roles.
 *
 * Step 2.1 of the algorithm, read alone, keeps every source in its block on the diagonal,
 * at odds with the paper's figure 2. That is the second schedule below: a large step then
 * leaves most targets idle if Q/t is much larger than P/u.
 *
 * The third, contention-free, is the algorithm that these two improve on (Guo, Nakata and
 * Yamashita 2000), as far as the paper shows it: it ignores lengths. A diagonal goes down
 * by one block and right by one block, and a small step takes sources with the fewest
 * targets in their block first. Its tables are those of figures 1(b) and 2(b).
 */

#include "base/intmath.h"
#include "schedule/core/kinds.h"
#include "schedule/core/table.h"

/* The grid in blocks. The rows are the side with fewer of them. */
struct blocks {
    const struct comm_grid *grid;
    redist_side rows, columns;
    int64_t size[SIDES];  /* of a block: u and t */
    int64_t count[SIDES]; /* how many: P/u and Q/t */
    int64_t move[SIDES];  /* from a block to the next one of its diagonal */
    int64_t inverse;      /* of move[rows], modulo count[rows] */
    int64_t period;       /* g0: blocks this far to the right are the same */
    int64_t repeats;      /* count[columns] / g0 */
};

enum variant { LEAVES_DIAGONAL, STAYS_ON_DIAGONAL, IGNORES_LENGTHS };

/* A message in the large step of its diagonal. */
struct item {
    int64_t diagonal; /* in 0 .. g0 - 1 */
    int64_t row, column;
    int64_t priority; /* the largest goes first */
    int64_t shift;    /* by how many g0 blocks it is off the diagonal */
    int64_t step;     /* small step; -1: none yet */
};

/* The state of a large step. Small steps of all large steps are numbered together, from
 * 1. */
struct filling {
    int64_t now;
    int64_t *busy[SIDES]; /* the small step that a process was last busy in */
    int64_t *shift;       /* of each row's block, -1: not chosen */
    int64_t choices;      /* shifts to choose from: 0 .. choices - 1 */
};

static struct blocks cut(const struct classes *k, const struct comm_grid *grid,
                         enum variant variant)
{
    struct blocks blocks = {
        .grid = grid,
        .size = {k->u, k->t},
        .count = {k->P / k->u, k->Q / k->t},
        .move = {k->s / k->u, k->r / k->t},
        .period = k->g / k->u / k->t,
    };
    if (blocks.period == 1 || variant == IGNORES_LENGTHS) /* any diagonal will do */
        blocks.move[REDIST_SOURCE] = blocks.move[REDIST_TARGET] = 1;
    bool fewer = blocks.count[REDIST_SOURCE] <= blocks.count[REDIST_TARGET];
    blocks.rows = fewer ? REDIST_SOURCE : REDIST_TARGET;
    blocks.columns = fewer ? REDIST_TARGET : REDIST_SOURCE;
    blocks.inverse = int_inverse(blocks.move[blocks.rows], blocks.count[blocks.rows]);
    blocks.repeats = blocks.count[blocks.columns] / blocks.period;
    return blocks;
}

/* How many blocks (row, column) lies right of the diagonal that begins in the corner. */
static int64_t diagonal_of(const struct blocks *b, int64_t row, int64_t column)
{
    int64_t k = int_mulmod(row / b->size[b->rows], b->inverse, b->count[b->rows]);
    int64_t modulus = b->count[b->columns];
    int64_t diagonal = int_mulmod(k, b->move[b->columns], modulus);
    return int_mod(column / b->size[b->columns] - diagonal, modulus);
}

/* The column `shift` times g0 blocks to the right of an item. */
static int64_t shifted(const struct blocks *b, const struct item *item, int64_t shift)
{
    int64_t columns = b->count[b->columns] * b->size[b->columns];
    return (item->column + shift * b->period * b->size[b->columns]) % columns;
}

static int by_priority(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->diagonal != y->diagonal) return x->diagonal < y->diagonal ? -1 : 1;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Give each item, with those of a row adjacent, the priority of its row: the fewer items
 * the higher. */
static void prefer_few(int64_t n, struct item items[])
{
    for (int64_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && items[end].row == items[begin].row &&
               items[end].diagonal == items[begin].diagonal)
            end++;
        for (int64_t i = begin; i < end; i++) items[i].priority = begin - end;
    }
}

/* List the messages on diagonals 0 .. g0 - 1, in the order in which they are scheduled.
 * All others are shifts of them. */
static int64_t list_items(const struct blocks *b, enum variant variant,
                          struct item items[])
{
    int64_t n = 0;
    for (int64_t e = 0; e < b->grid->nedges; e++) {
        const struct edge *edge = &b->grid->edge[e];
        int64_t row = b->rows == REDIST_SOURCE ? edge->p : edge->q;
        int64_t column = b->rows == REDIST_SOURCE ? edge->q : edge->p;
        int64_t diagonal = diagonal_of(b, row, column);
        int64_t priority = variant == IGNORES_LENGTHS ? 0 : edge->weight;
        if (diagonal < b->period)
            items[n++] = (struct item){diagonal, row, column, priority, 0, -1};
    }
    mem_sort(items, n, sizeof *items, by_priority);
    if (variant == IGNORES_LENGTHS) {
        prefer_few(n, items);
        mem_sort(items, n, sizeof *items, by_priority);
    }
    return n;
}

/* Put an item into the current small step if both its ends are idle. */
static bool take(const struct blocks *b, struct filling *f, struct item *item)
{
    if (f->busy[b->rows][item->row] == f->now) return false;
    int64_t chosen = f->shift[item->row];
    int64_t first = chosen >= 0 ? chosen : 0;
    int64_t last = chosen >= 0 ? chosen : f->choices - 1;
    for (int64_t shift = first; shift <= last; shift++) {
        int64_t column = shifted(b, item, shift);
        if (f->busy[b->columns][column] == f->now) continue;
        f->busy[b->rows][item->row] = f->now;
        f->busy[b->columns][column] = f->now;
        f->shift[item->row] = shift;
        item->shift = shift;
        return true;
    }
    return false;
}

/* Distribute the n items of one large step over small steps; returns their number. */
static int64_t fill(const struct blocks *b, struct filling *f, int64_t n,
                    struct item items[])
{
    for (int64_t i = 0; i < n; i++) f->shift[items[i].row] = -1;
    int64_t steps = 0;
    for (int64_t left = n; left > 0; steps++) {
        f->now++;
        for (int64_t i = 0; i < n; i++) {
            if (items[i].step >= 0 || !take(b, f, &items[i])) continue;
            items[i].step = steps;
            left--;
        }
    }
    return steps;
}

/* Enter a large step and its shifts, which follow each other from step `first` on. */
static void enter(const struct blocks *b, int64_t n, const struct item items[],
                  int64_t first, int64_t steps, struct table *table)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < b->repeats; k++) {
            int64_t end[SIDES];
            end[b->rows] = items[i].row;
            end[b->columns] = shifted(b, &items[i], items[i].shift + k);
            int64_t e = comm_grid_find(b->grid, end[REDIST_SOURCE], end[REDIST_TARGET]);
            table->step[e] = first + k * steps + items[i].step;
        }
}

static void schedule_items(const struct blocks *b, struct filling *f, int64_t n,
                           struct item items[], struct table *table)
{
    int64_t first = 0;
    for (int64_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && items[end].diagonal == items[begin].diagonal) end++;
        int64_t steps = fill(b, f, end - begin, items + begin);
        enter(b, end - begin, items + begin, first, steps, table);
        first += steps * b->repeats;
    }
}

/* Find the steps of the messages of a period's grid. */
static redist_err fill_table(const struct classes *k, enum variant variant,
                             struct table *table)
{
    struct blocks b = cut(k, table->grid, variant);
    struct filling f = {.choices = variant == STAYS_ON_DIAGONAL ? 1 : b.repeats};
    struct item *items = NULL;
    const struct mem_part room[] = {MEM_PART(items, b.grid->nedges / b.repeats),
                                    MEM_PART(f.busy[REDIST_SOURCE], b.grid->P),
                                    MEM_PART(f.busy[REDIST_TARGET], b.grid->Q),
                                    MEM_PART(f.shift, b.count[b.rows] * b.size[b.rows]),
                                    {0}};
    TRY(mem_alloc_parts(NULL, room));
    schedule_items(&b, &f, list_items(&b, variant, items), items, table);
    mem_free(items); /* and all in one block with it */
    return REDIST_OK;
}

static redist_err make_variant(const struct schedule_input *input, enum variant variant,
                               void **state)
{
    const struct classes *k = schedule_classes(input);
    struct table *table = NULL;
    TRY(input->periods ? table_make_period(k, &table) : table_make(input, &table));
    return table_give(table, fill_table(k, variant, table), state);
}

static redist_err make(const struct schedule_input *input, void **state)
{
    return make_variant(input, LEAVES_DIAGONAL, state);
}

static redist_err make_diagonal(const struct schedule_input *input, void **state)
{
    return make_variant(input, STAYS_ON_DIAGONAL, state);
}

static redist_err make_contention_free(const struct schedule_input *input, void **state)
{
    return make_variant(input, IGNORES_LENGTHS, state);
}

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (schedule_classes(input)) return table_applicable(input, why);
    *why = SCHEDULE_NEEDS_CLASSES;
    return false;
}

const struct schedule_kind schedule_guo_pan_2 = {
    .name = "guo-pan-2",
    .what = "small steps, longest messages first, in large steps that repeat",
    .source = "Guo and Pan 2005, section 4.2, algorithm 2 and figure 2",
    .applicable = applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};

const struct schedule_kind schedule_guo_pan_2_diagonal = {
    .name = "guo-pan-2-diagonal",
    .what = "the same with every source in its block on the diagonal",
    .source = "Guo and Pan 2005, section 4.2, algorithm 2, step 2.1 alone",
    .applicable = applicable,
    .make = make_diagonal,
    .own = table_own,
    .free = table_free,
};

const struct schedule_kind schedule_contention_free = {
    .name = "contention-free",
    .what = "the same with blocks side by side, and no look at lengths",
    .source =
        "Guo, Nakata and Yamashita 2000, by figures 1(b) and 2(b) of Guo and Pan 2005",
    .applicable = applicable,
    .make = make_contention_free,
    .own = table_own,
    .free = table_free,
};
