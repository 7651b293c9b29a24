/* SPDX-License-Identifier: MIT
 *
 * The text of distributions and views. What is accepted is printed, and read again: it is
 * the same; and so it is in the other case of letters.
 */
#include "fuzz.h"
#include "views.h"

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    redist_dist *dist = NULL;
    redist_view view;
    fuzz_clear();
    redist_err err = redist_view_parse(text, &dist, &view);
    if (err) {
        fuzz_refused(err, "column ");
        CHECK(!dist);
    } else {
        char *other = fuzz_other_case(text);
        views_check_text(other, &view);
        views_check(&view);
        free(other);
        redist_dist_destroy(&dist);
    }
    err = redist_dist_parse(text, &dist);
    if (err) fuzz_refused(err, "column ");
    redist_dist_destroy(&dist);
    free(text);
}
