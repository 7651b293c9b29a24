/* SPDX-License-Identifier: MIT */
#include <redist/checkpoint.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/intmath.h"
#include "base/mem.h"
#include "describe/view.h"
#include "files/access/slab.h"
#include "files/checkpoint/steps.h"
#include "files/format/collective.h"
#include "files/format/temporary.h"
#include "files/metadata/metadata.h"
#include "files/text/json.h"
#include "files/text/text.h"
#include "files/zarr/folder.h"
#include "plan/comm/agree.h"
#include "plan/comm/number.h"
#include "plan/comm/team.h"

/* A text, and the name that it is kept under; both are owned. */
struct named_text {
    char *key, *text;
};

struct redist_checkpoint {
    MPI_Comm comm; /* owned */
    MPI_Comm user; /* the caller's */
    int rank;
    bool writes, failed;
    int64_t step;
    char *folder;                 /* of the steps; owned */
    char at[PATH_MAX];            /* the step's, or that of the part */
    struct temporary_folder part; /* the step that is being written, on rank 0 */
    struct named_text *texts;     /* owned */
    int64_t ntexts, room;
};

/* ---- make and free ----------------------------------------------------------------- */

static redist_err make(MPI_Comm comm, const char *folder, bool writes, int64_t step,
                       redist_checkpoint **made)
{
    MPI_Comm own;
    TRY(team_check_intra(comm));
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS)
        return error_set(REDIST_ERR_MPI, "MPI_Comm_dup failed");
    redist_checkpoint *c = mem_alloc(NULL, 1, sizeof *c);
    redist_err err = c ? REDIST_OK : REDIST_ERR_MEMORY;
    if (!err && !folder) err = error_arg("folder is NULL");
    if (!err && step < (writes ? 0 : -1))
        err = error_arg("step is %" PRId64 ", must be >= %d", step, writes ? 0 : -1);
    if (!err) {
        c->folder = mem_copy(NULL, folder, (int64_t)strlen(folder) + 1, 1);
        if (!c->folder) err = REDIST_ERR_MEMORY;
    }
    static const char *const names[] = {"step"};
    err = agree_equal(own, err, 1, &step, names);
    if (err) {
        if (c) mem_free(c->folder);
        mem_free(c);
        MPI_Comm_free(&own);
        return err;
    }
    c->comm = own;
    c->user = comm;
    MPI_Comm_rank(own, &c->rank);
    c->writes = writes;
    c->step = step;
    c->part.lock = -1;
    *made = c;
    return REDIST_OK;
}

static void free_checkpoint(redist_checkpoint *c)
{
    for (int64_t k = 0; k < c->ntexts; k++) {
        mem_free(c->texts[k].key);
        mem_free(c->texts[k].text);
    }
    mem_free(c->texts);
    mem_free(c->folder);
    MPI_Comm_free(&c->comm);
    mem_free(c);
}

/* Give all rank 0's path and step, or its error. */
static redist_err share_place(redist_checkpoint *c, redist_err err)
{
    TRY(collective_agree(c->comm, err));
    MPI_Bcast(c->at, sizeof c->at, MPI_CHAR, 0, c->comm);
    MPI_Bcast(&c->step, 1, MPI_INT64_T, 0, c->comm);
    return REDIST_OK;
}

/* ---- texts ------------------------------------------------------------------------- */

/* Keep a text, both of whose strings are taken over. */
static redist_err keep_text(redist_checkpoint *c, char *key, char *text)
{
    struct named_text *texts = c->texts;
    for (int64_t k = 0; key && text && k < c->ntexts; k++) {
        if (strcmp(texts[k].key, key) != 0) continue;
        mem_free(texts[k].text);
        texts[k].text = text;
        mem_free(key);
        return REDIST_OK;
    }
    if (key && text)
        texts = mem_reserve(NULL, c->texts, c->ntexts + 1, &c->room, sizeof *texts);
    if (!key || !text || !texts) {
        mem_free(key);
        mem_free(text);
        return REDIST_ERR_MEMORY;
    }
    c->texts = texts;
    texts[c->ntexts++] = (struct named_text){key, text};
    return REDIST_OK;
}

