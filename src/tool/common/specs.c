/* SPDX-License-Identifier: MIT */
#include "tool/common/specs.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "tool/common/tool.h"

redist_err collective_parse_spec(MPI_Comm comm, const char *side, const char *argument,
                                 redist_dist **dist, redist_view *view)
{
    char *text = NULL;
    int64_t size = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    redist_err err = rank == 0 ? tool_read_spec(argument, &text) : REDIST_OK;
    if (text) size = (int64_t)strlen(text) + 1;
    err = collective_share(comm, err, &text, &size);
    if (!err) err = redist_view_parse(text, dist, view);
    mem_free(text);
    return collective_agree(comm, err ? error_prefix(err, "%s", side) : REDIST_OK);
}
