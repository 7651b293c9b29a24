/* SPDX-License-Identifier: MIT
 *
 * tests/device/fake_cuda.c - what passes for CUDA's driver in a process: it knows one
 * array of device memory.
 */
#include <stdint.h>

enum { MEMORY_TYPE = 2, TYPE_DEVICE = 2, INVALID = 1, BYTES = 1 << 16 };

char fake_cuda_memory[BYTES];

int cuPointerGetAttribute(void *data, int attribute, uintptr_t address);
int cuPointerGetAttribute(void *data, int attribute, uintptr_t address)
{
    uintptr_t begin = (uintptr_t)fake_cuda_memory;
    if (attribute != MEMORY_TYPE || address < begin || address >= begin + BYTES)
        return INVALID;
    *(unsigned *)data = TYPE_DEVICE;
    return 0;
}
