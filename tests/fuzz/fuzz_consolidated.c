/* SPDX-License-Identifier: MIT
 *
 * Zarr: the consolidated metadata of a group, of version 2 behind a first byte of 2, else
 * of version 3, to which an array is added. What is written is read again: it has the
 * array and the members that were there, and adding the array once more changes nothing.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#include "base/mem.h"
#include "files/text/json.h"
#include "files/zarr/consolidated.h"
#include "files/zarr/folder.h"

static const char array[] = "{\"shape\": [3]}", inner[] = "a/b";

/* ---- the folder -------------------------------------------------------------------- */

static char folder[] = "consolidated.XXXXXX";

static void remove_folder(void)
{
    char path[PATH_MAX];
    static const char *const files[] = {".zmetadata", "zarr.json"};
    for (int k = 0; k < 2; k++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void make_folder(void)
{
    static bool made;
    if (made) return;
    made = mkdtemp(folder) && atexit(remove_folder) == 0;
    CHECK(made);
}

static void write_file(const char *file, const uint8_t *data, size_t size)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    CHECK(!close(descriptor));
}

/* ---- what the text says ------------------------------------------------------------ */

static struct json entries_of(const char *text, int64_t size, int version)
{
    struct json root = {NULL, NULL};
    if (json_check(text, size, &root)) return (struct json){NULL, NULL};
    return json_member(version == 2 ? root : json_member(root, "consolidated_metadata"),
                       "metadata");
}

/* Count the entries of what is not the array, nor a group round it, nor in it. */
static int count_others(struct json entries)
{
    int count = 0;
    struct json key, value;
    struct json_items items = json_items(entries);
    while (json_next(&items, &key, &value)) {
        char *name;
        int64_t length;
        GOOD(json_string_of(key, "a key", &name, &length));
        count += strcmp(name, "a") != 0 && strncmp(name, "a/", 2) != 0;
        mem_free(name);
    }
    return count;
}

void fuzz_one(const uint8_t *data, size_t size)
{
    if (size < 1) return;
    int version = *data == 2 ? 2 : 3;
    const char *file = version == 2 ? ".zmetadata" : "zarr.json";
    const int64_t array_size = (int64_t)strlen(array);
    make_folder();
    write_file(file, ++data, --size);
    struct json before = entries_of((const char *)data, (int64_t)size, version);
    fuzz_clear();
    redist_err err = consolidated_update(folder, inner, version, array, array_size);
    if (err) fuzz_refused(err, NULL);
    char *text, *again;
    int64_t text_size, again_size;
    GOOD(folder_read_file(folder, file, &text, &text_size));
    if (err || json_kind(before) != '{') { /* it stays as it was */
        CHECK(text_size == (int64_t)size && memcmp(text, data, size) == 0);
        mem_free(text);
        return;
    }
    struct json after = entries_of(text, text_size, version);
    struct json entry = json_member(after, version == 2 ? "a/b/.zarray" : inner);
    CHECK(entry.end - entry.begin == array_size);
    CHECK(memcmp(entry.begin, array, (size_t)array_size) == 0);
    CHECK(count_others(after) == count_others(before));
    GOOD(consolidated_update(folder, inner, version, array, array_size));
    GOOD(folder_read_file(folder, file, &again, &again_size));
    CHECK(again_size == text_size && memcmp(text, again, (size_t)text_size) == 0);
    mem_free(text);
    mem_free(again);
}
