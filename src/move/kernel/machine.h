/* SPDX-License-Identifier: MIT
 *
 * move/kernel/machine.h - the machines for which a kernel is built. Arithmetic gains from
 * wider registers than all have, and so does what puts short runs together (hops.h).
 * Other copies don't: theirs are built once.
 *
 * The compiler of a kernel for one of them may use what that one has; so the kernel runs
 * there alone, and a table of pointers holds them all:
 *
 *     #define BUILD(name, machine, target) target static void name##_##machine(..) {..}
 *     #define ENTRY(name, machine, target) name##_##machine,
 *     FOR_MACHINES(BUILD, add)
 *     static kernel *const add[MACHINES] = {FOR_MACHINES(ENTRY, add)};
 *     .. add[machine_here()](..)
 *
 * Of loops over what lies side by side those for DENSE are the quickest, if they run
 * here: wider registers gain nothing in the cache, and lose where memory is the limit.
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

/* Find the last of the machines whose kernels run here; with REDIST_KERNELS=portable or
 * avx2 in the environment, none after that.
 * The environment is looked at once.
 * Local. O(1). */
enum machine machine_here(void);

/* Look at it again in the next call: for tests, which change it. */
void machine_forget(void);

#endif
