/* SPDX-License-Identifier: MIT
 *
 * move/message/stage.h - between the caller's arrays and what travels: all that is packed
 * or unpacked on its way goes through here.
 */
#ifndef REDIST_MOVE_MESSAGE_STAGE_H
#define REDIST_MOVE_MESSAGE_STAGE_H

#include "move/message/exchange.h"

/* Pack bytes at .. at + n - 1 of a message to be sent into `staging`; both whole
 * grains. Nothing if this process must not use its buffers. */
void stage_pack(const struct move *move, struct transfer *transfer, int64_t at, int64_t n,
                char *staging);

/* The same past the cache, for staging that another core reads: where the two do not
 * share a cache, memory is nearer than the other's. */
void stage_pack_past(const struct move *move, struct transfer *transfer, int64_t at,
                     int64_t n, char *staging);

/* Bytes: such runs have mostly whole lines by themselves, and a part of one is copied as
 * quickly as the whole. */
enum { STAGE_LONG_RUN = 512 };

/* Unpack bytes at .. at + n - 1 of a message that was received. As stage_pack. */
void stage_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                  int64_t n, const char *staging);

/* Copy, or combine, what stays on this process, which must be able to use its buffers. */
void stage_kept(const struct move *move);

/* Put in order what has landed in targets (blocked_scatter.h), when all has come to this
 * process, which must be able to use its buffers. */
void stage_order(const struct move *move);

/* Where a message begins in the caller's buffer that is sent, or received, straight from
 * there (transfer->direct). */
const char *stage_source(const struct move *move, const struct transfer *transfer);
char *stage_target(const struct move *move, const struct transfer *transfer);

#endif
