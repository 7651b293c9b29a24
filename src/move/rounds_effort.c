/* SPDX-License-Identifier: MIT
 *
 * move/rounds_effort.c - what the exchanges in rounds ask of a machine.
 */
#include <limits.h>

#include "base/intmath.h"
#include "move/rounds.h"

/* The quota of a message if each way has so many buffers, and all are as long. */
static int64_t find_quota(const struct load *load, int64_t messages, int64_t buffers)
{
    int64_t room = int_min(load->staging / 2 / buffers, INT_MAX);
    return room / int_max(messages, 1);
}

bool rounds_effort(const struct load *load, int64_t *n, struct effort *effort)
{
    int64_t messages = int_max(load->messages[0], load->messages[1]);
    int64_t largest = int_max(load->largest[0], load->largest[1]);
    int64_t bytes = int_max(load->bytes[0], load->bytes[1]);
    int64_t quota = largest;
    bool whole = bytes <= int_min(load->staging / 2, INT_MAX);
    if (!whole) quota = find_quota(load, messages, 2);
    if (quota == 0) quota = find_quota(load, messages, 1);
    *effort = (struct effort){{0}};
    if (quota == 0 && largest > 0) return false;
    *n = largest > 0 ? int_ceil_div(largest, quota) : 0;
    double *count = effort->count;
    count[EFFORT_WIRE] = (double)bytes;
    count[EFFORT_PACKING] = (double)load->bytes[0] + (double)load->bytes[1];
    if (int_min(load->staging, 2 * bytes) > EFFORT_NEAR)
        count[EFFORT_SPILL] = count[EFFORT_PACKING];
    return true;
}
