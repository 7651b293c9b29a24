/* SPDX-License-Identifier: MIT */
#include "hdf5/filtered.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/intmath.h"
#include "hdf5/dataset.h"
#include "hdf5/hdf5_error.h"
#include "hdf5/services.h"

enum { TAG = 1, PIECE = 1 << 30 };

struct filtered {
    hid_t file, set, type; /* one chunk, in memory */
    char *empty;           /* a chunk full of the fill, for those that the end cuts */
    char *bytes;           /* compressed chunks, or elements of another process */
    int64_t size, room;
};

/* Stands before each compressed chunk. */
struct record {
    hsize_t start[REDIST_MAX_DIMS];
    uint32_t mask; /* filters that were left out */
    int64_t size;
};

/* ---- one chunk in memory ----------------------------------------------------------- */

static int64_t chunk_bytes(const redist_file *file)
{
    int64_t bytes = file->element_bytes;
    for (int i = 0; i < file->layout.ndims; i++) bytes *= file->layout.chunk[i];
    return bytes;
}

/* HDF5 tells files in memory apart by their names. */
static hid_t make_memory_file(void)
{
    static unsigned long count;
    char name[64];
    (void)snprintf(name, sizeof name, "/redist-chunk-%lu", count++);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (list >= 0 && H5Pset_fapl_core(list, 1 << 20, 0) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    if (list >= 0) (void)H5Pclose(list);
    return file;
}

/* Make a data set of one chunk with the type and the filters of another. */
static hid_t make_chunk_set(const redist_file *file, hid_t memory_file, hid_t type,
                            hid_t list)
{
    hsize_t extents[REDIST_MAX_DIMS];
    int n = file->layout.ndims;
    for (int i = 0; i < n; i++) extents[i] = (hsize_t)file->layout.chunk[i];
    hid_t space = H5Screate_simple(n, extents, NULL), set = -1;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (space >= 0 && access >= 0 &&
        H5Pset_chunk_cache(access, 3, (size_t)chunk_bytes(file), 1) >= 0 &&
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_INCR) >= 0)
        set = H5Dcreate2(memory_file, "chunk", type, space, H5P_DEFAULT, list, access);
    if (access >= 0) (void)H5Pclose(access);
    if (space >= 0) (void)H5Sclose(space);
    return set;
}

/* Fill the empty chunk with what the array has where nothing was written, as an array
 * that grows later shows what is behind its end. */
static bool fill_empty(const redist_file *file, hid_t type, hid_t list, char *empty)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    int64_t element = file->element_bytes, bytes = chunk_bytes(file);
    if (H5Pfill_value_defined(list, &defined) < 0) return false;
    if (defined == H5D_FILL_VALUE_UNDEFINED) return true;
    if (H5Pget_fill_value(list, type, empty) < 0) return false;
    for (int64_t at = element; at < bytes; at += element)
        memcpy(empty + at, empty, (size_t)element);
    return true;
}

/* Make the chunk as `set` has them. */
static redist_err make_like(const redist_file *file, hid_t set, struct filtered *filtered)
{
    hid_t type = H5Dget_type(set), list = H5Dget_create_plist(set);
    if (type >= 0 && list >= 0) {
        filtered->type = H5Tcopy(type); /* one that is not of the file */
        filtered->file = make_memory_file();
        if (filtered->file >= 0 &&
            fill_empty(file, filtered->type, list, filtered->empty))
            filtered->set = make_chunk_set(file, filtered->file, filtered->type, list);
    }
    redist_err err = filtered->set < 0 ? hdf5_error(file->path) : REDIST_OK;
    if (type >= 0) (void)H5Tclose(type);
    if (list >= 0) (void)H5Pclose(list);
    return err;
}

static redist_err make_here(const redist_file *file, const char *path, const char *name,
                            struct filtered *filtered)
{
    hid_t here = -1;
    TRY(dataset_open_file(path, file->path, false, &here));
    hid_t set = H5Dopen2(here, name, H5P_DEFAULT);
    redist_err err = set < 0 ? hdf5_error(file->path) : make_like(file, set, filtered);
    if (set >= 0) (void)H5Dclose(set);
    (void)H5Fclose(here);
    return err;
}

redist_err filtered_make(const redist_file *file, const char *path, const char *name,
                         struct filtered **made)
{
    struct filtered *filtered = services_alloc(1, sizeof *filtered);
    if (!filtered) return REDIST_ERR_MEMORY;
    *filtered = (struct filtered){-1, -1, -1, NULL, NULL, 0, 0};
    *made = filtered;
    filtered->empty = services_alloc(chunk_bytes(file), 1);
    if (!filtered->empty) return REDIST_ERR_MEMORY;
    hdf5_begin();
    redist_err err = make_here(file, path, name, filtered);
    hdf5_end();
    return err;
}

