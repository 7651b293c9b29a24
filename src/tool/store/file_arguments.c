/* SPDX-License-Identifier: MIT */
#include "tool/store/file_arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/notation/notation.h"
#include "files/access/formats.h"
#include "files/format/collective.h"
#include "files/format/dtype.h"

/* ---- the argument ------------------------------------------------------------------ */

void file_argument_free(struct file_argument *argument)
{
    char *type = (char *)(uintptr_t)argument->layout.type;
    mem_free(type);
    mem_free(argument->name);
}

bool file_says_format(const char *name)
{
    struct file_name found;
    return formats_find(name, NULL, &found) == REDIST_OK;
}

redist_order file_order(const char *name, redist_order order)
{
    struct file_name found;
    bool says = formats_find(name, NULL, &found) == REDIST_OK;
    return says && strcmp(found.format->name, "hdf5") == 0 ? REDIST_ROW_MAJOR : order;
}

/* Find the "[" of a layout: the first one behind a colon. */
static const char *find_layout(const char *text)
{
    if (file_says_format(text)) return NULL;
    for (const char *at = text; (at = strchr(at, ':')); at++) {
        const char *next = at + 1 + strspn(at + 1, " ");
        if (at > text && *next == '[') return next;
    }
    return NULL;
}

static redist_err scan_shape(struct scan *scan, redist_file_layout *layout)
{
    TRY(scan_expect(scan, '['));
    do {
        if (layout->ndims == REDIST_MAX_DIMS)
            return error_arg("more than %d dimensions", REDIST_MAX_DIMS);
        TRY(scan_integer(scan, "extent", 0, INT64_MAX, &layout->shape[layout->ndims++]));
    } while (scan_char(scan, ','));
    return scan_char(scan, ']') ? REDIST_OK : scan_expected(scan, "\",\" or \"]\"");
}

/* A type ends at a space outside of brackets: <f8, or [('a', '<i4'), ('b', '|S3')]. */
static redist_err scan_type(struct scan *scan, redist_file_layout *layout)
{
    const char *place = scan_place(scan);
    int64_t length = 0, bytes, depth = 0;
    for (; place[length] && (depth > 0 || place[length] != ' '); length++)
        depth += (place[length] == '[') - (place[length] == ']');
    if (length == 0) return scan_expected(scan, "a type such as f8");
    char *type = mem_alloc(NULL, length + 1, 1);
    if (!type) return REDIST_ERR_MEMORY;
    memcpy(type, place, (size_t)length);
    layout->type = type;
    scan->next += length;
    redist_err err = dtype_bytes(type, &bytes);
    return err ? scan_blame(scan, place, REDIST_ERR_ARG) : REDIST_OK;
}

static redist_err scan_order(struct scan *scan, redist_file_layout *layout)
{
    layout->order =
        scan_word(scan, "column-major") ? REDIST_COLUMN_MAJOR : REDIST_ROW_MAJOR;
    if (layout->order == REDIST_COLUMN_MAJOR || scan_word(scan, "row-major"))
        return REDIST_OK;
    return scan_expected(scan, "row-major or column-major");
}

static redist_err scan_layout(struct scan *scan, struct file_argument *argument)
{
    redist_file_layout *layout = &argument->layout;
    bool has_order = false;
    layout->size = sizeof *layout;
    TRY(scan_shape(scan, layout));
    TRY(scan_type(scan, layout));
    while (*scan_place(scan) != 0) {
        const char *place = scan_place(scan);
        if (scan_word(scan, "order")) {
            TRY(notation_once(scan, place, "order", &has_order));
            TRY(scan_order(scan, layout));
        } else if (scan_word(scan, "offset")) {
            TRY(notation_once(scan, place, "offset", &argument->has_offset));
            TRY(scan_integer(scan, "offset", 0, INT64_MAX, &layout->offset));
        } else {
            return scan_expected(scan, "order, offset or the end");
        }
    }
    return REDIST_OK;
}

redist_err file_argument_parse(const char *text, struct file_argument *argument)
{
    const char *begin = find_layout(text);
    int64_t length = begin ? begin - text : (int64_t)strlen(text);
    while (begin && text[--length] != ':') {
    }
    argument->name = mem_alloc(NULL, length + 1, 1);
    if (!argument->name) return REDIST_ERR_MEMORY;
    memcpy(argument->name, text, (size_t)length);
    if (!begin) return REDIST_OK;
    struct scan scan = {.text = text, .next = begin};
    redist_err err = scan_layout(&scan, argument);
    return err == REDIST_ERR_ARG ? error_prefix(err, "%s", argument->name) : err;
}

/* ---- open and create --------------------------------------------------------------- */

/* Name the format of an array, and pass its layout on. */
static redist_err set_options(const struct file_argument *argument,
                              redist_file_options *options)
{
    struct file_name found;
    const char *name = argument->name;
    bool given = argument->layout.size > 0;
    bool says = formats_find(name, NULL, &found) == REDIST_OK;
    if (!says) options->format = given ? "raw" : "npy";
    if (given && says && !found.format->bare)
        return error_arg("%s: the file says its layout, none must be behind its name",
                         name);
    if (!given && says && found.format->bare)
        return error_arg("%s: does not say its layout, which must be behind its name, as "
                         "in '%s:[60,100] <f8'",
                         name, name);
    if (given) options->layout = &argument->layout;
    return REDIST_OK;
}

