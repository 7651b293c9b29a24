/* SPDX-License-Identifier: MIT
 *
 * cuda/cuda_driver.cu - the module libredist_cuda: CUDA devices as the library sees them
 * (move/device/driver.h). The library loads it when a process uses CUDA
 * (move/device/module.h). Moves run in the caller's stream.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <mutex>
#include <new>

#include "move/device/driver.h"

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
    int before, first, move, single, square, window, stream;
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

/* Find the last of n numbers, of which the first is 0, that is at most `at`. */
__device__ __forceinline__ int find_last(const uint32_t numbers[], int n, uint32_t at)
{
    int found = 0;
    while (n > 1) {
        if (numbers[found + n / 2] <= at)
            found += n / 2, n -= n / 2;
        else
            n /= 2;
    }
    return found;
}

__device__ __forceinline__ void run_singles(const char *work, share mine)
{
    const shown_work *shown = part<shown_work>(work, 0);
    const uint32_t *before = part<uint32_t>(work, shown->before);
    const device_move *moves = part<device_move>(work, shown->single);
    for (uint32_t tile = mine.first; tile < before[shown->singles]; tile += mine.count) {
        int m = find_last(before, shown->singles, tile);
        device_move_tile(moves + m, tile - before[m], threadIdx.x);
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
    int job = find_last(first, 1 + shown->squares + shown->windows, blockIdx.x);
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
    DEVICE_STREAMS * sizeof(window_stream) + 8 * 16;

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
    return end;
}

/* ---- places ------------------------------------------------------------------------ */

/* What CUDA knows of an address; 0 where it knows nothing. */
struct known {
    CUmemorytype type;
    unsigned managed, shareable;
    int device;
    CUdeviceptr begin; /* of the allocation */
    size_t bytes;
    unsigned long long id;
};

/* The driver's own function: it tells of an address without making a context, and of one
 * that is not CUDA's without an error. */
typedef CUresult attributes_function(unsigned n, CUpointer_attribute *attributes,
                                     void **data, CUdeviceptr pointer);

attributes_function *find_attributes_function()
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaError_t err = cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &found,
                                                       12000, cudaEnableDefault, &result);
    (void)cudaGetLastError();
    return err == cudaSuccess ? reinterpret_cast<attributes_function *>(found) : nullptr;
}

known ask(const void *address)
{
    static attributes_function *const function = find_attributes_function();
    known told = {};
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                        CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&told.type,  &told.managed, &told.shareable, &told.begin,
                    &told.bytes, &told.id,      &told.device};
    unsigned n = sizeof attributes / sizeof *attributes;
    if (!function || function(n, attributes, data,
                              reinterpret_cast<CUdeviceptr>(address)) != CUDA_SUCCESS)
        told = {};
    return told;
}

/* Managed memory counts as the device's. */
device_range place(const void *address)
{
    known told = ask(address);
    const char *at = static_cast<const char *>(address);
    if (told.type != CU_MEMORYTYPE_DEVICE && told.type != CU_MEMORYTYPE_HOST)
        return {DEVICE_HOST, at, at + 1};
    const char *begin = reinterpret_cast<const char *>(told.begin);
    bool own = told.type == CU_MEMORYTYPE_DEVICE || told.managed;
    if (at < begin || at >= begin + told.bytes) begin = at, told.bytes = 1;
    return {own ? DEVICE_OWN : DEVICE_PINNED, begin, begin + told.bytes};
}

/* Memory of another device is used by peer access. */
int check_place(const void *address)
{
    int current = 0;
    known told = ask(address);
    cudaError_t err = cudaGetDevice(&current);
    if (err == cudaSuccess && told.type == CU_MEMORYTYPE_DEVICE && !told.managed &&
        told.device != current)
        err = cudaDeviceEnablePeerAccess(told.device, 0);
    if (err == cudaErrorPeerAccessAlreadyEnabled) err = cudaSuccess;
    (void)cudaGetLastError();
    return static_cast<int>(err);
}

void *alloc_pinned(size_t bytes)
{
    void *memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess)
        return memory;
    (void)cudaGetLastError();
    return nullptr;
}

int pin(void *memory, size_t bytes)
{
    void *there = nullptr;
    cudaError_t err = cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    if (err == cudaSuccess) {
        err = cudaHostGetDevicePointer(&there, memory, 0);
        if (err == cudaSuccess && there != memory) err = cudaErrorNotSupported;
        if (err != cudaSuccess) (void)cudaHostUnregister(memory);
    }
    (void)cudaGetLastError();
    return static_cast<int>(err);
}

void unpin(void *memory)
{
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}

