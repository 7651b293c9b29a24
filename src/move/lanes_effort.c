/* SPDX-License-Identifier: MIT
 *
 * move/lanes_effort.c - what the point-to-point exchanges ask of a machine.
 */
#include "base/intmath.h"
#include "move/lanes.h"

/* At most so many pieces: each message may have one that is not full. */
static int64_t count_pieces(const struct load *load, int side)
{
    if (load->largest[side] <= load->chunk) return load->messages[side];
    return load->messages[side] + load->bytes[side] / load->chunk;
}

/* Pieces of one direction under way at a time, as far as memory and policy go. */
static int64_t count_outstanding(const struct load *load,
                                 const struct lanes_policy *policy, int side)
{
    int64_t piece = int_max(int_min(load->largest[side], load->chunk), 1);
    int64_t fit = load->packed[side] > 0 ? load->staging / 2 / piece : INT64_MAX;
    return int_max(int_min(fit, policy->window), 1);
}

bool lanes_effort(const struct load *load, const struct lanes_policy *policy,
                  struct effort *effort)
{
    *effort = (struct effort){{0}};
    if (policy->ready && load->packed[REDIST_TARGET] > load->staging / 2) return false;
    double *count = effort->count;
    int64_t in_use = 0;
    for (int s = 0; s < SIDES; s++) {
        int64_t pieces = count_pieces(load, s);
        int64_t waits = int_ceil_div(pieces, count_outstanding(load, policy, s));
        if (policy->stepwise) waits = int_max(waits, load->messages[s]);
        if (count[EFFORT_STARTUPS] < (double)pieces)
            count[EFFORT_STARTUPS] = (double)pieces;
        if (count[EFFORT_WAITS] < (double)waits) count[EFFORT_WAITS] = (double)waits;
        if (count[EFFORT_WIRE] < (double)load->bytes[s])
            count[EFFORT_WIRE] = (double)load->bytes[s];
        count[EFFORT_PACKING] += (double)load->packed[s];
        int64_t most = policy->any_source && s == REDIST_TARGET ? 1 : policy->window;
        int64_t room = 0; /* of so many pieces */
        if (!int_mul(most, int_min(load->largest[s], load->chunk), &room))
            room = INT64_MAX;
        in_use += int_min(int_min(load->packed[s], room), load->staging / 2);
    }
    if (in_use > EFFORT_NEAR) count[EFFORT_SPILL] = count[EFFORT_PACKING];
    count[EFFORT_VOTES] = policy->ready + !load->hears_all;
    return true;
}
