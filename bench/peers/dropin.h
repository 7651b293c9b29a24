/* SPDX-License-Identifier: MIT
 *
 * peers/dropin.h - what races of the drop-in with ScaLAPACK share: ours by name, and the
 * time of a call.
 */
#ifndef REDIST_BENCH_DROPIN_H
#define REDIST_BENCH_DROPIN_H

/* Say what is wrong, and end all processes. */
__attribute__((noreturn)) void dropin_fail(const char *what);

/* Find a routine of the drop-in, which fills *routine, a pointer to a function. The
 * library is that of this build, or REDIST_SCALAPACK in the environment. */
void dropin_find(const char *name, void *routine);

/* How often a process that moves so many bytes a call has to call until plans are as good
 * as they get (docs/scalapack.md). */
int dropin_calls_to_settle(double bytes);

/* Wait for all, and return the time; the seconds since then, of the slowest process.
 * Collective over the world. */
double dropin_begin(void);
double dropin_end(double begin);

#endif
