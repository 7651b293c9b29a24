/* SPDX-License-Identifier: MIT */
#include "tool/analysis/proposal.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "intersect/overlap.h"
#include "tool/common/tool.h"

/* ---- finding ----------------------------------------------------------------------- */

/* Count the elements that change process, and those that change node. */
static redist_err count(const redist_view *source, const redist_view *target,
                        int64_t node_size, struct crossing *crossing)
{
    const redist_grid *grid = target->dist->grid;
    *crossing = (struct crossing){0, 0};
    for (int64_t k = 0; k < grid->size; k++) {
        struct overlap overlap;
        int rank = grid_rank_at(grid, k);
        TRY(overlap_make(NULL, source, target, REDIST_TARGET, rank, &overlap));
        for (int64_t i = 0; i < overlap.nmessages; i++) {
            const struct message *message = &overlap.message[i];
            if (message->rank == rank) continue;
            crossing->processes += message->elements;
            if (message->rank / node_size != rank / node_size)
                crossing->nodes += message->elements;
        }
        overlap_free(&overlap);
    }
    return REDIST_OK;
}

/* List the node of each rank of either grid; none, if each is on its own node. */
static redist_err list_nodes(const redist_view *source, const redist_view *target,
                             int64_t size, int **nodes)
{
    *nodes = NULL;
    if (size == 1) return REDIST_OK;
    int64_t most =
        int_max(grid_max_rank(source->dist->grid), grid_max_rank(target->dist->grid));
    *nodes = mem_alloc(NULL, most + 1, sizeof **nodes);
    if (!*nodes) return REDIST_ERR_MEMORY;
    for (int64_t rank = 0; rank <= most; rank++) (*nodes)[rank] = (int)(rank / size);
    return REDIST_OK;
}

redist_err proposal_find(const redist_view *source, const redist_view *target,
                         const struct neighborhood *neighborhood,
                         struct proposal *proposal)
{
    int *nodes = NULL;
    redist_view view = *target;
    *proposal = (struct proposal){.neighborhood = *neighborhood};
    TRY(list_nodes(source, target, neighborhood->size, &nodes));
    redist_err err = redist_relabel(source, target, nodes, (int)neighborhood->within,
                                    &proposal->dist, NULL);
    mem_free(nodes);
    TRY(err);
    view.dist = proposal->dist;
    TRY(tool_print_spec(&view, &proposal->text));
    TRY(count(source, target, neighborhood->size, &proposal->given));
    return count(source, &view, neighborhood->size, &proposal->proposed);
}

void proposal_free(struct proposal *proposal)
{
    redist_dist_destroy(&proposal->dist);
    mem_free(proposal->text);
}

/* ---- printing ---------------------------------------------------------------------- */

static void print_change(const char *what, int64_t given, int64_t proposed,
                         int64_t element)
{
    char before[TOOL_BYTES_SIZE], after[TOOL_BYTES_SIZE];
    (void)printf("  %-14s %s instead of %s", what,
                 tool_format_bytes((double)proposed * (double)element, after),
                 tool_format_bytes((double)given * (double)element, before));
    if (given > 0)
        (void)printf(
            ", %.1f %% %s",
            100 * (double)(given > proposed ? given - proposed : proposed - given) /
                (double)given,
            given >= proposed ? "less" : "more");
    (void)printf("\n");
}

void proposal_print(const struct proposal *proposal, int64_t element)
{
    const struct crossing *given = &proposal->given, *proposed = &proposal->proposed;
    (void)printf("\nrelabel %s\n", proposal->text);
    print_change("moved", given->processes, proposed->processes, element);
    if (proposal->neighborhood.size > 1)
        print_change("between nodes", given->nodes, proposed->nodes, element);
}

void proposal_print_json(const struct proposal *proposal)
{
    (void)printf("  \"relabel\": {\n    \"target\": ");
    tool_print_json_string(stdout, proposal->text);
    (void)printf(",\n    \"elements_moved\": %" PRId64, proposal->proposed.processes);
    if (proposal->neighborhood.size > 1)
        (void)printf(",\n    \"elements_between_nodes\": %" PRId64
                     ",\n    \"elements_between_nodes_as_given\": %" PRId64,
                     proposal->proposed.nodes, proposal->given.nodes);
    (void)printf("\n  },\n");
}
