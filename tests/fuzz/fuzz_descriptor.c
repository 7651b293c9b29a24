/* SPDX-License-Identifier: MIT
 *
 * Descriptors of ScaLAPACK and of MPI, of any numbers. The drop-in finds its grids in a
 * BLACS that is made up here: its checks are asked for any place in any grid, and agree
 * with what follows from them; over a single process its routines then move the data.
 */
#include <limits.h>
#include <redist/redist.h>
#include <string.h>

#include "fuzz.h"
#include "views.h"

#include "base/intmath.h"
#include "bind/scalapack/matrix/matrix.h"

enum { INTS = 11, CONTEXT = 3, MOST_MEMORY = 1 << 12 };

static int grid_shape[2], grid_mine[2], illegal;

/* ---- the BLACS --------------------------------------------------------------------- */

void blacs_get_(const int *context, const int *what, int *value);
void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column);
void pxerbla_(const int *context, const char *routine, const int *info, size_t length);
void PB_Cabort(int context, const char *routine, int info);
void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb,
               const int *desc_b, const int *context);
void pdgeadd_(const char *trans, const int *m, const int *n, const void *alpha,
              const void *a, const int *ia, const int *ja, const int *desc_a,
              const void *beta, void *c, const int *ic, const int *jc, const int *desc_c);

void blacs_get_(const int *context, const int *what, int *value)
{
    (void)context, (void)what;
    *value = MPI_Comm_c2f(MPI_COMM_SELF);
}

void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column)
{
    bool known = *context == CONTEXT;
    *rows = known ? grid_shape[0] : -1;
    *columns = known ? grid_shape[1] : -1;
    *row = known ? grid_mine[0] : -1;
    *column = known ? grid_mine[1] : -1;
}

void pxerbla_(const int *context, const char *routine, const int *info, size_t length)
{
    (void)context;
    CHECK(length == strlen(routine));
    illegal = *info;
}

void PB_Cabort(int context, const char *routine, int info)
{
    (void)context, (void)routine;
    illegal = -info;
}

/* ---- a matrix ---------------------------------------------------------------------- */

/* A matrix and its section. */
struct drawn {
    int descriptor[INTS], row, column;
};

static int draw_entry(struct bytes *in, int usual)
{
    return take_below(in, 4) ? usual : take_int(in, INT_MIN, INT_MAX);
}

static struct drawn draw(struct bytes *in, const int n[2])
{
    struct drawn drawn = {.row = draw_entry(in, 1 + take_below(in, 4)),
                          .column = draw_entry(in, 1 + take_below(in, 4))};
    int *d = drawn.descriptor, inb = take_below(in, 4) == 0, k = 4;
    d[0] = draw_entry(in, inb ? 2 : 1);
    d[1] = draw_entry(in, CONTEXT);
    for (int i = 0; i < 2; i++)
        d[2 + i] = draw_entry(in, n[i] % 1000 + take_below(in, 8));
    for (int i = 0; i < (inb ? 4 : 2); i++)
        d[k++] = draw_entry(in, 1 + take_below(in, 5));
    for (int i = 0; i < 2; i++) d[k++] = draw_entry(in, take_below(in, 2));
    d[k] = draw_entry(in, 1 + take_below(in, 40));
    return drawn;
}

/* The section of an accepted matrix lies in the part of memory that its process has. */
static void check_part(const struct matrix *matrix, const int64_t n[2])
{
    const int64_t zero[2] = {0, 0};
    struct box box = matrix_box(matrix, zero, n);
    for (int d = 0; d < 2 && matrix->member; d++) {
        const struct spread *spread = &matrix->spread[d];
        int64_t here = spread_count(spread, spread->extent, matrix->mine[d]);
        CHECK(here >= 0 && here <= spread->extent);
        CHECK(box.begin[d] >= 0 && box.count[d] >= 0 && box.count[d] <= n[d]);
        CHECK(box.count[d] <= here - box.begin[d]);
        if (box.count[d] > 0) {
            int64_t last = box.begin[d] + box.count[d] - 1;
            int64_t global = spread_global(spread, last, matrix->mine[d]);
            CHECK(global >= matrix->start[d] && global < matrix->start[d] + n[d]);
        }
        if (n[d] == 0) continue;
        struct cut cut = spread_cut(spread, matrix->start[d], n[d]);
        int64_t count = cut_count(&cut, matrix->mine[d]);
        CHECK(cut.n == n[d] && cut.before >= 0 && cut.block >= 1 && count >= 0);
        CHECK(spread->procs == 1 || count >= box.count[d]);
    }
}

/* Elements of a matrix's memory on this process, 0 if they are too many. */
static int64_t memory_of(const struct matrix *matrix)
{
    int64_t columns = spread_count(&matrix->spread[1], matrix->spread[1].extent, 0);
    int64_t elements = matrix->lld * int_max(columns, 1);
    return elements <= MOST_MEMORY ? elements : 0;
}

