/* SPDX-License-Identifier: MIT
 *
 * Illegal arguments. Of the PBLAS every one, and pairs of them: both libraries report the
 * same position, to the handler that this program brings. Of the redistribution routines,
 * where ScaLAPACK ends the program without a position: the one that is expected, from
 * pxerbla, the target untouched, and the next call works.
 */
#include <stdarg.h>

#include "peers/blacs.h"

/* ---- the handlers that both libraries find ----------------------------------------- */

static int reported;

void PB_Cabort(int context, const char *routine, int info);
void PB_Cwarn(int context, int line, const char *routine, const char *format, ...);
void pxerbla_(const int *context, const char *routine, const int *info, size_t length);

void PB_Cabort(int context, const char *routine, int info)
{
    (void)context, (void)routine;
    reported = -info;
}

void PB_Cwarn(int context, int line, const char *routine, const char *format, ...)
{
    (void)context, (void)line, (void)routine, (void)format;
}

void pxerbla_(const int *context, const char *routine, const int *info, size_t length)
{
    (void)context, (void)routine;
    CHECK(length > 0, "the routine has no name");
    reported = *info;
}

/* ---- the PBLAS --------------------------------------------------------------------- */

enum { M, N, IA, JA, IC, JC, DESC_A, DESC_C = DESC_A + 9, NUMBERS = DESC_C + 9 };

struct call {
    char uplo, trans;
    int number[NUMBERS];
};

/* What makes a number illegal, whatever the others are. */
static int illegal_value(int which)
{
    static const int entry[9] = {7, -1, -1, -1, 0, 0, -2, -2, 0};
    if (which >= DESC_C) return entry[which - DESC_C];
    if (which >= DESC_A) return entry[which - DESC_A];
    return which <= N ? -1 : 0;
}

enum family { TRAN, GEADD, TRADD, FAMILIES };

static int position_by(enum library library, enum family family, struct call *call)
{
    static double a[64 * 64], c[64 * 64];
    const double alpha = 2, beta = 3;
    int *x = call->number;
    tran *transpose;
    geadd *all;
    tradd *part;
    reported = 0;
    if (family == TRAN) {
        find_routine(library, "p", 'd', "tran_", &transpose);
        transpose(x + M, x + N, &alpha, a, x + IA, x + JA, x + DESC_A, &beta, c, x + IC,
                  x + JC, x + DESC_C);
    } else if (family == GEADD) {
        find_routine(library, "p", 'd', "geadd_", &all);
        all(&call->trans, x + M, x + N, &alpha, a, x + IA, x + JA, x + DESC_A, &beta, c,
            x + IC, x + JC, x + DESC_C);
    } else {
        find_routine(library, "p", 'd', "tradd_", &part);
        part(&call->uplo, &call->trans, x + M, x + N, &alpha, a, x + IA, x + JA,
             x + DESC_A, &beta, c, x + IC, x + JC, x + DESC_C);
    }
    return reported;
}

static struct call legal_call(int context, char trans)
{
    struct call call = {.uplo = 'U', .trans = trans};
    const int desc[9] = {1, context, 30, 30, 4, 4, 0, 0, 40};
    const int first[] = {10, 20, 3, 3, 5, 5};
    memcpy(call.number, first, sizeof first);
    memcpy(call.number + DESC_A, desc, sizeof desc);
    memcpy(call.number + DESC_C, desc, sizeof desc);
    return call;
}

static void spoil(struct call *call, int which)
{
    if (which < NUMBERS) call->number[which] = illegal_value(which);
    if (which == NUMBERS) call->number[IA] = 29; /* out of bounds with M */
    if (which == NUMBERS + 1) call->number[JC] = 29;
    if (which == NUMBERS + 2) call->uplo = 'X';
    if (which == NUMBERS + 3) call->trans = 'X';
    if (which == NUMBERS + 4) call->number[M] = 0; /* legal, but less is asked */
}

