/* SPDX-License-Identifier: MIT
 *
 * tool/store/file_arguments.h - the FILE arguments of a command. The end of a name says
 * the format; one whose name says none is NumPy's. The name of a raw file that exists is
 * followed by its layout:
 *
 *   a.raw: [60,100] >f4 order column-major offset 16
 *
 *   layout = "[" extent {"," extent} "]" type
 *            {"order" ("row-major" | "column-major") | "offset" bytes}
 *
 * Without an offset the file has these elements alone; with one other data may follow.
 */
#ifndef REDIST_TOOL_STORE_FILE_ARGUMENTS_H
#define REDIST_TOOL_STORE_FILE_ARGUMENTS_H

#include "files/access/slab.h"

struct file_argument {
    char *name;                /* without the layout; owned */
    bool has_offset;           /* other data may follow the elements */
    redist_file_layout layout; /* size 0: there is none. The type is owned */
};

/* Read a FILE argument into one of {0}. Free it with file_argument_free, after a failure
 * too.
 * Local. ARG, MEMORY. */
redist_err file_argument_parse(const char *text, struct file_argument *argument);
void file_argument_free(struct file_argument *argument);

/* Tell whether the end of a name says the format. */
bool file_says_format(const char *name);

/* Return the order that a new file gets: `order`, unless its format has row-major arrays
 * alone. */
redist_order file_order(const char *name, redist_order order);

/* Open the array of a FILE argument that exists; `options` have neither a layout nor a
 * format.
 * Collective over comm. ARG, IO, MEMORY: on every process. */
redist_err file_argument_open(MPI_Comm comm, const char *text, redist_file_mode mode,
                              redist_file_options options, redist_file **file);

/* Create the array of a FILE argument, with the layout in `options`.
 * Collective over comm. ARG, IO, MEMORY: on every process. */
redist_err file_argument_create(MPI_Comm comm, const char *text,
                                redist_file_options options, redist_file **file);

/* Read the argument of `option`, a section "[0:99:2,5:9]" of the array in a file; without
 * one, NULL, it is the whole array.
 * Local. ARG. */
redist_err file_section(const char *option, const char *text, const redist_file *file,
                        struct section *section);

/* Check that neither of two FILE arguments lies in the other, by whatever path. A file of
 * HDF5 counts as a whole. Either may be NULL. Rank 0 looks.
 * Collective over comm. ARG, IO: on every process. */
redist_err files_check_apart(MPI_Comm comm, const char *from, const char *to);

#endif
