/* SPDX-License-Identifier: MIT
 *
 * bind/scalapack/matrix/report.h - a report on the routines called, which shows that the
 * drop-in is in place. With REDIST_SCALAPACK_REPORT=FILE in the environment each process
 * appends a line to that file when MPI_Finalize begins. Without it no file is written.
 *
 *   rank 0: pdgemr2d 12, pdtran 3; plans made 2, found 9, dropped 0, needless 4
 */
#ifndef REDIST_BIND_SCALAPACK_MATRIX_REPORT_H
#define REDIST_BIND_SCALAPACK_MATRIX_REPORT_H

/* The routines; each exists for all types or some. */
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

/* Print the name of a routine in capitals, as in error reports. Returns `name`. */
enum { ROUTINE_NAME_SIZE = 16 };
const char *routine_name(enum family family, int type, char name[ROUTINE_NAME_SIZE]);

/* Count a call, and the origin of its plan; NEEDLESS: without a plan, as data stay where
 * they are or are few; DROPPED: a plan that gave way to later ones. Local. */
enum plan_event { PLAN_MADE, PLAN_FOUND, PLAN_DROPPED, PLAN_NEEDLESS, PLAN_EVENTS };
void report_call(enum family family, int type);
void report_plan(enum plan_event event);

/* Report on standard error that the environment asks for something unavailable, and that
 * the library chooses; the first time only. */
void report_complaint(const char *what);

/* Write the line, if requested. */
void report_write(void);

#endif
