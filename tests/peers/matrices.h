/* SPDX-License-Identifier: MIT
 *
 * tests/peers/matrices.h - random grids, and random matrices over them.
 */
#ifndef REDIST_TESTS_MATRICES_H
#define REDIST_TESTS_MATRICES_H

#include "peers/blacs.h"

enum { TYPES = 5, MOST_RANKS = 64, MOST_EXTENT = 60 };
static const char type_letter[TYPES + 1] = "isdcz";
static const int type_bytes[TYPES] = {4, 4, 8, 8, 16};

struct grid {
    int context, rows, columns, row, column; /* all -1 outside */
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
    struct grid grid = {make_grid(MPI_COMM_WORLD, map, rows, columns), -1, -1, -1, -1};
    if (grid.context >= 0)
        Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    /* the shape is drawn alike everywhere, but known to the members alone */
    return grid;
}

static inline void free_grid(struct grid *grid)
{
    if (grid->context >= 0) Cblacs_gridexit(grid->context);
    grid->context = -1;
}

/* A matrix, drawn alike on all processes; memory and lld are this process's own. */
struct drawn {
    struct grid grid;
    int desc[11]; /* of 9 entries, or of 11 if the first block is another */
    int m, n, start[2];
    int lld, columns; /* of the local array, gaps included */
    size_t bytes;     /* of all of it */
    char *memory;
};

/* How many of n elements a coordinate holds, counted one by one. */
static inline int count_local(int n, int head, int block, int source, int procs,
                              int coordinate)
{
    int count = 0;
    if (source < 0) return n;
    for (int i = 0; i < n; i++) {
        int turn = i < head ? 0 : 1 + (i - head) / block;
        count += (source + turn) % procs == coordinate;
    }
    return count;
}

/* Fill with small whole numbers, of which sums and products are exact. */
static inline void fill(const struct drawn *drawn, int type, uint64_t *seed)
{
    size_t n = drawn->bytes / (type == 1 || type == 3 || type == 0 ? 4 : 8);
    for (size_t k = 0; k < n; k++) {
        int64_t value = random_in(seed, -99, 99);
        if (type == 0)
            ((int *)drawn->memory)[k] = (int)value;
        else if (type == 1 || type == 3)
            ((float *)drawn->memory)[k] = (float)value;
        else
            ((double *)drawn->memory)[k] = (double)value;
    }
}

/* Draw a matrix with a section of m x n somewhere in it. `shape` is that of its grid, of
 * which those outside know nothing. `pblas`: it may be described by either type. */
static inline struct drawn draw(uint64_t *seed, const struct grid *grid, int type, int m,
                                int n, bool pblas)
{
    struct drawn drawn = {.grid = *grid};
    const int extent[] = {m, n}, most = random_in(seed, 0, 1) ? 12 : 80;
    int total[2], head[2], block[2], source[2];
    bool inb = pblas && random_in(seed, 0, 2) == 0;
    for (int d = 0; d < 2; d++) {
        drawn.start[d] = 1 + (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, 20);
        total[d] = drawn.start[d] - 1 + extent[d] +
                   (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, 20);
        if (total[d] == 0) total[d] = 1;
        block[d] = (int)random_in(seed, 1, random_in(seed, 0, 1) ? 4 : most);
        head[d] = inb ? (int)random_in(seed, 1, most) : block[d];
        source[d] = (int)random_in(seed, 0, 1000);
    }
    int gap = (int)random_in(seed, 0, 1) * (int)random_in(seed, 0, 5);
    uint64_t own = *seed ^ (uint64_t)(world_rank() + 1) * 977;
    int nine[9] = {inb ? 2 : 1, grid->context, total[0], total[1], block[0], block[1]};
    memcpy(drawn.desc, nine, sizeof nine);
    if (grid->context < 0) { /* what is not to be looked at */
        for (int k = 2; k < 11; k++) drawn.desc[k] = (int)random_in(&own, -9, 9);
        drawn.desc[1] = -1;
        return drawn;
    }
    if (!pblas && random_in(&own, 0, 3) == 0) drawn.desc[0] = (int)random_in(&own, -9, 9);
    source[0] %= grid->rows;
    source[1] %= grid->columns;
    int rows = count_local(total[0], head[0], block[0], source[0], grid->rows, grid->row);
    drawn.columns =
        count_local(total[1], head[1], block[1], source[1], grid->columns, grid->column);
    drawn.lld = (rows > 1 ? rows : 1) + gap;
    drawn.desc[6] = source[0], drawn.desc[7] = source[1], drawn.desc[8] = drawn.lld;
    if (inb) {
        int eleven[] = {head[0],   head[1],   block[0], block[1],
                        source[0], source[1], drawn.lld};
        memcpy(drawn.desc + 4, eleven, sizeof eleven);
    }
    drawn.bytes = (size_t)type_bytes[type] * (size_t)drawn.lld * (size_t)drawn.columns;
    drawn.memory = calloc(drawn.bytes + 1, 1);
    CHECK(drawn.memory, "no memory");
    fill(&drawn, type, &own);
    return drawn;
}

#endif
