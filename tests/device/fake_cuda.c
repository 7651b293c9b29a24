/* SPDX-License-Identifier: MIT
 *
 * tests/device/fake_cuda.c - what passes for CUDA's driver in a process: it knows one
 * array of device memory, and as many devices as REDIST_TEST_DEVICES says.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    const char *given = getenv("REDIST_TEST_DEVICES");
    *count = given ? (int)strtol(given, NULL, 10) : 0;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    (void)snprintf(name, (size_t)size, "Number %d", device);
    return 0;
}
