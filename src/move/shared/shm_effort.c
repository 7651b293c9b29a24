/* SPDX-License-Identifier: MIT
 *
 * move/shared/shm_effort.c - what copies within a node ask of a machine, through rings:
 * whether arrays can be read directly is known only in a run.
 */
#include <string.h>

#include "base/intmath.h"
#include "move/shared/shm_peers.h"

static int64_t count_pieces(const struct flow *flow, int64_t slot)
{
    return flow->messages + (flow->bytes - flow->messages) / slot;
}

/* Bytes of the rings of a process: each has at most two messages, in whole lines. */
static int64_t find_rings(const struct flow *in, int64_t grain, int64_t cap)
{
    int64_t message = in->largest + grain * CHANNEL_LINE;
    return int_min(cap, 2 * in->messages * int_min(message, cap));
}

/* Add the cost of rings: one flag offers a message, one hands over each piece, and one
 * tells that a full ring has room. */
static void add_near(const struct load *load, struct slots slots, int64_t rings,
                     struct effort *effort)
{
    const struct flow *out = &load->near[REDIST_SOURCE], *in = &load->near[REDIST_TARGET];
    const struct flow most = flow_most(load->near);
    double *count = effort->count;
    int64_t pieces =
        int_max(count_pieces(out, slots.bytes), count_pieces(in, slots.bytes));
    int64_t laps = int_ceil_div(most.largest, slots.bytes * slots.n);
    count[EFFORT_FLAGS] = (double)(most.messages + pieces + laps);
    count[EFFORT_RINGS] = (double)most.bytes;
    effort->staging += rings;
}

bool shm_effort(const struct load *load, const struct pipeline_policy *policy,
                struct effort *effort)
{
    const struct flow *in = &load->near[REDIST_TARGET];
    int64_t cap = rings_cap(load->staging, load->grain);
    struct slots slots = rings_cut(cap, load->grain, in->messages, in->largest);
    struct load far = *load;
    far.staging = load->staging - cap;
    far.chunk = transfer_chunk(far.staging, load->grain);
    if (slots.n > 0) memcpy(far.all, load->far, sizeof far.all);
    if (!pipeline_effort(&far, policy, effort)) return false;
    if (slots.n > 0)
        add_near(load, slots, find_rings(in, load->grain, cap), effort);
    else if (in->messages > 0)
        effort->staging = load->staging; /* a process with fewer incoming messages may
                                            have rings */
    return true;
}
