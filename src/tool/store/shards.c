/* SPDX-License-Identifier: MIT */
#include "tool/store/shards.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/view.h"
#include "files/format/collective.h"
#include "files/format/temporary.h"

/* ---- names ------------------------------------------------------------------------- */

static const char manifest_name[] = "manifest.json";

enum { TRAILER_BYTES = 32 };

static void print_trailer(uint64_t run, int rank, char trailer[TRAILER_BYTES + 1])
{
    (void)snprintf(trailer, TRAILER_BYTES + 1, "rds %016" PRIx64 " %010d\n", run, rank);
}

static redist_err join_path(const char *directory, const char *name, char **path)
{
    int64_t room = (int64_t)(strlen(directory) + strlen(name)) + 2;
    *path = mem_alloc(NULL, room, 1);
    if (!*path) return REDIST_ERR_MEMORY;
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] != '/';
    (void)snprintf(*path, (size_t)room, "%s%s%s", directory, slash ? "/" : "", name);
    return REDIST_OK;
}

static redist_err shard_path(const char *directory, int rank, char **path)
{
    char name[32];
    (void)snprintf(name, sizeof name, "shard-%05d.npy", rank);
    return join_path(directory, name, path);
}

redist_err shards_replace(const char *directory, int nprocs, const struct stat *file,
                          bool *replaced)
{
    *replaced = false;
    for (int rank = 0; rank < nprocs && !*replaced; rank++) {
        struct stat status;
        char *path = NULL;
        TRY(shard_path(directory, rank, &path));
        *replaced = stat(path, &status) == 0 && status.st_dev == file->st_dev &&
                    status.st_ino == file->st_ino;
        mem_free(path);
    }
    return REDIST_OK;
}

/* ---- write one --------------------------------------------------------------------- */

/* Bytes to be written to a file, in order. */
struct sink {
    int descriptor;
    const char *name;
    int64_t offset, fill;
    char *buffer; /* [SINK_BYTES] */
};
enum { SINK_BYTES = 4 << 20 };

static redist_err sink_flush(struct sink *sink)
{
    TRY(write_fully(sink->descriptor, sink->name, sink->buffer, sink->fill,
                    sink->offset));
    sink->offset += sink->fill;
    sink->fill = 0;
    return REDIST_OK;
}

static redist_err sink_put(struct sink *sink, const char *bytes, int64_t size)
{
    if (sink->fill + size > SINK_BYTES) TRY(sink_flush(sink));
    if (size > SINK_BYTES) {
        TRY(write_fully(sink->descriptor, sink->name, bytes, size, sink->offset));
        sink->offset += size;
        return REDIST_OK;
    }
    memcpy(sink->buffer + sink->fill, bytes, (size_t)size);
    sink->fill += size;
    return REDIST_OK;
}

/* A local array and its traversal. */
struct local_array {
    const char *bytes;
    const struct layout *layout;
    const struct npy *npy; /* of the shard */
};

/* Write the elements below `offset` from the k-th slowest dimension of the shard on. */
static redist_err put_dim(struct sink *sink, const struct local_array *array, int k,
                          int64_t offset, struct progress *progress)
{
    const struct npy *npy = array->npy;
    int i = npy->fortran_order ? npy->ndims - 1 - k : k;
    int64_t count = npy->shape[i], stride = array->layout->stride[i];
    bool fastest = k == npy->ndims - 1;
    if (fastest && stride == 1)
        return sink_put(sink, array->bytes + offset * npy->element_bytes,
                        count * npy->element_bytes);
    for (int64_t j = 0; j < count; j++, offset += stride) {
        if (fastest)
            TRY(sink_put(sink, array->bytes + offset * npy->element_bytes,
                         npy->element_bytes));
        else
            TRY(put_dim(sink, array, k + 1, offset, progress));
        if (k == 0) progress_step(progress, j + 1, count);
    }
    return REDIST_OK;
}

static redist_err put_shard(struct sink *sink, const struct local_array *array,
                            const char trailer[], struct progress *progress)
{
    char *header = NULL;
    TRY(npy_print(array->npy, &header));
    redist_err err = sink_put(sink, header, array->npy->data_begin);
    mem_free(header);
    if (!err && array->npy->data_bytes > 0)
        err = put_dim(sink, array, 0, array->layout->offset, progress);
    if (!err) err = sink_put(sink, trailer, TRAILER_BYTES);
    return err ? err : sink_flush(sink);
}

/* Write the shard of `rank`, to be at `path`, to the temporary `file`, which exists on
 * success. */
