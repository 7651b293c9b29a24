/* SPDX-License-Identifier: MIT */
#include "files/store/hdf5.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/latch.h"
#include "base/mem.h"
#include "base/module.h"
#include "files/format/collective.h"
#include "files/format/temporary.h"
#include "files/store/stores.h"

/* ---- the module -------------------------------------------------------------------- */

static void *alloc(int64_t count, size_t size) { return mem_alloc(NULL, count, size); }

static void *resize(void *block, int64_t count, size_t size)
{
    return mem_resize(NULL, block, count, size);
}

static const struct hdf5_services services = {
    .error_set = error_set,
    .error_prefix = error_prefix,
    .collective_agree = collective_agree,
    .collective_share = collective_share,
    .file_set_layout = file_set_layout,
    .file_set_codec = file_set_codec,
    .box_elements = box_elements,
    .alloc = alloc,
    .resize = resize,
    .free = mem_free,
};

static const struct hdf5_module *module; /* set once, under the latch */

static redist_err load_once(const char *path)
{
    static const char name[] = "libredist_hdf5" REDIST_SUFFIX ".so";
    char reason[ERROR_MESSAGE_SIZE];
    hdf5_module_function *function = NULL;
    if (module) return REDIST_OK;
    void *found = module_load(name, "REDIST_HDF5_MODULE", HDF5_MODULE_SYMBOL, reason,
                              sizeof reason);
    if (!found)
        return error_set(REDIST_ERR_IO, "%s: there is no module for HDF5: %s", path,
                         reason);
    memcpy(&function, &found, sizeof function);
    const struct hdf5_module *loaded = function(&services);
    if (!loaded) return error_prefix(REDIST_ERR_IO, "%s: %s", path, name);
    if (loaded->version != HDF5_MODULE_VERSION)
        return error_set(REDIST_ERR_IO,
                         "%s: %s has interface %d, this library has %d: they must be "
                         "installed together",
                         path, name, loaded->version, (int)HDF5_MODULE_VERSION);
    module = loaded;
    return REDIST_OK;
}

redist_err hdf5_load(const char *path)
{
    static atomic_flag latch = ATOMIC_FLAG_INIT;
    latch_lock(&latch);
    redist_err err = load_once(path);
    latch_unlock(&latch);
    return err;
}

/* ---- the format -------------------------------------------------------------------- */

static redist_err hdf5_visit(const char *path, const char *inner, file_visitor *visitor,
                             void *context)
{
    TRY(hdf5_load(path));
    return module->format.visit(path, inner, visitor, context);
}

/* Load the module, whose format the file then has. Collective: the same error on every
 * process. */
static redist_err begin(redist_file *file)
{
    redist_err err = hdf5_load(file->path);
    if (!err) {
        mem_free(file->state);
        file->state = mem_alloc(NULL, 1, module->format.state_bytes);
        if (!file->state) err = REDIST_ERR_MEMORY;
    }
    TRY(collective_agree(file->comm, err));
    file->format = &module->format;
    return REDIST_OK;
}

static redist_err hdf5_open(redist_file *file)
{
    TRY(begin(file));
    return file->format->open(file);
}

/* Make a temporary file if there is none of the name. */
static redist_err make_file(redist_file *file)
{
    struct stat status;
    int descriptor = -1;
    if (stat(file->path, &status) == 0) return REDIST_OK;
    if (errno != ENOENT) return cannot_write(file->path, errno, 0);
    TRY(temporary_create(&file->temporary, file->path, 0, &descriptor));
    (void)close(descriptor);
    return REDIST_OK;
}

static redist_err hdf5_create(redist_file *file)
{
    char *path = NULL;
    TRY(begin(file));
    redist_err err = file->rank == 0 ? make_file(file) : REDIST_OK;
    err = file_share_path(file, err, &path);
    if (!err) err = module->create(file, path, strcmp(path, file->path) != 0);
    mem_free(path);
    return err;
}

static const char *const suffixes[] = {".h5", ".hdf5", ".he5", ".nc4", ".nc", NULL};

const struct file_format store_hdf5 = {
    .name = "hdf5",
    .suffixes = suffixes,
    .has_inner = true,
    .visit = hdf5_visit,
    .open = hdf5_open,
    .create = hdf5_create,
};
