/* SPDX-License-Identifier: MIT
 *
 * files/checkpoint/steps.h - the steps in a folder of checkpoints; all by one process.
 *
 *   step-000000000042.zarr           a step
 *   step-000000000042.<run>.part     one that is being written; its file `lock` is locked
 *                                    (flock) by the process that writes it
 */
#ifndef REDIST_FILES_CHECKPOINT_STEPS_H
#define REDIST_FILES_CHECKPOINT_STEPS_H

#include <limits.h>

#include <redist/describe.h>

/* Find the last step of a folder, -1 if there is none. IO: it cannot be read. */
redist_err steps_last(const char *folder, int64_t *step);

/* Name the folder of a step. IO: the name is too long. */
redist_err steps_name(const char *folder, int64_t step, char name[PATH_MAX]);

/* Make the folder `part` of a new step, and lock it. What is left of killed programs is
 * removed first. `*lock` is a descriptor. IO. */
redist_err steps_begin(const char *folder, int64_t step, char part[PATH_MAX], int *lock);

/* Unlock and rename `part`, or remove it. IO: it could not be renamed, and is removed. */
redist_err steps_keep(const char *folder, int64_t step, const char *part, int lock);
void steps_discard(const char *part, int lock);

/* Remove all steps but the last `keep`. IO. */
redist_err steps_trim(const char *folder, int keep);

#endif
