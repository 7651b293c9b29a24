/* SPDX-License-Identifier: MIT
 *
 * Sections of arrays in files, written and read by random views, beside an array in
 * memory that every process keeps of the whole file.
 *
 *     test_files [ENDING..]     of the names: npy, raw, h5:/group/t, zarr:/group/t; by
 *                               default the first two
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <redist/files.h>

#include "files/zarr/folder.h"
#include "mpi/sample.h"

enum { CASES = 60, LONG_CASES = 1000, ROUNDS = 4 };

/* What the file must hold. */
struct model {
    redist_file_layout layout;
    int64_t element, elements;
    unsigned char *bytes; /* in row-major order */
};

/* A section of it. */
struct part {
    int whole;
    int64_t n[SAMPLE_MAX_DIMS], start[SAMPLE_MAX_DIMS], stride[SAMPLE_MAX_DIMS];
};

/* ---- random cases ------------------------------------------------------------------ */

static const char *random_type(uint64_t *seed, int64_t *element)
{
    static char type[16];
    *element = random_element(seed);
    snprintf(type, sizeof type, "|V%d", (int)*element);
    if (*element == 8 && random_in(seed, 0, 1)) return ">f8";
    if (*element == 4 && random_in(seed, 0, 1)) return "<i4";
    return type;
}

static struct model random_model(uint64_t *seed)
{
    struct model m = {.layout = {.size = sizeof m.layout}, .elements = 1};
    redist_file_layout *layout = &m.layout;
    layout->ndims = random_extents(seed, layout->shape);
    layout->type = random_type(seed, &m.element);
    layout->order = random_in(seed, 0, 1) ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    layout->offset = random_in(seed, 0, 1) * random_in(seed, 0, 5000);
    int chunked = (int)random_in(seed, 0, 2);
    for (int i = 0; i < layout->ndims; i++) {
        m.elements *= layout->shape[i];
        if (chunked) layout->chunk[i] = random_in(seed, 1, layout->shape[i] + 2);
    }
    m.bytes = calloc((size_t)(m.elements * m.element) + 1, 1);
    return m;
}

static struct part random_part(uint64_t *seed, const struct model *m, int whole)
{
    struct part part = {.whole = whole};
    for (int i = 0; i < m->layout.ndims; i++) {
        int64_t shape = m->layout.shape[i];
        part.n[i] = shape;
        part.stride[i] = 1;
        if (whole || shape == 0) continue;
        part.start[i] = random_in(seed, 0, shape - 1);
        part.stride[i] = random_in(seed, 0, 1) ? 1 : random_in(seed, 1, 4);
        part.n[i] = random_in(seed, 0, (shape - 1 - part.start[i]) / part.stride[i] + 1);
    }
    return part;
}

/* The file's element, in row-major order, that is element k of a section. */
static int64_t place(const struct model *m, const struct part *part, int64_t k)
{
    int64_t at = 0, scale = 1;
    for (int i = m->layout.ndims - 1; i >= 0; i--) {
        at += (part->start[i] + k % part->n[i] * part->stride[i]) * scale;
        k /= part->n[i];
        scale *= m->layout.shape[i];
    }
    return at;
}

/* ---- writing and reading ----------------------------------------------------------- */

struct context {
    const struct model *model;
    const struct part *part;
    unsigned char *buffer;
    int64_t salt;
};

static void put_salted(void *context, int64_t at, int64_t k)
{
    const struct context *c = context;
    int64_t element = c->model->element;
    for (int64_t b = 0; b < element; b++)
        c->buffer[at * element + b] = sample_byte(k + c->salt, b);
}

static void put_model(void *context, int64_t at, int64_t k)
{
    const struct context *c = context;
    int64_t element = c->model->element;
    memcpy(c->buffer + at * element,
           c->model->bytes + place(c->model, c->part, k) * element, (size_t)element);
}

static redist_err transfer(redist_file *file, int write, const struct part *part,
                           const redist_view *view, MPI_Datatype type, void *buffer)
{
    if (part->whole)
        return write ? redist_file_write(file, view, type, buffer)
                     : redist_file_read(file, view, type, buffer);
    return write ? redist_file_write_section(file, part->start, part->stride, view, type,
                                             buffer)
                 : redist_file_read_section(file, part->start, part->stride, view, type,
                                            buffer);
}