/* Copy, with the drop-in, and compare with a loop. */
static void copy(const struct drawn drawn[2], const struct matrix matrix[2], int m, int n,
                 bool adds)
{
    const int context = CONTEXT;
    const double one = 1, zero = 0;
    int64_t room[2] = {memory_of(&matrix[0]), memory_of(&matrix[1])};
    if (room[0] == 0 || room[1] == 0) return;
    double *a = malloc((size_t)room[0] * sizeof *a);
    double *b = malloc((size_t)room[1] * sizeof *b);
    CHECK(a && b);
    for (int64_t k = 0; k < room[0]; k++) a[k] = 1 + (double)k;
    for (int64_t k = 0; k < room[1]; k++) b[k] = -1 - (double)k;
    const struct drawn *s = &drawn[0], *t = &drawn[1];
    if (adds)
        pdgeadd_("N", &m, &n, &one, a, &s->row, &s->column, s->descriptor, &zero, b,
                 &t->row, &t->column, t->descriptor);
    else
        pdgemr2d_(&m, &n, a, &s->row, &s->column, s->descriptor, b, &t->row, &t->column,
                  t->descriptor, &context);
    CHECK(illegal == 0);
    fuzz_keeps = true; /* the plan */
    for (int64_t k = 0; k < room[1]; k++) {
        int64_t i = k % matrix[1].lld - matrix[1].start[0];
        int64_t j = k / matrix[1].lld - matrix[1].start[1];
        bool in = i >= 0 && i < m && j >= 0 && j < n;
        int64_t from =
            in ? (j + matrix[0].start[1]) * matrix[0].lld + i + matrix[0].start[0] : 0;
        CHECK(b[k] == (in ? a[from] : -1 - (double)k));
    }
    free(a);
    free(b);
}

static void try_copy(struct bytes *in, bool adds)
{
    static const struct positions mr2d[2] = {{1, 2, 4}, {1, 2, 8}};
    static const struct positions pblas[2] = {{2, 3, 6}, {2, 3, 11}};
    int m = draw_entry(in, take_below(in, 12)), n = draw_entry(in, take_below(in, 12));
    const int64_t extents[2] = {m, n};
    bool alone = take_below(in, 2);
    for (int d = 0; d < 2; d++) {
        grid_shape[d] = alone ? 1 : draw_entry(in, 1 + take_below(in, 4));
        grid_mine[d] = alone ? 0 : draw_entry(in, take_below(in, 4));
    }
    const struct drawn drawn[2] = {draw(in, (int[]){m, n}), draw(in, (int[]){m, n})};
    struct matrix matrix[2];
    int found = 0;
    for (int s = 0; s < 2; s++) {
        const struct operand operand = {NULL, drawn[s].row, drawn[s].column,
                                        drawn[s].descriptor};
        if (adds) {
            found = matrix_take_pblas(&operand, extents, pblas[s], CONTEXT, found,
                                      &matrix[s]);
        } else {
            matrix_take(&operand, &matrix[s]);
            if (m < 0 || n < 0) found = 1;
            if (!found) found = matrix_check(&matrix[s], extents, mr2d[s]);
        }
        CHECK(found >= 0 && found < 100 * 20);
    }
    if (found || m == 0 || n == 0) return;
    for (int s = 0; s < 2; s++) check_part(&matrix[s], extents);
    if (alone && matrix[0].member && matrix[1].member) copy(drawn, matrix, m, n, adds);
}

/* ---- descriptors as views ---------------------------------------------------------- */

static void check_view(redist_err err, redist_dist **dist, const redist_view *view)
{
    if (err)
        fuzz_refused(err, NULL);
    else
        views_check(view);
    redist_dist_destroy(dist);
}

static void try_view(struct bytes *in)
{
    const int shape[] = {take_int(in, 1, 40000), take_int(in, 1, 40000)};
    redist_grid *grid = NULL;
    redist_dist *dist = NULL;
    redist_view view;
    GOOD(redist_grid_create(2, shape, REDIST_COLUMN_MAJOR, NULL, &grid));
    const struct drawn drawn = draw(in, shape);
    fuzz_clear();
    redist_err err = redist_view_from_descriptor(drawn.descriptor, grid, &dist, &view);
    if (!err) view.lead[0] = view.lead[1] = 0; /* for itself, no more than a number */
    check_view(err, &dist, &view);
    redist_grid_destroy(&grid);
}

static void try_darray(struct bytes *in)
{
    static const int known[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                                MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG};
    enum { MOST = 16 };
    int sizes[MOST] = {0}, distribs[MOST] = {0}, dargs[MOST] = {0}, procs[MOST] = {0};
    int ndims = draw_entry(in, 1 + take_below(in, 3));
    int order = draw_entry(in, take_below(in, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
    redist_dist *dist = NULL;
    redist_view view;
    for (int i = 0; i < MOST && i < ndims; i++) {
        sizes[i] = take_int(in, INT_MIN, INT_MAX);
        distribs[i] = draw_entry(in, known[take_below(in, 3)]);
        dargs[i] = draw_entry(in, known[3]);
        procs[i] = draw_entry(in, 1 + take_below(in, 4));
    }
    fuzz_clear();
    redist_err err = redist_view_from_darray(ndims, sizes, distribs, dargs, procs, order,
                                             &dist, &view);
    check_view(err, &dist, &view);
}

__attribute__((constructor)) static void begin(void) { fuzz_mpi(); }

void fuzz_one(const uint8_t *data, size_t size)
{
    struct bytes in = {data, data + size};
    illegal = 0;
    switch (take_byte(&in) % 6) {
        case 0: try_view(&in); break;
        case 1: try_darray(&in); break;
        case 2: try_copy(&in, true); break;
        default: try_copy(&in, false); break;
    }
}