void filtered_free(struct filtered *filtered)
{
    if (!filtered) return;
    hdf5_begin();
    if (filtered->set >= 0) (void)H5Dclose(filtered->set);
    if (filtered->type >= 0) (void)H5Tclose(filtered->type);
    if (filtered->file >= 0) (void)H5Fclose(filtered->file);
    hdf5_end();
    services_free(filtered->empty);
    services_free(filtered->bytes);
    services_free(filtered);
}

static redist_err reserve(struct filtered *filtered, int64_t size)
{
    if (size <= filtered->room) return REDIST_OK;
    int64_t room = int_max(size, filtered->room + filtered->room / 2);
    char *bytes = services_resize(filtered->bytes, room, 1);
    if (!bytes) return REDIST_ERR_MEMORY;
    filtered->bytes = bytes;
    filtered->room = room;
    return REDIST_OK;
}

/* ---- boxes ------------------------------------------------------------------------- */

/* Select part of a space. */
static bool selects(hid_t space, int n, const int64_t start[], const int64_t extent[])
{
    hsize_t first[REDIST_MAX_DIMS], count[REDIST_MAX_DIMS];
    for (int i = 0; i < n; i++) {
        first[i] = (hsize_t)start[i];
        count[i] = (hsize_t)extent[i];
    }
    return n == 0 ||
           H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
}

static hid_t make_space(int n, const int64_t extent[])
{
    hsize_t extents[REDIST_MAX_DIMS];
    for (int i = 0; i < n; i++) extents[i] = (hsize_t)extent[i];
    return n ? H5Screate_simple(n, extents, NULL) : H5Screate(H5S_SCALAR);
}

redist_err filtered_move(const redist_file *file, hid_t set, hid_t type,
                         const struct box *box, void *to, const void *from)
{
    int n = file->layout.ndims;
    hdf5_begin();
    hid_t space = H5Dget_space(set), memory = make_space(n, box->extent);
    bool good = space >= 0 && memory >= 0 && selects(space, n, box->start, box->extent);
    if (good)
        good = to ? H5Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0
                  : H5Dwrite(set, type, memory, space, H5P_DEFAULT, from) >= 0;
    redist_err err = good ? REDIST_OK : hdf5_error(file->path);
    if (memory >= 0) (void)H5Sclose(memory);
    if (space >= 0) (void)H5Sclose(space);
    hdf5_end();
    return err;
}

/* ---- compress ---------------------------------------------------------------------- */

/* Put the elements of chunk `part` of a box into the data set of one chunk. */
static redist_err put_chunk(const redist_file *file, const struct filtered *filtered,
                            const struct box *box, const struct box *part,
                            const void *elements)
{
    int n = file->layout.ndims;
    int64_t none[REDIST_MAX_DIMS] = {0}, start[REDIST_MAX_DIMS];
    bool cut = false;
    for (int i = 0; i < n; i++) {
        start[i] = part->start[i] - box->start[i];
        cut = cut || part->extent[i] < file->layout.chunk[i];
    }
    hid_t space = H5Dget_space(filtered->set), memory = make_space(n, box->extent);
    bool good = space >= 0 && memory >= 0 && selects(space, n, none, part->extent) &&
                selects(memory, n, start, part->extent);
    if (good && cut)
        good = H5Dwrite(filtered->set, filtered->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        filtered->empty) >= 0;
    if (good)
        good = H5Dwrite(filtered->set, filtered->type, memory, space, H5P_DEFAULT,
                        elements) >= 0 &&
               H5Dflush(filtered->set) >= 0;
    redist_err err = good ? REDIST_OK : hdf5_error(file->path);
    if (memory >= 0) (void)H5Sclose(memory);
    if (space >= 0) (void)H5Sclose(space);
    return err;
}

/* Append its bytes, as they are in the file in memory. */
static redist_err append_chunk(const redist_file *file, struct filtered *filtered,
                               const struct box *part)
{
    hsize_t none[REDIST_MAX_DIMS] = {0}, size = 0;
    struct record record = {{0}, 0, 0};
    if (H5Dget_chunk_storage_size(filtered->set, none, &size) < 0)
        return hdf5_error(file->path);
    record.size = (int64_t)size;
    TRY(reserve(filtered, filtered->size + (int64_t)sizeof record + record.size));
    char *at = filtered->bytes + filtered->size;
    if (H5Dread_chunk(filtered->set, H5P_DEFAULT, none, &record.mask,
                      at + sizeof record) < 0)
        return hdf5_error(file->path);
    for (int i = 0; i < file->layout.ndims; i++)
        record.start[i] = (hsize_t)part->start[i];
    memcpy(at, &record, sizeof record);
    filtered->size += (int64_t)sizeof record + record.size;
    return REDIST_OK;
}

