/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* A list may be as long as a short text says, and take as much memory. Here a long one
 * fails for want of it, also where the machine has plenty. */
enum { MOST_BYTES = 4 << 20 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
    return size > MOST_BYTES ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return count > 0 && size > MOST_BYTES / count ? NULL : __real_calloc(count, size);
}

bool fuzz_keeps;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t before = mem_live_blocks();
    fuzz_one(data, size);
    CHECK(fuzz_keeps || mem_live_blocks() == before);
    return 0;
}

_Noreturn void fuzz_fail(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s\nlast error: %s\n", file, line,
                  condition, redist_error_message());
    abort();
}

void fuzz_clear(void) { (void)error_set(REDIST_OK, "%s", ""); }

void fuzz_refused(redist_err err, const char *begins)
{
    const char *sentence = redist_error_message();
    CHECK(err == REDIST_ERR_ARG || err == REDIST_ERR_IO || err == REDIST_ERR_MEMORY);
    CHECK(strlen(sentence) > 8);
    for (const char *c = sentence; *c; c++) CHECK(!iscntrl((unsigned char)*c));
    if (err == REDIST_ERR_ARG && begins)
        CHECK(strncmp(sentence, begins, strlen(begins)) == 0);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    const void *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = end ? (size_t)((const uint8_t *)end - data) : size;
    char *text = malloc(length + 1);
    CHECK(text);
    if (length > 0) memcpy(text, data, length);
    text[length] = 0;
    return text;
}

char *fuzz_other_case(const char *text)
{
    char *other = fuzz_text((const uint8_t *)text, strlen(text));
    for (char *c = other; *c; c++)
        *c = (char)(islower((unsigned char)*c) ? toupper((unsigned char)*c)
                                               : tolower((unsigned char)*c));
    return other;
}

static void finalize(void) { (void)MPI_Finalize(); }

void fuzz_mpi(void)
{
    (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 1); /* starts no daemon */
    CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
    CHECK(atexit(finalize) == 0);
}

int64_t take_number(struct bytes *in, int64_t low, int64_t high)
{
    enum { NEAR = 16 };
    int kind = take_byte(in), near = take_byte(in);
    uint64_t value = 0, range = (uint64_t)high - (uint64_t)low + 1;
    switch (kind % 4) {
        case 0: value = (uint64_t)low + (uint64_t)(near % NEAR); break;
        case 1: value = (uint64_t)high - (uint64_t)(near % NEAR); break;
        case 2:
            value = (UINT64_C(1) << kind / 4) + (uint64_t)(near % NEAR) - NEAR / 2;
            break;
        default:
            for (int k = 0; k < 8; k++) value = value << 8 | (uint64_t)take_byte(in);
    }
    if ((int64_t)value >= low && (int64_t)value <= high) return (int64_t)value;
    return (int64_t)((uint64_t)low + (range ? value % range : value));
}