/* Check that a raw file has just the bytes of its elements; an error of the file itself
 * is reported when it is opened. */
static redist_err check_size(const struct file_argument *argument)
{
    const redist_file_layout *layout = &argument->layout;
    struct stat status;
    int64_t bytes = 0;
    if (!layout->size || argument->has_offset) return REDIST_OK;
    if (stat(argument->name, &status) || !S_ISREG(status.st_mode)) return REDIST_OK;
    TRY(dtype_bytes(layout->type, &bytes));
    for (int i = 0; i < layout->ndims; i++)
        if (!int_mul(bytes, layout->shape[i], &bytes)) return REDIST_OK;
    if (bytes == status.st_size) return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "%s: has %" PRId64 " bytes, its layout says %" PRId64
                     " (with an offset other data may follow)",
                     argument->name, (int64_t)status.st_size, bytes);
}

redist_err file_argument_open(MPI_Comm comm, const char *text, redist_file_mode mode,
                              redist_file_options options, redist_file **file)
{
    struct file_argument argument = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    redist_err err = file_argument_parse(text, &argument);
    if (!err) err = set_options(&argument, &options);
    if (!err && rank == 0) err = check_size(&argument);
    err = collective_agree(comm, err);
    if (!err) err = redist_file_open(comm, argument.name, mode, &options, file);
    file_argument_free(&argument);
    return err;
}

redist_err file_argument_create(MPI_Comm comm, const char *text,
                                redist_file_options options, redist_file **file)
{
    if (find_layout(text))
        return error_arg("%s: a new file has the layout of what is written, none must be "
                         "behind its name",
                         text);
    if (!file_says_format(text)) options.format = "npy";
    return redist_file_open(comm, text, REDIST_FILE_CREATE, &options, file);
}

redist_err file_section(const char *option, const char *text, const redist_file *file,
                        struct section *section)
{
    redist_file_layout layout;
    *section = section_whole(file);
    if (!text) return REDIST_OK;
    TRY(redist_file_describe(file, &layout));
    if (layout.ndims == 0) return error_arg("%s: the array has no dimensions", option);
    redist_err err = notation_section(text, layout.ndims, layout.shape, section->start,
                                      section->extent, section->stride);
    for (int i = 0; i < layout.ndims; i++)
        if (section->extent[i] < 2) section->stride[i] = 1;
    return err ? error_prefix(err, "%s %s", option, text) : REDIST_OK;
}

/* ---- two files --------------------------------------------------------------------- */

/* Where an array lies: its path without links, as far as it exists. */
struct place {
    char path[PATH_MAX];
    bool exists;
    struct stat status;
};

/* Join the folder's path, without links, and the last name; false if it is too long. */
static bool resolve_parent(const char *path, char resolved[PATH_MAX])
{
    char folder[PATH_MAX], found[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(folder, path, length);
    folder[length] = 0;
    const char *parent = length ? folder : slash ? "/" : ".";
    if (!realpath(parent, found)) (void)snprintf(found, sizeof found, "%s", parent);
    return (size_t)snprintf(resolved, PATH_MAX, "%s/%s", found,
                            slash ? slash + 1 : path) < PATH_MAX;
}

static redist_err find_place(const char *text, struct place *place)
{
    struct file_argument argument = {0};
    struct file_name found;
    char path[PATH_MAX];
    redist_err err = file_argument_parse(text, &argument);
    if (!err) {
        if (formats_find(argument.name, NULL, &found))
            found = (struct file_name){NULL, (int)strlen(argument.name), ""};
        bool folder = found.format && strcmp(found.format->name, "zarr") == 0;
        const char *parts = folder ? found.inner + (*found.inner == '/') : "";
        bool fits =
            (size_t)snprintf(path, sizeof path, "%.*s%s%s", found.length, argument.name,
                             *parts ? "/" : "", parts) < sizeof path;
        place->exists = fits && stat(path, &place->status) == 0;
        if (fits && !realpath(path, place->path))
            fits = resolve_parent(path, place->path);
        if (!fits)
            err = error_set(REDIST_ERR_IO, "%.80s..: %s", text, strerror(ENAMETOOLONG));
    }
    file_argument_free(&argument);
    return err;
}

/* Tell whether b is a, or lies in the folder a. */
static bool holds(const struct place *a, const struct place *b)
{
    size_t length = strlen(a->path);
    bool same = a->exists && b->exists && a->status.st_dev == b->status.st_dev &&
                a->status.st_ino == b->status.st_ino;
    return same || (strncmp(a->path, b->path, length) == 0 &&
                    (b->path[length] == '/' || b->path[length] == 0));
}

static redist_err check_apart(const char *from, const char *to)
{
    struct place a, b;
    TRY(find_place(from, &a));
    TRY(find_place(to, &b));
    if (!holds(&a, &b) && !holds(&b, &a)) return REDIST_OK;
    return error_arg("%s: cannot be written: %s, which is read, is %s", to, from,
                     holds(&a, &b) && holds(&b, &a) ? "the same file"
                     : holds(&a, &b)                ? "the folder round it"
                                                    : "within it");
}

redist_err files_check_apart(MPI_Comm comm, const char *from, const char *to)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (!from || !to) return REDIST_OK;
    return collective_agree(comm, rank == 0 ? check_apart(from, to) : REDIST_OK);
}
