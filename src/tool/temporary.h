/* SPDX-License-Identifier: MIT
 *
 * tool/temporary.h - a file that has another name until it is complete, so that an
 * interrupted run leaves no half file under the real one.
 *
 * The temporary file lies beside the real one: <name>.<run>.part. It is removed also
 * when a signal (INT, TERM, HUP) ends the process; one file of a process at a time is
 * looked after.
 */
#ifndef REDIST_TOOL_TEMPORARY_H
#define REDIST_TOOL_TEMPORARY_H

#include <redist/describe.h>

struct temporary {
    const char *name; /* the real one, borrowed */
    char *path;       /* where it lies for now; NULL: there is no file */
};

/* Name the temporary file of `name` in run `run`. Nothing is created. MEMORY. */
redist_err temporary_name(const char *name, uint64_t run, struct temporary *file);

/* Create the file named by temporary_name with `bytes` bytes reserved on its disk, and
 * open it for writing. From now on a signal removes it. IO: the disk is full, `name`
 * is there and read-only, .. */
redist_err temporary_create(struct temporary *file, int64_t bytes, int *descriptor);

/* Give the file its real name, in place of what had it. IO. */
redist_err temporary_keep(struct temporary *file);

/* Remove the file of temporary_create. */
void temporary_discard(struct temporary *file);

/* Free the name. */
void temporary_free(struct temporary *file);

/* Write all `size` bytes at `offset`. `name` is for messages. IO. */
redist_err write_fully(int descriptor, const char *name, const void *bytes, int64_t size,
                       int64_t offset);

#endif
