/* SPDX-License-Identifier: MIT
 *
 * move/collective/rounds_effort.c - what the exchanges in rounds ask of a machine.
 */
#include <limits.h>

#include "base/intmath.h"
#include "move/collective/rounds.h"

/* Return the quota of a message with so many buffers each way, if all are equally
 * long. */
static int64_t find_quota(const struct load *load, int64_t messages, int64_t buffers)
{
    int64_t room = int_min(load->staging / 2 / buffers, INT_MAX);
    return room / int_max(messages, 1);
}

bool rounds_effort(const struct load *load, int64_t *n, struct effort *effort)
{
    const struct flow *out = &load->all[0], *in = &load->all[1];
    int64_t messages = int_max(out->messages, in->messages);
    int64_t largest = int_max(out->largest, in->largest);
    int64_t bytes = int_max(out->bytes, in->bytes);
    int64_t quota = largest;
    bool whole = bytes <= int_min(load->staging / 2, INT_MAX);
    if (!whole) quota = find_quota(load, messages, 2);
    if (quota == 0) quota = find_quota(load, messages, 1);
    *effort = (struct effort){{0}, 0};
    if (quota == 0 && largest > 0) return false;
    *n = largest > 0 ? int_ceil_div(largest, quota) : 0;
    double *count = effort->count;
    count[EFFORT_HANDSHAKES] = quota > EFFORT_EAGER ? (double)(messages * *n) : 0;
    count[EFFORT_WIRE] = (double)bytes;
    count[EFFORT_PACKING] = (double)out->bytes + (double)in->bytes;
    if (int_min(load->staging, 2 * bytes) > EFFORT_NEAR)
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    for (int s = 0; s < SIDES; s++) {
        int64_t held = int_min(load->all[s].bytes, load->staging / 2);
        effort->staging += whole ? held : int_min(2 * held, load->staging / 2);
    }
    return true;
}
