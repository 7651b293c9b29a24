/* SPDX-License-Identifier: MIT */
#include "move/stage.h"

void stage_pack(const struct move *move, struct transfer *transfer, int64_t at, int64_t n,
                char *staging)
{
    if (move->mute) return;
    int64_t element = (int64_t)move->element;
    walk_seek(&transfer->walk, at / element);
    walk_move(&transfer->walk, WAY_GATHER, move->source, staging, n / element);
}

void stage_unpack(const struct move *move, struct transfer *transfer, int64_t at,
                  int64_t n, const char *staging)
{
    if (move->mute) return;
    int64_t element = (int64_t)move->element;
    walk_seek(&transfer->walk, at / element);
    walk_move(&transfer->walk, WAY_SCATTER, staging, move->target, n / element);
}
