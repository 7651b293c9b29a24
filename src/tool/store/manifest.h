/* SPDX-License-Identifier: MIT
 *
 * tool/store/manifest.h - the description of a directory of shards, in manifest.json:
 *
 *   {"format":"redist-shards", "version":1, "run":"00c0ffee00c0ffee", "descr":"<f8",
 *    "fortran_order":false, "distribution":"[9] (block) onto 3", "shards":3}
 */
#ifndef REDIST_TOOL_STORE_MANIFEST_H
#define REDIST_TOOL_STORE_MANIFEST_H

#include <stdbool.h>

#include "files/text/text.h"

struct manifest {
    uint64_t run;       /* also in every shard */
    char *descr;        /* NumPy's dtype, as in struct npy; owned */
    bool fortran_order; /* of the shards */
    char *distribution; /* the text of the dist; owned */
    int64_t shards;     /* number of processes in the grid */
};

/* Append the JSON object and a newline. */
void manifest_print(const struct manifest *manifest, struct text *out);

/* Parse the `size` bytes of a manifest: one object with exactly these keys. Free with
 * manifest_free. MEMORY, IO. */
redist_err manifest_parse(const char *text, int64_t size, struct manifest *manifest);
void manifest_free(struct manifest *manifest);

#endif
