/* SPDX-License-Identifier: MIT */
#include "move/lines.h"

#include "base/intmath.h"
#include "base/lengths.h"
#include "move/machine.h"

#if defined __x86_64__

#include <immintrin.h>

enum {
    GRAIN = 4,                    /* bytes that stay together */
    GRAINS = SEAM_LINE / GRAIN,   /* of a line */
    MOST = 256,                   /* parts: they stay in the first-level cache */
    FEW = 2,                      /* partners: more seldom have several runs in a line */
    LEAST = LENGTH(32 << 10, 256) /* bytes: for which it pays to make a table */
};

/* What a line of a partner has for one of the target. */
struct part {
    int64_t from; /* the line, from the partner's next period on */
    uint16_t to;  /* grains of the target, by bits */
    uint8_t partner;
    bool last; /* of a line of the target */
};

/* The lines of a cycle: the first one has the end of the cycle before. */
struct table {
    int64_t cycle; /* periods */
    int64_t n;
    struct part part[MOST];
    alignas(SEAM_LINE) int32_t grain[MOST][GRAINS]; /* of the partner's line, for each */
};

/* Periods until all are at the same place in a line as before. */
static int64_t find_cycle(const struct hops *hops)
{
    int64_t common = int_gcd(SEAM_LINE, hops->period);
    for (int p = 0; p < hops->partners; p++) common = int_gcd(common, hops->step[p]);
    return SEAM_LINE / common;
}

/* Add the grain that lies at `from` to a line, whose parts begin with `first`. Returns
 * false if there is no room. */
static bool put(struct table *table, int64_t first, const struct hops *hops, int partner,
                int64_t from, int64_t to)
{
    int64_t within = (int64_t)((uintptr_t)(hops->from[partner] + from) % SEAM_LINE);
    int64_t k = first;
    while (k < table->n &&
           (table->part[k].from != from - within || table->part[k].partner != partner))
        k++;
    if (k == MOST || within % GRAIN != 0) return false;
    if (k == table->n) {
        table->part[table->n++] =
            (struct part){.from = from - within, .partner = (uint8_t)partner};
        memset(table->grain[k], 0, sizeof table->grain[k]);
    }
    table->part[k].to |= (uint16_t)(1U << to);
    table->grain[k][to] = (int32_t)(within / GRAIN);
    return true;
}

/* List the parts of a cycle, of which the seam has `fill` bytes. Returns whether that can
 * be done, and pays: a part takes about as long as a run. */
static bool fill_table(const struct hops *hops, int64_t fill, struct table *table)
{
    int64_t cycle = table->cycle, behind = int_ceil_div(fill, hops->period);
    int64_t at = fill - behind * hops->period, first = 0;
    table->n = 0;
    if (fill % GRAIN != 0) return false;
    for (int64_t rep = -behind; rep < cycle; rep++)
        for (const struct hop *hop = hops->hop; hop < hops->end; hop++) {
            int64_t from = hop->from + rep * hops->step[hop->partner];
            if (hop->bytes % GRAIN != 0) return false;
            for (int64_t k = 0; k < hop->bytes; k += GRAIN, at += GRAIN) {
                if (at < 0 || at >= cycle * hops->period) continue;
                if (at % SEAM_LINE == 0) first = table->n;
                if (!put(table, first, hops, hop->partner, from + k,
                         at % SEAM_LINE / GRAIN))
                    return false;
                if (at % SEAM_LINE == SEAM_LINE - GRAIN)
                    table->part[table->n - 1].last = true;
            }
        }
    return table->n <= cycle * (hops->end - hops->hop);
}

/* A line of the target, whose parts begin with *k; *k is behind them then. */
static inline __attribute__((always_inline, target("avx512f"))) __m512i
put_together(const struct table *table, const char *const from[], int64_t *k)
{
    __m512i line = _mm512_setzero_si512();
    bool last = false;
    for (; !last; ++*k) {
        const struct part *part = &table->part[*k];
        line = _mm512_mask_permutexvar_epi32(
            line, part->to, _mm512_load_si512(table->grain[*k]),
            _mm512_load_si512(from[part->partner] + part->from));
        last = part->last;
    }
    return line;
}

__attribute__((target("avx512f"))) static void
over_cycles(struct hops *hops, int64_t n, const struct table *table, struct seam *seam)
{
    const char *from[HOPS_PARTNERS];
    char *to = seam->to;
    for (int p = 0; p < hops->partners; p++) from[p] = hops->from[p];
    for (; n > 0; n--) {
        for (int64_t k = 0; k < table->n; to += SEAM_LINE)
            _mm512_stream_si512((void *)to, put_together(table, from, &k));
        for (int p = 0; p < hops->partners; p++) from[p] += hops->step[p] * table->cycle;
    }
    int64_t k = 0;
    _mm512_store_si512(seam->room + SEAM_LINE, put_together(table, from, &k));
    for (int p = 0; p < hops->partners; p++) hops->from[p] = from[p];
    seam->to = to;
}

int64_t lines_before(const struct hops *hops, int64_t n)
{
    bool pays = hops->partners <= FEW && n * hops->period >= LEAST;
    if (!pays || machine_here() < AVX512) return 0;
    int64_t cycle = find_cycle(hops);
    int64_t before = cycle + int_ceil_div(SEAM_LINE, hops->period);
    return before + 2 * cycle <= n ? before : 0;
}

/* What comes last leaves the first part of a line: that is read with the rest of it. */
int64_t lines_over(struct hops *hops, int64_t n, struct seam *seam)
{
    struct table table;
    table.cycle = find_cycle(hops);
    if (!fill_table(hops, seam->fill, &table)) return 0;
    int64_t cycles = n / table.cycle - 1;
    over_cycles(hops, cycles, &table, seam);
    return cycles * table.cycle;
}

#endif
