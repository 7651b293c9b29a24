/* SPDX-License-Identifier: MIT
 *
 * move/p2p/pipeline_effort.c - what the point-to-point exchanges ask of a machine.
 */
#include "base/intmath.h"
#include "move/p2p/pipeline.h"

/* The most pieces: each message may have one that is not full. */
static int64_t count_pieces(const struct flow *flow, int64_t chunk)
{
    if (flow->largest <= chunk) return flow->messages;
    return flow->messages + flow->bytes / chunk;
}

static void raise_to(double *count, int64_t least)
{
    if (*count < (double)least) *count = (double)least;
}

/* Count the operations of one direction. Both run at the same time, except for the
 * processor's work. Returns the staging memory in use. */
static int64_t add_side(const struct load *load, const struct pipeline_policy *policy,
                        int side, struct effort *effort)
{
    const struct flow *flow = &load->all[side];
    double *count = effort->count;
    int64_t pieces = count_pieces(flow, load->chunk), packed = flow->packed;
    int64_t piece = int_min(flow->largest, load->chunk);
    int64_t fit = packed > 0 ? int_max(load->staging / 2 / piece, 1) : INT64_MAX;
    int64_t outstanding = int_min(fit, policy->window);
    int64_t waits = int_ceil_div(pieces, outstanding);
    if (policy->stepwise) waits = int_max(waits, flow->messages);
    raise_to(&count[EFFORT_STARTUPS], pieces);
    raise_to(&count[EFFORT_HANDSHAKES], piece > EFFORT_EAGER ? pieces : 0);
    raise_to(&count[EFFORT_WAITS], waits);
    raise_to(&count[EFFORT_WIRE], flow->bytes);
    count[EFFORT_PACKING] += (double)packed;
    int64_t taken = int_min(int_max(packed, piece), load->staging / 2);
    if (piece > 0 && int_min(pieces, policy->window) <= taken / piece)
        taken = int_min(pieces, policy->window) * piece;
    effort->staging += taken;
    return packed > 0 ? int_min(packed, outstanding * piece) : 0;
}

bool pipeline_effort(const struct load *load, const struct pipeline_policy *policy,
                     struct effort *effort)
{
    *effort = (struct effort){{0}, 0};
    if (policy->ready && load->all[REDIST_TARGET].packed > load->staging / 2)
        return false;
    double *count = effort->count;
    int64_t in_use = add_side(load, policy, REDIST_SOURCE, effort) +
                     add_side(load, policy, REDIST_TARGET, effort);
    if (in_use > EFFORT_NEAR) count[EFFORT_SPILL] = count[EFFORT_PACKING];
    count[EFFORT_VOTES] = policy->ready;
    return true;
}
