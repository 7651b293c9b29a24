/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/copy/group.c - groups as attributes of the BLACS's communicators. Like
 * the BLACS, this is not for several threads at a time.
 */
#include "bind/scalapack/copy/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "bind/scalapack/matrix/report.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/choice/strategy.h"
#include "plan/comm/agree.h"

static int group_key = MPI_KEYVAL_INVALID, map_key = MPI_KEYVAL_INVALID;
static struct group *oldest; /* of all groups, in the order of creation */
static int64_t nmade, nkept;

/* ---- freeing ----------------------------------------------------------------------- */

/* Return the pointer to a group in the list, or to the list's end if it is no longer
 * there. */
static struct group **link_to(const struct group *group)
{
    struct group **link = &oldest;
    while (*link && *link != group) link = &(*link)->next;
    return link;
}

static void free_group(struct group **link)
{
    struct group *group = *link;
    *link = group->next;
    for (int k = 0; k < group->nplans; k++) planned_drop(group->plan[k]);
    plan_cache_free(&group->cache);
    (void)MPI_Comm_free(&group->comm);
    mem_free(group);
}

/* A context ends. It may have outlived its group, if MPI_Finalize began before. */
static int forget_group(MPI_Comm context, int key, void *value, void *extra)
{
    (void)context, (void)key, (void)extra;
    struct group **link = link_to(value);
    if (*link && !(*link)->kept) free_group(link);
    return MPI_SUCCESS;
}

static int forget_map(MPI_Comm grid, int key, void *value, void *extra)
{
    (void)grid, (void)key, (void)extra;
    struct map *map = value;
    redist_grid_destroy(&map->grid);
    mem_free(map);
    return MPI_SUCCESS;
}

/* MPI_Finalize begins by freeing MPI_COMM_SELF. The remaining groups are freed in the
 * order of creation, which is the same on all processes that share some. */
static int forget_all(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    report_write();
    while (oldest) free_group(&oldest);
    (void)MPI_Comm_free_keyval(&group_key);
    return MPI_Comm_free_keyval(&map_key);
}

/* ---- making ------------------------------------------------------------------------ */

static redist_err make_keys(void)
{
    int last_key = MPI_KEYVAL_INVALID;
    if (group_key != MPI_KEYVAL_INVALID) return REDIST_OK;
    TRY(mpi_call(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_group, &group_key, NULL)));
    TRY(mpi_call(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_map, &map_key, NULL)));
    TRY(mpi_call(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &last_key, NULL)));
    redist_err err = mpi_call(MPI_Comm_set_attr(MPI_COMM_SELF, last_key, NULL));
    (void)MPI_Comm_free_keyval(&last_key); /* lives as long as the attribute */
    return err;
}

/* Return the group kept for the processes of a communicator; NULL: none. */
static redist_err find_kept(MPI_Comm context, struct group **group)
{
    int how = MPI_UNEQUAL;
    for (*group = oldest; *group; *group = (*group)->next) {
        if (!(*group)->kept) continue;
        TRY(mpi_call(MPI_Comm_compare(context, (*group)->comm, &how)));
        if (how == MPI_CONGRUENT || how == MPI_SIMILAR) break;
    }
    return REDIST_OK;
}

/* Tell whether REDIST_STRATEGY is set. The first process complains if it is invalid. */
static bool is_told(int rank)
{
    const char *said = secure_getenv("REDIST_STRATEGY");
    struct strategy strategy;
    const char *origin = NULL;
    if (!said || !*said) return false;
    if (!strategy_take(NULL, true, &strategy, &origin)) return true;
    if (rank == 0) report_complaint(redist_error_message());
    return false;
}

/* Take over the duplicate of a communicator. `err` is an earlier error of this process;
 * all processes learn of it, and whether one of them has no room to keep the group. */
static redist_err fill_group(struct group *group, MPI_Comm comm, redist_err err)
{
    int64_t room = GROUPS_KEPT - nkept;
    TRY(mpi_call(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)));
    TRY(agree_least(comm, err, &room));
    *group =
        (struct group){.comm = comm, .kept = room > 0, .guided = true, .serial = ++nmade};
    for (int k = 0; k <= GROUP_PLANS; k++) group->plan[k] = &group->room[k];
    TRY(mpi_call(MPI_Comm_rank(comm, &group->rank)));
    group->told = is_told(group->rank);
    return mpi_call(MPI_Comm_size(comm, &group->nranks));
}

