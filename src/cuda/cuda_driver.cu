/* SPDX-License-Identifier: MIT
 *
 * cuda/cuda_driver.cu - the module libredist_cuda: CUDA devices as the library sees them
 * (move/device/driver.h). The library loads it when a process uses CUDA
 * (move/device/module.h). Moves run in the caller's stream.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <mutex>
#include <new>

#include "move/device/driver.h"

namespace {

enum {
    THREADS = 256,
    PER_THREAD = DEVICE_TILE / THREADS, /* units of a tile */
    FEW = 12,                           /* moves that travel as arguments of a launch */
    PER_PROCESSOR = 16                  /* blocks of a launch, about */
};

/* ---- kernels ----------------------------------------------------------------------- */

struct few_moves {
    device_move move[FEW];
};

/* Run every gridDim.y-th tile of a move. Blocks that follow each other take tiles of
 * different moves: those of one message share lines of memory. */
__device__ void run_tiles(const device_move &given)
{
    __shared__ device_move move;
    const int *from = reinterpret_cast<const int *>(&given);
    int *to = reinterpret_cast<int *>(&move);
    for (unsigned k = threadIdx.x; k < sizeof move / sizeof *to; k += THREADS)
        to[k] = from[k];
    __syncthreads();
    uint32_t tiles = (move.units + DEVICE_TILE - 1) / DEVICE_TILE;
    for (uint32_t tile = blockIdx.y; tile < tiles; tile += gridDim.y) {
        uint32_t u = tile * DEVICE_TILE + threadIdx.x;
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++, u += THREADS)
            if (u < move.units) device_move_unit(&move, u);
    }
}

__global__ void __launch_bounds__(THREADS) run_few(const __grid_constant__ few_moves moves)
{
    run_tiles(moves.move[blockIdx.x]);
}

__global__ void __launch_bounds__(THREADS) run_many(const device_move *moves)
{
    run_tiles(moves[blockIdx.x]);
}

/* ---- places ------------------------------------------------------------------------ */

/* The driver's own function: it tells of an address without making a context. */
typedef CUresult attribute_function(void *data, CUpointer_attribute attribute,
                                    CUdeviceptr pointer);

attribute_function *find_attribute_function()
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaError_t err = cudaGetDriverEntryPointByVersion(
        "cuPointerGetAttribute", &found, 12000, cudaEnableDefault, &result);
    (void)cudaGetLastError();
    return err == cudaSuccess ? reinterpret_cast<attribute_function *>(found) : nullptr;
}

bool find_attribute(CUpointer_attribute attribute, const void *address, void *data)
{
    static attribute_function *const function = find_attribute_function();
    CUdeviceptr pointer = reinterpret_cast<CUdeviceptr>(address);
    return function && function(data, attribute, pointer) == CUDA_SUCCESS;
}

/* Managed memory counts as the device's. */
device_place place(const void *address)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    unsigned managed = 0;
    if (!find_attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address, &type))
        return DEVICE_HOST;
    if (type == CU_MEMORYTYPE_DEVICE) return DEVICE_OWN;
    (void)find_attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED, address, &managed);
    return managed ? DEVICE_OWN : DEVICE_PINNED;
}

void *alloc_pinned(size_t bytes)
{
    void *memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
    (void)cudaGetLastError();
    return nullptr;
}

/* ---- streams ----------------------------------------------------------------------- */

/* The caller's stream, and room for the moves of a launch on the device, which is kept
 * from run to run. */
struct opened_stream {
    opened_stream *next;
    cudaStream_t stream;
    int device, blocks; /* of a launch, about */
    device_move *moves; /* [DEVICE_MOVES] in its memory, or NULL: not yet needed */
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
    if (found)
        *at = found->next;
    else
        found = new (std::nothrow)
            opened_stream{nullptr, nullptr, device, processors * PER_PROCESSOR, nullptr};
    if (!found) return static_cast<int>(cudaErrorMemoryAllocation);
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

/* As many blocks for each move as the largest has tiles, but no more than keep the device
 * busy. */
dim3 grid_of(const opened_stream *stream, const device_move moves[], int n)
{
    uint32_t most = 1;
    uint32_t busy = static_cast<uint32_t>((stream->blocks + n - 1) / n);
    for (int k = 0; k < n; k++) {
        uint32_t tiles = (moves[k].units + DEVICE_TILE - 1) / DEVICE_TILE;
        most = tiles > most ? tiles : most;
    }
    return dim3(static_cast<unsigned>(n), most < busy ? most : busy);
}

int launch(void *opened, const device_move moves[], int n)
{
    opened_stream *stream = static_cast<opened_stream *>(opened);
    dim3 grid = grid_of(stream, moves, n);
    if (n <= FEW) {
        few_moves few;
        for (int k = 0; k < n; k++) few.move[k] = moves[k];
        run_few<<<grid, THREADS, 0, stream->stream>>>(few);
        return static_cast<int>(cudaGetLastError());
    }
    cudaError_t err = cudaSuccess;
    if (!stream->moves) err = cudaMalloc(&stream->moves, DEVICE_MOVES * sizeof *moves);
    if (err == cudaSuccess) /* reads pageable memory before it returns */
        err = cudaMemcpyAsync(stream->moves, moves, static_cast<size_t>(n) * sizeof *moves,
                              cudaMemcpyHostToDevice, stream->stream);
    if (err == cudaSuccess) {
        run_many<<<grid, THREADS, 0, stream->stream>>>(stream->moves);
        err = cudaGetLastError();
    }
    return static_cast<int>(err);
}

int wait_stream(void *opened)
{
    return static_cast<int>(
        cudaStreamSynchronize(static_cast<opened_stream *>(opened)->stream));
}

const char *message(int code)
{
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

const device_driver driver = {
    DEVICE_DRIVER_VERSION, "CUDA", place,        alloc_pinned, open_stream,
    launch,                wait_stream, close_stream, message};

} // namespace

extern "C" __attribute__((visibility("default"))) const device_driver *
redist_device_driver()
{
    return &driver;
}
