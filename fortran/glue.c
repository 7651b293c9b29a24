/* SPDX-License-Identifier: MIT
 *
 * fortran/glue.c - what the Fortran module can't say itself: MPI's handles, which Fortran
 * knows as integers, and the module's own sentences, one of each thread.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <redist/checkpoint.h>

/* What fortran/glue.f90 declares. */
redist_err redist_fortran_plan_create(MPI_Fint comm, MPI_Fint type,
                                      const redist_view *source,
                                      const redist_view *target,
                                      const redist_options *options, redist_plan **plan);
redist_err redist_fortran_plan_create_batch(MPI_Fint comm, int nitems,
                                            const redist_item items[],
                                            const redist_options *options,
                                            redist_plan **plan);
redist_err redist_fortran_plan_create_indexed(
    MPI_Fint comm, MPI_Fint type, int64_t extent, const redist_indices *source,
    const redist_indices *target, const redist_options *options, redist_plan **plan);
redist_err redist_fortran_balance_create(MPI_Fint comm, int64_t count, MPI_Fint type,
                                         redist_balance_method method, int64_t weight,
                                         const redist_options *options,
                                         redist_plan **plan, int64_t *share);
redist_err redist_fortran_balance_create_sized(
    MPI_Fint comm, int64_t count, const int64_t sizes[], MPI_Fint type,
    redist_balance_method method, int64_t weight, const redist_options *options,
    redist_plan **plan, int64_t *count_share, int64_t *unit_share);
redist_err redist_fortran_topology_create_cart(MPI_Fint comm, redist_topology **topology);
redist_err redist_fortran_topology_create_nodes(MPI_Fint comm, int links,
                                                redist_topology **topology);
void redist_fortran_type(MPI_Fint type, intptr_t *word);
void redist_fortran_no_type(intptr_t *word);
redist_err redist_fortran_type_create(const char *text, MPI_Fint *type);
redist_err redist_fortran_alloc(MPI_Fint comm, size_t bytes, void **memory);
redist_err redist_fortran_alloc_view(MPI_Fint comm, MPI_Fint type,
                                     const redist_view *view, void **memory);
redist_err redist_fortran_file_open(MPI_Fint comm, const char *name,
                                    redist_file_mode mode,
                                    const redist_file_options *options,
                                    redist_file **file);
redist_err redist_fortran_file_read(redist_file *file, const redist_view *view,
                                    MPI_Fint type, void *buffer);
redist_err redist_fortran_file_write(redist_file *file, const redist_view *view,
                                     MPI_Fint type, const void *buffer);
redist_err redist_fortran_file_read_section(redist_file *file, const int64_t start[],
                                            const int64_t stride[],
                                            const redist_view *view, MPI_Fint type,
                                            void *buffer);
redist_err redist_fortran_file_write_section(redist_file *file, const int64_t start[],
                                             const int64_t stride[],
                                             const redist_view *view, MPI_Fint type,
                                             const void *buffer);
redist_err redist_fortran_checkpoint_create(MPI_Fint comm, const char *folder,
                                            int64_t step, redist_checkpoint **checkpoint);
redist_err redist_fortran_checkpoint_open(MPI_Fint comm, const char *folder, int64_t step,
                                          redist_checkpoint **checkpoint);
redist_err redist_fortran_checkpoint_write(redist_checkpoint *checkpoint,
                                           const char *name, const redist_view *view,
                                           MPI_Fint type, const void *buffer);
redist_err redist_fortran_checkpoint_read(redist_checkpoint *checkpoint, const char *name,
                                          const redist_view *view, MPI_Fint type,
                                          void *buffer);
void redist_fortran_say(const char *sentence);
const char *redist_fortran_message(void);
void redist_fortran_unhandled(void);

redist_err redist_fortran_plan_create(MPI_Fint comm, MPI_Fint type,
                                      const redist_view *source,
                                      const redist_view *target,
                                      const redist_options *options, redist_plan **plan)
{
    return redist_plan_create(MPI_Comm_f2c(comm), MPI_Type_f2c(type), source, target,
                              options, plan);
}

redist_err redist_fortran_plan_create_batch(MPI_Fint comm, int nitems,
                                            const redist_item items[],
                                            const redist_options *options,
                                            redist_plan **plan)
{
    return redist_plan_create_batch(MPI_Comm_f2c(comm), nitems, items, options, plan);
}

redist_err redist_fortran_plan_create_indexed(
    MPI_Fint comm, MPI_Fint type, int64_t extent, const redist_indices *source,
    const redist_indices *target, const redist_options *options, redist_plan **plan)
{
    return redist_plan_create_indexed(MPI_Comm_f2c(comm), MPI_Type_f2c(type), extent,
                                      source, target, options, plan);
}

redist_err redist_fortran_balance_create(MPI_Fint comm, int64_t count, MPI_Fint type,
                                         redist_balance_method method, int64_t weight,
                                         const redist_options *options,
                                         redist_plan **plan, int64_t *share)
{
    return redist_balance_create(MPI_Comm_f2c(comm), count, MPI_Type_f2c(type), method,
                                 weight, options, plan, share);
}

