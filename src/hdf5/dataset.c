/* SPDX-License-Identifier: MIT */
#include "hdf5/dataset.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "hdf5/hdf5_error.h"
#include "hdf5/services.h"
#include "hdf5/types.h"

/* Tell whether a file is of netCDF's formats before netCDF-4, whose names are alike. */
static bool is_old_netcdf(const char *path)
{
    char magic[3] = "";
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    ssize_t got = read(descriptor, magic, sizeof magic);
    (void)close(descriptor);
    return got == sizeof magic && memcmp(magic, "CDF", sizeof magic) == 0;
}

redist_err dataset_open_file(const char *path, const char *name, bool write, hid_t *file)
{
    *file = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file >= 0) return REDIST_OK;
    redist_err err = hdf5_error(name);
    if (!is_old_netcdf(path)) return err;
    return error_set(err,
                     "%s: is of netCDF's classic format, must be of HDF5: nccopy -k nc4 "
                     "converts it",
                     name);
}

/* ---- the only one ------------------------------------------------------------------ */

struct search {
    int count;
    char first[4096], list[300];
};

/* A data set of numbers is one that can be read here, and no scale of a dimension. */
static bool is_array(hid_t set)
{
    char text[TYPES_TEXT_SIZE], kind[32] = "";
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    bool good = type >= 0 && !types_print(type, text) && space >= 0 &&
                H5Sget_simple_extent_type(space) != H5S_NULL;
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    if (!good || H5Aexists(set, "CLASS") <= 0) return good;
    hid_t attribute = H5Aopen(set, "CLASS", H5P_DEFAULT);
    type = attribute < 0 ? -1 : H5Aget_type(attribute);
    if (type >= 0 && H5Tis_variable_str(type) == 0 && H5Tget_size(type) < sizeof kind)
        (void)H5Aread(attribute, type, kind);
    if (type >= 0) (void)H5Tclose(type);
    if (attribute >= 0) (void)H5Aclose(attribute);
    return strcmp(kind, "DIMENSION_SCALE") != 0;
}

static herr_t visit(hid_t root, const char *name, const H5O_info_t *info, void *context)
{
    struct search *search = context;
    if (info->type != H5O_TYPE_DATASET) return 0;
    hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
    if (set < 0) return -1;
    bool good = is_array(set);
    (void)H5Dclose(set);
    if (!good) return 0;
    size_t at = strlen(search->list), room = sizeof search->list - at;
    if (search->count++ == 0)
        (void)snprintf(search->first, sizeof search->first, "%s", name);
    if (strlen(name) + 8 < room)
        (void)snprintf(search->list + at, room, "%s%s", at ? ", " : "", name);
    else if (room > 8 && strcmp(search->list + at - 3, "..."))
        (void)snprintf(search->list + at, room, ", ...");
    return 0;
}

static redist_err find_only(hid_t file, const char *name, struct search *search)
{
    search->count = 0;
    *search->list = 0;
    if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, search) < 0)
        return hdf5_error(name);
    if (search->count == 1 && strlen(search->first) < sizeof search->first - 1)
        return REDIST_OK;
    if (search->count == 0)
        return error_set(REDIST_ERR_IO, "%s: has no data set of numbers", name);
    return error_set(REDIST_ERR_IO,
                     "%s: has %d data sets, one must be named as in %s:/NAME: %s", name,
                     search->count, name, search->list);
}

/* ---- how it lies ------------------------------------------------------------------- */

static redist_err read_shape(hid_t set, const char *name, struct dataset *dataset)
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t space = H5Dget_space(set);
    if (space < 0) return hdf5_error(name);
    H5S_class_t kind = H5Sget_simple_extent_type(space);
    int n = kind == H5S_NULL ? 0 : H5Sget_simple_extent_dims(space, extents, NULL);
    (void)H5Sclose(space);
    if (n < 0) return hdf5_error(name);
    if (kind == H5S_NULL) return error_set(REDIST_ERR_IO, "%s: has no elements", name);
    if (n > REDIST_MAX_DIMS)
        return error_set(REDIST_ERR_IO, "%s: %d dimensions, must be 0 .. %d", name, n,
                         REDIST_MAX_DIMS);
    dataset->ndims = n;
    for (int i = 0; i < n; i++) {
        if (extents[i] > INT64_MAX)
            return error_set(REDIST_ERR_IO, "%s: dim %d has %llu elements", name, i,
                             (unsigned long long)extents[i]);
        dataset->shape[i] = (int64_t)extents[i];
        dataset->chunk[i] = 1;
    }
    return REDIST_OK;
}

