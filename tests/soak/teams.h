/* SPDX-License-Identifier: MIT
 *
 * tests/soak/teams.h - the communicators of teams, made once.
 */
#ifndef REDIST_TESTS_SOAK_TEAMS_H
#define REDIST_TESTS_SOAK_TEAMS_H

#include "soak/buffer.h"
#include "soak/case.h"

struct communicators {
    MPI_Comm all, plan; /* of the team; that plans are made over */
    struct arena *arena;
    const struct device_memory *device;
};

enum { MOST_TEAM = 32 };

static struct teams {
    MPI_Comm all[MOST_TEAM + 1][2];              /* by size and order */
    MPI_Comm inter[MOST_TEAM + 1][2][MOST_TEAM]; /* by split, too */
    struct arena arena[MOST_TEAM + 1][2];
    const struct device_memory *device;
} teams;

/* Collective over the world. */
static inline void teams_make(void)
{
    int rank = world_rank(), n = world_size();
    CHECK(n <= MOST_TEAM, "%d processes, at most %d", n, (int)MOST_TEAM);
    for (int size = 1; size <= n; size++)
        for (int reversed = 0; reversed < 2; reversed++) {
            int color = rank < size ? 0 : MPI_UNDEFINED;
            MPI_Comm_split(MPI_COMM_WORLD, color, reversed ? -rank : rank,
                           &teams.all[size][reversed]);
            for (int split = 0; split < MOST_TEAM; split++)
                teams.inter[size][reversed][split] = MPI_COMM_NULL;
        }
    /* wrap.c would replace arrays that are there already */
    teams.device = getenv("REDIST_TEST_DEVICE") ? NULL : device_memory_add("late");
}

static inline MPI_Comm make_intercommunicator(const struct team *team, MPI_Comm all)
{
    MPI_Comm group, inter;
    int first = team->rank < team->split;
    MPI_Comm_split(all, first, team->rank, &group);
    MPI_Intercomm_create(group, 0, all, first ? team->split : 0, 1, &inter);
    MPI_Comm_free(&group);
    return inter;
}

/* Those of a team that the calling process is in. Collective over it. */
static inline const struct communicators *teams_get(const struct team *team)
{
    static struct communicators found;
    found.all = teams.all[team->size][team->reversed];
    found.arena = &teams.arena[team->size][team->reversed];
    found.device = teams.device;
    found.plan = found.all;
    if (team->split > 0) {
        MPI_Comm *inter = &teams.inter[team->size][team->reversed][team->split];
        if (*inter == MPI_COMM_NULL) *inter = make_intercommunicator(team, found.all);
        found.plan = *inter;
    }
    if (!found.arena->memory) {
        void *memory = NULL;
        CHECK_OK(redist_alloc(found.all, ARENA, &memory));
        found.arena->memory = memory;
    }
    return &found;
}

/* Collective over the world. */
static inline void teams_free(void)
{
    for (int size = 1; size <= world_size(); size++)
        for (int reversed = 0; reversed < 2; reversed++) {
            CHECK_OK(redist_free(teams.arena[size][reversed].memory));
            for (int split = 0; split < MOST_TEAM; split++)
                if (teams.inter[size][reversed][split] != MPI_COMM_NULL)
                    MPI_Comm_free(&teams.inter[size][reversed][split]);
            if (teams.all[size][reversed] != MPI_COMM_NULL)
                MPI_Comm_free(&teams.all[size][reversed]);
        }
}

#endif
