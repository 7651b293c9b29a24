/* SPDX-License-Identifier: MIT
 *
 * redist/propose.h - distributions that the library proposes. Free of MPI: everything
 * here is local and pure, for any number of processes.
 *
 *   balance   how many elements each process should have, where some have more than
 *             others, and the two distributions between which they then move
 *   relabel   which process should take which part of a distribution, so that the least
 *             has to move
 *
 * redist_balance_create (redist.h) does the first for the processes of a communicator, of
 * which each knows only what it has itself.
 */
#ifndef REDIST_PROPOSE_H
#define REDIST_PROPOSE_H

#include <redist/describe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- balance ----------------------------------------------------------------------- */

/* How elements find their new processes (Bader, "Dynamic Data Redistribution", methods A
 * and B). Of processes with 8, 1 and 3 elements:
 *
 *   before                       0 1 2 3 4 5 6 7 | 8 | 9 a b
 *   A  the order is kept         0 1 2 3 | 4 5 6 7 | 8 9 a b       5 have moved
 *   B  only the surplus moves    0 1 2 3 | 8 4 5 6 | 9 a b 7       4 have moved
 *
 * With B a process that has too many keeps its first, one that has too few appends what
 * comes, in the order of the ranks that it comes from; no less could move.
 *
 * Bader's own method A gives ceil(n/p) elements to each of p processes until none is
 * left: the last ones have fewer, or none. That is A_CEILING; A differs from it in the
 * shares alone, which it rounds up or down. Of 9 elements on 8 processes:
 *
 *   A          2 1 1 1 1 1 1 1
 *   A_CEILING  2 2 2 2 1 0 0 0 */
typedef enum redist_balance_method {
    REDIST_BALANCE_A = 0,
    REDIST_BALANCE_B,
    REDIST_BALANCE_A_CEILING
} redist_balance_method;

/* Find how many elements each of `nprocs` processes should have, `shares`[nprocs], where
 * they now have `counts`[nprocs] (>= 0): of n elements, n w / W rounded up or down for a
 * process of weight w = `weights`[k] (>= 0) where all weights sum to W > 0. `weights` may
 * be NULL: equal ones. The shares sum to n. Those that A rounds up are spread evenly; B
 * rounds up where there is a surplus, so that the least moves. A_CEILING rounds up all,
 * in the order of ranks, as long as there are elements.
 * Local. O(nprocs). ARG. */
REDIST_API redist_err redist_balance_shares(redist_balance_method method, int nprocs,
                                            const int64_t counts[],
                                            const int64_t weights[], int64_t shares[]);

/* Create the two dists, of one dimension onto `nprocs` processes, between which the
 * elements move that lie `counts`[k] on process k and shall lie `shares`[k] on it; both
 * sum to n. A numbers the elements as they lie, process by process: both dists are
 * GEN_BLOCK. B numbers those that stay first, process by process, then those that move:
 * both are INDIRECT, of two blocks a process, or GEN_BLOCK if none stays. The caller owns
 * both.
 * Local. O(nprocs). ARG, MEMORY. */
REDIST_API redist_err redist_balance_dists(redist_balance_method method, int nprocs,
                                           const int64_t counts[], const int64_t shares[],
                                           redist_dist **source, redist_dist **target);

/* ---- relabel ----------------------------------------------------------------------- */

/* Create a dist like that of `target`, but with its ranks at other places of its grid, so
 * that the fewest elements have to move when the section `source` goes to the section
 * `target`; of no process outside the target's grid is anything asked. Put it in place of
 * target->dist. Where nothing can be gained it equals that.
 *
 *   from  [800,800] (cyclic(100),cyclic(100)) onto 2x4
 *   to    [800,800] (cyclic(100),cyclic(100)) onto 4x2     480,000 elements move;
 *         proposed: .. ranks 0,1,4,5,2,3,6,7               320,000
 *
 * Processes of one node: `nodes`[r] is the node of rank r, for all ranks of both grids,
 * and an element that moves within a node counts as `within` (0 to 100) percent of one
 * that moves from node to node. `nodes` may be NULL: all moves count alike.
 *
 * `kept`[2], which may be NULL: the elements that stay on their process, as given and as
 * proposed. A target that is replicated counts with all its replicas.
 * Local; the same wherever it is called. O(processes) for whole periods of regular
 * formats between as many processes, whose blocks have no factor in common with the other
 * side's processes, once divided by their own; else a matching on the messages:
 * O(processes + messages log messages) where much can stay everywhere, at worst times the
 * processes, and O(processes + messages) memory, with nodes times their processes. `kept`
 * takes O(messages) time. ARG, MEMORY. */
REDIST_API redist_err redist_relabel(const redist_view *source, const redist_view *target,
                                     const int nodes[], int within, redist_dist **dist,
                                     int64_t kept[2]);

#ifdef __cplusplus
}
#endif
#endif
