/* SPDX-License-Identifier: MIT
 *
 * tool/format/temporary.h - a file that has another name until it is complete, so that an
 * interrupted run leaves no half file under the real one.
 *
 *   <path>.<run>.part      the temporary file, beside the real one; renamed when complete
 *   <path>.redist.lock     names the run; locked (flock) by the process that writes
 *
 * A signal (INT, TERM, HUP) that ends the process removes both. After a kill both are
 * left and nobody holds the lock: the next run that writes to the path removes them. A
 * file whose lock is held is never touched. The lock is a file of its own since MPI may
 * lock the temporary file. Where the file system has no locks there is no lock file, and
 * what a killed run left stays.
 */
#ifndef REDIST_TOOL_FORMAT_TEMPORARY_H
#define REDIST_TOOL_FORMAT_TEMPORARY_H

#include <redist/describe.h>

#include "tool/format/destination.h"

/* Starts as {0}: there is no file. A process has one at a time. */
struct temporary {
    const char *name; /* the real one, borrowed */
    char *path;       /* where it lies for now; NULL: there is no file */
    char *lock;       /* path of the lock file; NULL: there is none */
    int descriptor;   /* of the lock file */
    struct destination destination;
};

/* Lock `name` for run `run`, remove what a killed run left of it, create the temporary
 * file with `bytes` bytes reserved on its disk, and open it for writing. On failure there
 * is no file. IO: another run is writing `name`, it is no regular file or read-only, the
 * disk is full, .. MEMORY. */
redist_err temporary_create(struct temporary *file, const char *name, uint64_t run,
                            int64_t bytes, int *descriptor);

/* Give the file its real name, in place of what had it, and unlock. If that fails the
 * file is removed. IO. */
redist_err temporary_keep(struct temporary *file);

/* Remove the file, if there is one, and unlock. */
void temporary_discard(struct temporary *file);

/* Remove what a killed run left of `name`. What can't be removed stays. */
void temporary_clean(const char *name);

/* What the name of a lock file ends in. */
extern const char temporary_lock_suffix[];

/* Write all `size` bytes at `offset`. `name` is for messages. IO. */
redist_err write_fully(int descriptor, const char *name, const void *bytes, int64_t size,
                       int64_t offset);

#endif
