/* SPDX-License-Identifier: MIT
 *
 * files/metadata/metadata.h - what .zarray of version 2, or zarr.json of version 3, says
 * of an array. No file is read.
 */
#ifndef REDIST_FILES_ZARR_METADATA_H
#define REDIST_FILES_ZARR_METADATA_H

#include <redist/files.h>

#include "files/codec/codec.h"
#include "files/text/json.h"
#include "files/text/text.h"

/* A chunk that is a shard: inner chunks, each encoded by itself, and an index of them. */
struct sharding {
    bool is;
    bool index_first;               /* or at the end */
    bool index_big;                 /* its numbers are big-endian */
    struct codecs index;            /* of the index: none, or a checksum */
    int64_t inner[REDIST_MAX_DIMS]; /* elements of an inner chunk */
    int64_t inner_bytes, inner_count, index_bytes;
};

struct metadata {
    int version; /* 2 or 3 */
    int ndims;
    int64_t shape[REDIST_MAX_DIMS], chunk[REDIST_MAX_DIMS];
    char *type; /* in NumPy's notation; owned */
    int64_t element_bytes, chunk_bytes;
    redist_order order;   /* within a chunk, and of the array */
    bool prefix;          /* names of chunks begin with c */
    char separator;       /* in the names of chunks */
    struct codecs codecs; /* of a chunk, or of an inner chunk */
    struct sharding sharding;
    char *fill; /* the element where no chunk is; owned */
};

/* The most bytes that a file of metadata may have. */
enum { METADATA_BYTES = 64 << 20 };

/* Parse the metadata of an array, of either version. Free with metadata_free. IO: no
 * array, or one that is not supported. MEMORY. */
redist_err metadata_parse(const char *text, int64_t size, struct metadata *metadata);
void metadata_free(struct metadata *metadata);

/* Fill a block of whole elements with the fill. */
void metadata_fill(const struct metadata *metadata, char *bytes, int64_t size);

/* Find whether metadata of either version are those of an array, or of a group. IO. */
redist_err metadata_is_array(const char *text, int64_t size, bool *is_array);

/* Make the metadata of a new array, whose fill is zeros; chunks of 0 are chosen: about 2
 * to 4 MiB, close to cubes. IO: what the version cannot say. MEMORY. */
redist_err metadata_make(int version, const redist_file_layout *layout,
                         int64_t element_bytes, struct metadata *metadata);

/* Print the codecs as redist_file_layout has them; NULL if there are none. */
enum { METADATA_CODEC_TEXT = CODEC_TEXT + 21 * REDIST_MAX_DIMS };
const char *metadata_codec(const struct metadata *metadata,
                           char text[METADATA_CODEC_TEXT]);

/* Print them: a block of *size bytes that the caller frees with mem_free. IO, MEMORY. */
redist_err metadata_print(const struct metadata *metadata, char **text, int64_t *size);

/* ---- for the two versions ---------------------------------------------------------- */

/* Set what they say, but for chunk_bytes; all has been zero. */
redist_err version2_parse(struct json root, struct metadata *metadata);
redist_err version3_parse(struct json root, struct metadata *metadata);

/* Print them, and refuse what they cannot say. */
redist_err version2_print(const struct metadata *metadata, struct text *out);
redist_err version3_print(const struct metadata *metadata, struct text *out);

/* Check the type, set element_bytes, and read the fill. */
redist_err metadata_set_fill(struct metadata *metadata, struct json fill);

/* Read shape, or chunks, which are as many. */
redist_err metadata_set_shape(struct metadata *metadata, struct json shape,
                              struct json chunks, const char *names[2]);

/* Read the separator, if there is one. */
redist_err metadata_set_separator(struct metadata *metadata, struct json separator);

/* Read the parameters of a codec that compresses, if they are there. */
redist_err metadata_set_codec(struct codec *codec, struct json parameters);
void metadata_print_blosc(const struct codec *codec, struct text *out);

#endif
