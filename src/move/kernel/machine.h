/* SPDX-License-Identifier: MIT
 *
 * move/kernel/machine.h - the machines for which a kernel is built. Arithmetic and the
 * copy of short runs (period_copy.h) gain from registers wider than every machine has.
 * Other copies do not, and are built once.
 *
 * The kernel for one machine may use that machine's instructions, and runs there only. A
 * table of pointers holds all variants:
 *
 *     #define BUILD(name, machine, target) target static void name##_##machine(..) {..}
 *     #define ENTRY(name, machine, target) name##_##machine,
 *     FOR_MACHINES(BUILD, add)
 *     static kernel *const add[MACHINES] = {FOR_MACHINES(ENTRY, add)};
 *     .. add[machine_here()](..)
 *
 * For loops over contiguous data the variant DENSE is the fastest, if it runs here: wider
 * registers gain nothing in the cache and lose where memory is the limit.
 */
#ifndef REDIST_MOVE_KERNEL_MACHINE_H
#define REDIST_MOVE_KERNEL_MACHINE_H

#if defined __x86_64__
#define FOR_MACHINES(X, name)                                                            \
    X(name, portable, )                                                                  \
    X(name, avx2, __attribute__((target("avx2"))))                                       \
    X(name, avx512, __attribute__((target("avx512f"))))
enum machine { PORTABLE, AVX2, AVX512, MACHINES, DENSE = AVX2 };
#else
#define FOR_MACHINES(X, name) X(name, portable, )
enum machine { PORTABLE, MACHINES, DENSE = PORTABLE };
#endif

/* Find the last of the machines whose kernels run here. REDIST_KERNELS=portable or avx2
 * in the environment excludes those after it. The environment is read once.
 * Local. O(1). */
enum machine machine_here(void);

/* Read the environment again in the next call, for tests that change it. */
void machine_forget(void);

#endif