/* Check that the filters of the chunks are there, and name the codec. */
static redist_err read_filters(hid_t list, const char *name, bool write,
                               struct dataset *dataset)
{
    int n = H5Pget_nfilters(list);
    for (int i = 0; i < n; i++) {
        unsigned flags = 0, options[8] = {0}, what = 0;
        size_t noptions = 8;
        char filter[64] = "";
        H5Z_filter_t id = H5Pget_filter2(list, (unsigned)i, &flags, &noptions, options,
                                         sizeof filter, filter, &what);
        unsigned needed =
            write ? H5Z_FILTER_CONFIG_ENCODE_ENABLED : H5Z_FILTER_CONFIG_DECODE_ENABLED;
        filter[sizeof filter - 1] = 0;
        if (id < 0) return hdf5_error(name);
        if (H5Zfilter_avail(id) <= 0 || H5Zget_filter_info(id, &what) < 0 ||
            !(what & needed))
            return error_set(REDIST_ERR_IO,
                             "%s: the filter %s of HDF5 (number %d) is not installed",
                             name, *filter ? filter : "without a name", (int)id);
        if (id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE ||
            id == H5Z_FILTER_FLETCHER32)
            dataset->filtered = true;
        else if (write)
            dataset->alone = true;
        if (id == H5Z_FILTER_DEFLATE)
            (void)snprintf(dataset->codec, sizeof dataset->codec, "gzip:%u", options[0]);
        else if (!*dataset->codec && id != H5Z_FILTER_SHUFFLE)
            (void)snprintf(dataset->codec, sizeof dataset->codec, "%.31s", filter);
    }
    return n < 0 ? hdf5_error(name) : REDIST_OK;
}

/* Tell whether some chunks have a place in the file, but not all. Where none has, all get
 * one when the file is opened together. */
static redist_err read_allocated(hid_t set, const char *name, struct dataset *dataset)
{
    hsize_t there = 0, all = 1;
    hid_t space = H5Dget_space(set);
    if (space < 0 || H5Dget_num_chunks(set, space, &there) < 0) {
        redist_err err = hdf5_error(name);
        if (space >= 0) (void)H5Sclose(space);
        return err;
    }
    (void)H5Sclose(space);
    for (int i = 0; i < dataset->ndims; i++)
        all *= (hsize_t)int_ceil_div(dataset->shape[i], dataset->chunk[i]);
    dataset->alone = dataset->alone || (there != 0 && there != all);
    return REDIST_OK;
}

static redist_err read_storage(hid_t set, hid_t list, const char *name, bool write,
                               struct dataset *dataset)
{
    hsize_t chunk[H5S_MAX_RANK];
    H5D_layout_t layout = H5Pget_layout(list);
    if (layout < 0) return hdf5_error(name);
    dataset->alone = (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) ||
                     H5Pget_external_count(list) > 0;
    if (layout != H5D_CHUNKED) return REDIST_OK;
    if (H5Pget_chunk(list, H5S_MAX_RANK, chunk) != dataset->ndims)
        return hdf5_error(name);
    for (int i = 0; i < dataset->ndims; i++) dataset->chunk[i] = (int64_t)chunk[i];
    TRY(read_filters(list, name, write, dataset));
    unsigned options = 0;
    if (H5Pget_chunk_opts(list, &options) < 0 || options) dataset->alone = true;
    return write && !dataset->filtered ? read_allocated(set, name, dataset) : REDIST_OK;
}

static redist_err read_all(hid_t set, const char *name, bool write,
                           struct dataset *dataset, char type_text[TYPES_TEXT_SIZE])
{
    hid_t type = H5Dget_type(set), list = H5Dget_create_plist(set);
    redist_err err = type < 0 || list < 0 ? hdf5_error(name) : REDIST_OK;
    if (!err) err = read_shape(set, name, dataset);
    if (!err && types_print(type, type_text))
        err = error_prefix(REDIST_ERR_IO, "%s", name);
    if (!err) err = read_storage(set, list, name, write, dataset);
    if (type >= 0) (void)H5Tclose(type);
    if (list >= 0) (void)H5Pclose(list);
    return err;
}

