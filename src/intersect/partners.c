/* SPDX-License-Identifier: MIT */
#include "intersect/partners.h"

#include "base/error.h"
#include "intersect/merge.h"
#include "intersect/period.h"

redist_err partners_add(struct partners *partners, int coord)
{
    const struct partner partner = {.coord = coord};
    return mem_append(partners->account, &partners->partner, &partners->n,
                      &partners->room, &partner, sizeof partner);
}

redist_err partners_append(struct partners *partners, int coord,
                           struct runs_builder *builder, const struct side sides[SIDES],
                           int64_t period)
{
    redist_err err = partners_add(partners, coord);
    if (!err)
        return runs_finish(builder, sides, period, sides[0].extent,
                           &partners->partner[partners->n - 1].runs);
    mem_free(builder->run);
    *builder = (struct runs_builder){.account = builder->account};
    return err;
}

redist_err partners_make(struct mem_account *account, const struct side sides[SIDES],
                         redist_side own, int c, struct partners *partners)
{
    *partners = (struct partners){.account = account};
    struct period period;
    redist_err err = period_applies(sides, sides[own].extent, &period)
                         ? period_partners(&period, sides, own, c, partners)
                         : merge_partners(sides, own, c, partners);
    if (err) partners_free(partners);
    return err;
}

redist_err partners_count(const struct side sides[SIDES], redist_side own, int c,
                          int other, struct partner_counts *counts)
{
    struct period period;
    *counts = (struct partner_counts){0};
    if (period_applies(sides, sides[own].extent, &period))
        return period_count(&period, sides, own, c, other, counts);
    struct partners partners;
    TRY(partners_make(NULL, sides, own, c, &partners));
    int64_t k = partners_find(&partners, other);
    counts->partners = partners.n;
    counts->with = k < 0 ? 0 : partners.partner[k].runs.elements;
    for (k = 0; k < partners.n; k++)
        counts->elements += partners.partner[k].runs.elements;
    partners_free(&partners);
    return REDIST_OK;
}

void partners_free(struct partners *partners)
{
    for (int64_t k = 0; k < partners->n; k++) runs_free(&partners->partner[k].runs);
    mem_free(partners->partner);
    *partners = (struct partners){.account = partners->account};
}

int64_t partners_find(const struct partners *partners, int coord)
{
    int64_t low = 0, high = partners->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (partners->partner[middle].coord < coord)
            low = middle + 1;
        else
            high = middle;
    }
    return low < partners->n && partners->partner[low].coord == coord ? low : -1;
}
