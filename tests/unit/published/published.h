/* SPDX-License-Identifier: MIT
 *
 * tests/unit/published/published.h - published heuristics for gen_block to gen_block
 * (schedule/original/staircase.c), to compare `staircase-steps` with. All find Delta
 * steps whose longest messages have a small sum. The test of staircases runs and checks
 * them.
 */
#ifndef REDIST_TESTS_UNIT_PUBLISHED_H
#define REDIST_TESTS_UNIT_PUBLISHED_H

#include "schedule/core/grid.h"

/* Find the step of each message of a staircase. Each is the algorithm of one paper, as
 * Hsu et al. 2007, section 2, and Chen 2010, chapter 2, describe it; what these leave
 * open is said in its file. */
typedef void published_steps(const struct comm_grid *grid, int64_t step[]);

/* Yook and Park 2001: the longest message first; one that finds no step relocates
 * others. */
published_steps published_relocation;

/* Wang, Guo and Wei 2004: the messages of each process are sorted, and neighbours are
 * merged, two by two. */
published_steps published_divide;

/* Hsu, Chen, Lan, Yang and Li 2005: while a process has more than two messages left, a
 * step of the shortest; then paths are coloured. */
published_steps published_reduction;

/* Sort the messages `id`[n]: the longest first, of equal ones the first. */
void published_sort(const struct comm_grid *grid, int64_t n, int64_t id[]);

#endif
