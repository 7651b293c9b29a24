/* SPDX-License-Identifier: MIT
 *
 * program.h - a benchmark as a program: its options, and an end that is the same on all
 * processes.
 */
#ifndef REDIST_BENCH_PROGRAM_H
#define REDIST_BENCH_PROGRAM_H

#include <mpi.h>
#include <redist/redist.h>
#include <stdint.h>

#include "tool/common/arguments.h"

/* Run `bench` with its context, which the options fill, between MPI_Init and
 * MPI_Finalize, or list the options if --help is one of them. Rank 0 prints what goes
 * wrong. `options` end with one without a name. Returns the exit status: 0, or 1 if a
 * process failed. */
int program_run(int argc, char **argv, const struct argument options[],
                redist_err (*bench)(MPI_Comm comm, void *context), void *context);

/* End all processes if there is an error, or no memory. */
void program_must(redist_err err);
void *program_allocate(int64_t bytes); /* zeros */

/* The median of n numbers, which are sorted. */
double program_median(double numbers[], int64_t n);

/* Make views from their text, in which %1$d are the processes, %2$lld the elements,
 * %3$lld the side of a square of as many, and %4$lld an eighth of that; and count the
 * elements of the calling process's buffers. */
void program_views(const char *const text[2], int64_t elements, redist_dist *dist[2],
                   redist_view view[2], int64_t span[2]);

/* A plan with its buffers, and a racer's (race.h) run of it. */
struct program_run {
    redist_plan *plan;
    void *source, *target;
};
redist_err program_execute(void *run);

/* Print, on rank 0, how many processes take turns, how often, and over which MPI. */
void program_print_turns(MPI_Comm comm, int64_t rounds);

#endif