static redist_err make_group(MPI_Comm context, struct group **group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    TRY(mpi_call(MPI_Comm_dup(context, &comm)));
    *group = mem_alloc(NULL, 1, sizeof **group);
    redist_err err = fill_group(*group, comm, *group ? REDIST_OK : REDIST_ERR_MEMORY);
    if (err) {
        (void)MPI_Comm_free(&comm);
        mem_free(*group);
        return err;
    }
    nkept += (*group)->kept;
    *link_to(NULL) = *group;
    return REDIST_OK;
}

redist_err group_find(MPI_Comm context, struct group **group)
{
    int found = 0;
    TRY(make_keys());
    TRY(mpi_call(MPI_Comm_get_attr(context, group_key, (void *)group, &found)));
    if (found) return REDIST_OK;
    TRY(find_kept(context, group));
    if (!*group) TRY(make_group(context, group));
    return mpi_call(MPI_Comm_set_attr(context, group_key, *group));
}

/* ---- maps -------------------------------------------------------------------------- */

static redist_err make_grid(const struct numbering *numbering, const int shape[],
                            const int ranks[], redist_grid **grid)
{
    const int64_t extent[] = {shape[ROWS], shape[COLUMNS]};
    if (numbering_is_regular(numbering)) return numbering_grid(numbering, extent, grid);
    if (!ranks) return REDIST_ERR_MEMORY;
    return redist_grid_create(MATRIX_DIMS, shape, REDIST_ROW_MAJOR, ranks, grid);
}

/* Keep the numbering and its grid, if there is memory. */
static redist_err keep_map(const struct group *group, MPI_Comm comm, const int shape[],
                           const int ranks[], const struct numbering *numbering,
                           const struct map **map)
{
    struct map *made = mem_alloc(NULL, 1, sizeof *made);
    if (!made) return REDIST_OK;
    *made = (struct map){.group = group->serial, .numbering = *numbering};
    if (make_grid(numbering, shape, ranks, &made->grid)) {
        mem_free(made);
        return REDIST_OK;
    }
    *map = made;
    /* frees that of another group */
    return mpi_call(MPI_Comm_set_attr(comm, map_key, made));
}

redist_err group_map(const struct group *group, MPI_Comm grid, const int shape[],
                     struct numbering *numbering, const struct map **map)
{
    struct map *kept = NULL;
    int found = 0;
    *map = NULL;
    TRY(mpi_call(MPI_Comm_get_attr(grid, map_key, (void *)&kept, &found)));
    if (found && kept->group == group->serial) {
        *map = kept;
        *numbering = kept->numbering;
        return REDIST_OK;
    }
    int64_t size = (int64_t)shape[ROWS] * shape[COLUMNS];
    int *ranks = mem_alloc(NULL, size, sizeof *ranks);
    redist_err err = numbering_find(grid, shape, group->comm, ranks, numbering);
    if (!err) err = keep_map(group, grid, shape, ranks, numbering, map);
    mem_free(ranks);
    return err;
}

/* ---- plans ------------------------------------------------------------------------- */

/* Make the k-th plan the last used one. */
static struct planned *put_first(struct group *group, int k)
{
    struct planned *planned = group->plan[k];
    memmove(group->plan + 1, group->plan, (size_t)k * sizeof *group->plan);
    return group->plan[0] = planned;
}

static void drop_last(struct group *group)
{
    struct planned *last = group->plan[--group->nplans];
    group->weight -= planned_weight(&last->problem);
    if (last->plan) report_plan(PLAN_DROPPED);
    planned_drop(last);
}

struct planned *group_recall(struct group *group, const struct problem *problem)
{
    for (int k = 0; k < group->nplans; k++)
        if (memcmp(&group->plan[k]->problem, problem, sizeof *problem) == 0)
            return put_first(group, k);
    group->weight += planned_weight(problem);
    planned_begin(group, problem, group->plan[group->nplans]);
    return put_first(group, group->nplans++);
}

void group_trim(struct group *group)
{
    while (group->nplans > GROUP_PLANS ||
           (group->nplans > 1 && group->weight > GROUP_WEIGHT))
        drop_last(group);
}
