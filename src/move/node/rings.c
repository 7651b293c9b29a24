/* SPDX-License-Identifier: MIT */
#include "move/node/rings.h"

#include "base/intmath.h"
#include "move/node/channel.h"

enum {
    RINGS = 2 << 20,  /* bytes of all rings of a process, at most, which should stay in
                         the second-level cache */
    SLOT = 128 << 10, /* bytes, at most */
    SLOTS = 4,        /* of a ring; two if slots would be short */
    SHORT_SLOT = 32 << 10
};

int64_t rings_cap(int64_t staging, int64_t grain)
{
    int64_t cap = int_min(RINGS, staging / 2);
    return staging - cap < 2 * grain ? 0 : cap;
}

struct slots rings_cut(int64_t cap, int64_t grain, int64_t incoming, int64_t longest)
{
    struct slots slots = {0, 0};
    if (incoming == 0) return slots;
    int64_t ring = cap / incoming, lines = grain * CHANNEL_LINE;
    slots.n = int_min(int_max(ring / SHORT_SLOT, 2), int_min(SLOTS, ring / grain));
    if (slots.n == 0) return slots;
    if (longest >= lines) longest = int_ceil_div(longest, lines) * lines;
    slots.bytes = int_min(int_min(ring / slots.n, SLOT), longest);
    slots.bytes -= slots.bytes % (slots.bytes >= lines ? lines : grain);
    if (slots.bytes == 0) slots.bytes = grain;
    slots.n = int_min(slots.n, int_max(2, int_ceil_div(longest, slots.bytes)));
    return slots;
}
