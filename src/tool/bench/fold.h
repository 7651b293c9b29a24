/* SPDX-License-Identifier: MIT
 *
 * tool/bench/fold.h - memory for elements without values: where all processes of a
 * simulated machine are one, all of it is the same few pages, so that thousands have
 * room.
 */
#ifndef REDIST_TOOL_BENCH_FOLD_H
#define REDIST_TOOL_BENCH_FOLD_H

/* Fold what is allocated for elements from now on, if this MPI can; what is in it is of
 * no use then.
 * Local. */
void fold_elements(void);

#endif
