/* SPDX-License-Identifier: MIT */
#include "files/zarr/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/temporary.h"
#include "files/format/window.h"
#include "files/metadata/metadata.h"
#include "files/zarr/consolidated.h"

/* ---- names ------------------------------------------------------------------------- */

static redist_err check_part(const char *inner, const char *part, size_t length)
{
    static const char *const taken[] = {"", ".", "..", "zarr.json"};
    bool good = length < 2 || memcmp(part, ".z", 2) != 0;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        good = good && !(length == strlen(taken[k]) && !memcmp(part, taken[k], length));
    if (good) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%.80s: \"%.*s\" is no name of a group or an array",
                     inner, (int)(length < 80 ? length : 80), part);
}

/* Skip the / at the beginning. */
static const char *parts_of(const char *inner) { return inner + (*inner == '/'); }

redist_err folder_name(const char *path, const char *inner, char name[PATH_MAX])
{
    const char *parts = parts_of(inner);
    for (const char *at = parts; *parts;) {
        size_t length = strcspn(at, "/");
        TRY(check_part(inner, at, length));
        if (!at[length]) break;
        at += length + 1;
    }
    return path_join(name, path, *parts ? "/" : "", parts);
}

/* ---- what is there ----------------------------------------------------------------- */

redist_err folder_read_file(const char *folder, const char *file, char **text,
                            int64_t *size)
{
    char path[PATH_MAX];
    TRY(path_join(path, folder, "/", file));
    if (access(path, F_OK) && errno == ENOENT) return REDIST_OK;
    return window_read_all(path, METADATA_BYTES, text, size);
}

redist_err folder_read(const char *folder, char **text, int64_t *size, bool *is_array)
{
    static const char *const files[] = {"zarr.json", ".zarray", ".zgroup"};
    *text = NULL;
    for (int k = 0; k < 3; k++) {
        TRY(folder_read_file(folder, files[k], text, size));
        if (!*text) continue;
        redist_err err = metadata_is_array(*text, *size, is_array);
        if (!err) return REDIST_OK;
        mem_free(*text);
        *text = NULL;
        return error_prefix(err, "%s/%s", folder, files[k]);
    }
    return REDIST_OK;
}

static redist_err conflict(const char *folder, const char *what)
{
    return error_set(REDIST_ERR_IO, "%s: cannot be written: %s", folder, what);
}

/* Read which version a group or array has; 0: it is neither. */
static redist_err examine(const char *folder, int *version, bool *is_array)
{
    char *text;
    int64_t size;
    struct json root;
    *version = 0;
    TRY(folder_read(folder, &text, &size, is_array));
    if (!text) return REDIST_OK;
    if (!json_check(text, size, &root))
        *version = *json_member(root, "zarr_format").begin == '2' ? 2 : 3;
    mem_free(text);
    return REDIST_OK;
}

static bool is_empty(const char *path)
{
    const struct dirent *entry;
    DIR *folder = opendir(path);
    if (!folder) return false;
    do entry = readdir(folder);
    while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    (void)closedir(folder);
    return !entry;
}

/* A folder of the path that exists; the last one is to be replaced. */
static redist_err pass(struct folder *folder, const char *at, bool last)
{
    bool is_array = false;
    int version;
    TRY(examine(at, &version, &is_array));
    if (last && version && !is_array) return conflict(at, "a group, must be an array");
    if (last && !version && !is_empty(at))
        return conflict(at, "a folder without an array of Zarr");
    if (last) return REDIST_OK;
    if (is_array) return conflict(at, "an array, must be a group");
    if (version && folder->version && version != folder->version)
        return error_set(REDIST_ERR_IO,
                         "%s: cannot be written: a group of version %d, the array is "
                         "of version %d",
                         at, version, folder->version);
    if (version) folder->version = version;
    return REDIST_OK;
}

/* ---- create ------------------------------------------------------------------------ */

/* Call `visit` for each folder of `path` from `from` on, or until it fails. */
static redist_err each_folder(const char *path, size_t from,
                              redist_err (*visit)(struct folder *folder, const char *at,
                                                  bool last),
                              struct folder *folder)
{
    char at[PATH_MAX];
    size_t length = strlen(path);
    memcpy(at, path, length + 1);
    for (size_t end = from; end <= length; end++) {
        if (end < length && path[end] != '/') continue;
        at[end] = 0;
        TRY(visit(folder, at, end == length));
        at[end] = path[end];
    }
    return REDIST_OK;
}

