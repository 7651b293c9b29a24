/* SPDX-License-Identifier: MIT
 *
 * base/error.h - an error is a returned code and a sentence kept for the thread.
 *
 *   return error_arg("dim %d: cyclic block is %" PRId64 ", must be >= 1", i, m);
 */
#ifndef REDIST_BASE_ERROR_H
#define REDIST_BASE_ERROR_H

#include <inttypes.h>

#include <redist/describe.h>

/* The longest sentence, with its 0, in bytes. */
#define ERROR_MESSAGE_SIZE 512

/* Keep the formatted sentence as this thread's error message and return `err`. The
 * arguments may include the current message. */
redist_err error_set(redist_err err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for an argument that is wrong, which most errors are. */
#define error_arg(...) error_set(REDIST_ERR_ARG, __VA_ARGS__)

/* Put "<formatted prefix>: " before the current message and return `err`. */
redist_err error_prefix(redist_err err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return ARG with the sentence of this thread's last redist_refuse, once; else OK. */
redist_err error_take_refusal(void);

/* Evaluate an expression of type redist_err; if it is an error, return it. */
#define TRY(expression)                                                                  \
    do {                                                                                 \
        redist_err try_err_ = (expression);                                              \
        if (try_err_) return try_err_;                                                   \
    } while (0)

#endif
