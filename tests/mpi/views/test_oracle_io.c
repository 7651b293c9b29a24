/* SPDX-License-Identifier: MIT
 *
 * The oracle that nobody here wrote: MPI-IO. The source is written collectively to a
 * temporary file through its MPI_Type_create_darray, the target read from it through
 * its own: those bytes must be what redist delivers.
 */
#include <unistd.h>

#include "mpi/check.h"
#include "oracle.h"

enum { CASES = 150, MAX_DIMS = 4 };

/* One side: the arguments of MPI_Type_create_darray, and what MPI and we make of them. */
struct side {
    int gsizes[MAX_DIMS], distribs[MAX_DIMS], dargs[MAX_DIMS], psizes[MAX_DIMS];
    int order, size; /* processes */
    MPI_Datatype filetype;
    int count; /* elements of the calling process, says MPI */
    redist_dist *dist;
    redist_view view;
};

/* ---- random cases ------------------------------------------------------------------ */

static void choose_format(struct side *s, uint64_t *seed, int i, int most)
{
    int procs = s->psizes[i] = (int)random_in(seed, 1, most), n = s->gsizes[i];
    s->dargs[i] = MPI_DISTRIBUTE_DFLT_DARG;
    switch (random_in(seed, 0, 4)) {
        case 0:
            s->distribs[i] = MPI_DISTRIBUTE_NONE;
            s->psizes[i] = 1;
            break;
        case 1: s->distribs[i] = MPI_DISTRIBUTE_BLOCK; break;
        case 2:
            s->distribs[i] = MPI_DISTRIBUTE_BLOCK;
            s->dargs[i] = (n + procs - 1) / procs + (int)random_in(seed, 0, 3);
            break;
        case 3: s->distribs[i] = MPI_DISTRIBUTE_CYCLIC; break;
        default:
            s->distribs[i] = MPI_DISTRIBUTE_CYCLIC;
            s->dargs[i] = (int)random_in(seed, 1, n);
    }
}

/* Over at most as many processes as there are; the others hold nothing. */
static struct side random_side(uint64_t *seed, int ndims, const int gsizes[], int order)
{
    struct side s = {.order = order, .size = 1};
    for (int i = 0; i < ndims; i++) {
        s.gsizes[i] = gsizes[i];
        choose_format(&s, seed, i, world_size() / s.size);
        s.size *= s.psizes[i];
    }
    return s;
}

/* The file holds the array in the order of the side that wrote it; read in the other
 * order it is the array with its dimensions reversed. */
static void reverse_axes(redist_view *view, int ndims)
{
    for (int j = 0; j < ndims; j++) view->axes[j] = ndims - 1 - j;
}

static void make_side(struct side *s, int ndims, MPI_Datatype type, int element)
{
    int rank = world_rank(), bytes = 0;
    int64_t span = -1;
    CHECK_OK(redist_view_from_darray(ndims, s->gsizes, s->distribs, s->dargs, s->psizes,
                                     s->order, &s->dist, &s->view));
    s->filetype = MPI_DATATYPE_NULL;
    if (rank < s->size) {
        MPI_Type_create_darray(s->size, rank, ndims, s->gsizes, s->distribs, s->dargs,
                               s->psizes, s->order, type, &s->filetype);
        MPI_Type_commit(&s->filetype);
        MPI_Type_size(s->filetype, &bytes);
    }
    s->count = bytes / element;
    CHECK_OK(redist_view_span(&s->view, rank, &span));
    CHECK(span == s->count, "a span of %" PRId64 ", MPI says %d", span, s->count);
}

static void free_side(struct side *s)
{
    if (s->filetype != MPI_DATATYPE_NULL) MPI_Type_free(&s->filetype);
    redist_dist_destroy(&s->dist);
}

/* ---- the two ways ------------------------------------------------------------------ */

/* See the file through a side's darray; who holds nothing sees it plainly. */
static void set_view(MPI_File file, const struct side *s, MPI_Datatype type)
{
    MPI_Datatype seen = s->count > 0 ? s->filetype : type;
    int code = MPI_File_set_view(file, 0, type, seen, "native", MPI_INFO_NULL);
    CHECK(code == MPI_SUCCESS, "MPI_File_set_view: %d", code);
}

