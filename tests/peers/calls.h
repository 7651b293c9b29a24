/* SPDX-License-Identifier: MIT
 *
 * tests/peers/calls.h - a call of any routine of the drop-in: as numbers, that can be
 * written down and made smaller; done by either library; and what it must leave in the
 * target, from the routines' definitions.
 */
#ifndef REDIST_TESTS_CALLS_H
#define REDIST_TESTS_CALLS_H

#include <math.h>

#include "peers/matrices.h"

enum family { GEMR2D, TRMR2D, TRAN, TRANC, GEADD, TRADD, FAMILIES };
enum form { FORTRAN, FROM_C, OLD_FORTRAN, OLD_FROM_C, FORMS }; /* of the copies */
enum { A, B, SIDES_OF_CALL };

/* Without uplo, diag or trans a routine ignores these. */
struct call {
    int family, form, type, m, n;
    int uplo, letter;      /* indices into these, letter that of diag or trans */
    int alpha[2], beta[2]; /* indices into `coefficients` */
    int unread;            /* an operand whose coefficient is 0 holds no numbers */
    int alike;             /* both sections are dealt out alike, over A's grid */
    int shared;            /* both lie in one array, A above B */
    int runs;              /* how often ours is called */
    int number;            /* of what the matrices hold */
    struct matrix_layout side[SIDES_OF_CALL];
};

enum { NUMBERS_OF_CALL = sizeof(struct call) / sizeof(int) };
static const char uplos[] = "ULul", diags[] = "NUnu", transposes[] = "NTCntc";
static const double coefficients[] = {0, 1, -1, 2, 3};
enum { UPLOS = 4, DIAGS = 4, TRANSPOSES = 6, COEFFICIENTS = 5 };

/* The grids that some calls share: those of the copies lie within `all`. */
struct grids {
    struct grid all, a, b;
    bool member;
};

static inline bool call_copies(const struct call *call) { return call->family <= TRMR2D; }

static inline bool call_is_old(const struct call *call)
{
    return call_copies(call) && call->form >= OLD_FORTRAN;
}

static inline char call_letter(const struct call *call)
{
    return call_copies(call) ? diags[call->letter] : transposes[call->letter];
}

static inline bool call_transposes(const struct call *call)
{
    if (call->family == TRAN || call->family == TRANC) return true;
    return !call_copies(call) && (call_letter(call) | 32) != 'n';
}

static inline const struct grid *call_grid(const struct call *call,
                                           const struct grids *grids, int side)
{
    if (!call_copies(call)) return &grids->all;
    return side == A || call->alike || call->shared ? &grids->a : &grids->b;
}

/* The extent of a side's section along a dimension. */
static inline int call_extent(const struct call *call, int side, int d)
{
    return (side == A && call_transposes(call) ? !d : d) == 0 ? call->m : call->n;
}

/* ---- what is possible -------------------------------------------------------------- */

static inline void limit(int *value, int least, int most)
{
    *value = *value < least ? least : *value > most ? most : *value;
}

static inline void limit_layout(const struct call *call, int side,
                                struct matrix_layout *layout)
{
    layout->inb = layout->inb && !call_copies(call);
    limit(&layout->gap, 0, 1000);
    for (int d = 0; d < 2; d++) {
        int least = 0;
        limit(&layout->start[d], 1, 1000);
        limit(&layout->block[d], 1, 1 << 20);
        limit(&layout->head[d], 1, 1 << 20);
        limit(&layout->source[d], call_copies(call) ? 0 : -1, 10000);
        if (!layout->inb) layout->head[d] = layout->block[d];
        least = layout->start[d] - 1 + call_extent(call, side, d);
        limit(&layout->total[d], least > 1 ? least : 1, 2000);
    }
}

