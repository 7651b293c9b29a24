/* SPDX-License-Identifier: MIT */
#include "move/relay/relay_stages.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"

redist_err legs_make(const struct move *move, int n, int64_t staging, struct legs *legs)
{
    legs->leg = mem_alloc(move->plan_account, n, sizeof *legs->leg);
    if (!legs->leg) return REDIST_ERR_MEMORY;
    legs->n = legs->at = n;
    for (int k = 0; k < n; k++) {
        struct move *own = &legs->leg[k].move;
        *own = *move;
        own->send = own->receive = (struct transfers){0};
        own->staging = staging;
        own->chunk = transfer_chunk(staging, own->grain);
    }
    return REDIST_OK;
}

redist_err legs_ready(struct legs *legs)
{
    const struct lanes_policy policy = {.window = INT64_MAX};
    for (int k = 0; k < legs->n; k++)
        TRY(lanes_make(&legs->leg[k].move, &policy, &legs->leg[k].lanes));
    return REDIST_OK;
}

void legs_free(struct legs *legs)
{
    for (int k = 0; k < legs->n; k++) {
        lanes_destroy(legs->leg[k].lanes);
        transfers_free(&legs->leg[k].move.send);
        transfers_free(&legs->leg[k].move.receive);
    }
    mem_free(legs->leg);
}

void legs_usage(const void *state, struct usage *usage)
{
    const struct legs *legs = state;
    usage->messages[REDIST_SOURCE] = usage->messages[REDIST_TARGET] = 0;
    for (int k = 0; k < legs->n; k++) {
        usage->messages[REDIST_SOURCE] += legs->leg[k].move.send.n;
        usage->messages[REDIST_TARGET] += legs->leg[k].move.receive.n;
    }
}

static redist_err start_leg(const struct move *move, struct legs *legs)
{
    struct leg *leg = &legs->leg[legs->at];
    struct move *own = &leg->move;
    own->combine = own->combines ? move->combine : NULL;
    own->aside = move->aside;
    own->tag = move->tag;
    own->mute = move->mute;
    own->muted = INT64_MAX;
    TRY(lanes_start(own, leg->lanes));
    if (legs->with_kept && !own->mute) stage_kept(own);
    return REDIST_OK;
}

redist_err legs_start(const struct move *move, struct legs *legs)
{
    legs->at = 0;
    return start_leg(move, legs);
}

redist_err legs_progress(struct move *move, void *state, bool wait, bool *done)
{
    struct legs *legs = state;
    *done = legs->at == legs->n;
    while (!*done) {
        struct leg *leg = &legs->leg[legs->at];
        bool over = false;
        TRY(lanes_progress(&leg->move, leg->lanes, wait, &over));
        if (!over) return REDIST_OK;
        move->muted = int_min(move->muted, leg->move.muted);
        *done = ++legs->at == legs->n;
        if (!*done) TRY(start_leg(move, legs));
    }
    return REDIST_OK;
}