static redist_err write_texts(const redist_checkpoint *c)
{
    struct text out = {0};
    text_add(&out, "{\n    \"zarr_format\": 3,\n    \"node_type\": \"group\",\n"
                   "    \"attributes\": {");
    for (int64_t k = 0; k < c->ntexts; k++) {
        text_add(&out, "%s\n        ", k > 0 ? "," : "");
        text_add_string(&out, c->texts[k].key);
        text_add(&out, ": ");
        text_add_string(&out, c->texts[k].text);
    }
    text_add(&out, "\n    }\n}\n");
    redist_err err = out.err;
    if (!err && out.size > METADATA_BYTES) /* it could not be read again */
        err = error_arg("the texts take %" PRId64 " bytes as JSON, must take at most %d",
                        out.size, METADATA_BYTES);
    if (!err) err = folder_write_file(c->at, "zarr.json", true, out.bytes, out.size);
    mem_free(out.bytes);
    return err;
}

/* Read the attributes that are strings. */
static redist_err parse_texts(redist_checkpoint *c, const char *text, int64_t size)
{
    struct json root, key, value;
    int64_t length;
    TRY(json_check(text, size, &root));
    struct json attributes = json_member(root, "attributes");
    if (json_kind(attributes) != '{') return REDIST_OK;
    struct json_items items = json_items(attributes);
    while (json_next(&items, &key, &value)) {
        char *name = NULL, *string = NULL;
        if (json_kind(value) != '"') continue;
        redist_err err = json_string_of(key, "the name of an attribute", &name, &length);
        if (!err) err = json_string_of(value, "an attribute", &string, &length);
        if (err) {
            mem_free(name);
            return err;
        }
        TRY(keep_text(c, name, string));
    }
    return REDIST_OK;
}

redist_err redist_checkpoint_set(redist_checkpoint *c, const char *key, const char *text)
{
    if (!c) return error_arg("checkpoint is NULL");
    redist_err err = REDIST_OK;
    if (!c->writes)
        err = error_set(REDIST_ERR_STATE, "the checkpoint is open for reading");
    else if (!key || !text)
        err = error_arg("%s is NULL", key ? "text" : "key");
    else if (c->rank == 0)
        err = keep_text(c, mem_copy(NULL, key, (int64_t)strlen(key) + 1, 1),
                        mem_copy(NULL, text, (int64_t)strlen(text) + 1, 1));
    return collective_agree(c->comm, err);
}

redist_err redist_checkpoint_get(const redist_checkpoint *c, const char *key,
                                 const char **text)
{
    if (!c || !key || !text) return error_arg("an argument is NULL");
    *text = NULL;
    for (int64_t k = 0; k < c->ntexts; k++)
        if (strcmp(c->texts[k].key, key) == 0) *text = c->texts[k].text;
    return REDIST_OK;
}

int64_t redist_checkpoint_step(const redist_checkpoint *c) { return c ? c->step : -1; }

/* ---- arrays ------------------------------------------------------------------------ */

/* Open the array `name`, or create it as `layout` says. */
static redist_err open_array(const redist_checkpoint *c, const char *name,
                             const redist_file_layout *layout, redist_file **file)
{
    char path[PATH_MAX + 256];
    redist_file_options options = REDIST_FILE_OPTIONS_INIT;
    redist_err err = REDIST_OK;
    if (!name || !*name || strchr(name, '/'))
        err = error_arg("the array's name is %s, must be a word without /",
                        name ? name : "NULL");
    else if (snprintf(path, sizeof path, "%s:/%s", c->at, name) >= (int)sizeof path)
        err = error_arg("the array's name is too long");
    TRY(collective_agree(c->comm, err));
    options.format = "zarr";
    options.layout = layout;
    TRY(redist_file_open(c->user, path, layout ? REDIST_FILE_CREATE : REDIST_FILE_READ,
                         &options, file));
    (*file)->complete = true;
    return REDIST_OK;
}

/* Set chunks that are long in the file: a checkpoint is read and written whole. */
static void set_chunks(int64_t bytes, redist_file_layout *layout)
{
    enum { MOST = 4 << 20 };
    for (int i = layout->ndims - 1; i >= 0; i--) {
        int64_t most = int_max(MOST / bytes, 1), shape = layout->shape[i];
        layout->chunk[i] = int_max(int_min(shape, most), 1);
        bytes *= layout->chunk[i];
    }
}

