/* SPDX-License-Identifier: MIT
 *
 * redist/checkpoint.h - the state of a program in a folder, written by N processes and
 * read by M: named arrays, each in any distribution, named texts, and the number of a
 * step.
 *
 *   redist_checkpoint_create -> _write, _set .. -> redist_checkpoint_commit
 *   redist_checkpoint_open   -> _read, _get ..  -> redist_checkpoint_close
 *
 * Each step is a folder of its own, which appears when it is complete: whenever a
 * program is killed, the steps that are there are whole.
 *
 *   FOLDER/step-000000000042.zarr/            a group of Zarr, version 3
 *   FOLDER/step-000000000042.zarr/zarr.json   the texts, as the group's attributes
 *   FOLDER/step-000000000042.zarr/NAME        an array, each chunk with its CRC-32C
 */
#ifndef REDIST_CHECKPOINT_H
#define REDIST_CHECKPOINT_H

#include <redist/files.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct redist_checkpoint redist_checkpoint;

/* Begin to write the checkpoint of `step` (>= 0) into `folder`, which is made if it is
 * not there. What killed programs left in it of unfinished steps is removed. The
 * communicator is no intercommunicator and must live as long as the checkpoint, which
 * the caller owns.
 * Collective over comm. ARG, IO, MEMORY, MPI: the same code and sentence on every
 * process. IO also if another program is writing this step. */
REDIST_API redist_err redist_checkpoint_create(MPI_Comm comm, const char *folder,
                                               int64_t step,
                                               redist_checkpoint **checkpoint);

/* Write the section of `view` in `buffer` as the array `name`, of the section's extents
 * in the order of its axes: as redist_file_write. `name` is that of a file: no slash. A
 * type that is no number is written as bytes.
 * Collective. As redist_file_write. After an error the checkpoint cannot be committed. */
REDIST_API redist_err redist_checkpoint_write(redist_checkpoint *checkpoint,
                                              const char *name, const redist_view *view,
                                              MPI_Datatype type, const void *buffer);

/* Keep a text under the name `key`, both in UTF-8; rank 0's counts. It takes the place of
 * an earlier one. All texts of a step take at most 64 MiB, or it cannot be committed.
 * Collective. O(text). ARG, STATE: it is open for reading. MEMORY. */
REDIST_API redist_err redist_checkpoint_set(redist_checkpoint *checkpoint,
                                            const char *key, const char *text);

/* Make the step appear, written to the disk, in place of an older one of its number; then
 * remove all but the last `keep` (0: keep all); this one stays, also if there are as many
 * later ones. `*checkpoint` is set to NULL, also after an error, which leaves the folder
 * as it was, unless the sentence says that something cannot be removed: the step is
 * there then.
 * Collective. ARG, STATE: an array could not be written. IO, MEMORY. */
REDIST_API redist_err redist_checkpoint_commit(redist_checkpoint **checkpoint, int keep);

/* Open the checkpoint of `step`, or the last one if step is -1, for reading, on any
 * number of processes. The caller owns it.
 * Collective over comm. ARG, IO: there is none. MEMORY, MPI. */
REDIST_API redist_err redist_checkpoint_open(MPI_Comm comm, const char *folder,
                                             int64_t step,
                                             redist_checkpoint **checkpoint);

/* Return the step; -1 for NULL.
 * Local. O(1). */
REDIST_API int64_t redist_checkpoint_step(const redist_checkpoint *checkpoint);

/* Find the text that was kept under `key`; it lives as long as the checkpoint does. NULL:
 * there is none.
 * Local. O(texts). ARG. */
REDIST_API redist_err redist_checkpoint_get(const redist_checkpoint *checkpoint,
                                            const char *key, const char **text);

/* Read the array `name` into the section of `view` in `buffer`, as redist_file_read: the
 * distribution may be any. A chunk whose CRC is wrong, or that is missing, is an error.
 * Collective. As redist_file_read. */
REDIST_API redist_err redist_checkpoint_read(redist_checkpoint *checkpoint,
                                             const char *name, const redist_view *view,
                                             MPI_Datatype type, void *buffer);

/* Open the array `name` of a checkpoint that is open for reading, to describe it or to
 * read a section of it. The caller closes the file, before the checkpoint.
 * Collective. As redist_file_open. */
REDIST_API redist_err redist_checkpoint_array(redist_checkpoint *checkpoint,
                                              const char *name, redist_file **file);

/* Read all arrays, and check all sums.
 * Collective. O(bytes). IO: the sentence names the chunk. MEMORY. */
REDIST_API redist_err redist_checkpoint_verify(redist_checkpoint *checkpoint);

/* Close a checkpoint and set `*checkpoint` to NULL. NULL-safe. What was written and not
 * committed is removed.
 * Collective. Never fails. */
REDIST_API redist_err redist_checkpoint_close(redist_checkpoint **checkpoint);

#ifdef __cplusplus
}
#endif
#endif
