/* SPDX-License-Identifier: MIT
 *
 *   topology = ("mesh" | "torus") "(" extent {"," extent} ")"
 *            | "tree" "(" {members ":" links ","} members ")"
 */
#include <limits.h>

#include "base/error.h"
#include "describe/notation/scan.h"
#include "schedule/problem/topology.h"

struct topology_text {
    int n;
    int count[REDIST_MAX_DIMS]; /* extents or members */
    int links[REDIST_MAX_DIMS];
};

static redist_err scan_counts(struct scan *scan, bool tree, struct topology_text *text)
{
    bool more = true;
    TRY(scan_expect(scan, '('));
    for (; more; text->n++) {
        if (text->n == REDIST_MAX_DIMS)
            return scan_blame(scan, scan_place(scan),
                              error_arg("more than %d of them", REDIST_MAX_DIMS));
        TRY(scan_int(scan, tree ? "members" : "extent", 1, INT_MAX,
                     &text->count[text->n]));
        bool links = tree && scan_char(scan, ':');
        if (links) TRY(scan_int(scan, "links", 1, INT_MAX, &text->links[text->n]));
        more = links || !tree ? scan_char(scan, ',') : false;
        if (links && !more)
            return scan_expected(scan, "\",\" and the members of the next level");
    }
    return scan_expect(scan, ')');
}

redist_err redist_topology_parse(const char *text, int nprocs, redist_topology **topology)
{
    if (!topology) return error_arg("topology is NULL");
    *topology = NULL;
    if (!text) return error_arg("text is NULL");
    struct scan scan = scan_of(text);
    struct topology_text read = {0};
    bool mesh = scan_word(&scan, "mesh"), torus = !mesh && scan_word(&scan, "torus");
    bool tree = !mesh && !torus && scan_word(&scan, "tree");
    if (!mesh && !torus && !tree) return scan_expected(&scan, "mesh, torus or tree");
    TRY(scan_counts(&scan, tree, &read));
    if (*scan_place(&scan)) return scan_expected(&scan, "the end");
    if (tree)
        return redist_topology_create_tree(read.n, read.count, read.links, nprocs, NULL,
                                           topology);
    int periodic[REDIST_MAX_DIMS];
    for (int d = 0; d < read.n; d++) periodic[d] = torus;
    return redist_topology_create_mesh(read.n, read.count, periodic, nprocs, NULL,
                                       topology);
}
