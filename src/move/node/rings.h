/* SPDX-License-Identifier: MIT
 *
 * move/node/rings.h - how the memory in which messages come from processes of the same
 * node is divided among them.
 */
#ifndef REDIST_MOVE_NODE_RINGS_H
#define REDIST_MOVE_NODE_RINGS_H

#include <stdint.h>

/* The most that the rings of a process may take of its staging memory, the same on every
 * process: what is left does for the messages that are left over. */
int64_t rings_cap(int64_t staging, int64_t grain);

/* Divide that memory among so many inlets, the longest of whose messages has `longest`
 * bytes: into slots of whole grains and, if they are long, of whole cache lines; of those
 * that hold a whole message there are two, for two runs. None if there is no room. */
struct slots {
    int64_t bytes, n; /* of a slot; slots of a ring */
};
struct slots rings_cut(int64_t cap, int64_t grain, int64_t inlets, int64_t longest);

#endif
