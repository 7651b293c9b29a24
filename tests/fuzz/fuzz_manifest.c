/* SPDX-License-Identifier: MIT
 *
 * The manifest of a directory of shards: what is accepted is printed, and read again.
 */
#include <string.h>

#include "fuzz.h"

#include "base/mem.h"
#include "tool/store/manifest.h"

static void check_printed(const struct manifest *manifest)
{
    struct text text = {0};
    struct manifest read;
    manifest_print(manifest, &text);
    GOOD(text.err);
    GOOD(manifest_parse(text.bytes, text.size, &read));
    CHECK(read.run == manifest->run && read.shards == manifest->shards);
    CHECK(read.fortran_order == manifest->fortran_order);
    CHECK(strcmp(read.descr, manifest->descr) == 0);
    CHECK(strcmp(read.distribution, manifest->distribution) == 0);
    manifest_free(&read);
    mem_free(text.bytes);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    struct manifest manifest;
    fuzz_clear();
    redist_err err = manifest_parse((const char *)data, (int64_t)size, &manifest);
    if (err) {
        fuzz_refused(err, NULL);
        CHECK(!manifest.descr && !manifest.distribution);
        return;
    }
    CHECK(manifest.shards >= 0);
    /* a text is not cut off by a 0 in the middle of the file */
    CHECK(!memchr(data, 0, size));
    check_printed(&manifest);
    manifest_free(&manifest);
}