static redist_err find(hid_t file, const char *name, const char *inner, bool write,
                       char **block, int64_t *size)
{
    struct search search = {0};
    struct dataset found = {0};
    char type[TYPES_TEXT_SIZE];
    if (!*inner) TRY(find_only(file, name, &search));
    if (!*inner) inner = search.first;
    hid_t set = H5Dopen2(file, inner, H5P_DEFAULT);
    if (set < 0) return hdf5_error(name);
    redist_err err = read_all(set, name, write, &found, type);
    (void)H5Dclose(set);
    TRY(err);
    int64_t name_length = (int64_t)strlen(inner) + 1;
    found.type_length = (int64_t)strlen(type) + 1;
    *size = (int64_t)sizeof found + found.type_length + name_length;
    struct dataset *dataset = services_alloc(*size, 1);
    if (!dataset) return REDIST_ERR_MEMORY;
    *dataset = found;
    memcpy(dataset->texts, type, (size_t)found.type_length);
    memcpy(dataset->texts + found.type_length, inner, (size_t)name_length);
    *block = (char *)dataset;
    return REDIST_OK;
}

redist_err dataset_find(const char *path, const char *name, const char *inner, bool write,
                        char **block, int64_t *size)
{
    hid_t file = -1;
    hdf5_begin();
    redist_err err = dataset_open_file(path, name, write, &file);
    if (!err) err = find(file, name, inner, write, block, size);
    if (file >= 0) (void)H5Fclose(file);
    hdf5_end();
    return err;
}

const char *dataset_name(const struct dataset *dataset)
{
    return dataset->texts + dataset->type_length;
}

/* ---- all of them ------------------------------------------------------------------- */

struct tour {
    const char *path, *inner; /* of the file, and of the group in it */
    file_visitor *visitor;
    void *context;
    redist_err err;
};

static redist_err visit_set(const struct tour *tour, hid_t set, const char *name)
{
    struct dataset found = {0};
    char type_text[TYPES_TEXT_SIZE], inner[4096];
    hid_t type = H5Dget_type(set);
    bool good = type >= 0 && !types_print(type, type_text) &&
                !read_shape(set, tour->path, &found);
    if (type >= 0) (void)H5Tclose(type);
    if (!good) return REDIST_OK; /* cannot be read here */
    bool itself = strcmp(name, ".") == 0, root = *tour->inner == 0;
    (void)snprintf(inner, sizeof inner, "%s%s%s", tour->inner, itself || root ? "" : "/",
                   itself ? "" : name);
    const struct file_content content = {.inner = inner,
                                         .ndims = found.ndims,
                                         .shape = found.shape,
                                         .type = type_text,
                                         .stored = (int64_t)H5Dget_storage_size(set)};
    return tour->visitor(tour->context, &content);
}

static herr_t visit_object(hid_t group, const char *name, const H5O_info_t *info,
                           void *context)
{
    struct tour *tour = context;
    if (info->type != H5O_TYPE_DATASET) return 0;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    if (set < 0) return -1;
    if (is_array(set)) tour->err = visit_set(tour, set, name);
    (void)H5Dclose(set);
    return tour->err ? 1 : 0;
}

redist_err dataset_visit(const char *path, const char *inner, file_visitor *visitor,
                         void *context)
{
    struct tour tour = {.path = path,
                        .inner = inner + (*inner == '/'),
                        .visitor = visitor,
                        .context = context};
    hid_t file = -1;
    hdf5_begin();
    redist_err err = dataset_open_file(path, path, false, &file);
    if (!err && H5Ovisit_by_name(file, *tour.inner ? tour.inner : "/", H5_INDEX_NAME,
                                 H5_ITER_INC, visit_object, &tour, H5P_DEFAULT) < 0)
        err = hdf5_error(path);
    if (file >= 0) (void)H5Fclose(file);
    hdf5_end();
    return err ? err : tour.err;
}
