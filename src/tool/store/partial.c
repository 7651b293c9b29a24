/* SPDX-License-Identifier: MIT
 *
 * tool/store/partial.c - combinations by the library are checked against arithmetic that
 * shares no code with it (move/arith/reduce.c).
 */
#include "tool/store/partial.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "describe/dist.h"
#include "files/format/collective.h"
#include "move/arith/reduce.h"

enum { OPERATIONS = REDIST_REDUCTION_BXOR + 1 }; /* those of pairs no file has */

redist_err partial_parse(const char *text, redist_reduction *reduction)
{
    *reduction = REDIST_REDUCTION_NONE;
    if (!text) return REDIST_OK;
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = nearest_to(text);
    for (int k = 1; k < OPERATIONS; k++) {
        if (strcasecmp(text, reduce_name[k]) == 0) *reduction = (redist_reduction)k;
        nearest_offer(&nearest, reduce_name[k]);
    }
    if (*reduction) return REDIST_OK;
    return error_arg("--reduction is \"%s\"%s, must be SUM, PROD, MIN, MAX, LAND, LOR, "
                     "LXOR, BAND, BOR or BXOR",
                     text, nearest_hint(&nearest, hint));
}

const char *partial_name(redist_reduction reduction) { return reduce_name[reduction]; }

/* ---- types ------------------------------------------------------------------------- */

/* y = y op x of each of n numbers. */
typedef void put_together(redist_reduction op, int64_t n, const void *x, void *y);

#define PUT_INTEGERS(name, type, wrapping)                                               \
    static void name(redist_reduction op, int64_t n, const void *from, void *to)         \
    {                                                                                    \
        const type *x = from;                                                            \
        type *y = to; /* NOLINT(bugprone-macro-parentheses): a declaration */            \
        for (int64_t k = 0; k < n; k++) switch (op) {                                    \
                case REDIST_REDUCTION_SUM:                                               \
                    y[k] = (type)((wrapping)y[k] + (wrapping)x[k]);                      \
                    break;                                                               \
                case REDIST_REDUCTION_PROD:                                              \
                    y[k] = (type)((wrapping)y[k] * (wrapping)x[k]);                      \
                    break;                                                               \
                case REDIST_REDUCTION_MIN: y[k] = x[k] < y[k] ? x[k] : y[k]; break;      \
                case REDIST_REDUCTION_MAX: y[k] = x[k] > y[k] ? x[k] : y[k]; break;      \
                case REDIST_REDUCTION_LAND: y[k] = y[k] && x[k]; break;                  \
                case REDIST_REDUCTION_LOR: y[k] = y[k] || x[k]; break;                   \
                case REDIST_REDUCTION_LXOR: y[k] = !y[k] != !x[k]; break;                \
                case REDIST_REDUCTION_BAND: y[k] &= x[k]; break;                         \
                case REDIST_REDUCTION_BOR: y[k] |= x[k]; break;                          \
                case REDIST_REDUCTION_BXOR: y[k] ^= x[k]; break;                         \
                default: break; /* of pairs, which no file has */                        \
            }                                                                            \
    }
PUT_INTEGERS(put_i1, int8_t, uint32_t)
PUT_INTEGERS(put_i2, int16_t, uint32_t)
PUT_INTEGERS(put_u1, uint8_t, uint32_t)
PUT_INTEGERS(put_u2, uint16_t, uint32_t)
PUT_INTEGERS(put_i4, int32_t, uint32_t)
PUT_INTEGERS(put_i8, int64_t, uint64_t)
PUT_INTEGERS(put_u4, uint32_t, uint32_t)
PUT_INTEGERS(put_u8, uint64_t, uint64_t)

/* The library has refused any other operation. (MPI's own operations are no oracle: sums
 * of bytes do not wrap around in every MPI.) */
#define PUT_REALS(name, type)                                                            \
    static void name(redist_reduction op, int64_t n, const void *from, void *to)         \
    {                                                                                    \
        const type *x = from;                                                            \
        type *y = to; /* NOLINT(bugprone-macro-parentheses): a declaration */            \
        for (int64_t k = 0; k < n; k++) {                                                \
            const type u = x[k], v = y[k];                                               \
            bool taken = op == REDIST_REDUCTION_MIN ? u < v : u > v;                     \
            if (op == REDIST_REDUCTION_SUM)                                              \
                y[k] += x[k];                                                            \
            else if (op == REDIST_REDUCTION_PROD)                                        \
                y[k] *= x[k];                                                            \
            else if (taken)                                                              \
                y[k] = x[k];                                                             \
        }                                                                                \
    }
