/* SPDX-License-Identifier: MIT
 *
 * tests/peers/matrices.h - random grids, and random matrices over them. The elements of a
 * matrix follow from their global indices, so that each process knows what any other has.
 */
#ifndef REDIST_TESTS_MATRICES_H
#define REDIST_TESTS_MATRICES_H

#include "base/hash.h"
#include "peers/blacs.h"

enum { TYPES = 5, MOST_RANKS = 64, MOST_EXTENT = 60 };
static const char type_letter[TYPES + 1] = "isdcz";
static const int type_bytes[TYPES] = {4, 4, 8, 8, 16};

/* A grid has its shape on all processes, but on those outside a context of -1. */
struct grid {
    int context, shape[2], mine[2];
};

/* A random choice of `n` of the first `of` ranks, mostly one after the other. */
static inline void random_ranks(uint64_t *seed, int n, int of, int ranks[])
{
    int all[MOST_RANKS];
    for (int k = 0; k < of; k++) {
        int j = (int)random_in(seed, 0, k);
        all[k] = all[j];
        all[j] = k;
    }
    bool regular = random_in(seed, 0, 3) > 0;
    int first = (int)random_in(seed, 0, of - n);
    for (int k = 0; k < n; k++) ranks[k] = regular ? first + k : all[k];
}

/* A grid of a random shape over random ranks of those of `among`[n]; all of them if
 * `whole`. */
static inline struct grid random_grid(uint64_t *seed, int n, const int among[],
                                      bool whole)
{
    int map[MOST_RANKS], chosen[MOST_RANKS];
    int rows = (int)random_in(seed, 1, n), columns = 0;
    if (whole)
        while (n % rows) rows = rows % n + 1;
    columns = whole ? n / rows : (int)random_in(seed, 1, n / rows);
    random_ranks(seed, rows * columns, n, chosen);
    for (int k = 0; k < rows * columns; k++) map[k] = among[chosen[k]];
    struct grid grid = {
        make_grid(MPI_COMM_WORLD, map, rows, columns), {rows, columns}, {-1, -1}};
    if (grid.context >= 0)
        Cblacs_gridinfo(grid.context, &rows, &columns, &grid.mine[0], &grid.mine[1]);
    return grid;
}

static inline void free_grid(struct grid *grid)
{
    if (grid->context >= 0) Cblacs_gridexit(grid->context);
    grid->context = -1;
}

/* How a matrix is dealt out, and where a section begins: the same on all processes. Only
 * numbers, so that it can be written down. */
struct matrix_layout {
    int inb, total[2], start[2], head[2], block[2];
    int source[2]; /* modulo the grid's shape; -1: replicated, in the PBLAS */
    int gap;       /* the most rows between local columns, of each process its own */
};

/* A process's part of a matrix, with bytes before and behind it that are nobody's. */
enum { MARGIN = 64 };
struct drawn {
    struct matrix_layout layout;
    int desc[11]; /* of 9 entries, or of 11 if the first block is another */
    int start[2];
    int lld, columns; /* of the local array, gaps included */
    int *global[2];   /* [lld], [columns]: from 0; -1 in a gap */
    size_t bytes;     /* of the local array */
    char *room;       /* [MARGIN + bytes + MARGIN] */
    char *memory;     /* NULL outside the grid */
};

static inline void free_drawn(struct drawn *drawn)
{
    free(drawn->global[0]), free(drawn->global[1]), free(drawn->room);
}

/* How many of n elements a coordinate holds, counted one by one. `global` receives their
 * indices, unless NULL. */
static inline int list_local(int n, int head, int block, int source, int procs,
                             int coordinate, int *global)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int turn = i < head ? 0 : 1 + (i - head) / block;
        if (source >= 0 && (source + turn) % procs != coordinate) continue;
        if (global) global[count] = i;
        count++;
    }
    return count;
}

static inline int count_local(int n, int head, int block, int source, int procs,
                              int coordinate)
{
    return list_local(n, head, block, source, procs, coordinate, NULL);
}

/* The bits of an element: those of all matrices with this number. */
static inline uint64_t bits_of(int number, int row, int column)
{
    return hash_int(hash_int(hash_int(HASH_START, number), row), column);
}

/* Write an element: any bits, or small whole numbers, of which sums and products are
 * exact. */
static inline void put_bits(char *at, int type, uint64_t bits)
{
    const uint64_t both[] = {bits, hash_int(bits, 1)};
    memcpy(at, both, (size_t)type_bytes[type]);
}

static inline void put_number(char *at, int type, const double value[2])
{
    const float single[] = {(float)value[0], (float)value[1]};
    if (type == 0)
        put_bits(at, type, (uint64_t)(int64_t)value[0]);
    else if (type == 1 || type == 3)
        memcpy(at, single, (size_t)type_bytes[type]);
    else
        memcpy(at, value, (size_t)type_bytes[type]);
}

static inline void number_of(uint64_t bits, double value[2])
{
    value[0] = (double)(bits % 199) - 99;
    value[1] = (double)((bits >> 32) % 199) - 99;
}

static inline char *element_of(const struct drawn *drawn, int type, int row, int column)
{
    size_t at = (size_t)row + (size_t)column * (size_t)drawn->lld;
    return drawn->memory + at * (size_t)type_bytes[type];
}

