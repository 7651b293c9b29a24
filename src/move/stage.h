/* SPDX-License-Identifier: MIT
 *
 * move/stage.h - between the caller's arrays and staging memory: all that is packed or
 * unpacked on its way goes through here.
 */
#ifndef REDIST_MOVE_STAGE_H
#define REDIST_MOVE_STAGE_H

#include "move/exchange.h"

/* Pack bytes at .. at + n - 1 of a message to be sent into `staging`; both whole
 * elements. Nothing if this process must not use its buffers. */
void stage_pack(const struct move *move, struct transfer *transfer, int64_t at, int64_t n,
                char *staging);

/* Unpack bytes at .. at + n - 1 of a message that was received. As stage_pack. */
void stage_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                  int64_t n, const char *staging);

#endif
