/* SPDX-License-Identifier: MIT
 *
 * files/checkpoint/steps.h - the steps in a folder of checkpoints; all by one process.
 *
 *   step-000000000042.zarr                a step
 *   step-000000000042.zarr.<run>.part     one that is being written
 */
#ifndef REDIST_FILES_CHECKPOINT_STEPS_H
#define REDIST_FILES_CHECKPOINT_STEPS_H

#include "files/format/temporary_folder.h"

/* Find the last step of a folder, -1 if there is none. IO: it cannot be read. */
redist_err steps_last(const char *folder, int64_t *step);

/* Name the folder of a step. IO: the name is too long. */
redist_err steps_name(const char *folder, int64_t step, char name[PATH_MAX]);

/* Make the folder of a new step. What killed programs left is removed first. IO: another
 * program is writing this step, .. */
redist_err steps_begin(const char *folder, int64_t step, struct temporary_folder *part);

/* Remove all steps but the last `keep` and `step`; if `keep` is 0, remove none. IO. */
redist_err steps_trim(const char *folder, int64_t step, int keep);

#endif
