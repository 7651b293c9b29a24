/* SPDX-License-Identifier: MIT
 *
 * page/module/link.h - see dlfcn.h.
 */
#ifndef REDIST_PAGE_MODULE_LINK_H
#define REDIST_PAGE_MODULE_LINK_H

#include <dlfcn.h>

#endif
