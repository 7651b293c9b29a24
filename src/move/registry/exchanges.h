/* SPDX-License-Identifier: MIT
 *
 * move/registry/exchanges.h - all exchanges, and their names.
 */
#ifndef REDIST_MOVE_REGISTRY_EXCHANGES_H
#define REDIST_MOVE_REGISTRY_EXCHANGES_H

#include "move/message/exchange.h"

/* All exchanges, in the order in which they are listed, ended by NULL. Of equally fast
 * ones the library chooses the first. */
extern const struct exchange *const exchanges[];

/* Find the exchange that `text` names, and its number. ARG: the message lists all
 * names. */
redist_err exchange_find(const char *text, const struct exchange **exchange,
                         int *parameter);

/* Print the name of an exchange, with its number if it has one. Returns `text`. */
enum { EXCHANGE_NAME_SIZE = 48 };
const char *exchange_print(const struct exchange *exchange, int parameter,
                           char text[EXCHANGE_NAME_SIZE]);

#endif
