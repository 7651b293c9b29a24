/* SPDX-License-Identifier: MIT */
#ifndef REDIST_TESTS_MODULE_H
#define REDIST_TESTS_MODULE_H

#include "peers/blacs.h"

/* Move a matrix, check it, and say whose routine did. Collective over MPI_COMM_WORLD. */
void move_columns_to_rows(c_gemr2d **called);

#endif
