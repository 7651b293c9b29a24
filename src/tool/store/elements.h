/* SPDX-License-Identifier: MIT
 *
 * tool/store/elements.h - read the elements of an input, and compare with them.
 */
#ifndef REDIST_TOOL_STORE_ELEMENTS_H
#define REDIST_TOOL_STORE_ELEMENTS_H

#include "tool/common/progress.h"
#include "tool/store/input.h"

/* Read each process's whole local array of `source`, not only the section, into `buffer`:
 * a file through redist_file_read, else each process the shards that concern it.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err elements_read(MPI_Comm comm, const struct input *input,
                         const redist_view *source, void *buffer,
                         struct progress *progress);

/* Read the expected target section into `buffer`, in the layout of `target`: the input's
 * elements at the same places of the source's section. Each process reads its own, by
 * another way than elements_read.
 * Collective over comm. O(local array). IO, MEMORY: on every process. */
redist_err elements_fetch(MPI_Comm comm, const struct input *input,
                          const redist_view *source, const redist_view *target,
                          void *buffer, struct progress *progress);

/* Compare the target's section in `buffer` with the expected one, as elements_check
 * does. */
redist_err elements_compare(MPI_Comm comm, const struct input *input,
                            const redist_view *source, const redist_view *target,
                            const void *buffer, const void *expected);

/* Compare the target's section in `buffer` with the input's elements at the same places
 * of the source's section. Each process reads its own, by another way than
 * elements_read. If any element differs, fail with their number and the first of them.
 * Collective over comm.
 * O(local array). IO, MEMORY: on every process. */
redist_err elements_check(MPI_Comm comm, const struct input *input,
                          const redist_view *source, const redist_view *target,
                          const void *buffer, struct progress *progress);

/* Let a bar follow what is read from a file, or written to it. */
void elements_show_progress(redist_file *file, struct progress *progress);

/* Return the view of the whole array in the memory layout of `view`. */
redist_view elements_whole(const redist_view *view);

#endif