redist_err redist_fortran_balance_create_sized(
    MPI_Fint comm, int64_t count, const int64_t sizes[], MPI_Fint type,
    redist_balance_method method, int64_t weight, const redist_options *options,
    redist_plan **plan, int64_t *count_share, int64_t *unit_share)
{
    return redist_balance_create_sized(MPI_Comm_f2c(comm), count, sizes,
                                       MPI_Type_f2c(type), method, weight, options, plan,
                                       count_share, unit_share);
}

redist_err redist_fortran_topology_create_cart(MPI_Fint comm, redist_topology **topology)
{
    return redist_topology_create_cart(MPI_Comm_f2c(comm), topology);
}

redist_err redist_fortran_topology_create_nodes(MPI_Fint comm, int links,
                                                redist_topology **topology)
{
    return redist_topology_create_nodes(MPI_Comm_f2c(comm), links, topology);
}

/* Store a datatype in the first word of a redist_item, which is three to Fortran, or in
 * one of redist_options: a handle is an int with some MPIs, a pointer with others. */
static void store(MPI_Datatype handle, intptr_t *word)
{
    static_assert(sizeof(MPI_Datatype) <= sizeof *word &&
                      sizeof(redist_item) == 3 * sizeof *word,
                  "a redist_item is not three words");
    *word = 0;
    memcpy(word, &handle, sizeof handle);
}

void redist_fortran_type(MPI_Fint type, intptr_t *word)
{
    store(MPI_Type_f2c(type), word);
}

void redist_fortran_no_type(intptr_t *word) { store(MPI_DATATYPE_NULL, word); }

redist_err redist_fortran_type_create(const char *text, MPI_Fint *type)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    redist_err err = redist_type_create(text, &made);
    if (!err) *type = MPI_Type_c2f(made);
    return err;
}

redist_err redist_fortran_alloc(MPI_Fint comm, size_t bytes, void **memory)
{
    return redist_alloc(MPI_Comm_f2c(comm), bytes, memory);
}

redist_err redist_fortran_alloc_view(MPI_Fint comm, MPI_Fint type,
                                     const redist_view *view, void **memory)
{
    return redist_alloc_view(MPI_Comm_f2c(comm), MPI_Type_f2c(type), view, memory);
}

redist_err redist_fortran_file_open(MPI_Fint comm, const char *name,
                                    redist_file_mode mode,
                                    const redist_file_options *options,
                                    redist_file **file)
{
    return redist_file_open(MPI_Comm_f2c(comm), name, mode, options, file);
}

redist_err redist_fortran_file_read(redist_file *file, const redist_view *view,
                                    MPI_Fint type, void *buffer)
{
    return redist_file_read(file, view, MPI_Type_f2c(type), buffer);
}

redist_err redist_fortran_file_write(redist_file *file, const redist_view *view,
                                     MPI_Fint type, const void *buffer)
{
    return redist_file_write(file, view, MPI_Type_f2c(type), buffer);
}

redist_err redist_fortran_file_read_section(redist_file *file, const int64_t start[],
                                            const int64_t stride[],
                                            const redist_view *view, MPI_Fint type,
                                            void *buffer)
{
    return redist_file_read_section(file, start, stride, view, MPI_Type_f2c(type),
                                    buffer);
}

redist_err redist_fortran_file_write_section(redist_file *file, const int64_t start[],
                                             const int64_t stride[],
                                             const redist_view *view, MPI_Fint type,
                                             const void *buffer)
{
    return redist_file_write_section(file, start, stride, view, MPI_Type_f2c(type),
                                     buffer);
}

redist_err redist_fortran_checkpoint_create(MPI_Fint comm, const char *folder,
                                            int64_t step, redist_checkpoint **checkpoint)
{
    return redist_checkpoint_create(MPI_Comm_f2c(comm), folder, step, checkpoint);
}

redist_err redist_fortran_checkpoint_open(MPI_Fint comm, const char *folder, int64_t step,
                                          redist_checkpoint **checkpoint)
{
    return redist_checkpoint_open(MPI_Comm_f2c(comm), folder, step, checkpoint);
}

redist_err redist_fortran_checkpoint_write(redist_checkpoint *checkpoint,
                                           const char *name, const redist_view *view,
                                           MPI_Fint type, const void *buffer)
{
    return redist_checkpoint_write(checkpoint, name, view, MPI_Type_f2c(type), buffer);
}

redist_err redist_fortran_checkpoint_read(redist_checkpoint *checkpoint, const char *name,
                                          const redist_view *view, MPI_Fint type,
                                          void *buffer)
{
    return redist_checkpoint_read(checkpoint, name, view, MPI_Type_f2c(type), buffer);
}

/* The sentence of the last call that failed, where that is the module's own. */
static _Thread_local char own[256];

/* Take a sentence for the last failure; none where the library has one. */
void redist_fortran_say(const char *sentence)
{
    (void)snprintf(own, sizeof own, "%s", sentence);
}

const char *redist_fortran_message(void) { return own[0] ? own : redist_error_message(); }

/* Hand the last failure to MPI's error handler, as MPI does with its own where ierror is
 * left out. Without MPI there is none. */
void redist_fortran_unhandled(void)
{
    int there = 0, gone = 0, class = 0, code = 0;
    char sentence[MPI_MAX_ERROR_STRING];
    MPI_Initialized(&there);
    MPI_Finalized(&gone);
    if (!there || gone) return;
    (void)snprintf(sentence, sizeof sentence, "redist: %s", redist_fortran_message());
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, sentence);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
}
