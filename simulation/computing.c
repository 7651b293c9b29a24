/* SPDX-License-Identifier: MIT
 *
 * simulation/computing.c - let packing and the conversion of indices take simulated time:
 * what a simulated process computes takes none by itself. REDIST_COMPUTING=a,b are seconds
 * of a byte that is packed, unpacked or copied, and of an index that is converted by the
 * exchange `naive`; not set: none.
 *
 * It is linked to the tool alone, and only under a simulated MPI, whose linker leads the
 * calls of the functions below here (--wrap). The library does not know of it.
 */
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>

#include "describe/dist.h"
#include "move/collective/rounds.h"
#include "move/message/stage.h"

struct rates {
    double byte, index;
};

static struct rates read_rates(void)
{
    struct rates rates = {0, 0};
    const char *text = getenv("REDIST_COMPUTING");
    if (text && sscanf(text, "%lf,%lf", &rates.byte, &rates.index) != 2) {
        (void)fprintf(stderr, "REDIST_COMPUTING=%s: two numbers are expected\n", text);
        exit(1);
    }
    return rates;
}

/* Let the calling process be busy for so many units. */
static void spend(double units, double seconds)
{
    if (units * seconds > 0) sg_actor_sleep_for(units * seconds);
}

static double seconds_of_byte(void) { return read_rates().byte; }

/* ---- packing ----------------------------------------------------------------------- */

void __real_stage_queue_pack(const struct move *move, struct transfer *transfer,
                             int64_t at, int64_t n, char *staging);
void __wrap_stage_queue_pack(const struct move *move, struct transfer *transfer,
                             int64_t at, int64_t n, char *staging)
{
    __real_stage_queue_pack(move, transfer, at, n, staging);
    spend((double)n, seconds_of_byte());
}

void __real_stage_queue_unpack(const struct move *move, struct transfer *transfer,
                               int64_t at, int64_t n, const char *staging);
void __wrap_stage_queue_unpack(const struct move *move, struct transfer *transfer,
                               int64_t at, int64_t n, const char *staging)
{
    __real_stage_queue_unpack(move, transfer, at, n, staging);
    spend((double)n, seconds_of_byte());
}

void __real_stage_kept(const struct move *move);
void __wrap_stage_kept(const struct move *move)
{
    double bytes = 0;
    for (int k = 0; k < move->narrays; k++)
        bytes += (double)(move->array[k].kept.total * move->grain);
    __real_stage_kept(move);
    spend(bytes, seconds_of_byte());
}

/* ---- the conversion of indices: by `naive`, an owner for each element ---------------- */

static double converted; /* since a run began or time was last spent */

static void spend_converted(void)
{
    double indices = converted;
    converted = 0;
    spend(indices, read_rates().index);
}

int __real_dist_rank(const redist_dist *dist, const int coords[], int64_t replica);
int __wrap_dist_rank(const redist_dist *dist, const int coords[], int64_t replica)
{
    converted++;
    return __real_dist_rank(dist, coords, replica);
}

redist_err __real_rounds_start(struct move *move, void *state);
redist_err __wrap_rounds_start(struct move *move, void *state)
{
    converted = 0; /* plans ask for ranks too */
    return __real_rounds_start(move, state);
}

rounds_call __real_MPI_Ialltoallv;
int __wrap_MPI_Ialltoallv(const void *send, const int sends[], const int from[],
                          MPI_Datatype sent, void *receive, const int receives[],
                          const int to[], MPI_Datatype received, MPI_Comm comm,
                          MPI_Request *request)
{
    spend_converted();
    return __real_MPI_Ialltoallv(send, sends, from, sent, receive, receives, to, received,
                                 comm, request);
}

redist_err __real_rounds_progress(struct move *move, void *state, bool wait, bool *done);
redist_err __wrap_rounds_progress(struct move *move, void *state, bool wait, bool *done)
{
    redist_err err = __real_rounds_progress(move, state, wait, done);
    spend_converted();
    return err;
}
