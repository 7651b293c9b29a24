/* SPDX-License-Identifier: MIT
 *
 * tests/fuzz/common/views.h - views out of bytes, with numbers near the limits of 64
 * bits, and what holds of every view.
 */
#ifndef REDIST_TESTS_FUZZ_COMMON_VIEWS_H
#define REDIST_TESTS_FUZZ_COMMON_VIEWS_H

#include "describe/view.h"
#include "fuzz.h"

/* Check what a valid view is asked: its text is read as the same view; each process has
 * as many elements as it should, and each element is where its owner says. */
void views_check(const redist_view *view);

/* Check that a text is read as that view. */
void views_check_text(const char *text, const redist_view *view);

/* Draw a source and a target whose sections fit each other, over at most `most` processes
 * along a dimension. False if an argument was refused: then there is no dist. */
bool views_draw(struct bytes *in, int most, redist_view views[2]);
void views_free(redist_view views[2]);

/* Return about how many runs a process has along the dimensions, at most, and how many
 * messages; INT64_MAX if that is more than fits. */
int64_t views_runs(const redist_view views[2]);
int64_t views_messages(const redist_view views[2]);

#endif