/* Find the first folder that is missing or to be replaced. */
static redist_err find_name(struct folder *folder, const char *at, bool last)
{
    struct stat status;
    if (*folder->part.name) return REDIST_OK;
    bool exists = lstat(at, &status) == 0;
    if (!exists && errno != ENOENT) return cannot_write(at, errno, 0);
    if (exists && (stat(at, &status) || !S_ISDIR(status.st_mode)))
        return conflict(at, "no folder");
    if (exists) TRY(pass(folder, at, last));
    folder->replaces = exists;
    return exists && !last ? REDIST_OK : path_join(folder->part.name, at, "", "");
}

static redist_err make_folder(struct folder *folder, const char *at, bool last)
{
    (void)folder;
    (void)last;
    return mkdir(at, 0777) && errno != EEXIST ? cannot_write(at, errno, 0) : REDIST_OK;
}

redist_err folder_create(const char *path, const char *inner, int version,
                         struct folder *folder)
{
    char given[PATH_MAX], whole[PATH_MAX], name[PATH_MAX];
    struct temporary_folder *part = &folder->part;
    *folder = (struct folder){.version = version, .part.lock = -1};
    TRY(folder_name(path, inner, given));
    /* a link stands for the folder that it leads to */
    if (!realpath(path, folder->root)) TRY(path_join(folder->root, path, "", ""));
    TRY(path_join(whole, folder->root, given + strlen(path), ""));
    TRY(each_folder(whole, strlen(folder->root), find_name, folder));
    if (!folder->version) folder->version = 3;
    memcpy(name, part->name, sizeof name);
    TRY(temporary_folder_create(part, name, NULL));
    redist_err err = path_join(folder->array, part->path, whole + strlen(name), "");
    if (!err) err = each_folder(folder->array, strlen(part->path), make_folder, folder);
    if (err) temporary_folder_discard(part);
    return err;
}

/* ---- keep, discard ----------------------------------------------------------------- */

redist_err folder_write_file(const char *folder, const char *file, bool replace,
                             const char *text, int64_t size)
{
    char path[PATH_MAX];
    TRY(path_join(path, folder, "/", file));
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
    int descriptor = open(path, flags, 0666);
    if (descriptor < 0) return cannot_write(path, errno, 0);
    redist_err err = write_fully(descriptor, path, text, size, 0);
    return close(descriptor) && !err ? cannot_write(path, errno, 0) : err;
}

/* Make a folder a group, unless it is one. */
static redist_err make_group(struct folder *folder, const char *at, bool last)
{
    static const char text2[] = "{\n    \"zarr_format\": 2\n}\n";
    static const char text3[] =
        "{\n    \"zarr_format\": 3,\n    \"node_type\": \"group\"\n}\n";
    bool second = folder->version == 2, is_array;
    int version;
    if (last) return REDIST_OK;
    TRY(examine(at, &version, &is_array));
    if (version) return REDIST_OK;
    return folder_write_file(at, second ? ".zgroup" : "zarr.json", false,
                             second ? text2 : text3,
                             (int64_t)(second ? sizeof text2 : sizeof text3) - 1);
}

/* Tell the groups round the array `whole` that list what is in them. */
static redist_err consolidate(const struct folder *folder, char whole[PATH_MAX],
                              const char *metadata, int64_t size)
{
    for (size_t end = strlen(folder->root); whole[end]; end++) {
        if (whole[end] != '/') continue;
        whole[end] = 0;
        TRY(consolidated_update(whole, whole + end + 1, folder->version, metadata, size));
        whole[end] = '/';
    }
    return REDIST_OK;
}

redist_err folder_keep(struct folder *folder, const char *metadata, int64_t size)
{
    struct temporary_folder *part = &folder->part;
    char whole[PATH_MAX];
    const char *within = folder->array + strlen(part->path);
    const char *file = folder->version == 2 ? ".zarray" : "zarr.json";
    redist_err err = folder_write_file(folder->array, file, false, metadata, size);
    if (!err) err = each_folder(folder->array, strlen(part->path), make_group, folder);
    if (!err) err = each_folder(part->name, strlen(folder->root), make_group, folder);
    if (!err) err = path_join(whole, part->name, within, "");
    if (err)
        temporary_folder_discard(part);
    else
        err = temporary_folder_keep(part, folder->replaces);
    return err ? err : consolidate(folder, whole, metadata, size);
}
