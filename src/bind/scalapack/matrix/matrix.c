/* SPDX-License-Identifier: MIT */
#include "bind/scalapack/matrix/matrix.h"

#include <stddef.h>
#include <stdint.h>

#include "base/intmath.h"
#include "bind/scalapack/matrix/blacs.h"

enum { CYCLIC_2D = 1, CYCLIC_2D_INB = 2 }; /* types of descriptor */
enum { DTYPE, CTXT, M };
enum { MB = 4, RSRC = 6, LLD = 8 };                           /* of the first type */
enum { IMB_INB = 4, MB_INB = 6, RSRC_INB = 8, LLD_INB = 10 }; /* of the second */
enum {
    ENTRY = 100
}; /* positions of entries of a descriptor: 100 times its own + entry */

/* Tell whether local counts can be computed: they divide by these. */
static bool is_countable(const struct spread *spread)
{
    return spread->head >= 1 && spread->block >= 1 && spread->source >= 0 &&
           spread->source < spread->procs;
}

static void take_operand(const struct operand *operand, struct matrix *matrix)
{
    int mine[MATRIX_DIMS];
    *matrix = (struct matrix){.context = operand->descriptor[CTXT]};
    matrix->memory = (char *)(uintptr_t)operand->memory; /* a source is only read */
    matrix->member = blacs_grid(matrix->context, matrix->shape, mine);
    for (int d = 0; d < MATRIX_DIMS; d++) matrix->mine[d] = mine[d];
    matrix->start[ROWS] = (int64_t)operand->row - 1;
    matrix->start[COLUMNS] = (int64_t)operand->column - 1;
}

void matrix_take(const struct operand *operand, struct matrix *matrix)
{
    const int *descriptor = operand->descriptor;
    take_operand(operand, matrix);
    if (!matrix->member) return;
    for (int d = 0; d < MATRIX_DIMS; d++)
        matrix->spread[d] = (struct spread){.extent = descriptor[M + d],
                                            .head = descriptor[MB + d],
                                            .block = descriptor[MB + d],
                                            .source = descriptor[RSRC + d],
                                            .procs = matrix->shape[d]};
    matrix->lld = descriptor[LLD];
}

int matrix_check(const struct matrix *matrix, const int64_t n[MATRIX_DIMS],
                 struct positions positions)
{
    int entries = (positions.start + MATRIX_DIMS) * ENTRY;
    if (!matrix->member) return 0;
    for (int d = 0; d < MATRIX_DIMS; d++)
        if (matrix->spread[d].block < 1) return entries + MB + d + 1;
    for (int d = 0; d < MATRIX_DIMS; d++)
        if (!is_countable(&matrix->spread[d])) return entries + RSRC + d + 1;
    for (int d = 0; d < MATRIX_DIMS; d++)
        if (matrix->start[d] < 0 || matrix->start[d] + n[d] > matrix->spread[d].extent)
            return positions.start + d;
    int64_t rows = spread_count(&matrix->spread[ROWS], matrix->spread[ROWS].extent,
                                matrix->mine[ROWS]);
    return matrix->lld < rows ? entries + LLD + 1 : 0; /* without rows any */
}

/* ---- the PBLAS --------------------------------------------------------------------- */

/* The least position, in hundredths of an argument, refused so far. */
struct verdict {
    int64_t least;
};

static void refuse_if(bool wrong, int64_t position, struct verdict *verdict)
{
    if (wrong) verdict->least = int_min(verdict->least, position);
}

static int conclude(const struct verdict *verdict)
{
    if (verdict->least == INT64_MAX) return 0;
    return (int)(verdict->least % ENTRY == 0 ? verdict->least / ENTRY : verdict->least);
}

/* Read a descriptor of either type. */
static void take_pblas(const int descriptor[], struct matrix *matrix)
{
    bool inb = descriptor[DTYPE] == CYCLIC_2D_INB;
    for (int d = 0; d < MATRIX_DIMS; d++) {
        int source = descriptor[(inb ? RSRC_INB : RSRC) + d];
        bool replicated = source == -1;
        matrix->spread[d] =
            (struct spread){.extent = descriptor[M + d],
                            .head = descriptor[(inb ? (int)IMB_INB : (int)MB) + d],
                            .block = descriptor[(inb ? (int)MB_INB : (int)MB) + d],
                            .source = replicated ? 0 : source,
                            .procs = replicated ? 1 : matrix->shape[d],
                            .replicated = replicated};
        if (replicated) matrix->mine[d] = 0;
    }
    matrix->lld = descriptor[inb ? LLD_INB : LLD];
}