static void write_part(redist_file *file, struct model *m, uint64_t *seed, int whole,
                       MPI_Datatype type)
{
    struct part part = random_part(seed, m, whole);
    struct sample s;
    int64_t salt = random_in(seed, 0, 1 << 20), n = 1;
    sample_make(&s, seed, m->layout.ndims, part.n, world_size(), SAMPLE_REPLICAS);
    unsigned char *buffer = poisoned(s.span * m->element);
    struct context context = {m, &part, buffer, salt};
    sample_each(&s, 0, put_salted, &context);
    CHECK_OK(transfer(file, 1, &part, &s.view, type, buffer));
    for (int i = 0; i < m->layout.ndims; i++) n *= part.n[i];
    for (int64_t k = 0; k < n; k++)
        for (int64_t b = 0; b < m->element; b++)
            m->bytes[place(m, &part, k) * m->element + b] = sample_byte(k + salt, b);
    free(buffer);
    sample_free(&s);
}

static void read_part(redist_file *file, const struct model *m, uint64_t *seed, int whole,
                      MPI_Datatype type)
{
    struct part part = random_part(seed, m, whole);
    struct sample s;
    sample_make(&s, seed, m->layout.ndims, part.n, world_size(), SAMPLE_REPLICAS);
    unsigned char *buffer = poisoned(s.span * m->element);
    unsigned char *expected = poisoned(s.span * m->element);
    struct context context = {m, &part, expected, 0};
    sample_each(&s, 0, put_model, &context);
    CHECK_OK(transfer(file, 0, &part, &s.view, type, buffer));
    CHECK(memcmp(buffer, expected, (size_t)(s.span * m->element) + 1) == 0,
          "a section of %s", m->layout.type);
    free(buffer);
    free(expected);
    sample_free(&s);
}

/* Read and write sections; the first is written whole. */
static void exercise(redist_file *file, struct model *m, uint64_t *seed, int rounds)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)m->element, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int round = 0; round < rounds; round++) {
        int whole = round == 0 || random_in(seed, 0, 3) == 0;
        write_part(file, m, seed, whole, type);
        read_part(file, m, seed, random_in(seed, 0, 3) == 0, type);
    }
    MPI_Type_free(&type);
}

/* ---- what lies in the file --------------------------------------------------------- */

/* The file's element number `at`, in the order of the file, as one in row-major order. */
static int64_t in_file(const redist_file_layout *layout, int64_t at)
{
    int64_t index[SAMPLE_MAX_DIMS], row_major = 0;
    for (int k = layout->ndims - 1; k >= 0; k--) {
        int i = layout->order == REDIST_COLUMN_MAJOR ? layout->ndims - 1 - k : k;
        index[i] = at % layout->shape[i];
        at /= layout->shape[i];
    }
    for (int i = 0; i < layout->ndims; i++)
        row_major = row_major * layout->shape[i] + index[i];
    return row_major;
}

/* The elements of .npy and raw files lie dense at the end. */
static void check_bytes(const char *name, const struct model *m)
{
    struct stat status;
    int file = open(name, O_RDONLY);
    CHECK(file >= 0 && fstat(file, &status) == 0, "%s is not there", name);
    int64_t bytes = m->elements * m->element, begin = status.st_size - bytes;
    unsigned char *found = malloc((size_t)bytes + 1);
    CHECK(pread(file, found, (size_t)bytes, begin) == bytes, "%s is short", name);
    for (int64_t at = 0; at < m->elements; at++)
        CHECK(memcmp(found + at * m->element,
                     m->bytes + in_file(&m->layout, at) * m->element,
                     (size_t)m->element) == 0,
              "element %" PRId64 " of %s", at, name);
    if (strcmp(name + strlen(name) - 4, ".raw") == 0)
        CHECK(begin == m->layout.offset, "data at %" PRId64, begin);
    else
        CHECK(begin % 64 == 0, "data at %" PRId64, begin);
    free(found);
    close(file);
}

static void check_layout(const redist_file *file, const struct model *m)
{
    redist_file_layout layout;
    CHECK_OK(redist_file_describe(file, &layout));
    CHECK(layout.ndims == m->layout.ndims && strcmp(layout.type, m->layout.type) == 0,
          "%d dimensions of %s", layout.ndims, layout.type);
    int one = layout.ndims == 1; /* both orders are one */
    CHECK(one || layout.order == m->layout.order, "order %d", (int)layout.order);
    for (int i = 0; i < layout.ndims; i++)
        CHECK(layout.shape[i] == m->layout.shape[i], "shape[%d]", i);
}

