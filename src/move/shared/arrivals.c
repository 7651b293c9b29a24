/* SPDX-License-Identifier: MIT */
#include "move/shared/arrivals.h"

#include "base/error.h"
#include "base/intmath.h"
#include "move/arith/combine.h"
#include "move/message/stage.h"

enum {
    PATIENCE = 4000 /* looks in vain before what is there is moved without the rest */
};

static struct strand of_kept(const struct move *move)
{
    struct walk *kept = &move->array[0].kept;
    return (struct strand){.walk = kept, .way = WAY_COPY, .ready = kept->total};
}

/* What has come of a source that is shown as it lies: *n stretches, if more than 0. */
static struct strand of_stretches(const struct inlet *inlet, int64_t *n)
{
    const struct channel_end *end = &inlet->end;
    struct walk *walk = &inlet->reach->walk;
    struct strand strand = {.walk = walk, .way = WAY_COPY, .ready = walk->done};
    const char *stretches = channel_pieces(end, n);
    if (*n <= 0) return strand; /* the next that it needs may be still to come */
    strand.from = stretches - slide_end(inlet->slide, end->done);
    strand.ready =
        walk_before(walk, REDIST_SOURCE, slide_end(inlet->slide, end->done + *n));
    return strand;
}

/* What has come of a message, and lies side by side in its ring. */
static struct strand of_pieces(const struct inlet *inlet)
{
    const struct channel_end *end = &inlet->end;
    struct walk *walk = &inlet->transfer.part->walk;
    struct strand strand = {.walk = walk, .way = WAY_SCATTER, .ready = walk->done};
    int64_t n = 0, at = end->done * end->slot;
    const char *pieces = channel_pieces(end, &n);
    if (n == 0) return strand;
    strand.from = pieces + (walk->done * walk->grain - at);
    strand.ready =
        int_min((end->done + n) * end->slot, inlet->transfer.bytes) / walk->grain;
    return strand;
}

static struct strand of_array(const struct inlet *inlet)
{
    struct walk *walk = &inlet->reach->walk;
    return (struct strand){
        .walk = walk, .way = WAY_COPY, .from = inlet->reach->array, .ready = walk->total};
}

/* What stays, and all inlets in their order. Returns how many strands that are. */
static int64_t list(const struct move *move, const struct neighbors *neighbors,
                    struct strand strands[])
{
    int64_t n = 0, come = 0;
    if (move->array[0].kept.total > 0) {
        strands[n] = of_kept(move);
        if (move->sources) strands[n].from = move->sources[0];
        n++;
    }
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        const struct inlet *inlet = &neighbors->inlet[k];
        strands[n++] = inlet->state == READING ? of_array(inlet)
                       : inlet->slide          ? of_stretches(inlet, &come)
                                               : of_pieces(inlet);
    }
    return n;
}

/* Find out whether what is woven can be spliced. */
static redist_err find_splice(const struct move *move, const struct neighbors *neighbors,
                              struct splice *splice)
{
    int64_t n = 0;
    struct supply *supplies = mem_alloc(NULL, neighbors->ninlets + 1, sizeof *supplies);
    if (!supplies) return REDIST_ERR_MEMORY;
    const struct walk *kept = &move->array[0].kept;
    if (kept->total > 0) supplies[n++] = (struct supply){kept, NULL};
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        const struct inlet *inlet = &neighbors->inlet[k];
        supplies[n++] = (struct supply){&inlet->reach->walk, &inlet->transfer.part->walk};
    }
    redist_err err = splice_make(move->plan_account, supplies, n, splice);
    mem_free(supplies);
    return err;
}

