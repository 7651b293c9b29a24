/* SPDX-License-Identifier: MIT */
#include "hdf5/make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "hdf5/dataset.h"
#include "hdf5/hdf5_error.h"
#include "hdf5/services.h"
#include "hdf5/types.h"

enum { CHUNK_BYTES = 1 << 20, USUAL_LEVEL = 4 };

/* ---- the layout -------------------------------------------------------------------- */

/* Find the level of "gzip:level"; -1: the data are not compressed. */
static redist_err find_level(const redist_file *file, int *level)
{
    const char *codec = file->layout.codec;
    *level = -1;
    if (!codec || strcmp(codec, "none") == 0) return REDIST_OK;
    const char *after = codec + 4;
    bool gzip = strncmp(codec, "gzip", 4) == 0;
    bool digit = gzip && after[0] == ':' && after[1] >= '0' && after[1] <= '9';
    if (gzip && !*after) *level = USUAL_LEVEL;
    if (digit && !after[2]) *level = after[1] - '0';
    if (*level >= 0) return REDIST_OK;
    return error_arg("%s: codec is \"%s\", for HDF5 it must be gzip, gzip:0 .. gzip:9 or "
                     "none",
                     file->path, codec);
}

static bool is_empty(const redist_file_layout *layout)
{
    for (int i = 0; i < layout->ndims; i++)
        if (layout->shape[i] == 0) return true;
    return false;
}

/* Choose chunks of whole rows, or of parts of them; or cut those that are given. Without
 * compression, and without elements to divide, there are none. */
static bool choose_chunk(const redist_file *file, bool packed, hsize_t chunk[])
{
    const redist_file_layout *layout = &file->layout;
    int64_t room = int_max(CHUNK_BYTES / file->element_bytes, 1);
    if (layout->ndims == 0 || is_empty(layout)) return false;
    if (!packed && layout->chunk[0] == 0) return false;
    for (int i = layout->ndims - 1; i >= 0; i--) {
        int64_t most = layout->chunk[i] ? layout->chunk[i] : room;
        chunk[i] = (hsize_t)int_min(layout->shape[i], most);
        room = int_max(room / (int64_t)chunk[i], 1);
    }
    return true;
}

static redist_err check(const redist_file *file)
{
    if (file->layout.order == REDIST_COLUMN_MAJOR)
        return error_arg("%s: order is column-major, must be row-major in HDF5",
                         file->path);
    if (!file->inner[strspn(file->inner, "/")])
        return error_arg("%s: the name of the new data set is missing, as in %s:/NAME",
                         file->path, file->path);
    return REDIST_OK;
}

/* ---- names ------------------------------------------------------------------------- */

char *make_name(const redist_file *file, bool fresh)
{
    static const char suffix[] = ".redist.part";
    int length = (int)strlen(file->inner);
    while (length > 0 && file->inner[length - 1] == '/') length--;
    char *name = services_alloc(length + (int64_t)sizeof suffix, 1);
    if (name)
        (void)snprintf(name, (size_t)length + sizeof suffix, "%.*s%s", length,
                       file->inner, fresh ? "" : suffix);
    return name;
}

/* Tell whether a link has this name, without an error where a group of it is missing. */
static bool exists(hid_t file, char *name)
{
    bool found = true;
    for (char *end = name + 1; found; end++) {
        char c = *end;
        if (c != '/' && c != 0) continue;
        *end = 0;
        found = H5Lexists(file, name, H5P_DEFAULT) > 0;
        *end = c;
        if (c == 0) break;
    }
    return found;
}

/* Check that what has the name may be replaced, and remove what an earlier run left. */
static redist_err clear(hid_t hdf5, const redist_file *file, char *part, char *name)
{
    if (exists(hdf5, part) && H5Ldelete(hdf5, part, H5P_DEFAULT) < 0)
        return hdf5_error(file->path);
    if (!exists(hdf5, name)) return REDIST_OK;
    hid_t object = H5Oopen(hdf5, name, H5P_DEFAULT);
    if (object < 0) return REDIST_OK; /* a link to what is not there */
    bool set = H5Iget_type(object) == H5I_DATASET;
    (void)H5Oclose(object);
    if (set) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: %s is no data set, and is not replaced",
                     file->path, name);
}

/* ---- make -------------------------------------------------------------------------- */

static hid_t make_link_list(void)
{
    hid_t list = H5Pcreate(H5P_LINK_CREATE);
    if (list >= 0) (void)H5Pset_create_intermediate_group(list, 1);
    return list;
}

/* Elements that are not written are 0. In a new file they are so without being written;
 * of one that reuses its gaps this is not known. */
static bool starts_as_zeros(hid_t hdf5)
{
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_NONE;
    hbool_t persist = true;
    hsize_t threshold;
    hid_t list = H5Fget_create_plist(hdf5);
    if (list < 0) return false;
    herr_t known = H5Pget_file_space_strategy(list, &strategy, &persist, &threshold);
    (void)H5Pclose(list);
    return known >= 0 && !persist;
}

