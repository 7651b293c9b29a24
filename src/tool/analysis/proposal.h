/* SPDX-License-Identifier: MIT
 *
 * tool/analysis/proposal.h - the gain of a redistribution if the ranks of its target have
 * other places in its grid: `redist explain --relabel`.
 */
#ifndef REDIST_TOOL_ANALYSIS_PROPOSAL_H
#define REDIST_TOOL_ANALYSIS_PROPOSAL_H

#include <stdbool.h>

#include <redist/propose.h>

/* The ranks that share a node. */
struct neighborhood {
    int64_t size;   /* consecutive ranks */
    int64_t within; /* percent that a move within a node counts */
};

/* Elements that change process, and elements that change node. */
struct crossing {
    int64_t processes, nodes;
};

struct proposal {
    struct neighborhood neighborhood;
    redist_dist *dist;
    char *text; /* of the proposed target */
    struct crossing given, proposed;
};

/* Find a proposal. The caller frees with proposal_free, after a failure too. As
 * redist_relabel. */
redist_err proposal_find(const redist_view *source, const redist_view *target,
                         const struct neighborhood *neighborhood,
                         struct proposal *proposal);
void proposal_free(struct proposal *proposal);

/* Print it to stdout, for elements of `element` bytes; as JSON, as members of an object,
 * before others. */
void proposal_print(const struct proposal *proposal, int64_t element);
void proposal_print_json(const struct proposal *proposal);

#endif
