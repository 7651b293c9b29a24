/* SPDX-License-Identifier: MIT
 *
 * tests/fuzz/common/fuzz.h - what the targets of libFuzzer share. A target is a file with
 * a function fuzz_one, which is given any bytes; libFuzzer calls it (script/fuzz), or
 * driver.c does, for the files of the corpus.
 */
#ifndef REDIST_TESTS_FUZZ_COMMON_FUZZ_H
#define REDIST_TESTS_FUZZ_COMMON_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <redist/describe.h>

/* libFuzzer's entry. It calls fuzz_one and checks that all memory was given back. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void fuzz_one(const uint8_t *data, size_t size);

/* End the process if a condition does not hold. */
#define CHECK(condition)                                                                 \
    ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

/* Check a call that must succeed. */
#define GOOD(call) CHECK((call) == REDIST_OK)

/* Forget the last error. Check that the call since then failed, and left a sentence: of
 * text alone, as it goes to a terminal. `begins` may be NULL: how the sentence of an ARG
 * begins. */
void fuzz_clear(void);
void fuzz_refused(redist_err err, const char *begins);

/* Return the bytes up to a 0 as a text, and the same in the other case of letters; free
 * them with free. They end with their memory. */
char *fuzz_text(const uint8_t *data, size_t size);
char *fuzz_other_case(const char *text);

/* Initialize MPI, of one process, before main. */
void fuzz_mpi(void);

/* Set by a target that made what is kept: memory is then not checked any more. */
extern bool fuzz_keeps;

/* ---- numbers out of bytes ---------------------------------------------------------- */

struct bytes {
    const uint8_t *next, *end;
};

/* Return the next byte, 0 behind the last. */
static inline int take_byte(struct bytes *in)
{
    return in->next < in->end ? *in->next++ : 0;
}

/* Return a number of low .. high that may well lie near an end of it or a power of 2. */
int64_t take_number(struct bytes *in, int64_t low, int64_t high);

static inline int take_int(struct bytes *in, int low, int high)
{
    return (int)take_number(in, low, high);
}

/* Return an evenly drawn number of 0 .. n - 1 <= 255. */
static inline int take_below(struct bytes *in, int n) { return take_byte(in) % n; }

#endif
