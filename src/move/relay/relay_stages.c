/* SPDX-License-Identifier: MIT */
#include "move/relay/relay_stages.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/message/stage.h"

redist_err relay_stages_make(const struct move *move, int n, int64_t staging,
                             struct relay_stages *stages)
{
    stages->stage = mem_alloc(move->plan_account, n, sizeof *stages->stage);
    if (!stages->stage) return REDIST_ERR_MEMORY;
    stages->n = stages->at = n;
    for (int k = 0; k < n; k++) {
        struct move *own = &stages->stage[k].move;
        *own = *move;
        own->send = own->receive = (struct transfers){0};
        own->staging = staging;
        own->chunk = transfer_chunk(staging, own->grain);
    }
    return REDIST_OK;
}

redist_err relay_stages_ready(struct relay_stages *stages)
{
    const struct pipeline_policy policy = {.window = INT64_MAX};
    for (int k = 0; k < stages->n; k++)
        TRY(pipeline_make(&stages->stage[k].move, &policy, &stages->stage[k].pipeline));
    return REDIST_OK;
}

void relay_stages_free(struct relay_stages *stages)
{
    for (int k = 0; k < stages->n; k++) {
        pipeline_destroy(stages->stage[k].pipeline);
        transfers_free(&stages->stage[k].move.send);
        transfers_free(&stages->stage[k].move.receive);
    }
    mem_free(stages->stage);
}

void relay_stages_usage(const void *state, struct usage *usage)
{
    const struct relay_stages *stages = state;
    usage->messages[REDIST_SOURCE] = usage->messages[REDIST_TARGET] = 0;
    for (int k = 0; k < stages->n; k++) {
        usage->messages[REDIST_SOURCE] += stages->stage[k].move.send.n;
        usage->messages[REDIST_TARGET] += stages->stage[k].move.receive.n;
    }
}

static redist_err start_stage(const struct move *move, struct relay_stages *stages)
{
    struct relay_stage *stage = &stages->stage[stages->at];
    struct move *own = &stage->move;
    own->memory = move->memory;
    (void)stage_fence(move); /* it may send what the one before has moved */
    own->combine = own->combines ? move->combine : NULL;
    own->extra = move->extra;
    own->tag = move->tag;
    own->buffers_invalid = move->buffers_invalid;
    own->invalid_rank = INT64_MAX;
    TRY(pipeline_start(own, stage->pipeline));
    if (stages->with_kept && !own->buffers_invalid) stage_kept(own);
    return REDIST_OK;
}

redist_err relay_stages_start(const struct move *move, struct relay_stages *stages)
{
    stages->at = 0;
    return start_stage(move, stages);
}

redist_err relay_stages_progress(struct move *move, void *state, bool wait, bool *done)
{
    struct relay_stages *stages = state;
    *done = stages->at == stages->n;
    while (!*done) {
        struct relay_stage *stage = &stages->stage[stages->at];
        bool over = false;
        TRY(pipeline_progress(&stage->move, stage->pipeline, wait, &over));
        if (!over) return REDIST_OK;
        move->invalid_rank = int_min(move->invalid_rank, stage->move.invalid_rank);
        *done = ++stages->at == stages->n;
        if (!*done) TRY(start_stage(move, stages));
    }
    return REDIST_OK;
}
