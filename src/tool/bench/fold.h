/* SPDX-License-Identifier: MIT
 *
 * tool/bench/fold.h - memory for elements without values. If all processes of a simulated
 * machine are one process, all this memory is the same few pages, so that thousands fit.
 */
#ifndef REDIST_TOOL_BENCH_FOLD_H
#define REDIST_TOOL_BENCH_FOLD_H

/* From now on share the pages of all memory for elements, if this MPI can; its contents
 * are then undefined.
 * Local. */
void fold_elements(void);

#endif
