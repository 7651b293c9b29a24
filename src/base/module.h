/* SPDX-License-Identifier: MIT
 *
 * base/module.h - load a shared library of this project, which lies beside the library or
 * on the usual paths; the library itself is linked to none.
 */
#ifndef REDIST_BASE_MODULE_H
#define REDIST_BASE_MODULE_H

#include <stddef.h>

/* Load the module `file`, or the one that the environment's `variable` names, and return
 * the address of its `symbol`. NULL: there is none, with the `reason` in `size` bytes. */
void *module_load(const char *file, const char *variable, const char *symbol,
                  char *reason, size_t size);

#endif
