/* SPDX-License-Identifier: MIT
 *
 * files/codec/crc32c.h - CRC-32C: a checksum with the polynomial of Castagnoli.
 */
#ifndef REDIST_FILES_CODEC_CRC32C_H
#define REDIST_FILES_CODEC_CRC32C_H

#include <stdint.h>

/* Return the CRC-32C of some bytes, by instructions where the machine has them. */
uint32_t crc32c_of(const char *bytes, int64_t size);

/* The same by tables. */
uint32_t crc32c_portable(const char *bytes, int64_t size);

#endif
