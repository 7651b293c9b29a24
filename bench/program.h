/* SPDX-License-Identifier: MIT
 *
 * program.h - a benchmark as a program: its options, and an end that is the same on all
 * processes.
 */
#ifndef REDIST_BENCH_PROGRAM_H
#define REDIST_BENCH_PROGRAM_H

#include <mpi.h>
#include <redist/describe.h>
#include <stdint.h>

#include "tool/common/arguments.h"

/* Run `bench` with its context, which the options fill, between MPI_Init and
 * MPI_Finalize, or list the options if --help is one of them. Rank 0 prints what goes
 * wrong. `options` end with one without a name. Returns the exit status: 0, or 1 if a
 * process failed. */
int program_run(int argc, char **argv, const struct argument options[],
                redist_err (*bench)(MPI_Comm comm, void *context), void *context);

/* Print, on rank 0, how many processes take turns, how often, and over which MPI. */
void program_print_turns(MPI_Comm comm, int64_t rounds);

#endif