#define PUT_COMPLEX(name, type)                                                          \
    static void name(redist_reduction op, int64_t n, const void *from, void *to)         \
    {                                                                                    \
        const type(*x)[2] = from;                                                        \
        type(*y)[2] = to;                                                                \
        for (int64_t k = 0; k < n; k++) {                                                \
            const type re = y[k][0], im = y[k][1];                                       \
            bool sum = op == REDIST_REDUCTION_SUM;                                       \
            y[k][0] = sum ? re + x[k][0] : re * x[k][0] - im * x[k][1];                  \
            y[k][1] = sum ? im + x[k][1] : re * x[k][1] + im * x[k][0];                  \
        }                                                                                \
    }
PUT_REALS(put_f4, float)
PUT_REALS(put_f8, double)
PUT_COMPLEX(put_c8, float)
PUT_COMPLEX(put_c16, double)

struct number_kind {
    const char *descr; /* after the letter of its byte order */
    MPI_Datatype type;
    put_together *put;
};

static redist_err find_kind(const char *descr, struct number_kind *found)
{
    const struct number_kind kinds[] = {
        {"i4", MPI_INT32_T, put_i4},         {"i8", MPI_INT64_T, put_i8},
        {"u4", MPI_UINT32_T, put_u4},        {"u8", MPI_UINT64_T, put_u8},
        {"f4", MPI_FLOAT, put_f4},           {"f8", MPI_DOUBLE, put_f8},
        {"c8", MPI_C_FLOAT_COMPLEX, put_c8}, {"c16", MPI_C_DOUBLE_COMPLEX, put_c16},
        {"i1", MPI_INT8_T, put_i1},          {"i2", MPI_INT16_T, put_i2},
        {"u1", MPI_UINT8_T, put_u1},         {"u2", MPI_UINT16_T, put_u2},
        {"b1", MPI_C_BOOL, put_u1},
    };
    const uint16_t one = 1;
    char order = *(const unsigned char *)&one ? '<' : '>';
    bool native = *descr == order || *descr == '=' || *descr == '|';
    for (size_t k = 0; native && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(descr + 1, kinds[k].descr) == 0) {
            *found = kinds[k];
            return REDIST_OK;
        }
    return error_arg(
        "--reduction: the dtype is %s, must be b1, i1, i2, i4, i8, u1, u2, u4, u8, f4, "
        "f8, c8 or c16 with %c or | before it",
        descr, order);
}

redist_err partial_type(const char *descr, MPI_Datatype *type)
{
    struct number_kind kind;
    TRY(find_kind(descr, &kind));
    *type = kind.type;
    return REDIST_OK;
}

/* ---- read, check ------------------------------------------------------------------- */

/* Return the replica of a view that a process holds part of; 0 if none. */
static int64_t own_replica(MPI_Comm comm, const redist_view *view)
{
    int rank, coords[REDIST_MAX_DIMS];
    MPI_Comm_rank(comm, &rank);
    return redist_grid_coords(view->dist->grid, rank, coords)
               ? dist_replica(view->dist, coords)
               : 0;
}

redist_err partial_read(MPI_Comm comm, const struct input *input,
                        const redist_view *source, void *buffer,
                        struct progress *progress)
{
    struct input one;
    redist_err err = input_replica(input, own_replica(comm, source), &one);
    err = collective_agree(comm, err);
    if (!err) err = elements_read(comm, &one, source, buffer, progress);
    input_replica_free(&one);
    return err;
}

/* Compute the expected target in `expected`; `next` has room for one more replica. */
static redist_err find_expected(MPI_Comm comm, const struct input *input,
                                redist_reduction reduction, const redist_view *source,
                                const redist_view *target, int64_t span, void *expected,
                                void *next, struct progress *progress)
{
    struct number_kind kind;
    TRY(find_kind(input->npy.descr, &kind));
    for (int64_t k = 0; k < source->dist->nreplicas; k++) {
        struct input one;
        redist_err err = input_replica(input, k, &one);
        err = collective_agree(comm, err);
        if (!err)
            err = elements_fetch(comm, &one, source, target, k > 0 ? next : expected,
                                 progress);
        input_replica_free(&one);
        TRY(err);
        if (k > 0) kind.put(reduction, span, next, expected);
    }
    return REDIST_OK;
}

redist_err partial_check(MPI_Comm comm, const struct input *input,
                         redist_reduction reduction, const redist_view *source,
                         const redist_view *target, const void *buffer,
                         struct progress *progress)
{
    int rank;
    int64_t span = 0;
    void *expected = NULL, *next = NULL;
    MPI_Comm_rank(comm, &rank);
    redist_err err = redist_view_span(target, rank, &span);
    if (!err) {
        expected = mem_alloc(NULL, span, (size_t)input->npy.element_bytes);
        next = mem_alloc(NULL, span, (size_t)input->npy.element_bytes);
        if (!expected || !next) err = REDIST_ERR_MEMORY;
    }
    err = collective_agree(comm, err);
    if (!err)
        err = find_expected(comm, input, reduction, source, target, span, expected, next,
                            progress);
    if (!err) err = elements_compare(comm, input, source, target, buffer, expected);
    mem_free(expected);
    mem_free(next);
    return err;
}