/* Rank 0 looks at the file, and removes it. */
static void finish(const char *name, const struct model *m)
{
    char path[64];
    if (world_rank() == 0) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(name, ":"), name);
        if (!strchr(name, ':')) check_bytes(name, m);
        if (strstr(path, ".zarr"))
            CHECK(folder_remove(path) == 0, "%s", path);
        else
            CHECK(unlink(path) == 0, "%s is not there", path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Copy it into a file of another order. */
static void copy(redist_file *file, const struct model *m, uint64_t *seed,
                 const char *name)
{
    struct model other = *m;
    redist_file *to = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    other.layout.order = random_in(seed, 0, 1) ? REDIST_ROW_MAJOR : REDIST_COLUMN_MAJOR;
    other.layout.offset = 3;
    other.layout.codec = NULL;
    options.layout = &other.layout;
    options.staging_bytes = (size_t)(8 * m->element + random_in(seed, 0, 300));
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, name, REDIST_FILE_CREATE, &options, &to));
    CHECK_OK(redist_file_copy(file, to));
    CHECK_OK(redist_file_close(&to));
    finish(name, &other);
}

/* How Zarr may compress, and which version it is. */
static void extend_to_zarr(struct model *m, uint64_t *seed)
{
    static const char *const codecs[] = {NULL, "none", "gzip", "zstd", "zstd:1", "blosc"};
    m->layout.codec = codecs[random_in(seed, 0, 5)];
    m->layout.version = (int[]){0, 2, 3}[random_in(seed, 0, 2)];
}

/* What HDF5 does not have, and how it may compress. */
static void limit_to_hdf5(struct model *m, uint64_t *seed)
{
    static const char *const codecs[] = {NULL, NULL, "none", "gzip", "gzip:1", "gzip:0"};
    m->layout.order = REDIST_ROW_MAJOR;
    m->layout.offset = 0;
    m->layout.codec = codecs[random_in(seed, 0, 5)];
}

static void run_case(uint64_t *seed, const char *name)
{
    struct model m = random_model(seed);
    redist_file *file = NULL;
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    int raw = strstr(name, ".raw") != NULL;
    char copied[64];
    if (strstr(name, ".zarr"))
        extend_to_zarr(&m, seed);
    else if (strchr(name, ':'))
        limit_to_hdf5(&m, seed);
    snprintf(copied, sizeof copied, "copy-%.*s.%s", (int)strcspn(name, ":"), name,
             raw ? "npy" : "raw");
    options.layout = &m.layout;
    options.writers = (int)random_in(seed, 0, world_size());
    bool chunked = m.layout.chunk[0] || m.layout.codec || strstr(name, ".zarr");
    if (!chunked && random_in(seed, 0, 1)) /* short slabs */
        options.staging_bytes = (size_t)(8 * m.element + random_in(seed, 0, 300));
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, name, REDIST_FILE_CREATE, &options, &file));
    check_layout(file, &m);
    exercise(file, &m, seed, 1);
    CHECK_OK(redist_file_close(&file));
    CHECK(!file, "closed");
    if (world_rank() == 0 && !strchr(name, ':')) check_bytes(name, &m);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!raw) options.layout = NULL;
    CHECK_OK(redist_file_open(MPI_COMM_WORLD, name, REDIST_FILE_UPDATE, &options, &file));
    check_layout(file, &m);
    exercise(file, &m, seed, ROUNDS);
    copy(file, &m, seed, copied);
    CHECK_OK(redist_file_close(&file));
    finish(name, &m);
    free(m.bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    uint64_t seed = test_seed();
    int cases = long_run() ? LONG_CASES : cases_of(world_size(), CASES, CASES);
    static char *usual[] = {"npy", "raw"};
    char name[64], **endings = argc > 1 ? argv + 1 : usual;
    int nendings = argc > 1 ? argc - 1 : 2;
    MPI_Comm comm; /* of MPI_INFO_NULL, too, HDF5 must see what a program sees */
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    MPI_Comm_free(&comm);
    long id = (long)getpid();
    MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int k = 0; k < cases; k++) {
        snprintf(name, sizeof name, "files-%ld.%s", id, endings[k % nendings]);
        run_case(&seed, name);
    }
    return passed("%d files", cases);
}
