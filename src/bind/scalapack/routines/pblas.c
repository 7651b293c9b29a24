/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/routines/pblas.c - PBLAS routines for sub(C) := beta sub(C) + alpha
 * op(sub(A)): p?tran, p?tranu, p?tranc, p?geadd, and p?tradd of a trapezoid. Both
 * matrices are in one context.
 *
 *     M, N, ALPHA, A, IA, JA, DESCA, BETA, C, IC, JC, DESCC      tran
 *     TRANS, M, ..                                               geadd
 *     UPLO, TRANS, M, ..                                         tradd
 */
#include <ctype.h>
#include <string.h>

#include "bind/scalapack/copy/unplanned.h"
#include "bind/scalapack/matrix/blacs.h"
#include "bind/scalapack/matrix/region.h"
#include "bind/scalapack/matrix/report.h"
#include "bind/scalapack/routines/call.h"

enum { CTXT = 1 };

/* Read UPLO and TRANS, if a routine has them. Returns the position of an invalid one, or
 * 0. */
static int take_letters(const char *uplo, const char *trans, int type,
                        struct problem *problem)
{
    bool complex = number_is_complex(types[type].number);
    int letter = trans ? toupper((unsigned char)*trans) : 0;
    int part = uplo ? toupper((unsigned char)*uplo) : 0;
    problem->region = part == 'U'   ? REGION_UPPER
                      : part == 'L' ? REGION_LOWER
                                    : REGION_ALL;
    if (trans && letter != 'N') /* the PBLAS check the extents of other letters so, too */
        problem->op = letter == 'C' && complex ? REDIST_OP_CONJUGATE_TRANSPOSE
                                               : REDIST_OP_TRANSPOSE;
    if (uplo && problem->region == REGION_ALL) return 1;
    return trans && letter != 'N' && letter != 'T' && letter != 'C' ? uplo ? 2 : 1 : 0;
}

/* Check all, in the order of the PBLAS. */
static int check(struct call_arguments *arguments, int illegal, int shift,
                 const struct operand *a, const struct operand *c)
{
    const struct problem *problem = &arguments->problem;
    bool transposes = problem_transposes(problem);
    const int64_t n[] = {problem_extent(problem, REDIST_SOURCE, ROWS),
                         problem_extent(problem, REDIST_SOURCE, COLUMNS)};
    const struct positions of_a = {1 + shift + transposes, 2 + shift - transposes,
                                   5 + shift};
    const struct positions of_c = {1 + shift, 2 + shift, 10 + shift};
    int context = a->descriptor[CTXT];
    illegal = matrix_take_pblas(a, n, of_a, context, illegal,
                                &arguments->matrix[REDIST_SOURCE]);
    return matrix_take_pblas(c, problem->n, of_c, context, illegal,
                             &arguments->matrix[REDIST_TARGET]);
}

/* sub(C) := beta sub(C), each process its own part. */
static void scale(const struct call_arguments *arguments)
{
    static const char zero[NUMBER_SIZE] = {0};
    const struct matrix *c = &arguments->matrix[REDIST_TARGET];
    const struct matrix both[SIDES] = {*c, *c};
    struct problem problem = arguments->problem;
    problem.scaled = true;
    aligned_run(&problem, both, zero, arguments->beta);
}

/* Tell whether a coefficient is a given real number. */
static bool is_number(const void *coefficient, int type, double number)
{
    double parts[2] = {0, 0};
    float single[2] = {0, 0};
    bool doubles = type == TYPE_D || type == TYPE_Z;
    memcpy(doubles ? (void *)parts : (void *)single, coefficient,
           (size_t)types[type].bytes);
    for (int k = 0; k < 2 && !doubles; k++) parts[k] = single[k];
    return parts[0] == number && parts[1] == 0;
}

/* `uplo` and `trans` NULL: the routine has none, and `op` is its operation. */
static void add(enum family family, int type, redist_op op, const char *uplo,
                const char *trans, int m, int n, const void *alpha,
                const struct operand *a, const void *beta, const struct operand *c)
{
    int shift = (uplo != NULL) + (trans != NULL), shape[MATRIX_DIMS], mine[MATRIX_DIMS];
    int context = a->descriptor[CTXT];
    char name[ROUTINE_NAME_SIZE];
    struct call_arguments arguments = {
        .problem = {.type = type, .op = op, .n = {m, n}}, .alpha = alpha, .beta = beta};
    report_call(family, type);
    int illegal = take_letters(uplo, trans, type, &arguments.problem);
    if (!blacs_grid(context, shape, mine))
        illegal = (7 + shift) * 100 + 1 + CTXT;
    else
        illegal = check(&arguments, illegal, shift, a, c);
    if (illegal) {
        blacs_illegal_pblas(context, routine_name(family, type, name), illegal);
        return;
    }
    bool keeps = is_number(alpha, type, 0);
    if (m == 0 || n == 0 || (keeps && is_number(beta, type, 1))) return;
    if (keeps) {
        scale(&arguments);
        return;
    }
    struct piece pieces[REGION_PIECES];
    if (region_cut(&arguments.problem, pieces) == 0) return;
    arguments.problem.scaled = !is_number(alpha, type, 1) || !is_number(beta, type, 0);
    arguments.context = blacs_comm(context);
    (void)call_run(&arguments);
}

/* ---- the names --------------------------------------------------------------------- */

#define OPERANDS                                                                         \
    const int *m, const int *n, const void *alpha, const void *a, const int *ia,         \
        const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,      \
        const int *jc, const int *desc_c

/* Fortran's lengths of UPLO and TRANS come last; they are unused. */
#define ROUTINE(name, arguments, family, type, op, uplo, trans)                          \
    REDIST_API void name arguments;                                                      \
    void name arguments                                                                  \
    {                                                                                    \
        const struct operand source = {a, *ia, *ja, desc_a},                             \
                             target = {c, *ic, *jc, desc_c};                             \
        add(family, type, op, uplo, trans, *m, *n, alpha, &source, beta, &target);       \
    }
#define SUMS(t, type)                                                                    \
    ROUTINE(p##t##geadd_, (const char *trans, OPERANDS), FAMILY_GEADD, type,             \
            REDIST_OP_NONE, NULL, trans)                                                 \
    ROUTINE(p##t##tradd_, (const char *uplo, const char *trans, OPERANDS), FAMILY_TRADD, \
            type, REDIST_OP_NONE, uplo, trans)
#define TRANSPOSE(name, family, type, op)                                                \
    ROUTINE(name, (OPERANDS), family, type, op, NULL, NULL)

SUMS(s, TYPE_S)
SUMS(d, TYPE_D)
SUMS(c, TYPE_C)
SUMS(z, TYPE_Z)
TRANSPOSE(pstran_, FAMILY_TRAN, TYPE_S, REDIST_OP_TRANSPOSE)
TRANSPOSE(pdtran_, FAMILY_TRAN, TYPE_D, REDIST_OP_TRANSPOSE)
TRANSPOSE(pctranu_, FAMILY_TRANU, TYPE_C, REDIST_OP_TRANSPOSE)
TRANSPOSE(pztranu_, FAMILY_TRANU, TYPE_Z, REDIST_OP_TRANSPOSE)
TRANSPOSE(pctranc_, FAMILY_TRANC, TYPE_C, REDIST_OP_CONJUGATE_TRANSPOSE)
TRANSPOSE(pztranc_, FAMILY_TRANC, TYPE_Z, REDIST_OP_CONJUGATE_TRANSPOSE)
