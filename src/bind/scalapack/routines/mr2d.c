/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/routines/mr2d.c - p?gemr2d and p?trmr2d: copy a section of one matrix to
 * another, all of it or a trapezoid.
 *
 *     M, N, A, IA, JA, DESCA, B, IB, JB, DESCB, CONTEXT          gemr2d
 *     UPLO, DIAG, M, N, ..                                       trmr2d, behind those two
 *
 * A name that ends in `o` is the older form: it has no context, and all processes call
 * it.
 */
#include <ctype.h>

#include "base/intmath.h"
#include "bind/scalapack/matrix/blacs.h"
#include "bind/scalapack/matrix/region.h"
#include "bind/scalapack/matrix/report.h"
#include "bind/scalapack/routines/call.h"

/* Set the trapezoid of m x n. Its diagonal ends in the lower right corner if it is upper
 * and higher than wide, or lower and wider than high; else it begins in the upper left
 * one. */
static void take_region(const char *uplo, const char *diag, struct problem *problem)
{
    int64_t over = problem->n[ROWS] - problem->n[COLUMNS];
    bool upper = toupper((unsigned char)*uplo) == 'U';
    int letter = toupper((unsigned char)*diag);
    problem->region = upper ? REGION_UPPER : REGION_LOWER;
    problem->diagonal =
        upper ? int_max(over, 0) - (letter != 'N') : -int_max(-over, 0) + (letter == 'U');
}

/* Tell whether a refused argument is the leading dimension, which may differ between
 * processes. */
static bool is_local(int position) { return position > 100 && position % 100 == 9; }

/* Tell whether all processes refuse it. */
static bool is_shared(int position) { return position && !is_local(position); }

static void check(struct call_arguments *arguments, int shift)
{
    static const struct positions positions[SIDES] = {{1, 2, 4}, {1, 2, 8}};
    const int64_t *n = arguments->problem.n;
    for (int d = 0; d < MATRIX_DIMS && !arguments->illegal; d++)
        if (n[d] < 0) arguments->illegal = 1 + d + shift;
    for (int s = 0; s < SIDES && !is_shared(arguments->illegal); s++) {
        struct positions at = positions[s];
        at.start += shift;
        int illegal = matrix_check(&arguments->matrix[s], n, at);
        if (!arguments->illegal || is_shared(illegal)) arguments->illegal = illegal;
    }
    arguments->unusable = is_local(arguments->illegal);
}

/* `uplo` NULL: gemr2d. `context` NULL: all processes. */
static void copy(int type, const char *uplo, const char *diag, int m, int n,
                 const struct operand *a, const struct operand *b, const int *context)
{
    enum family family = uplo ? FAMILY_TRMR2D : FAMILY_GEMR2D;
    int shift = uplo ? 2 : 0;
    struct call_arguments arguments = {
        .problem = {.type = type, .op = REDIST_OP_NONE, .n = {m, n}},
        .outside = 11 + shift,
    };
    report_call(family, type);
    if (m == 0 || n == 0) return;
    if (uplo) take_region(uplo, diag, &arguments.problem);
    arguments.context = context ? blacs_comm(*context) : blacs_world();
    if (arguments.context == MPI_COMM_NULL) return;
    matrix_take(a, &arguments.matrix[REDIST_SOURCE]);
    matrix_take(b, &arguments.matrix[REDIST_TARGET]);
    check(&arguments, shift);
    struct piece pieces[REGION_PIECES];
    bool any = !uplo || m < 0 || n < 0 || region_cut(&arguments.problem, pieces) > 0;
    /* without elements nobody waits, so a refusal stays with whoever knows of it */
    int illegal = any ? call_run(&arguments) : arguments.illegal;
    if (!illegal) return;
    char name[ROUTINE_NAME_SIZE];
    int reporter = context                      ? *context
                   : arguments.matrix[0].member ? arguments.matrix[0].context
                                                : arguments.matrix[1].context;
    blacs_illegal(reporter, routine_name(family, type, name), illegal);
}

/* ---- the names --------------------------------------------------------------------- */

#define ROUTINE(name, arguments, ...)                                                    \
    REDIST_API void name arguments;                                                      \
    void name arguments { copy(__VA_ARGS__); }

#define OPERAND(x, i, j) (&(struct operand){x, i, j, desc_##x})
#define SIZES const int *m, const int *n
#define LETTERS const char *uplo, const char *diag
#define MATRICES                                                                         \
    const void *a, const int *ia, const int *ja, const int *desc_a, void *b,             \
        const int *ib, const int *jb, const int *desc_b
#define GIVEN *m, *n, OPERAND(a, *ia, *ja), OPERAND(b, *ib, *jb)

#define C_SIZES int m, int n
#define C_MATRICES                                                                       \
    const void *a, int ia, int ja, const int *desc_a, void *b, int ib, int jb,           \
        const int *desc_b
#define C_GIVEN m, n, OPERAND(a, ia, ja), OPERAND(b, ib, jb)

/* Fortran's lengths of UPLO and DIAG come last; they are unused. */
#define ROUTINES(t, type)                                                                \
    ROUTINE(p##t##gemr2d_, (SIZES, MATRICES, const int *context), type, NULL, NULL,      \
            GIVEN, context)                                                              \
    ROUTINE(p##t##gemr2do_, (SIZES, MATRICES), type, NULL, NULL, GIVEN, NULL)            \
    ROUTINE(Cp##t##gemr2d, (C_SIZES, C_MATRICES, int context), type, NULL, NULL,         \
            C_GIVEN, &context)                                                           \
    ROUTINE(Cp##t##gemr2do, (C_SIZES, C_MATRICES), type, NULL, NULL, C_GIVEN, NULL)      \
    ROUTINE(p##t##trmr2d_, (LETTERS, SIZES, MATRICES, const int *context), type, uplo,   \
            diag, GIVEN, context)                                                        \
    ROUTINE(p##t##trmr2do_, (LETTERS, SIZES, MATRICES), type, uplo, diag, GIVEN, NULL)   \
    ROUTINE(Cp##t##trmr2d, (LETTERS, C_SIZES, C_MATRICES, int context), type, uplo,      \
            diag, C_GIVEN, &context)                                                     \
    ROUTINE(Cp##t##trmr2do, (LETTERS, C_SIZES, C_MATRICES), type, uplo, diag, C_GIVEN,   \
            NULL)

ROUTINES(i, TYPE_I)
ROUTINES(s, TYPE_S)
ROUTINES(d, TYPE_D)
ROUTINES(c, TYPE_C)
ROUTINES(z, TYPE_Z)