int store(const void *data, size_t bytes, void **there)
{
    cudaError_t err = cudaMalloc(there, bytes);
    if (err != cudaSuccess) return static_cast<int>(err);
    err = cudaMemcpy(*there, data, bytes, cudaMemcpyHostToDevice);
    if (err == cudaSuccess) err = cudaStreamSynchronize(cudaStreamLegacy);
    if (err != cudaSuccess) (void)cudaFree(*there);
    return static_cast<int>(err);
}

void drop(void *there)
{
    (void)cudaFree(there);
    (void)cudaGetLastError();
}

/* ---- streams ----------------------------------------------------------------------- */

/* The caller's stream, and room for the work of a launch on the device, which is kept from
 * run to run. */
struct opened_stream {
    opened_stream *next;
    cudaStream_t stream;
    int device;
    uint32_t busy; /* groups of threads that keep it so */
    char *there;   /* [most_bytes] in its memory, or NULL: not yet needed */
    alignas(16) char here[most_bytes];
};

std::mutex lock;
opened_stream *unused;

int open_stream(void *stream, void **opened)
{
    int device = 0, processors = 0;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (err != cudaSuccess) return static_cast<int>(err);
    std::lock_guard<std::mutex> guard(lock);
    opened_stream **at = &unused;
    while (*at && (*at)->device != device) at = &(*at)->next;
    opened_stream *found = *at;
    if (found) {
        *at = found->next;
    } else {
        found = new (std::nothrow) opened_stream;
        if (!found) return static_cast<int>(cudaErrorMemoryAllocation);
        found->device = device;
        found->busy = static_cast<uint32_t>(processors * PER_PROCESSOR);
        found->there = nullptr;
    }
    found->stream = static_cast<cudaStream_t>(stream);
    *opened = found;
    return 0;
}

void close_stream(void *opened)
{
    std::lock_guard<std::mutex> guard(lock);
    opened_stream *stream = static_cast<opened_stream *>(opened);
    stream->next = unused;
    unused = stream;
}

int launch(void *opened, const device_work *work)
{
    opened_stream *stream = static_cast<opened_stream *>(opened);
    uint32_t groups = 0;
    size_t bytes = show(work, stream->busy, stream->here, &groups);
    if (bytes <= FEW) {
        few_bytes few;
        memcpy(few.byte, stream->here, bytes);
        run_few<<<groups, DEVICE_THREADS, 0, stream->stream>>>(few);
        return static_cast<int>(cudaGetLastError());
    }
    cudaError_t err = cudaSuccess;
    if (!stream->there) err = cudaMalloc(&stream->there, most_bytes);
    if (err == cudaSuccess) /* reads pageable memory before it returns */
        err = cudaMemcpyAsync(stream->there, stream->here, bytes, cudaMemcpyHostToDevice,
                              stream->stream);
    if (err == cudaSuccess) {
        run_many<<<groups, DEVICE_THREADS, 0, stream->stream>>>(stream->there);
        err = cudaGetLastError();
    }
    return static_cast<int>(err);
}

int wait_stream(void *opened)
{
    return static_cast<int>(
        cudaStreamSynchronize(static_cast<opened_stream *>(opened)->stream));
}

/* ---- arrays of other processes ------------------------------------------------------- */

int show_place(const void *address, memory_place *place)
{
    known told = ask(address);
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof place->handle, "a handle fits");
    if (!told.shareable || !told.begin) return static_cast<int>(cudaErrorNotSupported);
    cudaError_t err = cudaIpcGetMemHandle(&handle, reinterpret_cast<void *>(told.begin));
    (void)cudaGetLastError();
    memcpy(place->handle, &handle, sizeof handle);
    place->id = told.id;
    place->offset =
        static_cast<int64_t>(reinterpret_cast<CUdeviceptr>(address) - told.begin);
    return static_cast<int>(err);
}

int reach_place(const memory_place *place, void **begin)
{
    cudaIpcMemHandle_t handle;
    memcpy(&handle, place->handle, sizeof handle);
    cudaError_t err = cudaIpcOpenMemHandle(begin, handle, cudaIpcMemLazyEnablePeerAccess);
    (void)cudaGetLastError();
    return static_cast<int>(err);
}

void leave_place(void *begin)
{
    (void)cudaIpcCloseMemHandle(begin);
    (void)cudaGetLastError();
}

const char *message(int code)
{
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

const device_driver driver = {DEVICE_DRIVER_VERSION,
                              "CUDA",
                              place,
                              check_place,
                              alloc_pinned,
                              pin,
                              unpin,
                              store,
                              drop,
                              open_stream,
                              launch,
                              wait_stream,
                              close_stream,
                              show_place,
                              reach_place,
                              leave_place,
                              message};

} // namespace

extern "C" __attribute__((visibility("default"))) const device_driver *
redist_device_driver()
{
    return &driver;
}
