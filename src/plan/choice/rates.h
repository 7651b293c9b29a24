/* SPDX-License-Identifier: MIT
 *
 * plan/choice/rates.h - how long a machine takes for each of the things that an exchange
 * asks of it (move/message/effort.h): measured once for a communicator, and kept with it.
 */
#ifndef REDIST_PLAN_CHOICE_RATES_H
#define REDIST_PLAN_CHOICE_RATES_H

#include <mpi.h>

#include "base/error.h"
#include "move/message/effort.h"

/* Seconds of what MPI cannot do. */
#define RATES_NEVER 1.

/* Seconds of one of each, of the slowest process. */
struct rates {
    double seconds[EFFORT_TERMS];
    bool stated; /* a byte on the wire is alone on its links; measured, it is one of those
                    that all processes send half way round */
    bool overlaps;   /* messages start while others are on the wire */
    double fairness; /* 1: links serve all that come to them alike; 0: one message at a
                        time, or it is not known */
};

/* The rates of a machine of which three numbers are known, as schedule/model/model.h has
 * them: a message of m bytes takes alpha + m beta, and m gamma to be packed or unpacked.
 * What more there is follows: no message is too long for that, so that handshakes take
 * nothing; a wait is a latency as long as a startup; staging memory past the cache makes
 * packing slower by half; a collective call starts a message to each process, and a vote
 * goes up and down a binary tree; MPI packs the bytes of a datatype as fast, and for each
 * block as long as 128 bytes more; what is read takes as long as what is sent, and a flag
 * in shared memory a tenth of a startup. How links serve is not known. Pure. */
struct rates rates_assume(double alpha, double beta, double gamma, int nranks);

/* A startup of 2 us, 10 GB/s on the wire and to pack: what a cluster's interconnect and
 * memory are like. */
struct rates rates_default(int nranks);

/* Read such three numbers with commas between, as REDIST_RATES in the environment has
 * them, maybe a fourth: the latency, if it is not as long as a startup; and then a fifth,
 * from 0 to 1: the fairness. ARG: names the variable. */
redist_err rates_read(const char *text, int nranks, struct rates *rates);

/* What is to be known of the processes of a communicator. */
struct site {
    struct rates rates;
    int width; /* processes of a node, see node_width */
    int nnear;
    int near[]; /* [nnear] ranks that live on the same node, ascending; the own too */
};

/* Whether the process `rank` lives on the same node. O(log nnear). */
bool site_is_near(const struct site *site, int rank);

/* Find the site of the processes of `user`: what was found before, kept as an attribute
 * of it, or look round and measure now; where REDIST_RATES in the environment states the
 * rates, alike on all processes, nothing is measured. All messages go over `own`, which
 * has the same processes, and whose ranks the site's are; `user` may be an
 * intercommunicator. `*site` lives as long as `user`.
 * Collective. At most a few milliseconds where each process has a core, in the first call
 * for a communicator; then local, O(1). ARG, MISMATCH, MEMORY, MPI: the same on all
 * processes. */
redist_err site_find(MPI_Comm user, MPI_Comm own, const struct site **site);

/* The same without looking round: NULL, on all processes alike, if nothing is kept.
 * Local. O(1). MPI. */
redist_err site_known(MPI_Comm user, const struct site **site);

/* For tests: how often this process has measured. */
int64_t rates_measured(void);

#endif
