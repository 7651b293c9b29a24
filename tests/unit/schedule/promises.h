/* SPDX-License-Identifier: MIT
 *
 * tests/unit/schedule/promises.h - what schedules promise of a problem that they were
 * made for.
 */
#ifndef REDIST_TESTS_UNIT_SCHEDULE_PROMISES_H
#define REDIST_TESTS_UNIT_SCHEDULE_PROMISES_H

#include "unit/reading.h"
#include "unit/unit.h"

enum {
    ANY = 1,           /* applicable to each problem */
    CYCLIC = 2,        /* to each of one dimension that has classes */
    PERIODS = 4,       /* to each of several */
    LEAST_STEPS = 8,   /* NS = Delta, unless messages go in pieces */
    LEAST_TIME = 16,   /* TC = W */
    MOSTLY_LEAST = 32, /* TC = W unless it has a note, and < 2 W then */
    UNDER_TWICE = 64,  /* TC < 2 W */
    RING = 128,        /* NS <= max(P, Q) */
    PRODUCT_STEPS = 256,
    PRODUCT_TIME = 512,
    TARGETS = 1024,      /* NS <= Q */
    UNIT_CLASSES = 2048, /* TC = W where all u = t = 1 */
    BY_LINKS = 4096,     /* no link has two messages at a time; processes may */
    BY_PERIOD = 16384,   /* promises hold for a period */
    BY_OWN = 8192,       /* applies but to several dimensions that go by periods */
    FEW_STEPS = 32768    /* NS < 2 Delta */
};

static const struct promise {
    const char *name;
    int of;
} promises[] = {
    {"naive", ANY | TARGETS},
    {"shifted", ANY | RING},
    {"random", ANY},
    {"caterpillar", ANY | RING},
    {"caterpillar-full", ANY | RING},
    {"walker-otto", BY_PERIOD | LEAST_STEPS | LEAST_TIME},
    {"walker-otto-b", BY_PERIOD | LEAST_STEPS | LEAST_TIME},
    {"stepwise", ANY | LEAST_STEPS},
    {"greedy", ANY | FEW_STEPS},
    {"guo-pan-1", BY_PERIOD | LEAST_STEPS | LEAST_TIME},
    {"guo-pan-2", CYCLIC},
    {"guo-pan-2-diagonal", CYCLIC},
    {"contention-free", CYCLIC},
    {"optimal", BY_OWN | LEAST_STEPS},
    {"timeline", BY_OWN | MOSTLY_LEAST},
    {"product", BY_PERIOD | PERIODS | PRODUCT_STEPS},
    {"combination", BY_PERIOD | PERIODS | LEAST_STEPS | UNIT_CLASSES},
    {"product-timeline", BY_PERIOD | PERIODS | PRODUCT_TIME},
    {"dense", ANY | UNDER_TWICE},
    {"links", BY_LINKS},
    {"preemptive", ANY | LEAST_TIME},
    {"staircase", LEAST_TIME},
    {"staircase-steps", LEAST_STEPS},
};
enum { PROMISES = sizeof promises / sizeof *promises };

static inline int promise_of(const struct schedule_kind *kind)
{
    for (int k = 0; k < PROMISES; k++)
        if (strcmp(promises[k].name, kind->name) == 0) return promises[k].of;
    fail_msg("say in `promises` what schedule %s promises", kind->name);
    return 0;
}

/* Whether a schedule says that it is applicable to the problem. */
static inline bool promises_to_apply(int promised, const struct pattern *pattern)
{
    return promised & ANY || (promised & CYCLIC && pattern->input.ndims == 1) ||
           (promised & BY_OWN && (pattern->input.ndims <= 1 || pattern->input.by_grid)) ||
           (promised & PERIODS && pattern->input.ndims > 1 && !pattern->input.is_part);
}

#define PROMISE(kept, ...)                                                               \
    do {                                                                                 \
        if (!(kept)) return reading_say(reading, __VA_ARGS__);                           \
    } while (0)

/* What each schedule promises of any problem. */
static inline bool check_bounds(struct reading *reading)
{
    const struct truth *truth = reading->truth;
    const struct schedule_kind *kind = reading->order->kind;
    int64_t ns = reading->ns, tc = reading->tc * reading->order->pattern.unit;
    PROMISE(kind->loose || ns >= truth->delta, "NS = %" PRId64 " < Delta = %" PRId64, ns,
            truth->delta);
    PROMISE(reading->shares_ends || tc >= truth->w, "TC = %" PRId64 " < W = %" PRId64, tc,
            truth->w);
    PROMISE(kind->timed || kind->loose || kind->cut || tc >= truth->sb,
            "TC = %" PRId64 " < SB = %" PRId64, tc, truth->sb);
    return true;
}

/* Whether no block along any axis has a factor in common with the number of processes of
 * the other side but what both blocks have. */
static inline bool has_unit_classes(const struct drawn *x)
{
    for (int j = 0; j < x->ndims; j++) {
        const struct drawn_dim *from = &x->side[0].dim[x->side[0].axes[j]];
        const struct drawn_dim *to = &x->side[1].dim[x->side[1].axes[j]];
        int64_t r = from->m, s = to->m;
        if (from->procs == 1 || to->procs == 1) r = s = 1; /* any block is as good */
        int64_t both = drawn_gcd(r, s);
        if (drawn_gcd(s / both, from->procs) > 1 || drawn_gcd(r / both, to->procs) > 1)
            return false;
    }
    return true;
}

/* Whether a message goes in pieces. */
static inline bool has_pieces(const struct reading *reading)
{
    for (int pair = 0; pair < reading->truth->n * reading->truth->n; pair++)
        if (reading->count[pair] > 1) return true;
    return false;
}

