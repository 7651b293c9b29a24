/* SPDX-License-Identifier: MIT */
#include "tool/store/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/text/json.h"

static const char format_name[] = "redist-shards";
enum { FORMAT_VERSION = 1, RUN_DIGITS = 16 };

enum { FORMAT, VERSION, RUN, DESCR, FORTRAN_ORDER, DISTRIBUTION, SHARDS, KEYS };
static const char *const keys[KEYS] = {"format",        "version",      "run",   "descr",
                                       "fortran_order", "distribution", "shards"};

void manifest_print(const struct manifest *manifest, struct text *out)
{
    text_add(out,
             "{\"format\":\"%s\",\"version\":%d,\"run\":\"%016" PRIx64 "\",\"descr\":",
             format_name, FORMAT_VERSION, manifest->run);
    text_add_string(out, manifest->descr);
    text_add(out, ",\"fortran_order\":%s,\"distribution\":",
             manifest->fortran_order ? "true" : "false");
    text_add_string(out, manifest->distribution);
    text_add(out, ",\"shards\":%" PRId64 "}\n", manifest->shards);
}

/* ---- parse ------------------------------------------------------------------------- */

/* Find the value of each key. */
static redist_err find_values(struct json root, struct json values[KEYS])
{
    struct json name, value;
    struct json_items items = json_items(root);
    while (json_next(&items, &name, &value)) {
        int key = 0;
        while (key < KEYS && !json_is(name, keys[key])) key++;
        if (key == KEYS)
            return error_set(
                REDIST_ERR_IO, "%.*s is not a key of a manifest",
                (int)(name.end - name.begin < 40 ? name.end - name.begin : 40),
                name.begin);
        if (json_kind(values[key]))
            return error_set(REDIST_ERR_IO, "%s is there twice", keys[key]);
        values[key] = value;
    }
    for (int key = 0; key < KEYS; key++)
        if (!json_kind(values[key]))
            return error_set(REDIST_ERR_IO, "\"%s\" is missing", keys[key]);
    return REDIST_OK;
}

static redist_err read_run(struct json value, uint64_t *run)
{
    char digits[RUN_DIGITS + 1] = "";
    if (json_kind(value) == '"' && value.end - value.begin == RUN_DIGITS + 2)
        memcpy(digits, value.begin + 1, RUN_DIGITS);
    *run = strtoull(digits, NULL, 16);
    if (strspn(digits, "0123456789abcdefABCDEF") == RUN_DIGITS) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "run must be %d hexadecimal digits", RUN_DIGITS);
}

static redist_err read_object(struct json root, struct manifest *manifest)
{
    struct json values[KEYS] = {{NULL, NULL}};
    int64_t version = 0;
    if (json_kind(root) != '{')
        return json_refuse(root, "a manifest", "an object of JSON");
    TRY(find_values(root, values));
    if (!json_is(values[FORMAT], format_name))
        return error_set(REDIST_ERR_IO, "format must be %s", format_name);
    TRY(json_integer_of(values[VERSION], keys[VERSION], &version));
    if (version != FORMAT_VERSION)
        return error_set(REDIST_ERR_IO, "version is %" PRId64 ", must be %d", version,
                         FORMAT_VERSION);
    TRY(read_run(values[RUN], &manifest->run));
    char order = json_kind(values[FORTRAN_ORDER]);
    if (order != 't' && order != 'f')
        return json_refuse(values[FORTRAN_ORDER], keys[FORTRAN_ORDER], "true or false");
    manifest->fortran_order = order == 't';
    TRY(json_integer_of(values[SHARDS], keys[SHARDS], &manifest->shards));
    TRY(json_name_of(values[DESCR], keys[DESCR], &manifest->descr));
    return json_name_of(values[DISTRIBUTION], keys[DISTRIBUTION],
                        &manifest->distribution);
}

redist_err manifest_parse(const char *text, int64_t size, struct manifest *manifest)
{
    struct json root;
    *manifest = (struct manifest){0};
    TRY(json_check(text, size, &root));
    redist_err err = read_object(root, manifest);
    if (err) manifest_free(manifest);
    return err;
}

void manifest_free(struct manifest *manifest)
{
    mem_free(manifest->descr);
    mem_free(manifest->distribution);
    manifest->descr = manifest->distribution = NULL;
}
