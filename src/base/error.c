/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[ERROR_MESSAGE_SIZE];
static _Thread_local char refusal[ERROR_MESSAGE_SIZE]; /* for the next call; "": none */

const char *redist_error_message(void) { return message; }

const char *redist_error_name(redist_err err)
{
    switch (err) {
        case REDIST_OK: return "OK";
        case REDIST_ERR_ARG: return "ARG";
        case REDIST_ERR_MISMATCH: return "MISMATCH";
        case REDIST_ERR_MEMORY: return "MEMORY";
        case REDIST_ERR_STATE: return "STATE";
        case REDIST_ERR_MPI: return "MPI";
        case REDIST_ERR_IO: return "IO";
        case REDIST_ERR_DEVICE: return "DEVICE";
    }
    return "unknown";
}

redist_err error_set(redist_err err, const char *format, ...)
{
    char text[ERROR_MESSAGE_SIZE]; /* the arguments may point into message */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* words of a file or of the environment must not command a terminal */
    for (char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = isspace((unsigned char)*c) ? ' ' : '?';
    memcpy(message, text, sizeof message);
    return err;
}

void redist_refuse(const char *sentence)
{
    (void)snprintf(refusal, sizeof refusal, "%s", sentence ? sentence : "");
}

redist_err error_take_refusal(void)
{
    if (!refusal[0]) return REDIST_OK;
    (void)error_arg("%s", refusal);
    refusal[0] = 0;
    return REDIST_ERR_ARG;
}

redist_err error_prefix(redist_err err, const char *format, ...)
{
    char prefix[ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    return error_set(err, "%s: %s", prefix, message);
}
