/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/region.h"

#include "base/intmath.h"

enum {
    FEW = 8,   /* crossed squares along the diagonal, unless they are smaller than */
    SMALL = 64 /* rows and columns: then more pieces cost more than they save */
};

struct cutting {
    const struct problem *problem;
    struct piece *pieces;
    int n;
    int64_t unit; /* longer crossed pieces are cut further */
};

struct span region_column(const struct problem *problem, int64_t j)
{
    int64_t rows = problem->n[ROWS], edge = j + problem->diagonal;
    struct span span = {0, rows};
    if (problem->region == REGION_UPPER) span.end = int_max(0, int_min(rows, edge + 1));
    if (problem->region == REGION_LOWER) span.begin = int_min(rows, int_max(0, edge));
    return span;
}

enum { OUTSIDE, CROSSED, INSIDE };

/* Compare a rectangle with the diagonal, by the least and the greatest i - j of its
 * corners. */
static int place(const struct problem *problem, const struct piece *piece)
{
    int64_t least = piece->at[ROWS] - piece->at[COLUMNS] - piece->n[COLUMNS] + 1;
    int64_t most = piece->at[ROWS] + piece->n[ROWS] - 1 - piece->at[COLUMNS];
    int64_t diagonal = problem->diagonal;
    switch (problem->region) {
        case REGION_UPPER:
            return most <= diagonal ? INSIDE : least <= diagonal ? CROSSED : OUTSIDE;
        case REGION_LOWER:
            return least >= diagonal ? INSIDE : most >= diagonal ? CROSSED : OUTSIDE;
        default: return INSIDE;
    }
}

/* Halve crossed pieces along their longer side. */
static void cut(struct cutting *cutting, struct piece piece)
{
    int longer = piece.n[ROWS] > piece.n[COLUMNS] ? ROWS : COLUMNS;
    int where = place(cutting->problem, &piece);
    if (where == OUTSIDE) return;
    if (where == INSIDE || piece.n[longer] <= cutting->unit) {
        piece.crossed = where == CROSSED;
        if (cutting->n < REGION_PIECES) cutting->pieces[cutting->n] = piece;
        cutting->n++;
        return;
    }
    struct piece second = piece;
    piece.n[longer] /= 2;
    second.at[longer] += piece.n[longer];
    second.n[longer] -= piece.n[longer];
    cut(cutting, piece);
    cut(cutting, second);
}

int region_cut(const struct problem *problem, struct piece pieces[REGION_PIECES])
{
    const struct piece all = {.n = {problem->n[ROWS], problem->n[COLUMNS]}};
    struct cutting cutting = {.problem = problem, .pieces = pieces};
    int64_t shorter = int_min(problem->n[ROWS], problem->n[COLUMNS]);
    for (cutting.unit = int_max(SMALL, int_ceil_div(shorter, FEW));; cutting.unit *= 2) {
        cutting.n = 0;
        cut(&cutting, all);
        if (cutting.n <= REGION_PIECES) return cutting.n;
    }
}

struct cut piece_cut(const struct problem *problem, int side, int d,
                     const struct piece *piece)
{
    int e = side == REDIST_SOURCE && problem_transposes(problem) ? !d : d;
    return cut_of_cut(&problem->side[side].cut[d], piece->at[e], piece->n[e]);
}
