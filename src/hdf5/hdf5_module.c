/* SPDX-License-Identifier: MIT
 *
 * hdf5/hdf5_module.c - open, read, write and close a data set.
 *
 * What each process does with HDF5:
 *
 *   read                        every writer opens the file for itself
 *   update, create              all open it together, by MPI's files
 *     a compressed data set     rank 0 opens it for itself (filtered.h)
 *     others that do not allow  rank 0 opens it for itself, and is the only writer
 *     several processes
 *
 * Only files that all have open together have collective calls, and only after rank 0 has
 * seen by itself that the data set is there and sound.
 */
#include <dlfcn.h>
#include <hdf5.h>

#include "base/error.h"
#include "files/format/collective.h"
#include "hdf5/dataset.h"
#include "hdf5/filtered.h"
#include "hdf5/hdf5_error.h"
#include "hdf5/make.h"
#include "hdf5/services.h"

/* Numbers of HDF5's objects; 0, or negative: this process has none. */
struct opened {
    hid_t file, set, type;
    struct filtered *filtered;
    bool added; /* a data set that is added to a file, and is renamed in the end */
};

/* ---- open -------------------------------------------------------------------------- */

/* Open the file, together with all if `shared`. */
static redist_err open_file(const redist_file *file, const char *path, bool shared,
                            struct opened *opened)
{
    bool write = file->mode != REDIST_FILE_READ;
    if (!shared) return dataset_open_file(path, file->path, write, &opened->file);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list >= 0 && H5Pset_fapl_mpio(list, file->comm, MPI_INFO_NULL) >= 0)
        opened->file = H5Fopen(path, H5F_ACC_RDWR, list);
    redist_err err = opened->file <= 0 ? hdf5_error(file->path) : REDIST_OK;
    if (list >= 0) (void)H5Pclose(list);
    return err;
}

/* Elements are moved as they lie in the file: with its own type HDF5 converts none. */
static redist_err open_set(const redist_file *file, const char *name,
                           struct opened *opened)
{
    opened->set = H5Dopen2(opened->file, name, H5P_DEFAULT);
    if (opened->set < 0) return hdf5_error(file->path);
    opened->type = H5Dget_type(opened->set);
    return opened->type < 0 ? hdf5_error(file->path) : REDIST_OK;
}

/* Close what is open. */
static redist_err close_here(const redist_file *file, struct opened *opened)
{
    redist_err err = REDIST_OK;
    filtered_free(opened->filtered);
    hdf5_begin();
    if (opened->type > 0) (void)H5Tclose(opened->type);
    if (opened->set > 0 && H5Dclose(opened->set) < 0) err = hdf5_error(file->path);
    if (opened->file > 0 && H5Fclose(opened->file) < 0 && !err)
        err = hdf5_error(file->path);
    hdf5_end();
    *opened = (struct opened){.file = 0};
    return err;
}

static void release(redist_file *file) { (void)close_here(file, file->state); }

/* Prepare to write a compressed data set: only rank 0 will have it open. */
static redist_err begin_filtered(redist_file *file, const char *path,
                                 const struct dataset *dataset, struct opened *opened)
{
    redist_err err = REDIST_OK;
    if (file->rank == 0) err = make_check_growth(file, path);
    if (!err && file->writers > 1 && file->rank < file->writers)
        err = filtered_make(file, path, dataset_name(dataset), &opened->filtered);
    return collective_agree(file->comm, err);
}

/* Open the file and the data set on those processes that access it. */
static redist_err open_all(redist_file *file, const char *path,
                           const struct dataset *dataset, struct opened *opened)
{
    bool write = file->mode != REDIST_FILE_READ;
    bool shared = write && !dataset->alone && !dataset->filtered;
    bool here = shared || file->rank < (write ? 1 : file->writers);
    redist_err err = REDIST_OK;
    if (write && dataset->alone) file->writers = 1;
    if (write && dataset->filtered) err = begin_filtered(file, path, dataset, opened);
    if (!err) {
        hdf5_begin();
        if (here) err = open_file(file, path, shared, opened);
        hdf5_end();
        err = collective_agree(file->comm, err);
        /* to close a file that others do not have open would wait for them */
        if (err && shared) opened->file = 0;
    }
    if (!err) {
        hdf5_begin();
        if (here) err = open_set(file, dataset_name(dataset), opened);
        hdf5_end();
        err = collective_agree(file->comm, err);
    }
    return err;
}

