/* SPDX-License-Identifier: MIT
 *
 * describe/notation/notation.h - the text form of distributions and views. The interface
 * between its files:
 *
 *   notation.c          text -> dist
 *   notation_view.c     text -> view: a dist, then the clauses of a view
 *   notation_print.c    dist, view -> text
 */
#ifndef REDIST_DESCRIBE_NOTATION_NOTATION_H
#define REDIST_DESCRIBE_NOTATION_NOTATION_H

#include "describe/notation/scan.h"

/* Parse a dist and create it. The caller owns it. ARG, MEMORY. */
redist_err notation_scan_dist(struct scan *scan, redist_dist **dist);

/* Note that clause `name`, which starts at `place`, is present; fail if it was before. */
redist_err notation_once(struct scan *scan, const char *place, const char *name,
                         bool *there);

/* Read the section "[0:99:2,5:9]" of an array of `ndims` >= 1 dimensions, the whole text:
 * elements start, start + stride, .. along each dimension, `count` of them. ARG. */
redist_err notation_section(const char *text, int ndims, const int64_t extents[],
                            int64_t start[], int64_t count[], int64_t stride[]);

#endif
