/* SPDX-License-Identifier: MIT
 *
 * tool/store/partial.h - an input of partial results, one for each replica of the source,
 * which `redist run --reduction` combines while moving them. Its sources:
 *
 *   synthetic   replica k has the global index of an element plus k
 *   one file    has an additional first dimension, of the replicas
 *   shards      of a distribution with as many replicas
 */
#ifndef REDIST_TOOL_STORE_PARTIAL_H
#define REDIST_TOOL_STORE_PARTIAL_H

#include <redist/redist.h>

#include "tool/store/elements.h"

/* Parse the name of an operation, one of MPI's in upper or lower case, or NULL: NONE.
 * ARG: the message lists them. */
redist_err partial_parse(const char *text, redist_reduction *reduction);
const char *partial_name(redist_reduction reduction);

/* Find the MPI datatype of the dtype `descr`, whose numbers can be combined. ARG. */
redist_err partial_type(const char *descr, MPI_Datatype *type);

/* Read each process's local array of `source`, from the input of its replica; compare the
 * target's section in `buffer` with the combination of all replicas, from left to right,
 * read again and combined by the tool itself.
 * Collective over comm. As elements_read and elements_check, with memory for two more
 * local arrays. */
redist_err partial_read(MPI_Comm comm, const struct input *input,
                        const redist_view *source, void *buffer,
                        struct progress *progress);
redist_err partial_check(MPI_Comm comm, const struct input *input,
                         redist_reduction reduction, const redist_view *source,
                         const redist_view *target, const void *buffer,
                         struct progress *progress);

#endif
