/* SPDX-License-Identifier: MIT
 *
 * files/format/temporary_folder.h - a folder with another name until it is complete; all
 * by one process.
 *
 *   <name>.<run>.part          the folder, beside the name that it gets in the end
 *   <name>.<run>.part/.zlock   locked (flock) by the process that writes it
 *   <name>.<run>.part.old      what it replaces, where the file system cannot exchange
 *                              two names at once
 *
 * After a kill the folder stays, without a lock: the next one of the same name removes
 * it. A folder whose lock is held is never touched. If the file system has no locks
 * nothing is removed. The folder around is locked in the meantime, where it can be, so
 * that a new folder is locked before another program sees it.
 */
#ifndef REDIST_FILES_FORMAT_TEMPORARY_FOLDER_H
#define REDIST_FILES_FORMAT_TEMPORARY_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include <redist/describe.h>

/* Starts as {.path = ""}: no folder. */
struct temporary_folder {
    char name[PATH_MAX]; /* the final name */
    char path[PATH_MAX]; /* the present one; "": no folder */
    int lock;            /* a descriptor; -1: the file system has no locks */
};

/* Remove what killed programs left of `name` and, unless `family` is NULL, of all names
 * beside it that begin with `family`; then make the folder. On failure there is none.
 * IO: another program is writing `name`, .. */
redist_err temporary_folder_create(struct temporary_folder *folder, const char *name,
                                   const char *family);

/* Give the folder its final name. What has the name, if it `replaces` that, is removed
 * then. On failure the folder is removed. IO. */
redist_err temporary_folder_keep(struct temporary_folder *folder, bool replaces);

/* Remove the folder, if there is one. */
void temporary_folder_discard(struct temporary_folder *folder);

/* Open and lock the folder `path` until the descriptor is closed. -1: it cannot be. */
int folder_lock(const char *path);

/* Remove a folder and all that is in it; links are not followed. Returns 0 or an
 * errno. */
int folder_remove(const char *path);

#endif
