/* SPDX-License-Identifier: MIT
 *
 * tests/soak/buffer.h - a buffer that is handed to the library, in any memory, with
 * bytes around it that nobody may write.
 */
#ifndef REDIST_TESTS_SOAK_BUFFER_H
#define REDIST_TESTS_SOAK_BUFFER_H

#include "device/device_memory.h"
#include "soak/case.h"

enum { GUARD = 64, ARENA = 4 << 20 };

/* The memory of a team that other processes can read in, handed out from its start. */
struct arena {
    unsigned char *memory;
    size_t used;
};

struct buffer {
    size_t bytes;
    enum location memory;
    unsigned char *block; /* what was allocated: GUARD, the buffer, GUARD */
    unsigned char *image; /* as large, of the host: what is put there, what came back */
    unsigned char *at;    /* that the library is given */
};

static inline struct buffer buffer_make(size_t bytes, enum location memory, size_t shift,
                                        const struct device_memory *device,
                                        struct arena *arena)
{
    struct buffer buffer = {.bytes = bytes, .memory = memory};
    size_t room = bytes + 2 * (size_t)GUARD;
    buffer.image = malloc(room);
    if (memory == SHARED && (!arena->memory || arena->used + room + 128 > ARENA))
        buffer.memory = HEAP;
    if (memory == DEVICE) buffer.block = device->alloc(room);
    if (memory == DEVICE && !buffer.block) buffer.memory = HEAP;
    if (buffer.memory == SHARED) {
        buffer.block = arena->memory + arena->used;
        arena->used += (room + 127) / 64 * 64;
    }
    if (buffer.memory == HEAP) buffer.block = malloc(room);
    buffer.at = buffer.block + GUARD - shift;
    return buffer;
}

static inline void buffer_free(struct buffer *buffer, const struct device_memory *device)
{
    free(buffer->image);
    if (buffer->memory == HEAP) free(buffer->block);
    if (buffer->memory == DEVICE) device->free(buffer->block);
    *buffer = (struct buffer){0};
}

/* Where the bytes of the buffer are in its image. */
static inline unsigned char *buffer_bytes(const struct buffer *buffer)
{
    return buffer->image + (buffer->at - buffer->block);
}

static inline void buffer_put(const struct buffer *buffer,
                              const struct device_memory *device)
{
    size_t room = buffer->bytes + 2 * (size_t)GUARD;
    if (buffer->memory == DEVICE)
        device->put(buffer->block, buffer->image, room);
    else
        memcpy(buffer->block, buffer->image, room);
}

static inline void buffer_get(const struct buffer *buffer,
                              const struct device_memory *device, unsigned char *to)
{
    size_t room = buffer->bytes + 2 * (size_t)GUARD;
    if (buffer->memory == DEVICE)
        device->get(to, buffer->block, room);
    else
        memcpy(to, buffer->block, room);
}

#endif