/* The layout of an array of the section's extents, in the order of its axes. */
static redist_err make_layout(const redist_view *view, MPI_Datatype type, char text[32],
                              redist_file_layout *layout)
{
    MPI_Count bytes = 0;
    if (!view || !view->dist) return error_arg("view is NULL");
    if (type == MPI_DATATYPE_NULL) return error_arg("type is MPI_DATATYPE_NULL");
    TRY(view_check(view));
    MPI_Type_size_x(type, &bytes);
    struct format format = number_format(type);
    if (format.kind)
        format_print(&format, text);
    else
        (void)snprintf(text, 32, "|V%lld", (long long)bytes);
    *layout = (redist_file_layout){.size = sizeof *layout,
                                   .ndims = redist_dist_ndims(view->dist),
                                   .type = text,
                                   .codec = "crc32c",
                                   .version = 3};
    for (int j = 0; j < layout->ndims; j++)
        layout->shape[j] = view->extent[view->axes[j]];
    set_chunks(int_max(bytes, 1), layout);
    return REDIST_OK;
}

redist_err redist_checkpoint_write(redist_checkpoint *c, const char *name,
                                   const redist_view *view, MPI_Datatype type,
                                   const void *buffer)
{
    char text[32];
    redist_file_layout layout;
    redist_file *file = NULL;
    if (!c) return error_arg("checkpoint is NULL");
    redist_err err =
        c->writes ? make_layout(view, type, text, &layout)
                  : error_set(REDIST_ERR_STATE, "the checkpoint is open for reading");
    err = collective_agree(c->comm, err);
    if (!err) err = open_array(c, name, &layout, &file);
    if (!err) {
        file->to_disk = true; /* less is left to be waited for in the end */
        err = redist_file_write(file, view, type, buffer);
    }
    redist_err closed = redist_file_close(&file);
    if (!err) err = closed;
    if (err) c->failed = true;
    return err;
}

redist_err redist_checkpoint_array(redist_checkpoint *c, const char *name,
                                   redist_file **file)
{
    if (!c || !file) return error_arg("%s is NULL", c ? "file" : "checkpoint");
    *file = NULL;
    if (c->writes)
        return error_set(REDIST_ERR_STATE, "the checkpoint is open for writing");
    return open_array(c, name, NULL, file);
}

redist_err redist_checkpoint_read(redist_checkpoint *c, const char *name,
                                  const redist_view *view, MPI_Datatype type,
                                  void *buffer)
{
    redist_file *file = NULL;
    TRY(redist_checkpoint_array(c, name, &file));
    redist_err err = redist_file_read(file, view, type, buffer);
    redist_err closed = redist_file_close(&file);
    return err ? err : closed;
}

/* Read all chunks of an array, each process its own. */
static redist_err scan(redist_file *file)
{
    struct slabs slabs;
    struct slab slab;
    redist_err err = slabs_make_whole(file, file->staging_bytes, &slabs);
    char *part = err ? NULL : mem_alloc_elements(NULL, slabs_part_bytes(&slabs, file));
    if (!err && !part) err = REDIST_ERR_MEMORY;
    for (int64_t k = 0; !err && k < slabs.count; k++) {
        slabs_get(&slabs, k, &slab);
        struct box box = slab_part(&slabs, &slab, file->rank);
        err = slab_access(file, &box, part, false);
    }
    mem_free(part);
    return collective_agree(file->comm, err);
}

/* List the arrays of a checkpoint, which has no other folders, one name behind the
 * other. */
static redist_err list_arrays(const redist_checkpoint *c, char **names, int64_t *size)
{
    struct dirent *entry;
    struct stat status;
    char path[PATH_MAX];
    struct text out = {0};
    DIR *listing = opendir(c->at);
    if (!listing) return error_set(REDIST_ERR_IO, "%s: %s", c->at, strerror(errno));
    while ((entry = readdir(listing))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            snprintf(path, sizeof path, "%s/%s", c->at, name) < PATH_MAX &&
            stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            text_add(&out, "%s/", name);
    }
    (void)closedir(listing);
    *names = out.bytes;
    *size = out.size;
    if (!out.err && !out.bytes) *names = mem_alloc(NULL, 1, 1);
    return out.err || !*names ? REDIST_ERR_MEMORY : REDIST_OK;
}

