/* SPDX-License-Identifier: MIT */
#include "files/zarr/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/temporary.h"
#include "files/format/window.h"
#include "files/zarr/shard.h"

static redist_err name_chunk(const struct chunks *chunks, const int64_t index[],
                             const char *end, char path[PATH_MAX])
{
    const struct metadata *m = chunks->metadata;
    const char *before = m->prefix ? "c" : m->ndims == 0 ? "0" : "";
    int at = snprintf(path, PATH_MAX, "%s/%s", chunks->folder, before);
    for (int i = 0; i < m->ndims && at < PATH_MAX; i++) {
        char separator[2] = {i > 0 || m->prefix ? m->separator : (char)0, 0};
        at += snprintf(path + at, (size_t)(PATH_MAX - at), "%s%" PRId64, separator,
                       index[i]);
    }
    if (at < PATH_MAX) at += snprintf(path + at, (size_t)(PATH_MAX - at), "%s", end);
    if (at < PATH_MAX) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%.80s..: %s", chunks->folder,
                     strerror(ENAMETOOLONG));
}

redist_err chunk_prepare(struct chunks *chunks, bool fill)
{
    const struct metadata *m = chunks->metadata;
    struct codec_block *block = &chunks->work.block[0];
    TRY(codec_reserve(block, m->chunk_bytes));
    if (fill) metadata_fill(m, block->bytes, block->size);
    return REDIST_OK;
}

void chunks_free(struct chunks *chunks)
{
    codec_work_free(&chunks->work);
    mem_free(chunks->shard.bytes);
    mem_free(chunks->index.bytes);
}

/* ---- read -------------------------------------------------------------------------- */

static redist_err read_open(struct chunks *chunks, int descriptor, const char *path)
{
    struct stat status;
    int64_t bytes = chunks->metadata->chunk_bytes;
    if (fstat(descriptor, &status))
        return error_set(REDIST_ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(REDIST_ERR_IO, "%s: is no regular file", path);
    if (chunks->metadata->sharding.is)
        return shard_read(chunks, descriptor, path, status.st_size);
    if (status.st_size > codecs_bound(bytes))
        return error_set(REDIST_ERR_IO,
                         "%s: has %" PRId64 " bytes, its chunk only %" PRId64, path,
                         (int64_t)status.st_size, bytes);
    struct codec_block *block = &chunks->work.block[0];
    TRY(codec_reserve(block, status.st_size));
    TRY(read_fully(descriptor, path, block->bytes, block->size, 0));
    redist_err err = codecs_decode(&chunks->metadata->codecs, bytes, &chunks->work);
    return err == REDIST_ERR_IO ? error_prefix(err, "%s", path) : err;
}

/* Read pieces, if that is less work than to read the whole chunk; otherwise, and where
 * something is wrong with the file, `*done` is false. */
static redist_err read_pieces(const struct chunks *chunks, int descriptor,
                              const char *path, const struct common *common,
                              const struct box *box, char *elements, bool *done)
{
    enum { CALL = 4 << 10 }; /* bytes that are copied while a call begins */
    const struct metadata *m = chunks->metadata;
    struct piece piece = {0};
    struct stat status;
    *done = false;
    if (m->codecs.count > 0 || m->sharding.is) return REDIST_OK;
    bool more = common_next(common, box, m->element_bytes, &piece);
    if (piece.count >= m->chunk_bytes / CALL && piece.count > 1) return REDIST_OK;
    if (fstat(descriptor, &status) || status.st_size != m->chunk_bytes) return REDIST_OK;
    for (; more; more = common_next(common, box, m->element_bytes, &piece))
        TRY(read_fully(descriptor, path, elements + piece.in_box, piece.bytes,
                       piece.in_chunk));
    *done = true;
    return REDIST_OK;
}

redist_err chunk_read(struct chunks *chunks, const struct common *common,
                      const struct box *box, char *elements)
{
    char path[PATH_MAX];
    bool done = false;
    TRY(name_chunk(chunks, common->index, "", path));
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && errno != ENOENT)
        return error_set(REDIST_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    redist_err err = REDIST_OK;
    if (descriptor < 0 && chunks->complete)
        return error_set(REDIST_ERR_IO, "%s: is missing", path);
    if (descriptor < 0)
        err = chunk_prepare(chunks, true);
    else {
        err = read_pieces(chunks, descriptor, path, common, box, elements, &done);
        if (!err && !done) err = read_open(chunks, descriptor, path);
        (void)close(descriptor);
    }
    if (!err && !done)
        common_copy(common, box, chunks->metadata->element_bytes,
                    chunks->work.block[0].bytes, elements, true);
    return err;
}

/* ---- write ------------------------------------------------------------------------- */

/* Make the folders of a path that begins with the array's. Returns 0 or an errno. */
static int make_folders(const struct chunks *chunks, char *path)
{
    char *slash = path + strlen(chunks->folder);
    while ((slash = strchr(slash + 1, '/'))) {
        *slash = 0;
        int error = mkdir(path, 0777) ? errno : 0;
        *slash = '/';
        if (error && error != EEXIST) return error;
    }
    return 0;
}

redist_err chunk_write(struct chunks *chunks, const int64_t index[])
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    char path[PATH_MAX], part[PATH_MAX];
    const struct codec_block *block = &chunks->work.block[0];
    TRY(name_chunk(chunks, index, "", path));
    TRY(name_chunk(chunks, index, ".part", part));
    const bool shards = chunks->metadata->sharding.is;
    redist_err err =
        shards ? REDIST_OK : codecs_encode(&chunks->metadata->codecs, &chunks->work);
    if (err) return err == REDIST_ERR_IO ? error_prefix(err, "%s", path) : err;
    int descriptor = open(part, flags, 0666);
    if (descriptor < 0 && errno == ENOENT) {
        int error = make_folders(chunks, part);
        if (error) return cannot_write(path, error, 0);
        descriptor = open(part, flags, 0666);
    }
    if (descriptor < 0) return cannot_write(path, errno, 0);
    err = shards ? shard_write(chunks, descriptor, path)
                 : write_fully(descriptor, path, block->bytes, block->size, 0);
    if (!err && chunks->to_disk)
        (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (close(descriptor) && !err) err = cannot_write(path, errno, 0);
    if (!err && rename(part, path)) err = cannot_write(path, errno, 0);
    if (err) (void)unlink(part);
    return err;
}
