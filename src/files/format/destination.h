/* SPDX-License-Identifier: MIT
 *
 * files/format/destination.h - the file that a name refers to when it is written.
 *
 * A symbolic link refers to its target, which need not exist. Only a regular file can be
 * replaced: a folder, a FIFO, a device or a socket is refused.
 */
#ifndef REDIST_FILES_FORMAT_DESTINATION_H
#define REDIST_FILES_FORMAT_DESTINATION_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include <redist/describe.h>

struct destination {
    char *path;  /* after following links; owned */
    bool exists; /* the next three are those of the file */
    mode_t mode; /* permissions */
    uid_t owner;
    gid_t group;
};

/* Find the regular file that `name` refers to, or where it would be. Free with
 * destination_free. IO: no regular file, a read-only one, links in a circle, ..
 * MEMORY. */
redist_err destination_find(const char *name, struct destination *destination);
void destination_free(struct destination *destination);

/* Give an open file the permissions of the file that it replaces, and its owner and group
 * if the system allows. If it refuses the group, the group gets no more permissions than
 * all others. */
void destination_copy_owner(const struct destination *destination, int descriptor);

/* Set the error that `name` cannot be written, for `error`, an errno. `bytes` are needed
 * if the disk is full; 0: unknown. Returns IO. */
redist_err cannot_write(const char *name, int error, int64_t bytes);

/* Put three texts one behind the other. IO: they are too long for a path. */
redist_err path_join(char path[PATH_MAX], const char *a, const char *b, const char *c);

#endif
