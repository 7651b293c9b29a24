/* SPDX-License-Identifier: MIT
 *
 * base/ablate.h - special mechanisms that a build with REDIST_ABLATE can switch off one
 * at a time, to measure their value (bench/bench_ablate.c).
 */
#ifndef REDIST_BASE_ABLATE_H
#define REDIST_BASE_ABLATE_H

/* X(name, the mechanism) */
#define ABLATIONS(X)                                                                     \
    X(ELEMENTS, "single elements of partners interleaved in registers")                  \
    X(CUTS, "runs of a period cut at AVX2 registers")                                    \
    X(PACK_PERIODIC, "packing by a period's table")                                      \
    X(RUN_TABLE, "interleaving by a table of runs")                                      \
    X(INTERLEAVE, "sources interleaved into whole lines")                                \
    X(SOURCE_WINDOW, "a source shown in a window")                                       \
    X(THROTTLE, "messages of lists in step")                                             \
    X(CACHE_DISTANCE, "cores that share no cache written to past it")                    \
    X(TILES, "lists in tiles")                                                           \
    X(STREAM, "writing past the cache")

#ifdef REDIST_ABLATE
#define ABLATION_NAME(name, what) ABLATE_##name,
enum ablation { ABLATE_NONE, ABLATIONS(ABLATION_NAME) ABLATION_COUNT };
extern enum ablation ablated; /* the mechanism that is off */
#define ABLATED(name) (ablated == ABLATE_##name)
#else
#define ABLATED(name) 0
#endif

#endif
