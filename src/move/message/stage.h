/* SPDX-License-Identifier: MIT
 *
 * move/message/stage.h - packing and unpacking between the caller's arrays and messages.
 * Every exchange that packs does it here.
 */
#ifndef REDIST_MOVE_MESSAGE_STAGE_H
#define REDIST_MOVE_MESSAGE_STAGE_H

#include "move/message/exchange.h"

/* Pack bytes at .. at + n - 1 of a message into `staging`; both are whole grains. Does
 * nothing if the process's buffers are invalid. */
void stage_pack(const struct move *move, struct transfer *transfer, int64_t at, int64_t n,
                char *staging);

/* As stage_pack, past the cache, for staging memory that another core reads. Use it if
 * the two share no cache: reading from memory is then faster than from the other's
 * cache. */
void stage_pack_past(const struct move *move, struct transfer *transfer, int64_t at,
                     int64_t n, char *staging);

/* Bytes of a run from which on most of its lines are whole, and a part of a run is copied
 * as fast as the whole. */
enum { STAGE_LONG_RUN = 512 };

/* Unpack bytes at .. at + n - 1 of a message that was received. As stage_pack. */
void stage_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                  int64_t n, const char *staging);

/* Copy, or combine, the elements that stay on this process, whose buffers must be
 * valid. */
void stage_kept(const struct move *move);

/* Order the targets that are filled by a blocked scatter (blocked_scatter.h), after all
 * data have arrived at this process, whose buffers must be valid. */
void stage_order(const struct move *move);

/* The begin of a direct message (transfer->direct) in the caller's buffer. */
const char *stage_source(const struct move *move, const struct transfer *transfer);
char *stage_target(const struct move *move, const struct transfer *transfer);

#endif