/* Fill the local array, gaps included. */
static inline void fill(const struct drawn *drawn, int type, int number, bool exact)
{
    for (int j = 0; j < drawn->columns; j++)
        for (int i = 0; i < drawn->lld; i++) {
            int row = drawn->global[0][i], column = drawn->global[1][j];
            uint64_t bits = row < 0 ? bits_of(number + world_rank() + 1, -1 - i, -1 - j)
                                    : bits_of(number, row, column);
            double value[2];
            number_of(bits, value);
            char *at = element_of(drawn, type, i, j);
            if (exact)
                put_number(at, type, value);
            else
                put_bits(at, type, bits);
        }
}

/* Draw how a matrix with a section of m x n somewhere in it is dealt out. `pblas`: it may
 * be described by either type, and replicated. */
static inline struct matrix_layout draw_layout(uint64_t *seed, int m, int n, bool pblas)
{
    const int extent[] = {m, n}, most = random_in(seed, 0, 1) ? 12 : 80;
    struct matrix_layout layout = {.inb = pblas && random_in(seed, 0, 2) == 0};
    for (int d = 0; d < 2; d++) {
        int far = random_in(seed, 0, 19) == 0 ? 300 : 20;
        int start = 1 + (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, far);
        int behind = (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, 20);
        layout.start[d] = start;
        layout.total[d] = start - 1 + extent[d] + behind;
        if (layout.total[d] == 0) layout.total[d] = 1;
        layout.block[d] = (int)random_in(seed, 1, random_in(seed, 0, 1) ? 4 : most);
        if (random_in(seed, 0, 29) == 0) layout.block[d] = 1 << 20;
        layout.head[d] = layout.inb ? (int)random_in(seed, 1, most) : layout.block[d];
        layout.source[d] = (int)random_in(seed, 0, 1000);
        if (pblas && random_in(seed, 0, 9) == 0) layout.source[d] = -1;
    }
    int most_gap = random_in(seed, 0, 19) == 0 ? 300 : 5;
    layout.gap = (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, most_gap);
    return layout;
}

/* The descriptor of a process outside the grid: nothing is to be looked at. */
static inline void draw_nothing(struct drawn *drawn, int number)
{
    uint64_t own = bits_of(number, world_rank(), 0) | 1;
    for (int k = 0; k < 11; k++) drawn->desc[k] = (int)random_in(&own, -9, 9);
    drawn->desc[1] = -1;
}

/* Make this process's part of a matrix, not filled. `number` draws what is its own: the
 * gap, and where the array begins. */
static inline struct drawn make_matrix(const struct grid *grid,
                                       const struct matrix_layout *layout, int type,
                                       bool pblas, int number)
{
    struct drawn drawn = {.layout = *layout};
    const int *total = layout->total, *block = layout->block;
    int source[2], held[2];
    memcpy(drawn.start, layout->start, sizeof drawn.start);
    draw_nothing(&drawn, number);
    if (grid->context < 0) return drawn;
    uint64_t own = bits_of(number, world_rank(), 1) | 1;
    int gap = layout->gap ? (int)random_in(&own, 0, layout->gap) : 0;
    size_t before = MARGIN + (size_t)random_in(&own, 0, 3) * (size_t)type_bytes[type];
    for (int d = 0; d < 2; d++) {
        bool replicated = layout->source[d] < 0;
        source[d] = replicated ? -1 : layout->source[d] % grid->shape[d];
        int room = total[d] + layout->gap + 1;
        drawn.global[d] = malloc((size_t)room * sizeof *drawn.global[d]);
        CHECK(drawn.global[d], "no memory");
        for (int k = 0; k < room; k++) drawn.global[d][k] = -1;
        held[d] = list_local(total[d], layout->head[d], block[d], source[d],
                             grid->shape[d], grid->mine[d], drawn.global[d]);
    }
    drawn.columns = held[1];
    drawn.lld = (held[0] > 1 ? held[0] : 1) + gap;
    int lld = pblas || held[0] + gap > 0 ? drawn.lld : 0; /* the copies accept any then */
    int nine[9] = {
        layout->inb ? 2 : 1, grid->context, total[0], total[1], block[0], block[1],
        source[0],           source[1],     lld};
    int eleven[11] = {2,
                      grid->context,
                      total[0],
                      total[1],
                      layout->head[0],
                      layout->head[1],
                      block[0],
                      block[1],
                      source[0],
                      source[1],
                      lld};
    if (layout->inb)
        memcpy(drawn.desc, eleven, sizeof eleven);
    else
        memcpy(drawn.desc, nine, sizeof nine);
    if (!pblas && random_in(&own, 0, 3) == 0) drawn.desc[0] = (int)random_in(&own, -9, 9);
    drawn.bytes = (size_t)type_bytes[type] * (size_t)drawn.lld * (size_t)drawn.columns;
    drawn.room = malloc(before + drawn.bytes + MARGIN);
    CHECK(drawn.room, "no memory");
    memset(drawn.room, 0x5a, before + drawn.bytes + MARGIN);
    drawn.memory = drawn.room + before;
    return drawn;
}

/* Draw a matrix with a section of m x n somewhere in it, and fill it. */
static inline struct drawn draw(uint64_t *seed, const struct grid *grid, int type, int m,
                                int n, bool pblas)
{
    struct matrix_layout layout = draw_layout(seed, m, n, pblas);
    int number = (int)random_in(seed, 0, 1 << 30);
    struct drawn drawn = make_matrix(grid, &layout, type, pblas, number);
    fill(&drawn, type, number, true);
    return drawn;
}

#endif
