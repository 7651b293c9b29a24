/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/probes.h - what is looked at. Each appends its findings.
 */
#ifndef REDIST_TOOL_DOCTOR_PROBES_H
#define REDIST_TOOL_DOCTOR_PROBES_H

#include <redist/redist.h>

#include "move/node/node.h"
#include "tool/doctor/finding.h"

/* The library's and MPI's versions, the modules, the codecs, threads, and the variables
 * of the environment that the library reads.
 * Local. */
void probe_build(struct findings *findings);

/* Processors, caches, pages, and limits.
 * Local. */
void probe_system(const struct node *node, struct findings *findings);

/* How many processes there are, on how many nodes, how they were started, and whether
 * they run the same versions.
 * Collective over comm. MPI. */
redist_err probe_processes(MPI_Comm comm, int nnodes, struct findings *findings);

/* Memory that the processes of a node share, and whether one reads another's.
 * Collective over comm. MPI. */
redist_err probe_node(MPI_Comm comm, const struct node *node, struct findings *findings);

#endif
