/* SPDX-License-Identifier: MIT
 *
 * files/format/format.h - what a file format implements, and the open file that it works
 * on.
 *
 * A format knows nothing of distributions. It reads and writes boxes of the array, each
 * by one process:
 *
 *   shape 5 x 7, chunks of 2 x 3     a box that is written begins at a chunk's edge and
 *                                    ends at one, or where the array ends
 *
 * The elements of a box lie dense in memory, in the order of the file.
 * No two processes write to one chunk at a time, so a format may read a chunk, change it
 * and write it again.
 */
#ifndef REDIST_FILES_FORMAT_FORMAT_H
#define REDIST_FILES_FORMAT_FORMAT_H

#include <stdbool.h>

#include <redist/files.h>

#include "files/format/temporary.h"

struct box {
    int64_t start[REDIST_MAX_DIMS], extent[REDIST_MAX_DIMS];
};

/* An open file. The core sets all but `layout`, unless it is created, and
 * `element_bytes`, which are the format's to set. It may also lower `writers`, and make
 * `temporary`. */
struct redist_file {
    MPI_Comm comm; /* owned */
    MPI_Comm user; /* the caller's, with which plans keep the rates of the machine */
    int rank, nprocs;
    const struct file_format *format;
    char *path;  /* of the file or folder; owned */
    char *inner; /* path within it, "" if none is given; owned */
    redist_file_mode mode;
    redist_file_layout layout; /* type and codec are owned; chunk >= 1 */
    int64_t element_bytes;
    int64_t staging_bytes;
    bool checked;
    bool to_disk;  /* what is written begins its way to the disk at once */
    bool complete; /* all was written: a chunk that is not there is an error */
    int writers;   /* the ranks 0 .. writers - 1 read and write boxes */
    void (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    bool failed; /* a write has failed: a created array is discarded */
    struct temporary
        temporary; /* on rank 0: what gets its name when the file is closed */
    void *state;   /* the format's own, zeroed at first; owned */
};

/* An array that is found in a file: its path within, without a / at the begin, and the
 * bytes that its elements take on the disk; negative: they would take long to find. The
 * texts live during the call only. */
struct file_content {
    const char *inner;
    int ndims;
    const int64_t *shape;
    const char *type;
    int64_t stored;
};
typedef redist_err file_visitor(void *context, const struct file_content *content);

struct file_format {
    const char *name;
    const char *const *suffixes; /* of `path`, ended by NULL: ".npy", .. */
    bool has_inner;              /* path:/inner is understood */
    bool bare; /* the file does not say its layout: the caller does, when it is opened */

    /* Visit the arrays of `path`, in the order of their names: those below the group
     * `inner`, or that array alone. NULL: a file is one array. By one process. */
    redist_err (*visit)(const char *path, const char *inner, file_visitor *visitor,
                        void *context);

    /* The bytes of the state, and what frees all that it has, at the end and after each
     * error; NULL: nothing. Local. */
    size_t state_bytes;
    void (*release)(redist_file *file);

    /* Open what exists, and set the layout; or create what the layout says, after
     * checking it and choosing the chunks where they are 0. Collective: the same error on
     * every process. */
    redist_err (*open)(redist_file *file);
    redist_err (*create)(redist_file *file);

    /* Read or write the elements of a box. Its extents may be 0: there is nothing to do.
     * The writers call it, in the same rounds; where `collective` is set all processes
     * do, others with empty boxes. Errors may differ between processes. */
    bool collective;
    redist_err (*read)(redist_file *file, const struct box *box, void *elements);
    redist_err (*write)(redist_file *file, const struct box *box, const void *elements);

    /* Complete what was written. A created array that is no `temporary` gets its name, or
     * is removed if `failed`. Called by all processes. Errors may differ between them. */
    redist_err (*close)(redist_file *file);
};

/* Set file->layout, with a copy of the type, and element_bytes; chunk is all 1. IO: a
 * type that is not supported, more than 2^63 bytes. MEMORY. */
redist_err file_set_layout(redist_file *file, int ndims, const int64_t shape[],
                           const char *type, redist_order order);

/* Set the codec to a copy of a text, which may be NULL. MEMORY. */
redist_err file_set_codec(redist_file *file, const char *codec);

/* Give all processes the path that is written: that of rank 0's temporary or, if it has
 * none, that of the file. The caller frees it with mem_free. `err` is rank 0's.
 * Collective: the same error on every process. */
redist_err file_share_path(redist_file *file, redist_err err, char **path);

/* Return the elements of a box. */
int64_t box_elements(const redist_file *file, const struct box *box);

#endif