/* Empty sections have fewer requirements; others need a leading dimension for the rows of
 * the process, if it has columns. */
static void check_extents(const struct matrix *matrix, const int64_t n[MATRIX_DIMS],
                          int64_t start, int64_t entries, struct verdict *verdict)
{
    bool empty = n[ROWS] == 0 || n[COLUMNS] == 0;
    const struct spread *rows = &matrix->spread[ROWS], *columns = rows + 1;
    for (int d = 0; d < MATRIX_DIMS; d++)
        refuse_if(matrix->spread[d].extent < !empty, entries + M + d, verdict);
    refuse_if(empty && matrix->lld < 1, entries + LLD_INB, verdict);
    if (empty) return;
    for (int d = 0; d < MATRIX_DIMS && rows->extent > 0 && columns->extent > 0; d++)
        refuse_if(matrix->start[d] + n[d] > matrix->spread[d].extent, start + d * ENTRY,
                  verdict);
    if (verdict->least != INT64_MAX) return;
    int64_t height = spread_count(rows, rows->extent, matrix->mine[ROWS]);
    bool any = spread_count(columns, columns->extent, matrix->mine[COLUMNS]) > 0;
    refuse_if(matrix->lld < 1 || (any && matrix->lld < height), entries + LLD_INB,
              verdict);
}

int matrix_take_pblas(const struct operand *operand, const int64_t n[MATRIX_DIMS],
                      struct positions positions, int context, int found,
                      struct matrix *matrix)
{
    const int *descriptor = operand->descriptor;
    struct verdict verdict = {INT64_MAX};
    if (found) verdict.least = found > ENTRY ? found : (int64_t)found * ENTRY;
    int64_t start = (int64_t)positions.start * ENTRY;
    int64_t entries = start + (int64_t)MATRIX_DIMS * ENTRY + 1;
    take_operand(operand, matrix);
    refuse_if(n[ROWS] < 0, (int64_t)positions.rows * ENTRY, &verdict);
    refuse_if(n[COLUMNS] < 0, (int64_t)positions.columns * ENTRY, &verdict);
    for (int d = 0; d < MATRIX_DIMS; d++)
        refuse_if(matrix->start[d] < 0, start + d * ENTRY, &verdict);
    bool known = descriptor[DTYPE] == CYCLIC_2D || descriptor[DTYPE] == CYCLIC_2D_INB;
    refuse_if(!known, entries + DTYPE, &verdict);
    if (!known) return conclude(&verdict);
    refuse_if(descriptor[CTXT] != context, entries + CTXT, &verdict);
    if (descriptor[CTXT] != context) return conclude(&verdict);
    take_pblas(descriptor, matrix);
    for (int d = 0; d < MATRIX_DIMS; d++) {
        const struct spread *spread = &matrix->spread[d];
        refuse_if(spread->head < 1, entries + IMB_INB + d, &verdict);
        refuse_if(spread->block < 1, entries + MB_INB + d, &verdict);
        refuse_if(spread->source < 0 || spread->source >= spread->procs,
                  entries + RSRC_INB + d, &verdict);
    }
    check_extents(matrix, n, start, entries, &verdict);
    return conclude(&verdict);
}

struct box matrix_box(const struct matrix *matrix, const int64_t at[MATRIX_DIMS],
                      const int64_t n[MATRIX_DIMS])
{
    struct box box = {{0}, {0}};
    for (int d = 0; d < MATRIX_DIMS && matrix->member; d++) {
        int64_t begin = matrix->start[d] + at[d];
        const struct spread *spread = &matrix->spread[d];
        box.begin[d] = spread_count(spread, begin, matrix->mine[d]);
        box.count[d] = spread_count(spread, begin + n[d], matrix->mine[d]) - box.begin[d];
    }
    return box;
}