static redist_err make_lists(hid_t hdf5, const redist_file *file, hid_t *list)
{
    int level;
    hsize_t chunk[REDIST_MAX_DIMS];
    TRY(find_level(file, &level));
    *list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = *list >= 0 && H5Pset_alloc_time(*list, H5D_ALLOC_TIME_EARLY) >= 0;
    bool chunked = choose_chunk(file, level >= 0, chunk);
    if (good && chunked) good = H5Pset_chunk(*list, file->layout.ndims, chunk) >= 0;
    if (good && chunked && level >= 0) good = H5Pset_deflate(*list, (unsigned)level) >= 0;
    if (good && !(chunked && level >= 0) && starts_as_zeros(hdf5))
        good = H5Pset_fill_time(*list, H5D_FILL_TIME_NEVER) >= 0;
    return good ? REDIST_OK : hdf5_error(file->path);
}

static hid_t make_space(const redist_file_layout *layout)
{
    hsize_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < layout->ndims; i++) extents[i] = (hsize_t)layout->shape[i];
    return layout->ndims ? H5Screate_simple(layout->ndims, extents, NULL)
                         : H5Screate(H5S_SCALAR);
}

static redist_err create(hid_t hdf5, redist_file *file, const char *part)
{
    hid_t type = -1, list = -1, set = -1, space = make_space(&file->layout);
    hid_t links = make_link_list();
    redist_err err = types_make(file->layout.type, &type);
    if (err)
        err = error_prefix(err, "%s", file->path);
    else
        err = make_lists(hdf5, file, &list);
    if (!err) {
        set = H5Dcreate2(hdf5, part, type, space, links, list, H5P_DEFAULT);
        if (set < 0 || H5Dclose(set) < 0) err = hdf5_error(file->path);
    }
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    if (list >= 0) (void)H5Pclose(list);
    if (links >= 0) (void)H5Pclose(links);
    return err;
}

/* The bytes that the file grows by, or a few more. */
static int64_t growth(const redist_file *file)
{
    const redist_file_layout *layout = &file->layout;
    int64_t bytes = file->element_bytes, all;
    for (int i = 0; i < layout->ndims; i++) {
        int64_t chunk = int_max(int_min(layout->chunk[i], layout->shape[i]), 1);
        if (!int_mul(bytes, int_ceil_div(layout->shape[i], chunk) * chunk, &bytes))
            return INT64_MAX;
    }
    return int_add(bytes, bytes / 64 + CHUNK_BYTES, &all) ? all : INT64_MAX;
}

redist_err make_check_growth(const redist_file *file, const char *path)
{
    struct stat status;
    int64_t length = 0;
    int descriptor = open(path, O_RDWR | O_CLOEXEC), error = descriptor < 0 ? errno : 0;
    if (!error && fstat(descriptor, &status)) error = errno;
    if (!error && !S_ISREG(status.st_mode)) error = EINVAL;
    if (!error && !int_add(status.st_size, growth(file), &length)) error = EFBIG;
    if (!error && ftruncate(descriptor, length)) error = errno;
    if (!error && ftruncate(descriptor, status.st_size)) error = errno;
    if (descriptor >= 0) (void)close(descriptor);
    if (!error) return REDIST_OK;
    return error_set(REDIST_ERR_IO, "%s: cannot be written: %s", file->path,
                     strerror(error));
}

static redist_err make(redist_file *file, const char *path, bool fresh, char *part,
                       char *name)
{
    hid_t hdf5 = -1;
    redist_err err = REDIST_OK;
    if (fresh) {
        hdf5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        if (hdf5 < 0) err = hdf5_error(file->path);
    } else {
        err = dataset_open_file(path, file->path, true, &hdf5);
        if (!err) err = clear(hdf5, file, part, name);
    }
    if (!err) err = create(hdf5, file, part);
    if (hdf5 >= 0 && H5Fclose(hdf5) < 0 && !err) err = hdf5_error(file->path);
    return err;
}

redist_err make_dataset(redist_file *file, const char *path, bool fresh)
{
    TRY(check(file));
    char *part = make_name(file, fresh), *name = make_name(file, true);
    redist_err err = part && name ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err) err = make_check_growth(file, path);
    if (!err) {
        hdf5_begin();
        err = make(file, path, fresh, part, name);
        hdf5_end();
    }
    services_free(part);
    services_free(name);
    return err;
}

/* ---- keep -------------------------------------------------------------------------- */

static redist_err rename_part(hid_t hdf5, const redist_file *file, char *part, char *name,
                              bool failed)
{
    bool good;
    if (failed)
        good = H5Ldelete(hdf5, part, H5P_DEFAULT) >= 0;
    else
        good = (!exists(hdf5, name) || H5Ldelete(hdf5, name, H5P_DEFAULT) >= 0) &&
               H5Lmove(hdf5, part, H5L_SAME_LOC, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    return good ? REDIST_OK : hdf5_error(file->path);
}

redist_err make_keep(const redist_file *file, bool failed)
{
    hid_t hdf5 = -1;
    char *part = make_name(file, false), *name = make_name(file, true);
    redist_err err = part && name ? REDIST_OK : REDIST_ERR_MEMORY;
    hdf5_begin();
    if (!err) err = dataset_open_file(file->path, file->path, true, &hdf5);
    if (!err) err = rename_part(hdf5, file, part, name, failed);
    if (hdf5 >= 0 && H5Fclose(hdf5) < 0 && !err) err = hdf5_error(file->path);
    hdf5_end();
    services_free(part);
    services_free(name);
    return err;
}
