/* SPDX-License-Identifier: MIT
 *
 * base/nearest.h - which of the names that there are a misspelt word may stand for.
 *
 *   struct nearest nearest = {.word = "cyclc", .length = 5};
 *   nearest_offer(&nearest, "block");
 *   nearest_offer(&nearest, "cyclic");
 *   nearest_hint(&nearest, text)         " (did you mean cyclic?)"
 */
#ifndef REDIST_BASE_NEAREST_H
#define REDIST_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *word; /* what was given, borrowed; upper and lower case don't matter */
    size_t length;    /* its characters */
    const char *name; /* the nearest so far, borrowed; NULL: none is near */
    int distance;     /* of that */
};

/* Offer one of the names. A name is near if a third of the longer one's characters at
 * most are wrong, missing, too many or swapped with their neighbour, or if the word is
 * how it begins, at least three characters of it. Of equally near names the first counts.
 * O(length of the word * that of the name). */
void nearest_offer(struct nearest *nearest, const char *name);

/* A whole text as the word, without what stands in brackets behind it. */
struct nearest nearest_to(const char *text);

/* Write " (did you mean <name>?)", or nothing if no name is near. Returns `text`. */
enum { NEAREST_HINT_SIZE = 64 };
const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_HINT_SIZE]);

#endif
