/* SPDX-License-Identifier: MIT
 *
 * plan/entry/alloc.c - memory for the caller that other processes of the node can read.
 */
#include "base/error.h"
#include "describe/view.h"
#include "move/node/node.h"
#include "move/node/segments.h"
#include "plan/comm/agree.h"
#include "plan/object/request.h"

/* Allocate `bytes`, unless this or another process has failed already. */
static redist_err alloc_agreed(const struct team *team, redist_err err, size_t bytes,
                               void **memory)
{
    void *part = NULL;
    if (!err && !memory) err = error_arg("memory is NULL");
    if (!err && bytes > SHARED_MOST)
        err = error_arg("bytes is %zu, must be at most %" PRId64, bytes, SHARED_MOST);
    TRY(agree(team->comm, err));
    err = agree(team->comm, segments_make(team->comm, (int64_t)bytes, &part));
    if (!err)
        *memory = part;
    else if (part)
        (void)segments_free(part);
    return err;
}

redist_err redist_alloc(MPI_Comm comm, size_t bytes, void **memory)
{
    struct team team;
    TRY(team_check_intra(comm));
    redist_err err = team_make(comm, REDIST_SOURCE, &team);
    if (!err) err = alloc_agreed(&team, REDIST_OK, bytes, memory);
    redist_err freed = team_free(&team);
    return err ? err : freed;
}

static redist_err find_bytes(const struct team *team, MPI_Datatype type,
                             const redist_view *view, int64_t *bytes)
{
    int64_t element = 0, elements = 0;
    TRY(request_element_size(type, &element));
    TRY(redist_view_span(view, team->rank, &elements));
    return view_bytes(elements, element, bytes);
}

redist_err redist_alloc_view(MPI_Comm comm, MPI_Datatype type, const redist_view *view,
                             void **memory)
{
    struct team team;
    TRY(team_check_intra(comm));
    redist_err err = team_make(comm, REDIST_SOURCE, &team);
    if (!err) {
        int64_t bytes = 0;
        redist_err sized = find_bytes(&team, type, view, &bytes);
        err = alloc_agreed(&team, sized, (size_t)bytes, memory);
    }
    redist_err freed = team_free(&team);
    return err ? err : freed;
}

redist_err redist_free(void *memory)
{
    return memory ? segments_free(memory) : REDIST_OK;
}
