/* SPDX-License-Identifier: MIT
 *
 * move/node/rings.h - divide the memory that receives messages from processes of the same
 * node.
 */
#ifndef REDIST_MOVE_NODE_RINGS_H
#define REDIST_MOVE_NODE_RINGS_H

#include <stdint.h>

/* Return the most bytes that the rings of a process may take of its staging memory, the
 * same on every process. The rest suffices for all other messages. */
int64_t rings_cap(int64_t staging, int64_t grain);

/* Divide that memory among so many incoming messages; the longest has `longest` bytes.
 * Slots have whole grains and, if long, whole cache lines. Slots that hold a whole
 * message come in twos, for two runs. None if there is no room. */
struct slots {
    int64_t bytes, n; /* bytes of a slot; slots of a ring */
};
struct slots rings_cut(int64_t cap, int64_t grain, int64_t incoming, int64_t longest);

#endif