static redist_err write_shard(struct temporary *file, const char *path,
                              const struct local_array *array, uint64_t run, int rank,
                              struct progress *progress)
{
    char trailer[TRAILER_BYTES + 1];
    print_trailer(run, rank, trailer);
    struct sink sink = {-1, path, 0, 0, mem_alloc(NULL, SINK_BYTES, 1)};
    if (!sink.buffer) return REDIST_ERR_MEMORY;
    const struct npy *npy = array->npy;
    int64_t bytes = npy->data_begin + npy->data_bytes + TRAILER_BYTES;
    redist_err err = temporary_create(file, path, bytes, &sink.descriptor);
    if (!err) {
        err = put_shard(&sink, array, trailer, progress);
        if (close(sink.descriptor) && !err) err = cannot_write(path, errno, 0);
        if (err) temporary_discard(file);
    }
    mem_free(sink.buffer);
    return err;
}

/* ---- write all --------------------------------------------------------------------- */

static redist_err parse_manifest(const char *text, int64_t size,
                                 struct manifest *manifest, redist_dist **dist)
{
    TRY(manifest_parse(text, size, manifest));
    redist_err err = redist_dist_parse(manifest->distribution, dist);
    if (err) err = error_prefix(REDIST_ERR_IO, "distribution");
    int64_t processes = err ? 0 : redist_grid_size((*dist)->grid);
    if (!err && manifest->shards != processes)
        err = error_set(REDIST_ERR_IO,
                        "%" PRId64 " shards, the distribution has %" PRId64 " processes",
                        manifest->shards, processes);
    if (err) {
        manifest_free(manifest);
        redist_dist_destroy(dist);
    }
    return err;
}

/* Check that what has the name of the manifest, if anything, is one. */
static redist_err check_manifest(const char *path)
{
    struct manifest manifest;
    redist_dist *dist = NULL;
    char *text = NULL;
    int64_t size = 0;
    if (access(path, F_OK)) return REDIST_OK;
    TRY(window_read_all(path, INT64_MAX, &text, &size));
    redist_err err = parse_manifest(text, size, &manifest, &dist);
    mem_free(text);
    if (err)
        return error_set(REDIST_ERR_IO,
                         "%s: is no manifest of shards, and is not replaced", path);
    manifest_free(&manifest);
    redist_dist_destroy(&dist);
    return REDIST_OK;
}

/* Remove the manifest, if there is one. */
static redist_err remove_manifest(const char *directory)
{
    char *path = NULL;
    TRY(join_path(directory, manifest_name, &path));
    redist_err err = REDIST_OK;
    if (unlink(path) && errno != ENOENT)
        err =
            error_set(REDIST_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
    mem_free(path);
    return err;
}

/* Remove what killed runs left of shards and of a manifest. */
static void clean_directory(const char *directory)
{
    struct dirent *entry;
    DIR *listing = opendir(directory);
    while (listing && (entry = readdir(listing))) {
        size_t length = strlen(entry->d_name), suffix = strlen(temporary_lock_suffix);
        char *path = NULL;
        if (length <= suffix ||
            strcmp(entry->d_name + length - suffix, temporary_lock_suffix) != 0)
            continue;
        entry->d_name[length - suffix] = 0;
        bool ours = strncmp(entry->d_name, "shard-", 6) == 0 ||
                    strcmp(entry->d_name, manifest_name) == 0;
        if (ours && !join_path(directory, entry->d_name, &path)) temporary_clean(path);
        mem_free(path);
    }
    if (listing) (void)closedir(listing);
}

/* Make the directory, and remove what killed runs left. */
static redist_err prepare_directory(const char *directory)
{
    struct stat status;
    bool made = mkdir(directory, 0777) == 0;
    int error = errno;
    if (!made &&
        (error != EEXIST || stat(directory, &status) || !S_ISDIR(status.st_mode)))
        return error_set(REDIST_ERR_IO, "%s: cannot be made a directory: %s", directory,
                         strerror(error));
    char *path = NULL;
    TRY(join_path(directory, manifest_name, &path));
    redist_err err = check_manifest(path);
    mem_free(path);
    clean_directory(directory);
    return err;
}

static redist_err write_manifest(const char *directory, const struct manifest *manifest)
{
    char *path = NULL;
    struct text text = {0};
    TRY(join_path(directory, manifest_name, &path));
    manifest_print(manifest, &text);
    redist_err err = text.err;
    if (!err) err = temporary_write(path, text.bytes, text.size);
    mem_free(text.bytes);
    mem_free(path);
    return err;
}

/* Write this process's shard. Only when all shards are complete the manifest of earlier
 * ones is removed, and they are replaced. */
static redist_err write_own(MPI_Comm comm, const char *directory, const redist_view *view,
                            const char *descr, bool fortran_order, const void *buffer,
                            uint64_t run, struct progress *progress)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct layout layout = {0};
    struct npy npy = {0};
    struct temporary file = {0};
    char *path = NULL;
    redist_err err = view_layout(view, rank, &layout);
    if (!err && layout.member) {
        err = npy_make(descr, fortran_order, view->dist->ndims, layout.count, &npy);
        if (!err) err = shard_path(directory, rank, &path);
        struct local_array array = {buffer, &layout, &npy};
        if (!err) err = write_shard(&file, path, &array, run, rank, progress);
    }
    bool written = !err && layout.member;
    err = collective_agree(comm, err);
    if (!err) err = collective_agree(comm, rank ? REDIST_OK : remove_manifest(directory));
    if (written && err) temporary_discard(&file);
    if (written && !err) err = temporary_keep(&file);
    mem_free(path);
    npy_free(&npy);
    return collective_agree(comm, err);
}

