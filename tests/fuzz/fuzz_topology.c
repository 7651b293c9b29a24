/* SPDX-License-Identifier: MIT
 *
 * The text of a topology, behind a first byte from which the number of processes follows.
 * Its routes pass links that there are, none twice in a row, and lead nowhere from a
 * process to itself.
 */
#include <limits.h>
#include <string.h>

#include "fuzz.h"

#include "schedule/problem/topology.h"

enum { ROOM = 256, LONGEST = 4096 };

static void check_route(const redist_topology *topology, int from, int to)
{
    int64_t links[ROOM], most = redist_topology_links(topology);
    int n = redist_topology_route(topology, from, to, ROOM, links);
    CHECK(n >= 0 && n <= topology_longest(topology));
    CHECK((n == 0) == (from == to));
    for (int k = 0; k < n && k < ROOM; k++) {
        CHECK(links[k] >= 0 && links[k] < most);
        for (int j = 0; j < k; j++) CHECK(links[j] != links[k]);
    }
    CHECK(redist_topology_route(topology, from, to, 0, NULL) == n);
}

static void check(const redist_topology *topology, int nprocs)
{
    const int ranks[] = {0, 1, nprocs / 3, nprocs / 2, nprocs - 2, nprocs - 1};
    CHECK(redist_topology_links(topology) > 0);
    CHECK(redist_topology_route(topology, -1, 0, 0, NULL) == -1);
    CHECK(redist_topology_route(topology, 0, nprocs, 0, NULL) == -1);
    if (topology_longest(topology) > LONGEST) return; /* a route costs as much */
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            if (ranks[a] >= 0 && ranks[a] < nprocs && ranks[b] >= 0 && ranks[b] < nprocs)
                check_route(topology, ranks[a], ranks[b]);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    struct bytes in = {data, data + size};
    int first = take_byte(&in), nprocs = first == 255 ? INT_MAX : first % 65;
    char *text = fuzz_text(in.next, (size_t)(in.end - in.next));
    redist_topology *topology = NULL, *again = NULL;
    fuzz_clear();
    redist_err err = redist_topology_parse(text, nprocs, &topology);
    if (err) {
        fuzz_refused(err, NULL);
        CHECK(!topology);
    } else {
        char *other = fuzz_other_case(text);
        GOOD(redist_topology_parse(other, nprocs, &again));
        CHECK(topology_hash(again) == topology_hash(topology));
        redist_topology_destroy(&again);
        free(other);
        check(topology, nprocs);
        redist_topology_destroy(&topology);
    }
    free(text);
}
