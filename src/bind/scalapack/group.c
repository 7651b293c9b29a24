/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/group.c - attributes on the BLACS's communicators. Like the BLACS, none
 * of this is meant for several threads at a time.
 */
#include "bind/scalapack/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "bind/scalapack/planned.h"
#include "bind/scalapack/report.h"
#include "move/exchange.h"
#include "plan/agree.h"
#include "plan/strategy.h"

static int group_key = MPI_KEYVAL_INVALID, map_key = MPI_KEYVAL_INVALID;
static struct group *oldest; /* of the groups that there are, in the order of making */
static int64_t nmade, nkept;

/* ---- the end ----------------------------------------------------------------------- */

/* What points to a group, or to the end where it is none of them any more. */
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
    for (int k = 0; k < group->nplans; k++) planned_free(group->plan[k]);
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
    mem_free(map->ranks);
    mem_free(map);
    return MPI_SUCCESS;
}

/* MPI_Finalize begins by freeing MPI_COMM_SELF. The groups that still are there go in the
 * order in which they were made, in which all processes agree where they share some. */
static int forget_all(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    report_write();
    while (oldest) free_group(&oldest);
    (void)MPI_Comm_free_keyval(&group_key);
    return MPI_Comm_free_keyval(&map_key);
}

/* ---- the beginning ----------------------------------------------------------------- */

static redist_err make_keys(void)
{
    int last_key = MPI_KEYVAL_INVALID;
    if (group_key != MPI_KEYVAL_INVALID) return REDIST_OK;
    TRY(exchange_check(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_group, &group_key, NULL),
        "MPI_Comm_create_keyval"));
    TRY(exchange_check(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_map, &map_key, NULL),
        "MPI_Comm_create_keyval"));
    TRY(exchange_check(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &last_key, NULL),
        "MPI_Comm_create_keyval"));
    redist_err err = exchange_check(MPI_Comm_set_attr(MPI_COMM_SELF, last_key, NULL),
                                    "MPI_Comm_set_attr");
    (void)MPI_Comm_free_keyval(&last_key); /* lives as long as the attribute */
    return err;
}

/* The group that is kept for the processes of a communicator; NULL: there is none. */
static redist_err find_kept(MPI_Comm context, struct group **group)
{
    int how = MPI_UNEQUAL;
    for (*group = oldest; *group; *group = (*group)->next) {
        if (!(*group)->kept) continue;
        TRY(exchange_check(MPI_Comm_compare(context, (*group)->comm, &how),
                           "MPI_Comm_compare"));
        if (how == MPI_CONGRUENT || how == MPI_SIMILAR) break;
    }
    return REDIST_OK;
}

/* Whether REDIST_STRATEGY says how plans are to be made. One that nobody understands is
 * complained of by the first process. */
static bool is_told(int rank)
{
    const char *said = getenv("REDIST_STRATEGY");
    struct strategy strategy;
    const char *origin = NULL;
    if (!said || !*said) return false;
    if (!strategy_take(NULL, true, &strategy, &origin)) return true;
    if (rank == 0) report_complaint(redist_error_message());
    return false;
}

/* Take over the duplicate of a communicator. `err` is what has failed here before; all
 * processes learn of it, and whether one of them has no room to keep the group. */
static redist_err fill_group(struct group *group, MPI_Comm comm, redist_err err)
{
    int64_t room = GROUPS_KEPT - nkept;
    TRY(exchange_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN),
                       "MPI_Comm_set_errhandler"));
    TRY(agree_least(comm, err, &room));
    *group = (struct group){.comm = comm, .kept = room > 0, .serial = ++nmade};
    TRY(exchange_check(MPI_Comm_rank(comm, &group->rank), "MPI_Comm_rank"));
    group->told = is_told(group->rank);
    return exchange_check(MPI_Comm_size(comm, &group->nranks), "MPI_Comm_size");
}