/* Into how many pieces it is said to cut messages. */
static inline bool check_pieces(struct reading *reading)
{
    const struct schedule_kind *kind = reading->order->kind;
    if (!kind->pieces) return true;
    int64_t most = kind->pieces(&reading->order->pattern.input);
    PROMISE(most > 0 || !has_pieces(reading), "messages are cut, must be whole");
    PROMISE(most == 0 || reading->npieces <= most, "%d pieces, must be <= %" PRId64,
            reading->npieces, most);
    return true;
}

/* What one does, and others do not. */
static inline bool check_promises(struct reading *reading, int promised)
{
    const struct truth *truth = reading->truth;
    const struct order *order = reading->order;
    const struct drawn *x = reading->drawn;
    int64_t ns = reading->ns, tc = reading->tc * order->pattern.unit;
    int ring = x->side[0].size > x->side[1].size ? x->side[0].size : x->side[1].size;
    const struct pattern *pattern = &order->pattern;
    bool whole = !pattern->is_ragged;
    if (promised & MOSTLY_LEAST)
        promised |= order->kind->note(order->state) || !whole ? UNDER_TWICE : LEAST_TIME;
    if (promised & UNIT_CLASSES && has_unit_classes(x)) promised |= LEAST_TIME;
    if (promised & BY_PERIOD && !whole) promised &= ~(LEAST_TIME | PRODUCT_TIME);
    if (promised & BY_PERIOD && pattern->input.is_part)
        promised &= ~(LEAST_STEPS | PRODUCT_STEPS);
    PROMISE(!(promised & LEAST_STEPS) || ns == truth->delta || has_pieces(reading),
            "NS = %" PRId64 ", must be Delta = %" PRId64, ns, truth->delta);
    PROMISE(!(promised & FEW_STEPS) || ns < 2 * truth->delta || ns == 0,
            "NS = %" PRId64 ", must be < 2 Delta = %" PRId64, ns, 2 * truth->delta);
    PROMISE(!(promised & LEAST_TIME) || tc == truth->w,
            "TC = %" PRId64 ", must be W = %" PRId64, tc, truth->w);
    PROMISE(!(promised & UNDER_TWICE) || tc < 2 * truth->w || truth->w == 0,
            "TC = %" PRId64 ", must be < 2 W = %" PRId64, tc, 2 * truth->w);
    PROMISE(!(promised & RING) || ns <= ring, "NS = %" PRId64 ", must be <= %d", ns,
            ring);
    PROMISE(!(promised & TARGETS) || ns <= x->side[1].size,
            "NS = %" PRId64 ", must be <= Q = %d", ns, x->side[1].size);
    PROMISE(!(promised & PRODUCT_STEPS) || ns == truth->product_delta,
            "NS = %" PRId64 ", must be the product %" PRId64, ns, truth->product_delta);
    PROMISE(!(promised & PRODUCT_TIME) || tc == truth->product_w,
            "TC = %" PRId64 ", must be the product %" PRId64, tc, truth->product_w);
    return true;
}

/* When a message passes a link. */
struct passage {
    int64_t link, begin, end;
};

static inline int by_link(const void *a, const void *b)
{
    const struct passage *x = a, *y = b;
    if (x->link != y->link) return x->link < y->link ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Check that no link ever has two messages. */
static inline bool check_links(struct reading *reading, const redist_topology *network)
{
    enum { LONGEST = 16 };
    static struct passage passage[MOST_RANKS * MOST_RANKS * LONGEST];
    const struct truth *truth = reading->truth;
    int64_t unit = reading->order->pattern.unit, way[LONGEST];
    int n = 0;
    for (int pair = 0; pair < truth->n * truth->n; pair++) {
        int links = 0;
        if (truth->weight[pair] > 0)
            links = redist_topology_route(network, pair / truth->n, pair % truth->n,
                                          LONGEST, way);
        int64_t begin = reading->begin[pair], end = begin + truth->weight[pair] / unit;
        for (int k = 0; k < links; k++)
            passage[n++] = (struct passage){way[k], begin, end};
    }
    qsort(passage, (size_t)n, sizeof *passage, by_link);
    for (int k = 1; k < n; k++)
        PROMISE(passage[k].link != passage[k - 1].link ||
                    passage[k].begin >= passage[k - 1].end,
                "link %" PRId64 " has two messages at %" PRId64, passage[k].link,
                passage[k].begin);
    return true;
}

/* What the library says that the schedule costs. */
static inline bool check_cost(struct reading *reading, struct order *order)
{
    const struct truth *truth = reading->truth;
    int64_t unit = order->pattern.unit;
    struct cost cost;
    if (!order->pattern.input.grid) ok(pattern_build_grid(&order->pattern, INT64_MAX));
    PROMISE(!cost_count(order->kind, order->state, &order->pattern.input, &cost), "%s",
            redist_error_message());
    PROMISE(cost.ns == reading->ns, "NS is said to be %" PRId64 ", is %" PRId64, cost.ns,
            reading->ns);
    PROMISE(cost.tc == reading->tc, "TC is said to be %" PRId64 ", is %" PRId64, cost.tc,
            reading->tc);
    PROMISE(cost.messages == truth->messages,
            "there are said to be %" PRId64 " messages, there are %" PRId64,
            cost.messages, truth->messages);
    PROMISE(cost.delta == truth->delta, "Delta is said to be %" PRId64 ", is %" PRId64,
            cost.delta, truth->delta);
    PROMISE(cost.w * unit == truth->w, "W is said to be %" PRId64 ", is %" PRId64,
            cost.w * unit, truth->w);
    PROMISE(cost.sb * unit == truth->sb, "SB is said to be %" PRId64 ", is %" PRId64,
            cost.sb * unit, truth->sb);
    return true;
}

#endif
