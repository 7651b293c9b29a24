/* SPDX-License-Identifier: MIT
 *
 * move/message/stage.h - packing and unpacking between the caller's arrays and messages.
 * Every exchange that packs does it here.
 */
#ifndef REDIST_MOVE_MESSAGE_STAGE_H
#define REDIST_MOVE_MESSAGE_STAGE_H

#include "move/message/exchange.h"

/* Begin to pack bytes at .. at + n - 1 of a message into `staging`; both are whole
 * grains. If the process's buffers are invalid, pack zeros, which every type holds. Where
 * the arrays' memory queues moves (memory.h), the data are packed after stage_fence; else
 * at once. */
void stage_queue_pack(const struct move *move, struct transfer *transfer, int64_t at,
                      int64_t n, char *staging);

/* Begin to unpack bytes of a message that was received. Do nothing if the process's
 * buffers are invalid. Else as stage_queue_pack. */
void stage_queue_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                        int64_t n, const char *staging);

/* Wait until all data are packed and unpacked. Returns false if some are not: the run
 * then fails in the end. */
bool stage_fence(const struct move *move);

/* Pack, and unpack, at once. */
static inline void stage_pack(const struct move *move, struct transfer *transfer,
                              int64_t at, int64_t n, char *staging)
{
    stage_queue_pack(move, transfer, at, n, staging);
    (void)stage_fence(move);
}

static inline void stage_unpack(const struct move *move, struct transfer *transfer,
                                int64_t at, int64_t n, const char *staging)
{
    stage_queue_unpack(move, transfer, at, n, staging);
    (void)stage_fence(move);
}

/* As stage_queue_pack, past the cache, for staging memory that another core reads. Use it
 * if the two share no cache: reading from memory is then faster than from the other's
 * cache. */
void stage_pack_past(const struct move *move, struct transfer *transfer, int64_t at,
                     int64_t n, char *staging);

/* Bytes of a run from which on most of its lines are whole, and a part of a run is copied
 * as fast as the whole. */
enum { STAGE_LONG_RUN = 512 };

/* Copy, or combine, the elements that stay on this process, whose buffers must be
 * valid. */
void stage_kept(const struct move *move);

/* Order the targets that are filled by a blocked scatter (blocked_scatter.h), after all
 * data have arrived at this process, whose buffers must be valid. */
void stage_order(const struct move *move);

/* The begin of a direct message (transfer->direct) in the caller's buffer, of which the
 * source is only read. */
char *stage_direct(const struct move *move, redist_side side,
                   const struct transfer *transfer);

#endif
