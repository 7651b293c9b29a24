/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/report.h - which routines were called, for those who want to see
 * that the drop-in is in place: with REDIST_SCALAPACK_REPORT=FILE in the environment each
 * process adds a line to that file as MPI_Finalize begins. Without it no file is written.
 *
 *   rank 0: pdgemr2d 12, pdtran 3; plans made 2, found 9, needless 4
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_REPORT_H
#define REDIST_BIND_SCALAPACK_MATRIX_REPORT_H

/* What routines there are of each type, or of some. */
enum family {
    FAMILY_GEMR2D,
    FAMILY_TRMR2D,
    FAMILY_GEADD,
    FAMILY_TRADD,
    FAMILY_TRAN,
    FAMILY_TRANU,
    FAMILY_TRANC,
    FAMILIES
};

/* The name of a routine in capitals, as reports of errors have it. Returns `name`. */
enum { ROUTINE_NAME_SIZE = 16 };
const char *routine_name(enum family family, int type, char name[ROUTINE_NAME_SIZE]);

/* Count a call; how it came to its plan, or that it went without, as what it moves stays
 * where it is or is little. Local. */
enum plan_origin { PLAN_MADE, PLAN_FOUND, PLAN_NEEDLESS, PLAN_ORIGINS };
void report_call(enum family family, int type);
void report_plan(enum plan_origin origin);

/* Say on standard error that the environment asks for what is not to be had, and that
 * the library chooses; the first time only. */
void report_complaint(const char *what);

/* Write the line, if one is wanted. */
void report_write(void);

#endif
