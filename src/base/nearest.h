/* SPDX-License-Identifier: MIT
 *
 * base/nearest.h - the known name that a misspelt word most likely stands for.
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
    const char *word; /* the given word, borrowed; case does not matter */
    size_t length;    /* its characters */
    const char *name; /* the nearest name so far, borrowed; NULL: none */
    int distance;     /* distance of that name */
};

/* Offer a name. A name is near if at most a third of the longer one's characters are
 * wrong, missing, extra or swapped with a neighbour, or if it begins with the word, of at
 * least three characters. Of equally near names the first counts.
 * O(length of the word * length of the name). */
void nearest_offer(struct nearest *nearest, const char *name);

/* Begin with a text as the word, without a number in parentheses after it. */
struct nearest nearest_to(const char *text);

/* Write " (did you mean <name>?)", or nothing if no name is near. Returns `text`. */
enum { NEAREST_HINT_SIZE = 64 };
const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_HINT_SIZE]);

#endif
