/* SPDX-License-Identifier: MIT */
#include "tool/common/specs.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "tool/common/tool.h"

static const char *const names[2] = {"source", "target"};

redist_err specs_print(struct specs *specs)
{
    for (int k = 0; k < 2; k++) TRY(tool_print_spec(&specs->view[k], &specs->text[k]));
    return REDIST_OK;
}

redist_err specs_read(const char *const given[2], struct specs *specs)
{
    for (int k = 0; k < 2; k++) {
        redist_err err = tool_parse_spec(given[k], &specs->dist[k], &specs->view[k]);
        if (err) return error_prefix(err, "%s", names[k]);
    }
    return specs_print(specs);
}

static redist_err share(MPI_Comm comm, const char *given, redist_dist **dist,
                        redist_view *view)
{
    char *text = NULL;
    int64_t size = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    redist_err err = rank == 0 ? tool_read_spec(given, &text) : REDIST_OK;
    if (text) size = (int64_t)strlen(text) + 1;
    err = collective_share(comm, err, &text, &size);
    if (!err) err = redist_view_parse(text, dist, view);
    mem_free(text);
    return err;
}

redist_err specs_share(MPI_Comm comm, const char *const given[2], struct specs *specs)
{
    for (int k = 0; k < 2; k++) {
        redist_err err = share(comm, given[k], &specs->dist[k], &specs->view[k]);
        if (err) err = error_prefix(err, "%s", names[k]);
        TRY(collective_agree(comm, err));
    }
    return REDIST_OK;
}

void specs_free(struct specs *specs)
{
    for (int k = 0; k < 2; k++) {
        mem_free(specs->text[k]);
        redist_dist_destroy(&specs->dist[k]);
    }
}
