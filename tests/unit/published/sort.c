/* SPDX-License-Identifier: MIT */
#include "unit/published/published.h"

void published_sort(const struct comm_grid *grid, int64_t n, int64_t id[])
{
    for (int64_t i = 1; i < n; i++) {
        int64_t e = id[i], k = i;
        while (k > 0 && grid->edge[id[k - 1]].weight < grid->edge[e].weight) {
            id[k] = id[k - 1];
            k--;
        }
        id[k] = e;
    }
}