static redist_err make_group(MPI_Comm context, struct group **group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    TRY(exchange_check(MPI_Comm_dup(context, &comm), "MPI_Comm_dup"));
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
    TRY(exchange_check(MPI_Comm_get_attr(context, group_key, (void *)group, &found),
                       "MPI_Comm_get_attr"));
    if (found) return REDIST_OK;
    TRY(find_kept(context, group));
    if (!*group) TRY(make_group(context, group));
    return exchange_check(MPI_Comm_set_attr(context, group_key, *group),
                          "MPI_Comm_set_attr");
}

/* ---- maps -------------------------------------------------------------------------- */

static redist_err translate(const struct group *group, MPI_Comm grid, struct map *map)
{
    MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
    int *own = mem_alloc(NULL, map->size, sizeof *own);
    if (!own) return REDIST_ERR_MEMORY;
    for (int k = 0; k < map->size; k++) own[k] = k;
    (void)MPI_Comm_group(grid, &there);
    (void)MPI_Comm_group(group->comm, &here);
    redist_err err =
        exchange_check(MPI_Group_translate_ranks(there, map->size, own, here, map->ranks),
                       "MPI_Group_translate_ranks");
    (void)MPI_Group_free(&there);
    (void)MPI_Group_free(&here);
    mem_free(own);
    return err;
}

static redist_err fill_map(const struct group *group, MPI_Comm grid, const int shape[],
                           struct map *map)
{
    TRY(exchange_check(MPI_Comm_size(grid, &map->size), "MPI_Comm_size"));
    map->ranks = mem_alloc(NULL, map->size, sizeof *map->ranks);
    if (!map->ranks) return REDIST_ERR_MEMORY;
    TRY(translate(group, grid, map));
    map->group = group->serial;
    map->hash = HASH_START;
    for (int k = 0; k < map->size; k++) {
        if (map->ranks[k] == MPI_UNDEFINED)
            return error_set(REDIST_ERR_ARG,
                             "process %d of a grid is not in the context of the call", k);
        map->hash = hash_int(map->hash, map->ranks[k]);
    }
    map->hash &= INT64_MAX; /* travels beside numbers that may be negative */
    return redist_grid_create(MATRIX_DIMS, shape, REDIST_ROW_MAJOR, map->ranks,
                              &map->grid);
}

redist_err group_map(const struct group *group, MPI_Comm grid, const int shape[],
                     const struct map **map)
{
    struct map *kept = NULL;
    int found = 0;
    TRY(exchange_check(MPI_Comm_get_attr(grid, map_key, (void *)&kept, &found),
                       "MPI_Comm_get_attr"));
    *map = kept;
    if (found && kept->group == group->serial) return REDIST_OK;
    kept = mem_alloc(NULL, 1, sizeof *kept);
    if (!kept) return REDIST_ERR_MEMORY;
    redist_err err = fill_map(group, grid, shape, kept);
    if (!err) /* frees the one of another group */
        err = exchange_check(MPI_Comm_set_attr(grid, map_key, kept), "MPI_Comm_set_attr");
    if (err) (void)forget_map(grid, map_key, kept, NULL);
    *map = kept;
    return err;
}

/* ---- plans ------------------------------------------------------------------------- */

static void put_first(struct group *group, struct planned *planned, int from)
{
    memmove(group->plan + 1, group->plan, (size_t)from * sizeof *group->plan);
    group->plan[0] = planned;
}

struct planned *group_recall(struct group *group, const struct problem *problem)
{
    for (int k = 0; k < group->nplans; k++) {
        struct planned *planned = group->plan[k];
        if (memcmp(&planned->problem, problem, sizeof *problem) != 0) continue;
        put_first(group, planned, k);
        return planned;
    }
    return NULL;
}

void group_keep(struct group *group, struct planned *planned, struct planned *old)
{
    if (old) {
        planned_free(old);
        group->plan[0] = planned;
        return;
    }
    if (group->nplans == GROUP_PLANS) planned_free(group->plan[--group->nplans]);
    put_first(group, planned, group->nplans++);
}