static void through_the_file(MPI_File file, const struct side *a, const struct side *b,
                             MPI_Datatype type, const void *source, void *target)
{
    int read = -1;
    MPI_Status status;
    set_view(file, a, type);
    int code = MPI_File_write_at_all(file, 0, source, a->count, type, MPI_STATUS_IGNORE);
    CHECK(code == MPI_SUCCESS, "MPI_File_write_at_all: %d", code);
    MPI_File_sync(file); /* sync, barrier, sync: what one wrote another may read */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    set_view(file, b, type);
    code = MPI_File_read_at_all(file, 0, target, b->count, type, &status);
    CHECK(code == MPI_SUCCESS, "MPI_File_read_at_all: %d", code);
    MPI_Get_count(&status, type, &read);
    CHECK(read == b->count || b->count == 0, "%d elements read", read);
}

static void through_redist(const struct side *a, const struct side *b, MPI_Datatype type,
                           const char *strategy, const void *source, void *target)
{
    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *plan;
    options.strategy = strategy;
    CHECK_OK(
        redist_plan_create(MPI_COMM_WORLD, type, &a->view, &b->view, &options, &plan));
    CHECK_OK(redist_execute(plan, source, target));
    CHECK_OK(redist_plan_destroy(&plan));
}

static void describe(int number, const struct side *a, const struct side *b)
{
    char text[2][1024];
    CHECK_OK(redist_view_print(&a->view, text[0], sizeof text[0], NULL));
    CHECK_OK(redist_view_print(&b->view, text[1], sizeof text[1], NULL));
    fprintf(stderr, "case %d: %s -> %s\n", number, text[0], text[1]);
}

static void run_case(MPI_File file, int number, uint64_t *seed)
{
    static const int most[] = {0, 60, 14, 8, 6}, elements[] = {1, 3, 4, 8, 16};
    int ndims = (int)random_in(seed, 1, MAX_DIMS),
        element = elements[random_in(seed, 0, 4)];
    int gsizes[MAX_DIMS], reversed[MAX_DIMS];
    for (int i = 0; i < ndims; i++) gsizes[i] = (int)random_in(seed, 1, most[ndims]);
    for (int i = 0; i < ndims; i++) reversed[i] = gsizes[ndims - 1 - i];
    int fortran[2] = {(int)random_in(seed, 0, 1), (int)random_in(seed, 0, 1)};
    int same = fortran[0] == fortran[1];
    MPI_Datatype type;
    MPI_Type_contiguous(element, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    struct side a =
        random_side(seed, ndims, gsizes, fortran[0] ? MPI_ORDER_FORTRAN : MPI_ORDER_C);
    struct side b = random_side(seed, ndims, same ? gsizes : reversed,
                                fortran[1] ? MPI_ORDER_FORTRAN : MPI_ORDER_C);
    make_side(&a, ndims, type, element);
    make_side(&b, ndims, type, element);
    if (!same) reverse_axes(&b.view, ndims);
    size_t n = (size_t)a.count * (size_t)element, m = (size_t)b.count * (size_t)element;
    unsigned char *source = malloc(n + 1), *read = calloc(m + 1, 1),
                  *target = calloc(m + 1, 1);
    uint64_t noise = *seed + (uint64_t)world_rank() * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t k = 0; k < n; k++) source[k] = (unsigned char)(random_next(&noise) >> 56);
    through_the_file(file, &a, &b, type, source, read);
    through_redist(&a, &b, type, number % 2 ? "alltoallv" : "nonblocking", source,
                   target);
    if (memcmp(read, target, m) != 0) {
        describe(number, &a, &b);
        CHECK(0, "case %d: the target differs from what MPI-IO read", number);
    }
    free(source);
    free(read);
    free(target);
    free_side(&a);
    free_side(&b);
    MPI_Type_free(&type);
}

/* A file of this run's own in the working folder, which closing it removes. */
static MPI_File open_file(char name[], size_t size)
{
    MPI_File file;
    if (world_rank() == 0)
        (void)snprintf(name, size, "redist-oracle-%ld", (long)getpid());
    MPI_Bcast(name, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
    int mode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int code = MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file);
    CHECK(code == MPI_SUCCESS, "MPI_File_open of %s: %d", name, code);
    return file;
}

int main(int argc, char **argv)
{
    char name[64];
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    MPI_File file = open_file(name, sizeof name);
    for (int k = 0; k < CASES; k++) run_case(file, k, &seed);
    MPI_File_close(&file);
    CHECK(access(name, F_OK) != 0, "%s is still there", name);
    return passed("%d random darrays as MPI-IO has them", CASES);
}
