/* SPDX-License-Identifier: MIT
 *
 * describe/notation/notation.h - the text form, between its files.
 *
 *   notation.c          text -> dist
 *   notation_view.c     text -> view: a dist, then what is special about the view
 *   notation_print.c    dist, view -> text
 */
#ifndef REDIST_DESCRIBE_NOTATION_NOTATION_H
#define REDIST_DESCRIBE_NOTATION_NOTATION_H

#include "describe/notation/scan.h"

/* Read a dist from what comes next, and create it. The caller owns it. ARG, MEMORY. */
redist_err notation_scan_dist(struct scan *scan, redist_dist **dist);

/* Note that the clause `name`, which starts at `place`, is there; fail if it was. */
redist_err notation_once(struct scan *scan, const char *place, const char *name,
                         bool *there);

#endif
