/* SPDX-License-Identifier: MIT
 *
 * plan/choice/rates.h - the rates of a machine: seconds of each operation that an
 * exchange asks for (move/message/effort.h). They are measured once for a communicator
 * (measure.c) and kept with it.
 */
#ifndef REDIST_PLAN_CHOICE_RATES_H
#define REDIST_PLAN_CHOICE_RATES_H

#include <mpi.h>

#include "base/error.h"
#include "move/message/effort.h"
#include "move/node/node.h"

/* Seconds of an operation that MPI lacks. */
#define RATES_NEVER 1.

/* Seconds of one operation of each kind, on the slowest process. */
struct rates {
    double seconds[EFFORT_TERMS];
    bool stated;   /* bytes on the wire are alone on their links; else measured while all
                    processes send half way round */
    bool overlaps; /* messages start while others are on the wire */
    double fairness; /* 1: links share their bandwidth among all messages; 0: one message
                        at a time, or unknown */
};

/* Derive rates from three numbers, as in schedule/model/model.h: a message of m bytes
 * takes alpha + m beta, and m gamma to be packed or unpacked. The assumptions: messages
 * need no handshake; a wait is a latency as long as a startup; packing beyond the cache
 * is slower by half; a collective call starts a message to each process; a vote goes up
 * and down a binary tree; MPI packs the bytes of a datatype as fast, and each block costs
 * as much as 128 bytes more; reading takes as long as sending; a flag in shared memory
 * takes a tenth of a startup. How links serve is unknown. Pure. */
struct rates rates_assume(double alpha, double beta, double gamma, int nranks);

/* Typical rates of a cluster: a startup of 2 us, 10 GB/s on the wire and for packing. */
struct rates rates_default(int nranks);

/* Parse these three numbers, separated by commas, as in REDIST_RATES. An optional fourth
 * is the latency, if not as long as a startup; a fifth, from 0 to 1, the fairness. ARG:
 * names the variable. */
redist_err rates_read(const char *text, int nranks, struct rates *rates);

/* What is known of the processes of a communicator. */
struct site {
    struct rates rates;
    int width; /* processes of a node (node_width) */
    int nnear;
    int near[]; /* [nnear] ranks on the same node, ascending; the own too */
};

/* Tell whether process `rank` is on the same node. O(log nnear). */
bool site_is_near(const struct site *site, int rank);

/* Find the site of the processes of `user`. It is kept as an attribute of `user`; the
 * first call measures. If there is one process, or if REDIST_RATES in the environment
 * gives the rates, the same on all processes, nothing is measured. All messages go over
 * `own`, which has the same processes; the site's ranks are those of `own`. `user` may be
 * an intercommunicator. `*site` lives as long as `user`.
 * Collective. At most a few milliseconds where each process has a core, in the first call
 * for a communicator; then local, O(1). ARG, MISMATCH, MEMORY, MPI: the same on all
 * processes. */
redist_err site_find(MPI_Comm user, MPI_Comm own, const struct site **site);

/* As site_find, but never measure: NULL, on all processes alike, if nothing is kept.
 * Local. O(1). MPI. */
redist_err site_known(MPI_Comm user, const struct site **site);

/* Measure the seconds of messages, bytes, packing, collective calls, votes, and all other
 * terms but one: packing beyond the cache is assumed to take three times as long. Results
 * are the same on every process: those of the slowest. The minimum of a few repetitions
 * counts, as other load on the machine only adds time.
 *
 * Every process sends to the rank half way round the communicator, so messages cross
 * nodes if ranks fill one node after the other. Flags and ring slots go half way round
 * each `node`. Calls that MPI turns out to lack get a time that excludes them. How links
 * serve is observed with two senders to one process, unless all live on one node.
 * Collective. MEMORY, MPI: the same on every process. */
redist_err rates_measure(MPI_Comm comm, const struct node *node, struct rates *rates);

/* For tests: return how often this process has measured. */
int64_t rates_measured(void);

#endif
