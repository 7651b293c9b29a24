/* SPDX-License-Identifier: MIT
 *
 * files/zarr/folder.h - the folder of an array, and the groups round it; all by one
 * process.
 *
 *   a.zarr/.zgroup  a.zarr/g/.zgroup  a.zarr/g/t/.zarray       version 2, of a.zarr:/g/t
 *   a.zarr/zarr.json  a.zarr/g/zarr.json  a.zarr/g/t/zarr.json version 3
 *
 * A new array is made in a temporary folder, whose name will be the first one of its path
 * that does not exist, or that of the array that it replaces; it gets its metadata and
 * then its name when it is complete.
 */
#ifndef REDIST_FILES_ZARR_FOLDER_H
#define REDIST_FILES_ZARR_FOLDER_H

#include "files/format/temporary_folder.h"

/* Name the folder of the array `inner` of `path`. IO: inner has an empty part, "." or
 * "..", or the name of a file of Zarr. */
redist_err folder_name(const char *path, const char *inner, char name[PATH_MAX]);

/* Read a file of a folder: *size bytes that the caller frees with mem_free; NULL if there
 * is none. IO, MEMORY. */
redist_err folder_read_file(const char *folder, const char *file, char **text,
                            int64_t *size);

/* Write a file of a folder, which is new unless it may `replace` one. IO. */
redist_err folder_write_file(const char *folder, const char *file, bool replace,
                             const char *text, int64_t size);

/* Read the metadata of the array or group in a folder: *size bytes that the caller frees
 * with mem_free; NULL if there are none. IO, MEMORY. */
redist_err folder_read(const char *folder, char **text, int64_t *size, bool *is_array);

struct folder {
    int version;
    char array[PATH_MAX]; /* the array until it is complete: in `part` */
    char root[PATH_MAX];  /* the path that was given */
    struct temporary_folder part;
    bool replaces;
};

/* Make the folder of a new array. `version` is 2, 3, or 0: that of the group round it,
 * else 3. IO: what is there is no array and no empty folder, a group of another version,
 * .. */
redist_err folder_create(const char *path, const char *inner, int version,
                         struct folder *folder);

/* Write the metadata of the array and of its groups, and give it its name; groups that
 * list what is in them then list it. On failure before that it is removed. IO. */
redist_err folder_keep(struct folder *folder, const char *metadata, int64_t size);

#endif
