/* SPDX-License-Identifier: MIT
 *
 * CRC-32C by instructions and by tables, beside one that goes bit by bit, and the sums
 * of RFC 3720, B.4.
 */
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#include "files/codec/crc32c.h"
#include "move/kernel/machine.h"
#include "random.h"

static uint32_t bit_by_bit(const char *bytes, int64_t size)
{
    uint32_t sum = UINT32_MAX;
    for (int64_t k = 0; k < size; k++) {
        sum ^= (unsigned char)bytes[k];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78 : 0);
    }
    return ~sum;
}

static void check(const char *bytes, int64_t size, uint32_t expected)
{
    assert_int_equal(crc32c_of(bytes, size), expected);
    assert_int_equal(crc32c_portable(bytes, size), expected);
}

static void known_sums(void **unused)
{
    (void)unused;
    char bytes[32];
    memset(bytes, 0, sizeof bytes);
    check(bytes, 32, 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    check(bytes, 32, 0x62a8ab43);
    for (int k = 0; k < 32; k++) bytes[k] = (char)k;
    check(bytes, 32, 0x46dd794e);
    for (int k = 0; k < 32; k++) bytes[k] = (char)(31 - k);
    check(bytes, 32, 0x113fdb5c);
    check("123456789", 9, 0xe3069283);
    check("", 0, 0);
}

/* All lengths round those at which the streams change, at all places in a word. */
static void random_bytes(void **unused)
{
    (void)unused;
    enum { MOST = 3 * 3072 + 64 };
    static const int64_t middle[] = {0, 3072, 6144, 9216};
    char *bytes = malloc(MOST + 8);
    uint64_t seed = 20260725;
    for (int k = 0; k < MOST + 8; k++) bytes[k] = (char)random_in(&seed, 0, 255);
    for (size_t m = 0; m < 4; m++)
        for (int64_t size = middle[m] - 17; size <= middle[m] + 17; size++) {
            int64_t at = random_in(&seed, 0, 7);
            if (size >= 0) check(bytes + at, size, bit_by_bit(bytes + at, size));
        }
    free(bytes);
}

/* The environment excludes the instructions. */
static void portable_kernels(void **unused)
{
    setenv("REDIST_KERNELS", "portable", 1);
    machine_forget();
    known_sums(unused);
    unsetenv("REDIST_KERNELS");
    machine_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(portable_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
