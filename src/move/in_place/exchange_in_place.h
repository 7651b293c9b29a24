/* SPDX-License-Identifier: MIT
 *
 * move/in_place/exchange_in_place.h - exchange with source and target in one buffer. The
 * staging memory is the only other memory.
 *
 * Messages are cut into pages, which lie in slots of the buffer itself and of staging
 * memory (pages.h):
 *
 *   gaps_close      . a b c a          remove halo and leading strides
 *   portions_move   a a | b . | c .    from the array to pages of each message
 *   exchange        a a | d . | f .    pages sent free slots for pages received
 *   portions_move   a d a f            from pages to the array
 *   relayout_run    a a d f            if the target's dimensions are in another order
 *   gaps_open       . a a d f
 *
 * The exchange has K rounds. In round k a message of c pages sends its pages from floor(k
 * c / K) to floor((k + 1) c / K), at most one. So a process that sends S and receives T
 * holds (1 - k/K) S + (k/K) T <= max(S, T), apart from at most two pages a message: the
 * staging memory needs slots for these only.
 *
 * With pages of b elements, N elements and n messages, staging memory holds O(n b)
 * elements and tables of O(N / b) numbers: with the best b that is O(sqrt(n N)).
 */
#ifndef REDIST_MOVE_IN_PLACE_EXCHANGE_IN_PLACE_H
#define REDIST_MOVE_IN_PLACE_EXCHANGE_IN_PLACE_H

#include "move/message/exchange.h"

/* Not in the table of exchanges: every in-place plan has it, and no other. In a run,
 * sources[0] and targets[0] are the same buffer. */
extern const struct exchange exchange_in_place;

#endif