redist_err redist_checkpoint_verify(redist_checkpoint *c)
{
    char *names = NULL;
    int64_t size = 0;
    if (!c) return error_arg("checkpoint is NULL");
    if (c->writes)
        return error_set(REDIST_ERR_STATE, "the checkpoint is open for writing");
    redist_err err = c->rank == 0 ? list_arrays(c, &names, &size) : REDIST_OK;
    TRY(collective_share(c->comm, err, &names, &size));
    for (char *name = names; !err && name < names + size;) {
        redist_file *file = NULL;
        char *slash = memchr(name, '/', (size_t)(names + size - name));
        *slash = 0;
        err = open_array(c, name, NULL, &file);
        if (!err) err = scan(file);
        (void)redist_file_close(&file);
        name = slash + 1;
    }
    mem_free(names);
    return err;
}

/* ---- create, commit, open, close --------------------------------------------------- */

redist_err redist_checkpoint_create(MPI_Comm comm, const char *folder, int64_t step,
                                    redist_checkpoint **checkpoint)
{
    redist_checkpoint *c = NULL;
    if (!checkpoint) return error_arg("checkpoint is NULL");
    *checkpoint = NULL;
    TRY(make(comm, folder, true, step, &c));
    redist_err err = REDIST_OK;
    if (c->rank == 0) {
        err = steps_begin(c->folder, step, &c->part);
        memcpy(c->at, c->part.path, sizeof c->at);
    }
    err = share_place(c, err);
    if (err)
        free_checkpoint(c);
    else
        *checkpoint = c;
    return err;
}

redist_err redist_checkpoint_open(MPI_Comm comm, const char *folder, int64_t step,
                                  redist_checkpoint **checkpoint)
{
    redist_checkpoint *c = NULL;
    char *text = NULL;
    int64_t size = 0;
    bool is_array;
    if (!checkpoint) return error_arg("checkpoint is NULL");
    *checkpoint = NULL;
    TRY(make(comm, folder, false, step, &c));
    redist_err err = REDIST_OK;
    if (c->rank == 0) {
        if (step < 0) err = steps_last(c->folder, &c->step);
        if (!err && c->step < 0)
            err = error_set(REDIST_ERR_IO, "%s: has no checkpoint", c->folder);
        if (!err) err = steps_name(c->folder, c->step, c->at);
        if (!err) err = folder_read(c->at, &text, &size, &is_array);
        if (!err && !text) err = error_set(REDIST_ERR_IO, "%s: is no checkpoint", c->at);
    }
    err = share_place(c, err);
    if (!err) err = collective_share(c->comm, err, &text, &size);
    if (!err) err = collective_agree(c->comm, parse_texts(c, text, size));
    mem_free(text);
    if (err)
        free_checkpoint(c);
    else
        *checkpoint = c;
    return err;
}

/* Write to the disk what the processes of each node have written. */
static redist_err synchronize(const redist_checkpoint *c)
{
    MPI_Comm node;
    int rank;
    redist_err err = REDIST_OK;
    MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    if (rank == 0) {
        int folder = open(c->at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0 || syncfs(folder)) err = cannot_write(c->at, errno, 0);
        if (folder >= 0) (void)close(folder);
    }
    return collective_agree(c->comm, err);
}

/* Make the step appear. */
static redist_err publish(redist_checkpoint *c, int keep)
{
    redist_err err = synchronize(c);
    if (!err && c->rank == 0) {
        struct stat status;
        err = temporary_folder_keep(&c->part, lstat(c->part.name, &status) == 0);
        if (!err) err = steps_trim(c->folder, c->step, keep);
    }
    return collective_agree(c->comm, err);
}

redist_err redist_checkpoint_commit(redist_checkpoint **checkpoint, int keep)
{
    if (!checkpoint || !*checkpoint) return error_arg("checkpoint is NULL");
    redist_checkpoint *c = *checkpoint;
    redist_err err = REDIST_OK;
    if (!c->writes)
        err = error_set(REDIST_ERR_STATE, "the checkpoint is open for reading");
    else if (c->failed)
        err = error_set(REDIST_ERR_STATE, "an array could not be written");
    else if (keep < 0)
        err = error_arg("keep is %d, must be >= 0", keep);
    else if (c->rank == 0)
        err = write_texts(c);
    err = collective_agree(c->comm, err);
    if (!err) err = publish(c, keep);
    (void)redist_checkpoint_close(checkpoint);
    return err;
}

redist_err redist_checkpoint_close(redist_checkpoint **checkpoint)
{
    if (!checkpoint || !*checkpoint) return REDIST_OK;
    redist_checkpoint *c = *checkpoint;
    MPI_Barrier(c->comm);
    temporary_folder_discard(&c->part);
    free_checkpoint(c);
    *checkpoint = NULL;
    return REDIST_OK;
}
