/* SPDX-License-Identifier: MIT
 *
 * cuda/cuda_work.cuh - the work of a launch (move/driver/driver.h) as kernels read it, and
 * the kernels.
 */
#ifndef REDIST_CUDA_CUDA_WORK_CUH
#define REDIST_CUDA_CUDA_WORK_CUH

#include <cstring>

#include "move/driver/driver.h"

namespace
{

enum {
    FEW = 3584,       /* bytes of work that travel as arguments of a launch */
    PER_PROCESSOR = 4 /* groups of threads on a multiprocessor */
};

/* ---- kernels ----------------------------------------------------------------------- */

/* The work of a launch as the device reads it. Groups of threads take tiles of all single
 * moves in turn: tile t is one of move m where before[m] <= t < before[m + 1]. Each square
 * and window job has groups of its own: group g is one of job k where
 * first[k] <= g < first[k + 1]; job 0 is all single moves. */
struct shown_work {
    int singles, squares, windows;
    /* Where they begin, in bytes. */
    int before, first, move, single, square, window, stream, linear;
};

struct few_bytes {
    alignas(16) char byte[FEW];
};

/* The share of a group in a job: every count-th tile. */
struct share {
    uint32_t first, count;
};

template <typename what>
__device__ __forceinline__ const what *part(const char *work, int at)
{
    return reinterpret_cast<const what *>(work + at);
}

__device__ __forceinline__ void run_singles(const char *work, share mine)
{
    const shown_work *shown = part<shown_work>(work, 0);
    const uint32_t *before = part<uint32_t>(work, shown->before);
    const device_move *moves = part<device_move>(work, shown->single);
    const device_linear *linear = part<device_linear>(work, shown->linear);
    for (uint32_t tile = mine.first; tile < before[shown->singles]; tile += mine.count) {
        int m = device_find_last(before, sizeof *before, shown->singles, tile);
        device_move_tile(moves + m, linear, tile - before[m], threadIdx.x);
    }
}

template <int unit>
__device__ __forceinline__ void run_square_of(const square_job *job,
                                              const device_move *move,
                                              window_state *state, share mine)
{
    for (uint32_t tile = mine.first; tile < job->tiles; tile += mine.count) {
        square_copy(job, move, tile, unit, 0, state, threadIdx.x);
        window_arrive();
        __syncthreads();
        square_copy(job, move, tile, unit, 1, state, threadIdx.x);
        __syncthreads();
    }
}

__device__ __forceinline__ void run_square(const square_job *job,
                                           const device_move *moves, window_state *state,
                                           share mine)
{
    const device_move *move = moves + job->move;
    switch (move->unit) {
        case 16: run_square_of<16>(job, move, state, mine); return;
        case 8: run_square_of<8>(job, move, state, mine); return;
        case 4: run_square_of<4>(job, move, state, mine); return;
        case 2: run_square_of<2>(job, move, state, mine); return;
        default: run_square_of<1>(job, move, state, mine); return;
    }
}

template <int unit>
__device__ __forceinline__ void run_window_of(const window_job *job,
                                              const window_stream *streams,
                                              window_state *state, share mine)
{
    uint32_t thread = threadIdx.x;
    bool fills = job->home;
    for (uint32_t tile = mine.first; tile < job->tiles; tile += mine.count) {
        window window = window_aim(job, streams, tile, state, thread);
        __syncthreads();
        if (fills)
            window_copy_streams(job, window, unit, true, state, thread);
        else
            window_copy_home(job, window, unit, true, state, thread);
        window_arrive();
        __syncthreads();
        if (fills)
            window_copy_home(job, window, unit, false, state, thread);
        else
            window_copy_streams(job, window, unit, false, state, thread);
        __syncthreads();
    }
}

__device__ __forceinline__ void run_window(const window_job *job,
                                           const window_stream *streams,
                                           const device_move *moves, window_state *state,
                                           share mine)
{
    window_clear(state, threadIdx.x);
    __syncthreads();
    window_make_round(job, streams, moves, state, threadIdx.x);
    __syncthreads();
    window_make_table(job, streams, state, threadIdx.x);
    __syncthreads();
    switch (job->unit) {
        case 16: run_window_of<16>(job, streams, state, mine); return;
        case 8: run_window_of<8>(job, streams, state, mine); return;
        case 4: run_window_of<4>(job, streams, state, mine); return;
        case 2: run_window_of<2>(job, streams, state, mine); return;
        default: run_window_of<1>(job, streams, state, mine); return;
    }
}

__device__ __forceinline__ void run(const char *work)
{
    __shared__ window_state state;
    const shown_work *shown = part<shown_work>(work, 0);
    const uint32_t *first = part<uint32_t>(work, shown->first);
    const device_move *moves = part<device_move>(work, shown->move);
    int job = device_find_last(first, sizeof *first, 1 + shown->squares + shown->windows,
                               blockIdx.x);
    share mine = {blockIdx.x - first[job], first[job + 1] - first[job]};
    if (job == 0)
        run_singles(work, mine);
    else if (job <= shown->squares)
        run_square(part<square_job>(work, shown->square) + (job - 1), moves, &state,
                   mine);
    else {
        const window_job *window =
            part<window_job>(work, shown->window) + (job - 1 - shown->squares);
        run_window(window, part<window_stream>(work, shown->stream) + window->stream,
                   moves, &state, mine);
    }
}

__global__ void __launch_bounds__(DEVICE_THREADS, PER_PROCESSOR)
    run_few(const __grid_constant__ few_bytes work)
{
    run(work.byte);
}

__global__ void __launch_bounds__(DEVICE_THREADS, PER_PROCESSOR)
    run_many(const char *work)
{
    run(work);
}

/* ---- showing work ------------------------------------------------------------------ */

constexpr int most_jobs = 1 + DEVICE_SQUARES + DEVICE_WINDOWS;

/* The most bytes of work, each part of which is aligned. */
constexpr size_t most_bytes =
    sizeof(shown_work) + (DEVICE_MOVES + 1) * sizeof(uint32_t) +
    (most_jobs + 1) * sizeof(uint32_t) + DEVICE_MOVES * sizeof(device_move) +
    DEVICE_SQUARES * sizeof(square_job) + DEVICE_WINDOWS * sizeof(window_job) +
    DEVICE_STREAMS * sizeof(window_stream) + DEVICE_LINEARS * sizeof(device_linear) +
    9 * 16;

/* Append an array at an aligned place. Returns where it begins. */
template <typename what> int append(char *work, size_t *end, const what *array, int n)
{
    size_t at = (*end + 15) / 16 * 16;
    memcpy(work + at, array, static_cast<size_t>(n) * sizeof *array);
    *end = at + static_cast<size_t>(n) * sizeof *array;
    return static_cast<int>(at);
}

/* Deal about `busy` groups of threads to n jobs, by their tiles, at least one to each that
 * has any. */
void deal(const uint32_t tiles[], int n, uint32_t busy, uint32_t first[])
{
    uint64_t all = 0;
    first[0] = 0;
    for (int k = 0; k < n; k++) all += tiles[k];
    for (int k = 0; k < n; k++) {
        uint64_t groups = tiles[k];
        if (all > busy)
            groups = (groups * busy / all > 0 || groups == 0) ? groups * busy / all : 1;
        first[k + 1] = first[k] + static_cast<uint32_t>(groups);
    }
}

/* Write work as the device reads it. Returns its bytes; *groups: of threads. */
size_t show(const device_work *given, uint32_t busy, char *work, uint32_t *groups)
{
    uint32_t before[DEVICE_MOVES + 1], tiles[most_jobs], first[most_jobs + 1];
    const device_move *single = given->move + given->first;
    int singles = given->nmoves - given->first, jobs = 0;
    before[0] = 0;
    for (int k = 0; k < singles; k++) before[k + 1] = before[k] + single[k].tiles;
    tiles[jobs++] = before[singles];
    for (int k = 0; k < given->nsquares; k++) tiles[jobs++] = given->square[k].tiles;
    for (int k = 0; k < given->nwindows; k++) tiles[jobs++] = given->window[k].tiles;
    deal(tiles, jobs, busy, first);
    *groups = first[jobs];
    shown_work *shown = reinterpret_cast<shown_work *>(work);
    size_t end = sizeof *shown;
    shown->singles = singles;
    shown->squares = given->nsquares;
    shown->windows = given->nwindows;
    shown->before = append(work, &end, before, singles + 1);
    shown->first = append(work, &end, first, jobs + 1);
    shown->move = append(work, &end, given->move, given->nmoves);
    shown->single = shown->move + given->first * static_cast<int>(sizeof *given->move);
    shown->square = append(work, &end, given->square, given->nsquares);
    shown->window = append(work, &end, given->window, given->nwindows);
    shown->stream = append(work, &end, given->stream, given->nstreams);
    shown->linear = append(work, &end, given->linear, given->nlinear);
    return end;
}

} // namespace

#endif