/* Make a call of any numbers: those that contradict others are changed. */
static inline void limit_call(struct call *call, const struct grids *grids)
{
    struct matrix_layout *a = &call->side[A], *b = &call->side[B];
    limit(&call->family, 0, FAMILIES - 1);
    limit(&call->form, 0, FORMS - 1);
    limit(&call->type, call_copies(call) ? 0 : call->family == TRANC ? 3 : 1, TYPES - 1);
    limit(&call->m, 0, 1000);
    limit(&call->n, 0, 1000);
    limit(&call->uplo, 0, UPLOS - 1);
    limit(&call->letter, 0, (call_copies(call) ? (int)DIAGS : (int)TRANSPOSES) - 1);
    for (int k = 0; k < 2; k++) {
        limit(&call->alpha[k], 0, call->type < 3 && k ? 0 : COEFFICIENTS - 1);
        limit(&call->beta[k], 0, call->type < 3 && k ? 0 : COEFFICIENTS - 1);
    }
    limit(&call->runs, 1, 1000);
    if (call_transposes(call)) call->alike = 0;
    if (call->alike || call->shared) { /* B is dealt out as A is */
        struct matrix_layout own = *b;
        *b = *a;
        b->gap = own.gap;
        for (int d = 0; d < 2 && call->alike; d++) {
            int period = a->block[d] * call_grid(call, grids, A)->shape[d];
            if (period < 300) b->start[d] = a->start[d] + own.start[d] % 3 * period;
        }
        if (call->shared) {
            b->start[0] = a->start[0] + call_extent(call, A, 0) + own.start[0] % 5;
            b->start[1] = own.start[1];
            b->gap = a->gap;
            call->alike = call->unread = 0;
        }
    }
    limit_layout(call, A, a);
    limit_layout(call, B, b);
    if (call->shared) {
        for (int d = 0; d < 2; d++) {
            int most = a->total[d] > b->total[d] ? a->total[d] : b->total[d];
            a->total[d] = b->total[d] = most;
        }
    }
}

/* ---- what it does ------------------------------------------------------------------ */

/* A coefficient, as the type has it; of real types the second number is not there. */
static inline void coefficient(const struct call *call, const int index[2], char at[16])
{
    put_number(at, call->type,
               (const double[]){coefficients[index[0]], coefficients[index[1]]});
}

static inline bool is_zero(const int index[2]) { return index[0] == 0 && index[1] == 0; }

/* Whether element (i, j) of the section takes part. */
static inline bool call_has(const struct call *call, int i, int j)
{
    bool upper = call->uplo % 2 == 0, unit = call->letter % 2 == 1;
    int m = call->m, n = call->n, diagonal = 0;
    if (call->family == TRADD) return upper ? i <= j : i >= j;
    if (call->family != TRMR2D) return true;
    if (upper ? m > n : m < n) diagonal = m - n;
    if (i - j == diagonal) return !unit;
    return upper ? i - j < diagonal : i - j > diagonal;
}

/* The indices in the section of a local element; false: it is outside. */
static inline bool call_find(const struct call *call, int side,
                             const struct drawn *matrix, int row, int column, int at[2])
{
    const int global[] = {matrix->global[0][row], matrix->global[1][column]};
    for (int d = 0; d < 2; d++) {
        at[d] = global[d] - (matrix->start[d] - 1);
        if (global[d] < 0 || at[d] < 0 || at[d] >= call_extent(call, side, d))
            return false;
    }
    return true;
}

static inline bool is_unread(const struct call *call, int side)
{
    return call->unread && !call_copies(call) &&
           is_zero(side == A ? call->alpha : call->beta);
}

/* Fill both matrices. What is not to be read is no number. */
static inline void call_fill(const struct call *call, const struct drawn matrix[])
{
    const double none[] = {NAN, NAN};
    for (int side = A; side <= B; side++) {
        const struct drawn *one = &matrix[side];
        fill(one, call->type, call->number + side, !call_copies(call));
        for (int j = 0; j < one->columns && is_unread(call, side); j++)
            for (int i = 0; i < one->lld; i++) {
                int at[2];
                if (!call_find(call, side, one, i, j, at)) continue;
                if (side == B && !call_has(call, at[0], at[1])) continue;
                put_number(element_of(one, call->type, i, j), call->type, none);
            }
    }
}

/* The sum of an element: `own` and `other` are the bits of C and A. */
static inline void call_sum(const struct call *call, uint64_t own, uint64_t other,
                            char *at)
{
    const double alpha[] = {coefficients[call->alpha[0]], coefficients[call->alpha[1]]};
    const double beta[] = {coefficients[call->beta[0]], coefficients[call->beta[1]]};
    bool conjugates = call->family == TRANC;
    double c[2], a[2];
    if (call->family == GEADD || call->family == TRADD)
        conjugates = (call_letter(call) | 32) == 'c';
    number_of(own, c);
    number_of(other, a);
    if (call->type < 3) a[1] = c[1] = 0;
    if (conjugates) a[1] = -a[1];
    const double sum[] = {
        alpha[0] * a[0] - alpha[1] * a[1] + beta[0] * c[0] - beta[1] * c[1],
        alpha[0] * a[1] + alpha[1] * a[0] + beta[0] * c[1] + beta[1] * c[0]};
    put_number(at, call->type, sum);
}

