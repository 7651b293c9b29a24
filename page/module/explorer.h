/* SPDX-License-Identifier: MIT
 *
 * page/module/explorer.h - what the page's functions in C share. Those marked PAGE_EXPORT
 * are called from JavaScript (page/js/engine.js).
 *
 * A function that can fail returns a redist_err and leaves its sentence. What a function
 * prints on stdout is read by its caller. A returned array is valid until the next call.
 */
#ifndef REDIST_PAGE_MODULE_EXPLORER_H
#define REDIST_PAGE_MODULE_EXPLORER_H

#include "intersect/runs.h"

#define PAGE_EXPORT(name) __attribute__((export_name(name)))

/* The two distributions that page_parse has read. */
struct explorer {
    redist_dist *dist[SIDES];
    redist_view view[SIDES];
};
extern struct explorer explorer;

/* Return an array of `count` elements of `size` bytes, in the place of the last one;
 * NULL: out of memory. */
void *page_array(int64_t count, size_t size);

/* The text that the caller has written. */
const char *page_given(void);

#endif