static void compare_pblas(int context)
{
    int compared = 0, refused = 0;
    for (int f = 0; f < FAMILIES; f++)
        for (int t = 0; t < 2; t++)
            for (int i = 0; i <= NUMBERS + 4; i++)
                for (int j = 0; j <= i; j++) {
                    struct call call = legal_call(context, "NT"[t]);
                    spoil(&call, i);
                    spoil(&call, j);
                    int theirs = position_by(THEIRS, (enum family)f, &call);
                    int ours = position_by(OURS, (enum family)f, &call);
                    CHECK(ours == theirs, "routine %d, %c, spoilt %d and %d: %d, not %d",
                          f, "NT"[t], i, j, ours, theirs);
                    compared++;
                    refused += theirs != 0;
                }
    CHECK(refused > compared / 2, "%d of %d", refused, compared);
    if (world_rank() == 0) printf("%d calls, %d of them refused\n", compared, refused);
}

/* ---- redistribution ---------------------------------------------------------------- */

struct expected {
    int argument; /* from 1, as in p?gemr2d; or 100 times that of a descriptor + entry */
    int value, position;
};

static int copy_report(int context, const struct expected *spoilt, double b[],
                       const char *uplo)
{
    static double a[64 * 64];
    int m = 10, n = 20, at[] = {3, 3, 5, 5};
    int desc[2][9] = {{1, context, 30, 30, 4, 4, 0, 0, 40},
                      {1, context, 30, 30, 5, 5, 0, 0, 40}};
    gemr2d *all;
    trmr2d *part;
    switch (spoilt->argument) {
        case 0: break;
        case 1: m = spoilt->value; break;
        case 2: n = spoilt->value; break;
        case 4: at[0] = spoilt->value; break;
        case 5: at[1] = spoilt->value; break;
        case 8: at[2] = spoilt->value; break;
        case 9: at[3] = spoilt->value; break;
        default:
            desc[spoilt->argument >= 1000][spoilt->argument % 100 - 1] = spoilt->value;
    }
    reported = 0;
    if (!uplo) {
        find_routine(OURS, "p", 'd', "gemr2d_", &all);
        all(&m, &n, a, &at[0], &at[1], desc[0], b, &at[2], &at[3], desc[1], &context);
    } else {
        find_routine(OURS, "p", 'd', "trmr2d_", &part);
        part(uplo, "N", &m, &n, a, &at[0], &at[1], desc[0], b, &at[2], &at[3], desc[1],
             &context);
    }
    return reported;
}

static void check_copies(int context)
{
    static const struct expected cases[] = {
        {0, 0, 0},       {1, -1, 1},      {2, -3, 2},      {4, 0, 4},
        {4, 22, 4},      {5, 0, 5},       {5, 12, 5},      {8, -1, 8},
        {8, 22, 8},      {9, 0, 9},       {9, 12, 9},      {605, 0, 605},
        {606, 0, 606},   {607, -1, 607},  {607, 9, 607},   {608, 9, 608},
        {609, 1, 609},   {1005, 0, 1005}, {1007, 9, 1007}, {1008, -1, 1008},
        {1009, 2, 1009},
    };
    static double b[64 * 64];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int trapezoid = 0; trapezoid < 2; trapezoid++) {
            for (int i = 0; i < 64 * 64; i++) b[i] = 7;
            int position = copy_report(context, &cases[k], b, trapezoid ? "L" : NULL);
            int expected = cases[k].position;
            if (trapezoid && expected) expected += expected > 100 ? 200 : 2;
            CHECK(position == expected, "argument %d of %d: position %d, not %d",
                  cases[k].argument, cases[k].value, position, expected);
            int written = 0;
            for (int i = 0; i < 64 * 64; i++) written += b[i] != 7;
            CHECK((written > 0) == (expected == 0) || world_size() > 1, "%d written",
                  written);
            CHECK(written == 0 || expected == 0, "%d written all the same", written);
        }
}

/* A leading dimension that is too short on one process: that one reports it, nobody
 * waits, whether there is a plan or not, and the next call works. Processes are in both
 * grids. */
