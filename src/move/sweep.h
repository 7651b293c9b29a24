/* SPDX-License-Identifier: MIT
 *
 * move/sweep.h - walks that fill one target together, each a stretch at a time, so that
 * lines of the target which several of them write are still in the cache when the next
 * one comes to them:
 *
 *   target   a b c a b c a b c a b c       a, b, c: whose elements
 *            |--- 1 ---||--- 2 ---|        first all up to here, then all up to there
 *
 * One walk after the other would fetch and write back each of these lines for each of
 * them.
 */
#ifndef REDIST_MOVE_SWEEP_H
#define REDIST_MOVE_SWEEP_H

#include "move/weave.h"

/* Move all elements of all strands, which are of WAY_COPY, to `to`, combining them with
 * what is there; `combine` NULL: they replace it. What fills a large target is woven. */
void sweep(struct strand strands[], int64_t n, const struct combine *combine, void *to);

#endif
