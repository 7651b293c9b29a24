/* SPDX-License-Identifier: MIT
 *
 * tests/soak/features.h - count what the cases had: by this a reader sees what was tried,
 * and how often.
 */
#ifndef REDIST_TESTS_SOAK_FEATURES_H
#define REDIST_TESTS_SOAK_FEATURES_H

#include "move/arith/reduce.h"
#include "soak/case.h"

enum { MOST_FEATURES = 256 };

static struct features {
    int n;
    struct {
        char name[TEXT];
        int64_t count;
    } feature[MOST_FEATURES];
} features;

__attribute__((format(printf, 1, 2))) static inline void feature(const char *format, ...)
{
    char name[TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    int k = 0;
    while (k < features.n && strcmp(features.feature[k].name, name) != 0) k++;
    if (k == MOST_FEATURES) return;
    if (k == features.n) {
        memcpy(features.feature[k].name, name, sizeof name);
        features.n++;
    }
    features.feature[k].count++;
}

/* One line each: "feature NAME: COUNT". */
static inline void features_print(void)
{
    for (int k = 0; k < features.n; k++)
        printf("feature %s: %" PRId64 "\n", features.feature[k].name,
               features.feature[k].count);
}

static inline void feature_strategy(const char *strategy)
{
    const char *slash = strchr(strategy, '/');
    const char *exchange = slash ? slash + 1 : strategy;
    if (slash) feature("schedule %.*s", (int)strcspn(strategy, "(/"), strategy);
    feature("exchange %.*s", (int)strcspn(exchange, "("), exchange);
}

static inline void feature_sample(const struct sample *s)
{
    static const char *const formats[] = {"*", "block", "cyclic", "gen_block",
                                          "indirect"};
    const redist_view *v = &s->view;
    int first = 0, section = 0, strided = 0, axes = 0, order = 0, halo = 0, lead = 0;
    int format[5] = {0}, ranks = 0;
    for (int i = 0; i < s->ndims; i++) {
        format[s->format[i].kind] = 1;
        first |= s->format[i].first > 0;
        section |= v->extent[i] < s->extent[i];
        strided |= v->stride[i] > 1;
        axes |= v->axes[i] != i;
        order |= v->order[i] != i;
        halo |= v->halo_low[i] + v->halo_high[i] > 0;
        lead |= v->lead[i] > 0;
    }
    for (int k = 0; k < s->nranks; k++) ranks |= s->ranks[k] != k;
    for (int k = 0; k < 5; k++)
        if (format[k]) feature("format %s", formats[k]);
    if (first) feature("first owner");
    if (section) feature("section");
    if (strided) feature("stride");
    if (axes) feature("axes");
    if (order) feature("memory order");
    if (halo) feature("halo");
    if (lead) feature("leads");
    if (ranks) feature("list of ranks");
    if (s->grid_order == REDIST_COLUMN_MAJOR && s->naxes > 1)
        feature("grid column-major");
}

static inline void feature_job(const struct job *job)
{
    feature("plan of %s", kind_name[job->kind]);
    feature("memory %s", memory_name[job->memory]);
    if (job->fault) feature("fault %s", fault_name[job->fault]);
    if (has_views(job)) {
        feature("%d dimensions", job->item[0].side[0].ndims);
        for (int s = 0; s < 2; s++) {
            feature_sample(&job->item[0].side[s]);
            if (sample_replicas(&job->item[0].side[s]) > 1)
                feature("replicated %s", s ? "target" : "source");
        }
        if (job->nitems > 1) feature("batch of %d", job->nitems);
    }
    if (job->transpose) feature("transposed");
    if (job->conjugate) feature("conjugated");
    if (job->scaled) feature("scaled");
    if (job->reduction) feature("reduction %s", reduce_name[job->reduction]);
    if (is_converted(job))
        feature("%s", job->checked ? "converted, checked" : "converted");
    if (job->relabels) feature("relabelled");
    if (job->tunes) feature("tuned");
    if (*job->topology) feature("topology");
    if (job->staging > 0) feature("staging %s", job->staging < 256 ? "< 256" : ">= 256");
}

static inline void feature_case(const struct soak_case *one)
{
    feature("%d processes", one->team.size);
    if (one->team.reversed) feature("communicator reversed");
    if (one->team.split) feature("intercommunicator");
    if (one->together) feature("%d plans at once", one->njobs);
}

#endif