static void check_one_process(int context)
{
    static double a[64 * 64], b[64 * 64];
    const int one = 1, n = 30;
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int k = 0; k < 64 * 64; k++) a[k] = k % 40;
    enum { TO_BE_MADE, MADE, NEEDLESS, KINDS }; /* of plans; high blocks need none */
    for (int plan = 0; plan < KINDS; plan++)
        for (int side = 0; side < 2; side++)
            for (int legal = 0; legal < 2; legal++) {
                int height = plan == NEEDLESS ? n : 4;
                int width = plan == MADE ? 3 : 4 + side;
                int desc[2][9] = {{1, context, n, n, height, width, 0, 0, 40},
                                  {1, context, n, n, height + 1, 4, 0, 0, 40}};
                bool bad = !legal && world_rank() == world_size() - 1;
                if (plan == MADE && !legal)
                    copy(&n, &n, a, &one, &one, desc[0], b, &one, &one, desc[1],
                         &context);
                if (bad) desc[side][8] = 1;
                reported = 0;
                memset(b, 0, sizeof b);
                copy(&n, &n, a, &one, &one, desc[0], b, &one, &one, desc[1], &context);
                int expected = bad ? side ? 1009 : 609 : 0;
                CHECK(reported == expected, "%d, not %d", reported, expected);
                for (int i = 0; i < n && legal; i++)
                    CHECK(b[i] == i, "row %d is %g", i, b[i]);
            }
}

/* The same beside what all refuse, which all report then: nobody waits for the others. */
static void check_both(int context)
{
    static double a[64 * 64], b[64 * 64];
    const int one = 1, n = 30, lld = world_rank() == 0 ? 1 : 40;
    const int desc_a[9] = {1, context, n, n, 4, 6, 0, 0, lld};
    const int desc_b[9] = {1, context, n, n, 5, 4, -1, 0, 40};
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    reported = 0;
    copy(&n, &n, a, &one, &one, desc_a, b, &one, &one, desc_b, &context);
    CHECK(reported == 1007, "%d, not 1007", reported);
}

/* A grid that is nobody's, before there is any context. */
static void check_nobody(void)
{
    const int one = 1, n = 10, desc[9] = {1, -1};
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2do_", &copy);
    reported = 0;
    copy(&n, &n, NULL, &one, &one, desc, NULL, &one, &one, desc, NULL);
    CHECK(reported == 11, "%d", reported);
}

/* A grid of which the context has one process, which all of its processes refuse. */
static void check_outside(int context, const int map[])
{
    static double a[64 * 64], b[64 * 64];
    const int one = 1, n = 10;
    const int desc[9] = {1, context, n, n, 4, 4, 0, 0, 40};
    int alone = make_grid(MPI_COMM_WORLD, map, 1, 1);
    gemr2d *copy;
    find_routine(OURS, "p", 'd', "gemr2d_", &copy);
    for (int k = 0; k < 64 * 64; k++) a[k] = 1, b[k] = 0;
    reported = 0;
    if (alone >= 0) copy(&n, &n, a, &one, &one, desc, b, &one, &one, desc, &alone);
    bool refused = alone >= 0 && world_size() > 1;
    CHECK(reported == (refused ? 11 : 0), "%d", reported);
    CHECK(b[0] == (alone >= 0 && !refused), "%g", b[0]);
    if (alone >= 0) Cblacs_gridexit(alone);
}

/* A trapezoid without elements: what one process refuses, or all of a grid do, nobody
 * else hears of; so none may wait for another. */
static void check_empty(int context, const int map[])
{
    static double a[64 * 64], b[64 * 64];
    const int one = 1, outside = 41, n = 40;
    int alone = make_grid(MPI_COMM_WORLD, map, 1, 1);
    trmr2d *part;
    find_routine(OURS, "p", 'd', "trmr2d_", &part);
    for (int refused = 0; refused < 2; refused++) { /* by one process; by a grid */
        int grid = refused ? alone : context, lld = refused || world_rank() ? 40 : 0;
        int from = refused ? outside : one;
        const int desc_a[9] = {1, grid, n, n, 4, 4, 0, 0, lld};
        const int desc_b[9] = {1, context, n, n, 5, 4, 0, 0, 40};
        int expected = world_rank() != 0 ? 0 : refused ? 6 : 809;
        reported = 0;
        part("U", "U", &one, &one, a, &from, &one, desc_a, b, &one, &one, desc_b,
             &context);
        CHECK(reported == expected, "%d, not %d", reported, expected);
    }
    if (alone >= 0) Cblacs_gridexit(alone);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int map[64], size = world_size();
    for (int k = 0; k < size; k++) map[k] = k;
    check_nobody();
    int context = make_grid(MPI_COMM_WORLD, map, 1, size);
    check_empty(context, map);
    compare_pblas(context);
    check_copies(context);
    check_one_process(context);
    check_both(context);
    check_outside(context, map);
    Cblacs_gridexit(context);
    if (world_rank() == 0) puts("PASS: illegal arguments");
    MPI_Finalize();
    return 0;
}
