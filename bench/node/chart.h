/* SPDX-License-Identifier: MIT
 *
 * node/chart.h - what bench_node found as a bar chart: how fast each contender moved each
 * item, and, as a mark, how fast a copy is.
 *
 *   [4096,4096] (cyclic(64),cyclic(64)) onto 1x2 -> ..
 *   [===================|]  9.6
 *   [=============]     |   6.1
 */
#ifndef REDIST_BENCH_NODE_CHART_H
#define REDIST_BENCH_NODE_CHART_H

#include <stdio.h>

#include "peers/peer.h"

enum { CHART_BARS = 4, CHART_TEXT_SIZE = 2 * ITEM_TEXT_SIZE };

/* GB/s; 0: there is none. */
struct chart_row {
    char text[CHART_TEXT_SIZE];
    double copy, rate[CHART_BARS];
};

/* Write a picture that stands by itself. The k-th bar of each row is of names[k]. */
void chart_draw(FILE *out, const char *title, const char *const names[CHART_BARS], int n,
                const struct chart_row rows[]);

#endif
