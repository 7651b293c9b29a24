/* SPDX-License-Identifier: MIT
 *
 * schedule/original/links.c - list scheduling (list.h) of any communication grid over a
 * known network. A message occupies all links of its route at once. So no two messages
 * contend for a link, which schedules without contention at the ends do not ensure; and a
 * process may send several messages at a time if they leave by different links. A seed
 * draws another list, which may be longer but meets others elsewhere.
 */
#include "schedule/core/kinds.h"

#include <limits.h>

#include "base/error.h"
#include "base/mem.h"
#include "schedule/core/table.h"
#include "schedule/lists/list.h"
#include "schedule/problem/topology.h"

/* The most links of all routes together. */
enum { MOST_PASSED = 1 << 24 };

static const char *const too_long =
    "the ways of all messages pass more than 2^24 links together";

static bool applicable(const struct schedule_input *input, const char **why)
{
    if (!input->topology) {
        *why = "needs a topology, options.topology";
        return false;
    }
    if (!table_applicable(input, why)) return false;
    int64_t longest = topology_longest(input->topology);
    *why = too_long;
    return input->grid->nedges <= MOST_PASSED / (longest > 0 ? longest : 1) &&
           redist_topology_links(input->topology) <= INT_MAX;
}

/* Find the links of all routes. */
static redist_err find_ways(const struct schedule_input *input, int64_t begin[],
                            int links[])
{
    const struct comm_grid *grid = input->grid;
    int longest = topology_longest(input->topology);
    int64_t *way = mem_alloc(NULL, longest, sizeof *way);
    if (!way) return REDIST_ERR_MEMORY;
    begin[0] = 0;
    for (int64_t e = 0; e < grid->nedges; e++) {
        int n = schedule_route(input, &grid->edge[e], longest, way);
        for (int k = 0; k < n; k++) links[begin[e] + k] = (int)way[k];
        begin[e + 1] = begin[e] + (n > 0 ? n : 0);
    }
    mem_free(way);
    return REDIST_OK;
}

static redist_err list_links(const struct schedule_input *input, struct table *table)
{
    const struct comm_grid *grid = input->grid;
    int64_t room = grid->nedges * topology_longest(input->topology);
    int64_t *begin = NULL;
    int *links = NULL;
    const struct mem_part parts[] = {
        MEM_PART(begin, grid->nedges + 1), MEM_PART(links, room), {0}};
    TRY(mem_alloc_parts(NULL, parts));
    redist_err err = find_ways(input, begin, links);
    if (!err) {
        int nlinks = (int)redist_topology_links(input->topology);
        struct list_work work = {grid->nedges, grid->edge, nlinks, begin, links};
        err = list_schedule(&work, input->seed, table->step);
    }
    mem_free(begin); /* and the links */
    return err;
}

static redist_err make(const struct schedule_input *input, void **state)
{
    struct table *table = NULL;
    TRY(table_make(input, &table));
    return table_give(table, list_links(input, table), state);
}

const struct schedule_kind schedule_links = {
    .name = "links",
    .what = "no barriers, over a network that is known: start any message whose links "
            "are all free",
    .source = "docs/schedules.md, Over a network",
    .timed = true,
    .drawn = true,
    .applicable = applicable,
    .make = make,
    .own = table_own,
    .free = table_free,
};
