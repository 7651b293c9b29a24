/* SPDX-License-Identifier: MIT */
#include "move/kernel/machine.h"

#include <stdatomic.h>
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

/* Find the last machine whose kernels run here, or the requested one before it. */
static enum machine find(void)
{
    static const char *const names[MACHINES] = {FOR_MACHINES(NAME, )};
    const char *most = secure_getenv("REDIST_KERNELS");
    int here = MACHINES - 1;
    for (int k = 0; most && k < MACHINES; k++)
        if (strcmp(most, names[k]) == 0) here = k;
    while (!has((enum machine)here)) here--;
    return (enum machine)here;
}

static atomic_int known; /* plus 1; 0: not found yet */

enum machine machine_here(void)
{
    int here = atomic_load_explicit(&known, memory_order_relaxed);
    if (here == 0) {
        here = (int)find() + 1;
        atomic_store_explicit(&known, here, memory_order_relaxed);
    }
    return (enum machine)(here - 1);
}

void machine_forget(void) { atomic_store(&known, 0); }
