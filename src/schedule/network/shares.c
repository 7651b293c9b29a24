/* SPDX-License-Identifier: MIT */
#include "schedule/network/shares.h"

#include <math.h>

#include "base/intmath.h"

/* A message's claim to a link: the less, the more links it passes, as with what waits for
 * answers from the other end. */
static double claim(const struct rush *rush, int64_t m)
{
    return 1 / (double)int_max(rush->passage[m].end - rush->passage[m].begin, 1);
}

/* Find the links of the messages under way, and put the messages' claims on them. */
static void claim_links(struct rush *rush)
{
    rush->nactive = 0;
    rush->round++;
    for (int64_t j = 0; j < rush->nunderway; j++) {
        int64_t m = rush->underway[j];
        for (int64_t k = rush->passage[m].begin; k < rush->passage[m].end; k++) {
            struct wire *wire = &rush->wire[rush->link[k]];
            if (wire->round != rush->round) {
                *wire = (struct wire){
                    .room = 1 / rush->model->beta, .last = -1, .round = rush->round};
                rush->active[rush->nactive++] = rush->link[k];
            }
            wire->claims += claim(rush, m);
            wire->users++;
            rush->use[k] = (struct use){m, wire->last};
            wire->last = k;
        }
    }
}

/* Find the least that a link has for a claim; INFINITY: none is claimed any more. */
static double find_narrowest(struct rush *rush)
{
    double least = INFINITY;
    for (int64_t k = 0; k < rush->nactive; k++) {
        struct wire *wire = &rush->wire[rush->active[k]];
        wire->each = wire->users > 0 ? wire->room / wire->claims : INFINITY;
        if (wire->each < least) least = wire->each;
    }
    return least;
}

/* Give a message its rate, and take that and its claim off its links. */
static void settle(struct rush *rush, int64_t m, double least)
{
    struct passage *passage = &rush->passage[m];
    double rate = least * claim(rush, m);
    passage->rate = rate;
    passage->round = rush->round;
    for (int64_t k = passage->begin; k < passage->end; k++) {
        struct wire *wire = &rush->wire[rush->link[k]];
        wire->claims -= claim(rush, m);
        wire->room -= rate;
        wire->users--;
    }
}

void shares_divide(struct rush *rush)
{
    static const double equal = 1 + 1e-9;
    claim_links(rush);
    for (double least; least = find_narrowest(rush), !isinf(least);)
        for (int64_t a = 0; a < rush->nactive; a++) {
            const struct wire *wire = &rush->wire[rush->active[a]];
            if (wire->each > least * equal) continue;
            for (int64_t k = wire->last; k >= 0; k = rush->use[k].before)
                if (rush->passage[rush->use[k].m].round != rush->round)
                    settle(rush, rush->use[k].m, least);
        }
    for (int64_t j = 0; j < rush->nunderway; j++) /* those that pass no links */
        if (rush->passage[rush->underway[j]].round != rush->round)
            rush->passage[rush->underway[j]].rate = INFINITY;
}
