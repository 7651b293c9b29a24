/* SPDX-License-Identifier: MIT */
#include "files/zarr/consolidated.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/temporary.h"
#include "files/text/json.h"
#include "files/text/text.h"
#include "files/zarr/folder.h"

/* What is put there. */
struct added {
    const char *folder, *inner;
    int version;
    const char *metadata;
    int64_t size;
};

/* ---- members ----------------------------------------------------------------------- */

/* Begin the next member of an object. */
static void begin_member(struct text *out)
{
    if (out->size > 0 && out->bytes[out->size - 1] != '{') text_add(out, ",");
    text_add(out, "\n");
}

static void copy_member(struct json key, struct json value, struct text *out)
{
    begin_member(out);
    text_add_bytes(out, key.begin, key.end - key.begin);
    text_add(out, ": ");
    text_add_bytes(out, value.begin, value.end - value.begin);
}

/* Copy the members of an object, but for one. */
static void copy_but(struct json object, const char *but, struct text *out)
{
    struct json key, value;
    struct json_items items = json_items(object);
    while (json_next(&items, &key, &value))
        if (!json_is(key, but)) copy_member(key, value, out);
}

/* Tell whether a key is that of the array, or of what was in it. */
static redist_err is_of(struct json key, const char *inner, bool *of)
{
    char *name = NULL;
    int64_t length;
    size_t n = strlen(inner);
    TRY(json_string_of(key, "a key", &name, &length));
    *of = strncmp(name, inner, n) == 0 && (name[n] == 0 || name[n] == '/');
    mem_free(name);
    return REDIST_OK;
}

/* Name the file of metadata of a group or an array in the group. */
static redist_err name_entry(const struct added *added, const char *inner,
                             const char *file, char key[PATH_MAX])
{
    return path_join(key, inner, added->version == 2 ? file : "", "");
}

static void add_entry(const char *key, const char *bytes, int64_t size, struct text *out)
{
    begin_member(out);
    text_add_string(out, key);
    text_add(out, ": ");
    while (size > 0 && bytes[size - 1] == '\n') size--;
    text_add_bytes(out, bytes, size);
}

/* Tell whether there is a member of this name, whatever escapes its key has. */
static redist_err has_member(struct json object, const char *name, bool *has)
{
    struct json key, value;
    struct json_items items = json_items(object);
    *has = false;
    while (!*has && json_next(&items, &key, &value)) {
        char *text = NULL;
        int64_t length;
        TRY(json_string_of(key, "a key", &text, &length));
        *has = strcmp(text, name) == 0;
        mem_free(text);
    }
    return REDIST_OK;
}

/* Add a group that lies between, unless it is there. */
static redist_err add_group(const struct added *added, struct json entries,
                            const char *inner, struct text *out)
{
    char path[PATH_MAX], key[PATH_MAX], *text = NULL;
    int64_t size;
    bool is_array, has;
    TRY(path_join(path, added->folder, "/", inner));
    TRY(name_entry(added, inner, "/.zgroup", key));
    TRY(has_member(entries, key, &has));
    if (has) return REDIST_OK;
    TRY(folder_read(path, &text, &size, &is_array));
    if (text) add_entry(key, text, size, out);
    mem_free(text);
    return REDIST_OK;
}

static redist_err edit_entries(const struct added *added, struct json entries,
                               struct text *out)
{
    struct json key, value;
    struct json_items items = json_items(entries);
    char inner[PATH_MAX], name[PATH_MAX];
    bool of;
    while (json_next(&items, &key, &value)) {
        TRY(is_of(key, added->inner, &of));
        if (!of) copy_member(key, value, out);
    }
    TRY(path_join(inner, added->inner, "", ""));
    for (char *slash = inner; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        TRY(add_group(added, entries, inner, out));
        *slash = '/';
    }
    TRY(name_entry(added, inner, "/.zarray", name));
    add_entry(name, added->metadata, added->size, out);
    return REDIST_OK;
}

/* ---- files ------------------------------------------------------------------------- */

/* Print the new text of the file; nothing if it has no entries. */
static redist_err edit(const struct added *added, const char *text, int64_t size,
                       struct text *out)
{
    static const char inline_name[] = "consolidated_metadata";
    struct json root;
    TRY(json_check(text, size, &root));
    struct json holder = added->version == 2 ? root : json_member(root, inline_name);
    struct json entries = json_member(holder, "metadata");
    if (json_kind(entries) != '{') return REDIST_OK;
    text_add(out, "{");
    if (added->version == 3) {
        copy_but(root, inline_name, out);
        begin_member(out);
        text_add(out, "\"%s\": {", inline_name);
    }
    copy_but(holder, "metadata", out);
    begin_member(out);
    text_add(out, "\"metadata\": {");
    TRY(edit_entries(added, entries, out));
    text_add(out, added->version == 3 ? "\n}\n}\n}\n" : "\n}\n}\n");
    return out->err;
}

redist_err consolidated_update(const char *folder, const char *inner, int version,
                               const char *metadata, int64_t size)
{
    const struct added added = {folder, inner, version, metadata, size};
    const char *file = version == 2 ? ".zmetadata" : "zarr.json";
    char path[PATH_MAX], *old = NULL;
    int64_t old_size = 0;
    struct text text = {0};
    int held = folder_lock(folder); /* others add their arrays, too */
    redist_err err = path_join(path, folder, "/", file);
    if (!err) err = folder_read_file(folder, file, &old, &old_size);
    if (!err && old) err = edit(&added, old, old_size, &text);
    if (!err && text.bytes) err = temporary_write(path, text.bytes, text.size);
    if (held >= 0) (void)close(held);
    mem_free(old);
    mem_free(text.bytes);
    return err == REDIST_ERR_IO
               ? error_prefix(err, "%s: the array is there, this lacks it", path)
               : err;
}