/* Change the target as the call must. */
static inline void call_expect(const struct call *call, const struct drawn matrix[])
{
    const struct drawn *b = &matrix[B];
    const struct matrix_layout *a = &matrix[A].layout;
    for (int j = 0; j < b->columns; j++)
        for (int i = 0; i < b->lld; i++) {
            int at[2], turned = call_transposes(call);
            if (!call_find(call, B, b, i, j, at) || !call_has(call, at[0], at[1]))
                continue;
            int number = call->number + (call->shared ? B : A);
            uint64_t other = bits_of(number, a->start[0] - 1 + at[turned],
                                     a->start[1] - 1 + at[!turned]);
            char *to = element_of(b, call->type, i, j);
            if (call_copies(call))
                put_bits(to, call->type, other);
            else
                call_sum(call,
                         bits_of(call->number + B, b->global[0][i], b->global[1][j]),
                         other, to);
        }
}

/* ---- the libraries ----------------------------------------------------------------- */

#define MATRIX(x, at) (at), &(x)->start[0], &(x)->start[1], (x)->desc
#define MATRIX_FROM_C(x, at) (at), (x)->start[0], (x)->start[1], (x)->desc

static inline void call_copy(enum library library, const struct call *call,
                             const struct drawn matrix[], const char *from, char *to,
                             int context)
{
    const struct drawn *a = &matrix[A], *b = &matrix[B];
    const char *uplo = &uplos[call->uplo], *diag = &diags[call->letter];
    const int m = call->m, n = call->n;
    bool from_c = call->form % 2, old = call->form >= OLD_FORTRAN;
    const char *ends[2][2] = {{"_", ""}, {"o_", "o"}};
    char name[16];
    gemr2d *all;
    trmr2d *part;
    c_gemr2d *c_all;
    c_trmr2d *c_part;
    (void)snprintf(name, sizeof name, "%smr2d%s", call->family == GEMR2D ? "ge" : "tr",
                   ends[old][from_c]);
    const char *prefix = from_c ? "Cp" : "p";
    const char letter = type_letter[call->type];
    if (call->family == GEMR2D && from_c) { /* an old form ignores the context */
        find_routine(library, prefix, letter, name, &c_all);
        c_all(m, n, MATRIX_FROM_C(a, from), MATRIX_FROM_C(b, to), context);
    } else if (call->family == GEMR2D) {
        find_routine(library, prefix, letter, name, &all);
        all(&m, &n, MATRIX(a, from), MATRIX(b, to), &context);
    } else if (from_c) {
        find_routine(library, prefix, letter, name, &c_part);
        c_part(uplo, diag, m, n, MATRIX_FROM_C(a, from), MATRIX_FROM_C(b, to), context);
    } else {
        find_routine(library, prefix, letter, name, &part);
        part(uplo, diag, &m, &n, MATRIX(a, from), MATRIX(b, to), &context);
    }
}

static inline void call_add(enum library library, const struct call *call,
                            const struct drawn matrix[], const char *from, char *to)
{
    const struct drawn *a = &matrix[A], *c = &matrix[B];
    char letter = type_letter[call->type], trans = call_letter(call), alpha[16], beta[16];
    const char *name = call->type < 3          ? "tran_"
                       : call->family == TRANC ? "tranc_"
                                               : "tranu_";
    const int m = call->m, n = call->n;
    tran *transpose;
    geadd *all;
    tradd *part;
    coefficient(call, call->alpha, alpha);
    coefficient(call, call->beta, beta);
    if (call->family == GEADD) {
        find_routine(library, "p", letter, "geadd_", &all);
        all(&trans, &m, &n, alpha, MATRIX(a, from), beta, MATRIX(c, to));
    } else if (call->family == TRADD) {
        find_routine(library, "p", letter, "tradd_", &part);
        part(&uplos[call->uplo], &trans, &m, &n, alpha, MATRIX(a, from), beta,
             MATRIX(c, to));
    } else {
        find_routine(library, "p", letter, name, &transpose);
        transpose(&m, &n, alpha, MATRIX(a, from), beta, MATRIX(c, to));
    }
}

#endif
