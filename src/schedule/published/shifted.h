/* SPDX-License-Identifier: MIT
 *
 * schedule/published/shifted.h - the ring order: the step in which one rank sends to
 * another is their distance round the ring. In each step every process sends at most one
 * message and receives at most one (Walker and Otto 1996, section 3; Guo, Yamashita and
 * Nakata, section 4.3.2: start with the own rank).
 *
 *   ranks 0..3    step 1: 0->1 1->2 2->3 3->0    step 2: 0->2 1->3 2->0 3->1    ..
 *
 * Both ends order their messages by the step, so bounded buffers cannot deadlock: of all
 * messages in progress, one of the lowest step has both its ends ready.
 */
#ifndef REDIST_SCHEDULE_PUBLISHED_SHIFTED_H
#define REDIST_SCHEDULE_PUBLISHED_SHIFTED_H

static inline int schedule_shifted_step(int from, int to, int nranks)
{
    return to >= from ? to - from : to - from + nranks;
}

#endif
