/* SPDX-License-Identifier: MIT */
#include "files/store/zarr_contents.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "files/metadata/metadata.h"
#include "files/zarr/folder.h"

/* The most chunks whose files are looked at. */
enum { MOST_CHUNKS = 100000 };

struct tour {
    size_t root; /* the length of the path of the first group, and of the / behind it */
    const FTSENT *array; /* that is visited; NULL: none */
    struct metadata metadata;
    int64_t stored;
    file_visitor *visitor;
    void *context;
};

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool has_many_chunks(const struct metadata *metadata)
{
    int64_t count = 1;
    for (int i = 0; i < metadata->ndims && count <= MOST_CHUNKS; i++)
        if (!int_mul(count, int_ceil_div(metadata->shape[i], metadata->chunk[i]), &count))
            return true;
    return count > MOST_CHUNKS;
}

/* Find what a folder is, and skip one that is nothing of Zarr. */
static redist_err enter(struct tour *tour, FTS *walk, FTSENT *entry)
{
    char *text = NULL;
    int64_t size = 0;
    bool is_array = false;
    if (tour->array) return REDIST_OK; /* a folder of chunks */
    TRY(folder_read(entry->fts_path, &text, &size, &is_array));
    redist_err err = REDIST_OK;
    if (!text) (void)fts_set(walk, entry, FTS_SKIP);
    if (is_array) err = metadata_parse(text, size, &tour->metadata);
    if (is_array && !err) tour->array = entry;
    bool many = tour->array && has_many_chunks(&tour->metadata);
    tour->stored = many ? -1 : 0;
    /* one that cannot be read here is skipped, too */
    if (err || many) (void)fts_set(walk, entry, FTS_SKIP);
    mem_free(text);
    return err == REDIST_ERR_MEMORY ? err : REDIST_OK;
}

static redist_err leave(struct tour *tour, const FTSENT *entry)
{
    if (entry != tour->array) return REDIST_OK;
    const struct metadata *metadata = &tour->metadata;
    bool itself = entry->fts_pathlen < tour->root;
    const struct file_content content = {
        .inner = itself ? "" : entry->fts_path + tour->root,
        .ndims = metadata->ndims,
        .shape = metadata->shape,
        .type = metadata->type,
        .stored = tour->stored,
    };
    redist_err err = tour->visitor(tour->context, &content);
    metadata_free(&tour->metadata);
    tour->array = NULL;
    return err;
}

static redist_err visit(struct tour *tour, FTS *walk, FTSENT *entry)
{
    bool metadata =
        !strncmp(entry->fts_name, ".z", 2) || !strcmp(entry->fts_name, "zarr.json");
    switch (entry->fts_info) {
        case FTS_D: return enter(tour, walk, entry);
        case FTS_DP: return leave(tour, entry);
        case FTS_F:
            if (tour->array && !metadata) tour->stored += entry->fts_statp->st_size;
            return REDIST_OK;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            if (entry->fts_level == 0) return REDIST_OK; /* none is there */
            return error_set(REDIST_ERR_IO, "%s: cannot be read: %s", entry->fts_path,
                             strerror(entry->fts_errno));
        default: return REDIST_OK;
    }
}

redist_err zarr_contents_visit(const char *path, const char *inner, file_visitor *visitor,
                               void *context)
{
    char first[PATH_MAX];
    char *const paths[] = {first, NULL};
    struct tour tour = {.root = strlen(path) + 1, .visitor = visitor, .context = context};
    TRY(folder_name(path, inner, first));
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!walk) return error_set(REDIST_ERR_IO, "%s: %s", path, strerror(errno));
    redist_err err = REDIST_OK;
    for (FTSENT *entry; !err && (entry = fts_read(walk));)
        err = visit(&tour, walk, entry);
    if (tour.array) metadata_free(&tour.metadata);
    (void)fts_close(walk);
    return err;
}
