/* SPDX-License-Identifier: MIT */
#include "schedule/network/netsim.h"

#include <math.h>

#include "base/intmath.h"

/* A message's claim to a link: the less, the more links it passes, as with protocols that
 * wait for answers from the other end. */
static double claim(const struct netsim *netsim, int64_t m)
{
    return 1 /
           (double)int_max(netsim->sim_message[m].end - netsim->sim_message[m].begin, 1);
}

/* Find the links of the messages in progress, and add the messages' claims. */
static void claim_links(struct netsim *netsim)
{
    netsim->nactive = 0;
    netsim->round++;
    for (int64_t j = 0; j < netsim->nunderway; j++) {
        int64_t m = netsim->underway[j];
        for (int64_t k = netsim->sim_message[m].begin; k < netsim->sim_message[m].end;
             k++) {
            struct sim_link *sim_link = &netsim->sim_link[netsim->link[k]];
            if (sim_link->round != netsim->round) {
                *sim_link = (struct sim_link){
                    .room = 1 / netsim->model->beta, .last = -1, .round = netsim->round};
                netsim->active[netsim->nactive++] = netsim->link[k];
            }
            sim_link->claims += claim(netsim, m);
            sim_link->users++;
            netsim->use[k] = (struct use){m, sim_link->last};
            sim_link->last = k;
        }
    }
}

/* Find the least bandwidth of a link for a claim; INFINITY: no claims are left. */
static double find_narrowest(struct netsim *netsim)
{
    double least = INFINITY;
    for (int64_t k = 0; k < netsim->nactive; k++) {
        struct sim_link *sim_link = &netsim->sim_link[netsim->active[k]];
        sim_link->each =
            sim_link->users > 0 ? sim_link->room / sim_link->claims : INFINITY;
        if (sim_link->each < least) least = sim_link->each;
    }
    return least;
}

/* Give a message its rate, and subtract that and its claim from its links. */
static void settle(struct netsim *netsim, int64_t m, double least)
{
    struct sim_message *sim_message = &netsim->sim_message[m];
    double rate = least * claim(netsim, m);
    sim_message->rate = rate;
    sim_message->round = netsim->round;
    for (int64_t k = sim_message->begin; k < sim_message->end; k++) {
        struct sim_link *sim_link = &netsim->sim_link[netsim->link[k]];
        sim_link->claims -= claim(netsim, m);
        sim_link->room -= rate;
        sim_link->users--;
    }
}

void shares_divide(struct netsim *netsim)
{
    static const double equal = 1 + 1e-9;
    claim_links(netsim);
    for (double least; least = find_narrowest(netsim), !isinf(least);)
        for (int64_t a = 0; a < netsim->nactive; a++) {
            const struct sim_link *sim_link = &netsim->sim_link[netsim->active[a]];
            if (sim_link->each > least * equal) continue;
            for (int64_t k = sim_link->last; k >= 0; k = netsim->use[k].before)
                if (netsim->sim_message[netsim->use[k].m].round != netsim->round)
                    settle(netsim, netsim->use[k].m, least);
        }
    for (int64_t j = 0; j < netsim->nunderway; j++) /* those that pass no links */
        if (netsim->sim_message[netsim->underway[j]].round != netsim->round)
            netsim->sim_message[netsim->underway[j]].rate = INFINITY;
}
