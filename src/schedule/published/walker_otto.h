/* SPDX-License-Identifier: MIT
 *
 * schedule/published/walker_otto.h - the schedule of Walker and Otto 1996 for blocks that
 * grow by an integer factor K on P processes; for blocks that shrink, steps are read
 * backwards.
 *
 * A superblock is P K blocks. Block B is of process B mod P before and of process B div K
 * after, where it fills slot B mod K:
 *
 *   P = 4, K = 3    block    0  1  2 | 3  4  5 | 6  7  8 | 9 10 11
 *                   before   0  1  2   3  0  1   2  3  0   1  2  3
 *                   after    0  0  0   1  1  1   2  2  2   3  3  3
 *
 * In step k process p sends block B(k, p) and process q receives block C(k, q); each row
 * of either table is a permutation of the processes. With g = gcd(P, K), P' = P/g and K'
 * = K/g, the reduced system (P', K') has one solution for each step and process, and each
 * entry of it grows into a block of g x g, which is the choice of a layout:
 *
 *   B' = k div g (mod K'), B' = p div g (mod P');   B = g B' + P K' beta + p mod g
 *
 *   g = 4, beta at (k mod g, p mod g)
 *
 *         0 1 2 3         0 1 2 3
 *         3 0 1 2         1 2 3 0
 *         2 3 0 1         2 3 0 1
 *         1 2 3 0         3 0 1 2
 *        diagonal      antidiagonal
 */
#ifndef REDIST_SCHEDULE_PUBLISHED_WALKER_OTTO_H
#define REDIST_SCHEDULE_PUBLISHED_WALKER_OTTO_H

#include "schedule/problem/classes.h"

/* The place of beta in a permutation block. The first is the paper's (eq. 10). */
enum walker_otto_layout { WALKER_OTTO_DIAGONAL, WALKER_OTTO_ANTIDIAGONAL };

struct walker_otto {
    enum walker_otto_layout layout;
    int64_t P, K, g;
    int64_t inverse; /* K'^-1 mod P' */
};

/* Solve the reduced system of P >= 1 processes and a factor K >= 1. O(log). */
struct walker_otto walker_otto_make(int64_t P, int64_t K, enum walker_otto_layout layout);

/* Return B(k, p), the block that process p sends in step k, 0 <= k < K. O(1). */
int64_t walker_otto_send_block(const struct walker_otto *w, int64_t k, int64_t p);

/* Return C(k, q), the block that process q receives in step k (eq. 11). O(1). */
int64_t walker_otto_receive_block(const struct walker_otto *w, int64_t k, int64_t q);

#endif