static redist_err print_dist(const redist_dist *dist, char **text)
{
    size_t length = 0;
    TRY(redist_dist_print(dist, NULL, 0, &length));
    *text = mem_alloc(NULL, (int64_t)length + 1, 1);
    return *text ? redist_dist_print(dist, *text, length + 1, NULL) : REDIST_ERR_MEMORY;
}

redist_err shards_write(MPI_Comm comm, const char *directory, const redist_view *view,
                        const char *descr, bool fortran_order, const void *buffer,
                        uint64_t run, struct progress *progress)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    redist_err err = rank == 0 ? prepare_directory(directory) : REDIST_OK;
    TRY(collective_agree(comm, err));
    TRY(write_own(comm, directory, view, descr, fortran_order, buffer, run, progress));
    if (rank == 0) {
        struct manifest manifest = {run, (char *)(uintptr_t)descr, fortran_order, NULL,
                                    redist_grid_size(view->dist->grid)};
        err = print_dist(view->dist, &manifest.distribution);
        if (!err) err = write_manifest(directory, &manifest);
        mem_free(manifest.distribution);
    }
    return collective_agree(comm, err);
}

/* ---- read -------------------------------------------------------------------------- */

redist_err shards_open(MPI_Comm comm, const char *directory, struct manifest *manifest,
                       redist_dist **dist)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *path = NULL, *text = NULL;
    int64_t size = 0;
    *dist = NULL;
    TRY(collective_agree(comm, join_path(directory, manifest_name, &path)));
    redist_err err =
        rank == 0 ? window_read_all(path, INT64_MAX, &text, &size) : REDIST_OK;
    err = collective_share(comm, err, &text, &size);
    if (!err) {
        err = parse_manifest(text, size, manifest, dist);
        if (err) err = error_prefix(err, "%s", path);
        mem_free(text);
        err = collective_agree(comm, err);
    }
    mem_free(path);
    return err;
}

/* Compare a shard's header and trailer with the manifest. */
static redist_err check_shard(struct shard *shard, const struct npy *npy,
                              const struct manifest *manifest, const redist_dist *dist,
                              int rank)
{
    int64_t local[REDIST_MAX_DIMS];
    TRY(redist_dist_local_extents(dist, rank, local));
    TRY(npy_check_size(npy, shard->window.file_bytes));
    if (shard->window.file_bytes < npy->data_begin + npy->data_bytes + TRAILER_BYTES)
        return error_set(REDIST_ERR_IO,
                         "has no trailer: it is not a shard, or truncated");
    char expected[TRAILER_BYTES + 1];
    const char *trailer = NULL;
    print_trailer(manifest->run, rank, expected);
    TRY(window_get(&shard->window, npy->data_begin + npy->data_bytes, TRAILER_BYTES,
                   &trailer));
    if (memcmp(trailer, expected, TRAILER_BYTES) != 0)
        return error_set(REDIST_ERR_IO, "is not rank %d's shard of run %016" PRIx64, rank,
                         manifest->run);
    bool same = strcmp(npy->descr, manifest->descr) == 0 && npy->ndims == dist->ndims &&
                npy->fortran_order == manifest->fortran_order;
    for (int i = 0; same && i < npy->ndims; i++) same = npy->shape[i] == local[i];
    if (same) return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "its dtype, shape or order is not that of the manifest");
}

redist_err shard_open(const char *directory, const struct manifest *manifest,
                      const redist_dist *dist, int rank, struct shard *shard)
{
    *shard = (struct shard){.window = {.descriptor = -1}};
    TRY(shard_path(directory, rank, &shard->path));
    char *header = NULL;
    int64_t size = 0, file_bytes = 0;
    struct npy npy = {0};
    redist_err err = REDIST_OK;
    if (access(shard->path, F_OK))
        err = error_set(REDIST_ERR_IO, "%s: the shard of rank %d is missing", shard->path,
                        rank);
    if (!err) err = window_read_header(shard->path, &header, &size, &file_bytes);
    if (!err) err = window_open(shard->path, &shard->window);
    if (!err) {
        err = npy_parse(header, size, &npy);
        if (!err) err = check_shard(shard, &npy, manifest, dist, rank);
        if (err) err = error_prefix(err, "%s", shard->path);
    }
    mem_free(header);
    shard->data_begin = npy.data_begin;
    npy_free(&npy);
    if (err) shard_close(shard);
    return err;
}

void shard_close(struct shard *shard)
{
    window_close(&shard->window);
    mem_free(shard->path);
    shard->path = NULL;
}