/* Set the layout that rank 0 has found. */
static redist_err take_layout(redist_file *file, const struct dataset *dataset)
{
    char *type = (char *)(uintptr_t)file->layout.type; /* owned, of a created one */
    char *codec = (char *)(uintptr_t)file->layout.codec;
    file->layout.type = file->layout.codec = NULL;
    services_free(type);
    services_free(codec);
    if (file_set_layout(file, dataset->ndims, dataset->shape, dataset->texts,
                        REDIST_ROW_MAJOR))
        return error_prefix(REDIST_ERR_IO, "%s", file->path);
    for (int i = 0; i < dataset->ndims; i++) file->layout.chunk[i] = dataset->chunk[i];
    return file_set_codec(file, *dataset->codec ? dataset->codec : NULL);
}

/* Open the data set `name` in the file `path`. */
static redist_err open_found(redist_file *file, const char *path, const char *name,
                             bool added)
{
    char *block = NULL;
    int64_t size = 0;
    redist_err err = REDIST_OK;
    struct opened *opened = file->state;
    opened->added = added;
    if (file->rank == 0)
        err = dataset_find(path, file->path, name, file->mode != REDIST_FILE_READ, &block,
                           &size);
    err = collective_share(file->comm, err, &block, &size);
    const struct dataset *dataset = (const struct dataset *)(const void *)block;
    if (!err) err = collective_agree(file->comm, take_layout(file, dataset));
    if (!err) err = open_all(file, path, dataset, opened);
    services_free(block);
    return err;
}

static redist_err module_open(redist_file *file)
{
    return open_found(file, file->path, file->inner, false);
}

static redist_err module_create(redist_file *file, const char *path, bool fresh)
{
    redist_err err = file->rank == 0 ? make_dataset(file, path, fresh) : REDIST_OK;
    TRY(collective_agree(file->comm, err));
    char *name = make_name(file, fresh);
    err = collective_agree(file->comm, name ? REDIST_OK : REDIST_ERR_MEMORY);
    if (!err) err = open_found(file, path, name, !fresh);
    services_free(name);
    return err;
}

/* ---- read and write ---------------------------------------------------------------- */

static redist_err module_read(redist_file *file, const struct box *box, void *elements)
{
    const struct opened *opened = file->state;
    if (opened->filtered)
        return filtered_read(file, opened->filtered, opened->set, box, elements);
    if (opened->set <= 0 || box_elements(file, box) == 0) return REDIST_OK;
    return filtered_move(file, opened->set, opened->type, box, elements, NULL);
}

static redist_err module_write(redist_file *file, const struct box *box,
                               const void *elements)
{
    const struct opened *opened = file->state;
    if (opened->filtered)
        return filtered_write(file, opened->filtered, opened->set, box, elements);
    if (opened->set <= 0 || box_elements(file, box) == 0) return REDIST_OK;
    return filtered_move(file, opened->set, opened->type, box, NULL, elements);
}

/* ---- close ------------------------------------------------------------------------- */

static redist_err module_close(redist_file *file)
{
    const struct opened *opened = file->state;
    bool added = opened->added;
    redist_err err = collective_agree(file->comm, close_here(file, file->state));
    if (!added || file->rank != 0) return err;
    redist_err renamed = make_keep(file, err || file->failed);
    return err ? err : renamed;
}

/* ---- the module -------------------------------------------------------------------- */

static const struct hdf5_module itself = {
    .version = HDF5_MODULE_VERSION,
    .format = {.name = "hdf5",
               .state_bytes = sizeof(struct opened),
               .release = release,
               .visit = dataset_visit,
               .open = module_open,
               .read = module_read,
               .write = module_write,
               .close = module_close},
    .create = module_create,
};

__attribute__((visibility("default"))) hdf5_module_function redist_hdf5_module;

/* Check that the functions of HDF5 are those of one library, the one that this module was
 * made for: in a program that is linked to another HDF5, they may be that one's. */
static redist_err check_hdf5(void)
{
    unsigned major = 0, minor = 0, release = 0;
    Dl_info general, parallel;
    (void)H5get_libversion(&major, &minor, &release);
    if (major == H5_VERS_MAJOR && minor == H5_VERS_MINOR && dladdr(H5open, &general) &&
        dladdr(H5Pset_fapl_mpio, &parallel) && general.dli_fbase == parallel.dli_fbase)
        return REDIST_OK;
    return error_set(REDIST_ERR_IO,
                     "the program has an HDF5 of its own, %u.%u.%u, which is not the "
                     "parallel HDF5 %d.%d that is needed",
                     major, minor, release, H5_VERS_MAJOR, H5_VERS_MINOR);
}

const struct hdf5_module *redist_hdf5_module(const struct hdf5_services *services)
{
    int started = 0;
    services_set(services);
    if (MPI_Initialized(&started) != MPI_SUCCESS || !started) {
        (void)error_set(REDIST_ERR_IO, "is linked to another MPI than this program");
        return NULL;
    }
    return check_hdf5() ? NULL : &itself;
}