/* Compress all chunks of a box. */
static redist_err compress(const redist_file *file, struct filtered *filtered,
                           const struct box *box, const void *elements)
{
    const int64_t *chunk = file->layout.chunk;
    int n = file->layout.ndims;
    struct box part = *box;
    filtered->size = 0;
    if (box_elements(file, box) == 0) return REDIST_OK;
    for (;;) {
        int i = n - 1;
        for (int j = 0; j < n; j++)
            part.extent[j] =
                int_min(chunk[j], box->start[j] + box->extent[j] - part.start[j]);
        hdf5_begin();
        redist_err err = put_chunk(file, filtered, box, &part, elements);
        if (!err) err = append_chunk(file, filtered, &part);
        hdf5_end();
        if (err) return err;
        for (; i >= 0; i--) {
            part.start[i] += chunk[i];
            if (part.start[i] < box->start[i] + box->extent[i]) break;
            part.start[i] = box->start[i];
        }
        if (i < 0) return REDIST_OK;
    }
}

/* Write compressed chunks, by rank 0. */
static redist_err write_chunks(const redist_file *file, const struct filtered *filtered,
                               hid_t set)
{
    struct record record;
    redist_err err = REDIST_OK;
    hdf5_begin();
    for (int64_t at = 0; !err && at < filtered->size; at += record.size) {
        memcpy(&record, filtered->bytes + at, sizeof record);
        at += (int64_t)sizeof record;
        if (H5Dwrite_chunk(set, H5P_DEFAULT, record.mask, record.start,
                           (size_t)record.size, filtered->bytes + at) < 0)
            err = hdf5_error(file->path);
    }
    hdf5_end();
    return err;
}

/* ---- between processes ------------------------------------------------------------- */

static void send(MPI_Comm comm, int rank, const char *bytes, int64_t size)
{
    for (int64_t at = 0; at < size; at += PIECE)
        MPI_Send(bytes + at, (int)int_min(PIECE, size - at), MPI_BYTE, rank, TAG, comm);
}

static void receive(MPI_Comm comm, int rank, char *bytes, int64_t size)
{
    for (int64_t at = 0; at < size; at += PIECE)
        MPI_Recv(bytes + at, (int)int_min(PIECE, size - at), MPI_BYTE, rank, TAG, comm,
                 MPI_STATUS_IGNORE);
}

/* Rank 0 says whether it goes on; after an error it takes part without data. */
static bool goes_on(MPI_Comm comm)
{
    int go = 0;
    MPI_Recv(&go, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    return go;
}

static void say_whether(MPI_Comm comm, int rank, redist_err err)
{
    int go = !err;
    MPI_Send(&go, 1, MPI_INT, rank, TAG, comm);
}

redist_err filtered_write(const redist_file *file, struct filtered *filtered, hid_t set,
                          const struct box *box, const void *elements)
{
    redist_err err = compress(file, filtered, box, elements);
    MPI_Comm comm = file->comm;
    int64_t size = err ? 0 : filtered->size;
    if (file->rank > 0) {
        MPI_Send(&size, 1, MPI_INT64_T, 0, TAG, comm);
        if (goes_on(comm)) send(comm, 0, filtered->bytes, size);
        return err;
    }
    if (!err) err = write_chunks(file, filtered, set);
    for (int rank = 1; rank < file->writers; rank++) {
        MPI_Recv(&size, 1, MPI_INT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
        if (!err) err = reserve(filtered, size);
        say_whether(comm, rank, err);
        if (err) continue;
        receive(comm, rank, filtered->bytes, size);
        filtered->size = size;
        err = write_chunks(file, filtered, set);
    }
    return err;
}

static redist_err read_box(const redist_file *file, const struct filtered *filtered,
                           hid_t set, const struct box *box, void *elements)
{
    if (box_elements(file, box) == 0) return REDIST_OK;
    return filtered_move(file, set, filtered->type, box, elements, NULL);
}

redist_err filtered_read(const redist_file *file, struct filtered *filtered, hid_t set,
                         const struct box *box, void *elements)
{
    MPI_Comm comm = file->comm;
    struct box other = *box;
    int64_t size = box_elements(file, box) * file->element_bytes;
    if (file->rank > 0) {
        MPI_Send(&other, (int)sizeof other, MPI_BYTE, 0, TAG, comm);
        if (goes_on(comm)) receive(comm, 0, elements, size);
        return REDIST_OK;
    }
    redist_err err = read_box(file, filtered, set, box, elements);
    for (int rank = 1; rank < file->writers; rank++) {
        MPI_Recv(&other, (int)sizeof other, MPI_BYTE, rank, TAG, comm, MPI_STATUS_IGNORE);
        size = box_elements(file, &other) * file->element_bytes;
        if (!err) err = reserve(filtered, size);
        if (!err) err = read_box(file, filtered, set, &other, filtered->bytes);
        say_whether(comm, rank, err);
        if (!err) send(comm, rank, filtered->bytes, size);
    }
    return err;
}
