/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/aligned.c - sections with the same distribution over one grid: each
 * process has the same elements of both and copies its own part, without communication.
 *
 *   source  ..000 111 222 00         from row 3 of blocks of 3
 *   target    000 111 222 00....     from row 1
 */
#include "bind/scalapack/copy/unplanned.h"

#include <string.h>

#include "base/error.h"
#include "bind/scalapack/copy/copied_box.h"
#include "move/kernel/stream.h"
#include "move/kernel/threads.h"
#include "move/walk/memory.h"
#include "move/walk/walk.h"

bool aligned(const struct problem *problem)
{
    const struct aspect *side = problem->side;
    return problem->op == REDIST_OP_NONE && memcmp(&side[0], &side[1], sizeof *side) == 0;
}

struct column_copy {
    const struct problem *problem;
    const struct matrix *matrix; /* [SIDES] */
    const struct combine *combine;
    struct memory *memory;
    int64_t first, ncolumns; /* of the target's local columns */
};

/* Move rows [span) of `n` local columns from the k-th of the section on. */
static void move_columns(const struct column_copy *copy, struct span span, int64_t k,
                         int64_t n)
{
    int bytes = types[copy->problem->type].bytes;
    struct nest nest;
    int64_t step[SIDES];
    char *at[SIDES];
    nest.n = 0;
    nest.block = 0;
    nest.combine = copy->combine;
    for (int s = 0; s < SIDES; s++) {
        const struct matrix *matrix = &copy->matrix[s];
        const struct local_array place = {(uintptr_t)matrix->memory, matrix->lld, bytes};
        struct box box = matrix_box(
            matrix, (const int64_t[]){span.begin, 0},
            (const int64_t[]){span.end - span.begin, copy->problem->n[COLUMNS]});
        at[s] = element_at(&place, box.begin[ROWS], box.begin[COLUMNS] + k);
        step[s] = matrix->lld * bytes;
        nest.block = box.count[ROWS] * bytes;
    }
    if (nest.block == 0) return;
    nest.stream = nest.block * n >= WALK_STREAM;
    nest_push(&nest, n, step[REDIST_SOURCE], step[REDIST_TARGET]);
    copy->memory->kind->move(copy->memory, &nest, at[REDIST_TARGET], at[REDIST_SOURCE]);
    if (nest.stream) stream_fence();
}

/* Move share `share` of `nshares` of the columns: all at once, or one by one if each has
 * its own rows. */
static void move_share(void *context, int share, int nshares)
{
    const struct column_copy *copy = context;
    const struct matrix *c = &copy->matrix[REDIST_TARGET];
    bool all = copy->problem->region == REGION_ALL;
    int64_t k = copy->ncolumns * share / nshares;
    int64_t end = copy->ncolumns * (share + 1) / nshares;
    for (int64_t n = all ? end - k : 1; k < end; k += n) {
        int64_t column =
            spread_global(&c->spread[COLUMNS], copy->first + k, c->mine[COLUMNS]);
        struct span span = region_column(copy->problem, column - c->start[COLUMNS]);
        if (span.begin < span.end) move_columns(copy, span, k, n);
    }
}

redist_err aligned_run(const struct problem *problem, const struct matrix matrix[SIDES],
                       const void *alpha, const void *beta)
{
    const struct type *type = &types[problem->type];
    const int64_t zero[] = {0, 0};
    struct box box = matrix_box(&matrix[REDIST_TARGET], zero, problem->n);
    struct combine combine;
    bool combines =
        problem->scaled && combine_make(type->number, false, alpha, beta, &combine);
    struct memory memory;
    TRY(memory_begin(&memory, matrix[REDIST_TARGET].memory,
                     matrix[REDIST_SOURCE].memory));
    struct column_copy copy = {problem,
                               matrix,
                               combines ? &combine : NULL,
                               &memory,
                               box.begin[COLUMNS],
                               box.count[COLUMNS]};
    int64_t bytes = box.count[ROWS] * box.count[COLUMNS] * type->bytes;
    int nshares = memory_is_host(&memory) ? threads_for(bytes) : 1;
    if (nshares > 1)
        threads_run(nshares, move_share, &copy);
    else
        move_share(&copy, 0, 1);
    return memory_end(&memory);
}
