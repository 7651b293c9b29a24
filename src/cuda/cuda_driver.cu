/* SPDX-License-Identifier: MIT
 *
 * cuda/cuda_driver.cu - the module libredist_cuda: CUDA devices as the library sees them
 * (move/driver/driver.h). The library loads it when a process uses CUDA
 * (move/device/module.h). Moves run in the caller's stream.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <mutex>
#include <new>

#include "cuda/cuda_work.cuh"
#include "move/driver/driver.h"

namespace
{

/* Return an error as a code, and make CUDA forget it: the next launch would report it as
 * its own. */
int code_of(cudaError_t err)
{
    (void)cudaGetLastError();
    return static_cast<int>(err);
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
    return code_of(err);
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
    return code_of(err);
}

void unpin(void *memory)
{
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}

int store(const void *data, size_t bytes, void **there)
{
    cudaError_t err = cudaMalloc(there, bytes);
    if (err != cudaSuccess) return code_of(err);
    err = cudaMemcpy(*there, data, bytes, cudaMemcpyHostToDevice);
    if (err == cudaSuccess) err = cudaStreamSynchronize(cudaStreamLegacy);
    if (err != cudaSuccess) (void)cudaFree(*there);
    return code_of(err);
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
    if (err != cudaSuccess) return code_of(err);
    std::lock_guard<std::mutex> guard(lock);
    opened_stream **at = &unused;
    while (*at && (*at)->device != device) at = &(*at)->next;
    opened_stream *found = *at;
    if (found) {
        *at = found->next;
    } else {
        found = new (std::nothrow) opened_stream;
        if (!found) return code_of(cudaErrorMemoryAllocation);
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
        return code_of(cudaGetLastError());
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
    return code_of(err);
}

int wait_stream(void *opened)
{
    return code_of(cudaStreamSynchronize(static_cast<opened_stream *>(opened)->stream));
}

/* ---- arrays of other processes ------------------------------------------------------- */

int show_place(const void *address, memory_place *place)
{
    known told = ask(address);
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof place->handle, "a handle fits");
    if (!told.shareable || !told.begin) return code_of(cudaErrorNotSupported);
    cudaError_t err = cudaIpcGetMemHandle(&handle, reinterpret_cast<void *>(told.begin));
    memcpy(place->handle, &handle, sizeof handle);
    place->id = told.id;
    place->offset =
        static_cast<int64_t>(reinterpret_cast<CUdeviceptr>(address) - told.begin);
    return code_of(err);
}

int reach_place(const memory_place *place, void **begin)
{
    cudaIpcMemHandle_t handle;
    memcpy(&handle, place->handle, sizeof handle);
    cudaError_t err = cudaIpcOpenMemHandle(begin, handle, cudaIpcMemLazyEnablePeerAccess);
    return code_of(err);
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
