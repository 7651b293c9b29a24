/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "base/mem.h"
#include "files/format/collective.h"
#include "tool/store/elements.h"

static redist_err make_ordinary(struct arena *arena, int64_t room[2])
{
    const struct item *item = &arena->item;
    int64_t share = int_ceil_div(item->extent[0] * item->extent[1], arena->nranks);
    for (int s = 0; s < 2; s++) {
        char text[ITEM_TEXT_SIZE];
        int64_t elements = 0;
        TRY(redist_view_parse(item_text(item, s, text), &arena->dist[s],
                              &arena->view[s]));
        TRY(redist_view_span(&arena->view[s], arena->rank, &elements));
        arena->bytes[s] = elements * (int64_t)sizeof(double);
        room[s] = int_max(elements, share);
        arena->buffer[ORDINARY][s] = mem_alloc(NULL, room[s], sizeof(double));
        if (!arena->buffer[ORDINARY][s]) return REDIST_ERR_MEMORY;
    }
    return input_synthetic(arena->dist[0], sizeof(double), &arena->input);
}

redist_err arena_make(MPI_Comm comm, const struct item *item, bool shared,
                      struct arena *arena)
{
    int64_t room[2] = {0, 0};
    *arena = (struct arena){.comm = comm, .item = *item};
    MPI_Comm_rank(comm, &arena->rank);
    MPI_Comm_size(comm, &arena->nranks);
    TRY(collective_agree(comm, make_ordinary(arena, room)));
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    TRY(elements_read(comm, &arena->input, &arena->view[0], arena->buffer[ORDINARY][0],
                      &quiet));
    for (int s = 0; shared && s < 2; s++) {
        void *memory = NULL;
        TRY(redist_alloc(comm, (size_t)room[s] * sizeof(double), &memory));
        arena->buffer[SHARED][s] = memory;
        memset(memory, 0, (size_t)room[s] * sizeof(double));
    }
    if (shared)
        memcpy(arena->buffer[SHARED][0], arena->buffer[ORDINARY][0],
               (size_t)arena->bytes[0]);
    return REDIST_OK;
}

void arena_free(struct arena *arena)
{
    for (int s = 0; s < 2; s++) {
        mem_free(arena->buffer[ORDINARY][s]);
        (void)redist_free(arena->buffer[SHARED][s]);
        redist_dist_destroy(&arena->dist[s]);
    }
    input_free(&arena->input);
}

static redist_err run(void *context)
{
    const struct contender *contender = context;
    double *const *buffer = contender->arena->buffer[contender->where];
    return contender->peer->run(contender->state, buffer[0], buffer[1]);
}

static redist_err verify(struct contender *contender)
{
    const struct arena *arena = contender->arena;
    double *target = arena->buffer[contender->where][1];
    if (contender->peer->reference) return REDIST_OK;
    memset(target, 0xff, (size_t)arena->bytes[1]);
    TRY(run(contender));
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    return elements_check(arena->comm, &arena->input, &arena->view[0], &arena->view[1],
                          target, &quiet);
}

redist_err contender_enter(const struct arena *arena, struct contender *contender)
{
    const struct peer *peer = contender->peer;
    contender->arena = arena;
    redist_err err =
        peer->make(arena->comm, &arena->item, contender->strategy, &contender->state);
    if (!err) {
        err = verify(contender);
        if (err && peer == &peer_redist) return error_prefix(err, "%s", contender->name);
    }
    contender->available = !err;
    if (err)
        (void)snprintf(contender->why, sizeof contender->why, "%s",
                       redist_error_message());
    return REDIST_OK;
}

void contender_leave(struct contender *contender)
{
    if (contender->state) contender->peer->free(contender->state);
}

redist_err arena_race(const struct arena *arena, int64_t rounds, bool least, int n,
                      struct contender contenders[])
{
    struct racer *racers = mem_alloc(NULL, n, sizeof *racers);
    redist_err err =
        collective_agree(arena->comm, racers ? REDIST_OK : REDIST_ERR_MEMORY);
    int entered = 0;
    for (int k = 0; k < n && !err; k++)
        if (contenders[k].available)
            racers[entered++] = (struct racer){.run = run, .context = &contenders[k]};
    if (!err) err = race_run(arena->comm, rounds, entered, racers);
    for (int k = 0; k < entered && !err; k++) {
        struct contender *contender = racers[k].context;
        contender->seconds = racers[k].seconds;
        contender->time = least ? racers[k].seconds.min : racers[k].seconds.median;
    }
    mem_free(racers);
    return err;
}
