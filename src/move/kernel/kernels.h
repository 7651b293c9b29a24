/* SPDX-License-Identifier: MIT
 *
 * move/kernel/kernels.h - two loops over blocks of one size. All moves end here.
 */
#ifndef REDIST_MOVE_KERNEL_KERNELS_H
#define REDIST_MOVE_KERNEL_KERNELS_H

#include "move/kernel/nest.h"

/* Prefetch a line that is needed some KiB later. It goes to the second-level cache, as
 * the first level allows fewer outstanding lines. */
static inline __attribute__((always_inline)) void kernel_ask(const char *line)
{
    __builtin_prefetch(line, 0, 2);
}

/* Copy `bytes` contiguous bytes. */
void kernel_bytes(char *to, const char *from, int64_t bytes);

/* Copy outer->count x inner->count blocks of `block` bytes. The two sides share no
 * byte. `stream`: write past the cache where whole lines are written, see stream.h. */
void kernel_blocks(char *to, const char *from, const struct level *outer,
                   const struct level *inner, int64_t block, bool stream);

#endif
