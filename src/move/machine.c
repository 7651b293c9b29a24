/* SPDX-License-Identifier: MIT */
#include "move/machine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool has(enum machine machine)
{
    switch (machine) {
#if defined __x86_64__
        case AVX2: return __builtin_cpu_supports("avx2");
        case AVX512: return __builtin_cpu_supports("avx512f");
#endif
        default: return true;
    }
}

#define NAME(name, machine, target) #machine,

enum machine machine_here(void)
{
    static const char *const names[MACHINES] = {FOR_MACHINES(NAME, )};
    const char *most = getenv("REDIST_KERNELS");
    int here = MACHINES - 1;
    for (int k = 0; most && k < MACHINES; k++)
        if (strcmp(most, names[k]) == 0) here = k;
    while (!has((enum machine)here)) here--;
    return (enum machine)here;
}
