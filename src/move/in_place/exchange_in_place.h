/* SPDX-License-Identifier: MIT
 *
 * move/in_place/exchange_in_place.h - source and target in one buffer, with the staging
 * memory as the only other.
 *
 * Elements are handled by pages of a message, which lie in slots of the buffer itself and
 * of staging memory (pages.h):
 *
 *   gaps_close      . a b c a          halo and leading strides away
 *   portions_split  a a | b . | c .    from the array to pages of each message
 *   exchange        a a | d . | f .    what is sent leaves slots for what comes
 *   portions_merge  a d a f            from pages to the array
 *   relayout_run    a a d f            if the target's dimensions are in another order
 *   gaps_open       . a a d f
 *
 * The exchange goes in rounds. A message of c pages sends, in round k of K, its pages
 * from floor(k c / K) to floor((k + 1) c / K), at most one. So a process that sends S and
 * receives T holds (1 - k/K) S + (k/K) T <= max(S, T), but for two pages a message at
 * most: there is room as long as the staging memory has slots for these.
 *
 * With pages of b elements, N elements and n messages, staging memory holds O(n b)
 * elements and tables of O(N / b) numbers: with the best b that is O(sqrt(n N)).
 */
#ifndef REDIST_MOVE_IN_PLACE_EXCHANGE_IN_PLACE_H
#define REDIST_MOVE_IN_PLACE_EXCHANGE_IN_PLACE_H

#include "move/message/exchange.h"

/* Not in the table of exchanges: a plan in place has it, others have not. In a run,
 * sources[0] and targets[0] are the one buffer. */
extern const struct exchange exchange_in_place;

#endif
