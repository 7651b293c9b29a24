/* SPDX-License-Identifier: MIT
 *
 * base/ablate.h - special mechanisms that a build with REDIST_ABLATE can switch off one
 * at a time, to measure their value (bench/bench_ablate.c).
 */
#ifndef REDIST_BASE_ABLATE_H
#define REDIST_BASE_ABLATE_H

/* X(name, the mechanism) */
#define ABLATIONS(X)                                                                     \
    X(ELEMENTS, "single elements interleaved in registers")                              \
    X(AVX2_GATHER, "short runs combined in AVX2 registers")                              \
    X(PACK_PERIODIC, "packing by the table of a period")                                 \
    X(RUN_TABLE, "interleaving by a table of runs")                                      \
    X(INTERLEAVE, "interleaving into whole lines")                                       \
    X(TURNS, "turns of processes that share a core")                                     \
    X(SOURCE_WINDOW, "source windows")                                                   \
    X(THROTTLE, "messages of lists in step")                                             \
    X(CACHE_DISTANCE, "rings written past a cache not shared")                           \
    X(TILES, "lists in tiles")                                                           \
    X(STREAM, "copies past the cache")

#ifdef REDIST_ABLATE
#define ABLATION_NAME(name, what) ABLATE_##name,
enum ablation { ABLATE_NONE, ABLATIONS(ABLATION_NAME) ABLATION_COUNT };
extern enum ablation ablated; /* the mechanism that is off */
#define ABLATED(name) (ablated == ABLATE_##name)
#else
#define ABLATED(name) 0
#endif

#endif
