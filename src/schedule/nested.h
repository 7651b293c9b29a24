/* SPDX-License-Identifier: MIT
 *
 * schedule/nested.h - nested stepwise: steps of a small bipartite multigraph, as few as
 * its largest degree, of small cost.
 *
 * The stepwise strategy of Desprez et al. 1998 (section 4.3) peels matchings, each of
 * which covers all nodes of largest degree, and so needs only as many steps as the
 * largest degree. Here that holds for the heavy edges too, at every level of weight w at
 * once: as long as it goes, step c covers each node whose edges of weight >= w are as
 * many as the steps that are left for them, by one of these edges. If it always goes, the
 * cost is the bound SB. Where it does not, the heaviest level gets one step more. Then
 * any two steps are exchanged along the cycles and paths of their union where that helps,
 * and all is tried again in other orders.
 */
#ifndef REDIST_SCHEDULE_NESTED_H
#define REDIST_SCHEDULE_NESTED_H

#include <redist/describe.h>

struct nested_edge {
    int left, right;
    int64_t weight; /* >= 1 */
};

struct nested_graph {
    int lefts, rights, nedges;
    struct nested_edge *edge; /* [nedges], in any order, a pair may come again */
};

/* Give each edge a step [nedges] from 0 to the largest degree - 1, and the sum over steps
 * of the heaviest edge. The result is the same on every process. Tries `tries` >= 1 times
 * unless the cost comes down to `enough` or to SB before.
 * O(tries x degree x edges x nodes) at worst. MEMORY. */
redist_err nested_color(const struct nested_graph *graph, int tries, int64_t enough,
                        int step[], int64_t *cost);

#endif
