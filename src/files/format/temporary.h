/* SPDX-License-Identifier: MIT
 *
 * files/format/temporary.h - a file with another name until it is complete, so that an
 * interrupted run leaves no incomplete file under the final name.
 *
 *   <path>.<run>.part      the temporary file, in the same folder; renamed when complete
 *   <path>.redist.lock     names the run; locked (flock) by the writing process
 *
 * In a process that asks for it, a signal (INT, TERM, HUP) that would end the process
 * removes both. After a kill both stay, without a lock: the next run that writes to the
 * path removes them. A file whose lock is held is never touched. If the file system has
 * no locks there is no lock file, and files of a killed run stay.
 */
#ifndef REDIST_FILES_FORMAT_TEMPORARY_H
#define REDIST_FILES_FORMAT_TEMPORARY_H

#include <redist/describe.h>

#include "files/format/destination.h"

/* Remove the file on a signal from now on. The process then has at most one at a time. */
void temporary_handle_signals(void);

/* Starts as {0}: no file. */
struct temporary {
    const char *name; /* the final name, borrowed */
    char *path;       /* its present path; NULL: no file */
    char *lock;       /* path of the lock file; NULL: none */
    int descriptor;   /* of the lock file */
    int own;          /* another one of the temporary file */
    struct destination destination;
};

/* Draw the number of a run. IO. */
redist_err temporary_draw(uint64_t *run);

/* Lock `name` for a run of a random number, remove what a killed run left, create the
 * temporary file with `bytes` bytes reserved on its disk, and open it for writing. On
 * failure there is no file. IO: another run is writing `name`, it is no regular file or
 * read-only, the disk is full, .. MEMORY. */
redist_err temporary_create(struct temporary *file, const char *name, int64_t bytes,
                            int *descriptor);

/* Give the file its final name, replacing any other file, and unlock. On failure the file
 * is removed. IO. */
redist_err temporary_keep(struct temporary *file);

/* Remove the file, if there is one, and unlock. */
void temporary_discard(struct temporary *file);

/* Remove what a killed run left of `name`. Files that cannot be removed stay. */
void temporary_clean(const char *name);

/* Write a whole file, of `size` bytes, in the place of any other of its name. IO,
 * MEMORY. */
redist_err temporary_write(const char *name, const void *bytes, int64_t size);

/* The suffix of a lock file. */
extern const char temporary_lock_suffix[];

/* Write all `size` bytes at `offset`. `name` is for messages. IO. */
redist_err write_fully(int descriptor, const char *name, const void *bytes, int64_t size,
                       int64_t offset);

#endif
