/* SPDX-License-Identifier: MIT */
#include "move/array.h"

#include "base/error.h"

static const char *const side_name[SIDES] = {"source", "target"};

/* Make the walk of the message that the process has with itself, if it has one. */
static void find_kept(struct array *array)
{
    const struct overlap *overlap = &array->overlap[REDIST_SOURCE];
    array->kept = (struct walk){.grain = array->sizes.grain};
    for (int64_t k = 0; k < overlap->nmessages; k++)
        if (overlap->message[k].rank == overlap->rank)
            walk_make(overlap, &overlap->message[k], array->sides, array->sizes, WAY_COPY,
                      array->axes, &array->kept);
}

redist_err array_make(struct mem_account *account, const redist_view views[SIDES],
                      struct sizes sizes, int rank, struct array *array)
{
    *array = (struct array){.sizes = sizes};
    array->replicas = views[REDIST_TARGET].dist->nreplicas;
    for (int s = 0; s < SIDES; s++) {
        array->view[s] = views[s];
        array->sides[s].view = &array->view[s];
        redist_err err = view_layout(&views[s], rank, &array->sides[s].layout);
        if (err) return error_prefix(err, "%s", side_name[s]);
    }
    for (int s = 0; s < SIDES; s++)
        TRY(overlap_make(account, &views[REDIST_SOURCE], &views[REDIST_TARGET],
                         (redist_side)s, rank, &array->overlap[s]));
    find_kept(array);
    return REDIST_OK;
}

void array_forget_dists(struct array *array)
{
    for (int s = 0; s < SIDES; s++) array->view[s].dist = NULL;
}

void array_free(struct array *array)
{
    for (int s = 0; s < SIDES; s++) overlap_free(&array->overlap[s]);
}

int64_t array_kept(const struct array *array)
{
    return array->kept.total * array->sizes.grain / array->sizes.element;
}