redist_err arrivals_make(const struct move *move, const struct neighbors *neighbors,
                         struct strand *strands, struct arrivals *arrivals)
{
    *arrivals = (struct arrivals){.strands = strands};
    if (move->narrays > 1 || neighbors->far.receive.n > 0) return REDIST_OK;
    int64_t n = 0;
    struct weave *whole = &arrivals->whole;
    if (move->array[0].kept.total > 0) strands[n++] = of_kept(move);
    for (int64_t k = 0; k < neighbors->ninlets; k++)
        strands[n++] = (struct strand){.walk = &neighbors->inlet[k].transfer.part->walk};
    int64_t least = WALK_STREAM / neighbors->node.sharing;
    if (!weave_make(strands, n, whole) || whole->end - whole->begin < least) {
        *whole = (struct weave){0};
        return REDIST_OK;
    }
    TRY(find_splice(move, neighbors, &arrivals->splice));
    if (arrivals->splice.piece) whole->splice = &arrivals->splice;
    return REDIST_OK;
}

void arrivals_free(struct arrivals *arrivals) { splice_free(&arrivals->splice); }

void arrivals_start(const struct move *move, const struct neighbors *neighbors,
                    struct arrivals *arrivals)
{
    const struct weave *whole = &arrivals->whole;
    bool replaces = !move->combine || move->combine->replaces;
    arrivals->weaving = whole->end > whole->begin && replaces && !move->mute;
    arrivals->weave = *whole;
    arrivals->vain = 0;
    for (int64_t k = 0; k < neighbors->ninlets; k++)
        if (neighbors->inlet[k].slide) walk_seek(&neighbors->inlet[k].reach->walk, 0);
    if (!arrivals->weaving) return;
    walk_seek(&move->array[0].kept, 0);
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        walk_seek(&neighbors->inlet[k].transfer.part->walk, 0);
        walk_seek(&neighbors->inlet[k].reach->walk, 0);
    }
}

/* Leave the stretches behind that hold nothing more of the message, be they still to
 * come. */
static void pass_stretches(struct inlet *inlet)
{
    struct walk *walk = &inlet->reach->walk;
    struct channel_end *end = &inlet->end;
    int64_t at = INT64_MAX, before = end->done;
    if (walk->done < walk->total) at = walk_place(walk, WAY_COPY, walk->done).source;
    while (end->done < end->pieces && slide_end(inlet->slide, end->done + 1) <= at)
        end->done++;
    if (end->done > before) inlet_give_back(inlet);
}

/* Take the stretches that have come. */
static bool take_stretches(const struct move *move, struct inlet *inlet)
{
    int64_t n = 0;
    struct strand strand = of_stretches(inlet, &n);
    if (n <= 0) return false;
    if (!move->mute)
        walk_combine(strand.walk, WAY_COPY, move->combine, strand.from, move->targets[0],
                     strand.ready - strand.walk->done);
    inlet->end.done += n;
    inlet_give_back(inlet);
    return true;
}

bool arrivals_take(const struct move *move, struct inlet *inlet)
{
    if (inlet->slide) return take_stretches(move, inlet);
    struct channel_end *end = &inlet->end;
    const char *piece = inlet_piece(inlet);
    if (!piece) return false;
    int64_t at = end->done * end->slot;
    stage_unpack(move, &inlet->transfer, at,
                 int_min(end->slot, inlet->transfer.bytes - at), piece);
    end->done++;
    inlet_give_back(inlet);
    return true;
}

bool arrivals_weave(const struct move *move, struct neighbors *neighbors,
                    struct arrivals *arrivals)
{
    int64_t n = list(move, neighbors, arrivals->strands);
    if (!weave_on(&arrivals->weave, arrivals->strands, n, move->combine,
                  move->targets[0]))
        return false;
    arrivals->vain = 0;
    for (int64_t k = 0; k < neighbors->ninlets; k++) {
        struct inlet *inlet = &neighbors->inlet[k];
        struct channel_end *end = &inlet->end;
        if (inlet->slide) {
            pass_stretches(inlet);
            continue;
        }
        const struct walk *walk = &inlet->transfer.part->walk;
        int64_t bytes = walk->done * walk->grain, before = end->done;
        while (end->done < end->pieces &&
               bytes >= int_min((end->done + 1) * end->slot, inlet->transfer.bytes))
            end->done++;
        if (end->done > before) inlet_give_back(inlet);
    }
    return true;
}

void arrivals_wait(struct arrivals *arrivals)
{
    if (++arrivals->vain > PATIENCE) arrivals->weaving = false;
}
