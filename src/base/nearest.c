/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer words and names are never near. */
enum { MOST = 32, LEAST_BEGINNING = 3 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same(char a, char b) { return lower(a) == lower(b); }

static int least(int a, int b) { return a < b ? a : b; }

/* Count the single changes from b[m] to a[n]: a character replaced, left out,
 * inserted, or swapped with its neighbour, no character changed twice (optimal string
 * alignment). */
static int distance(const char *a, size_t n, const char *b, size_t m)
{
    int d[MOST + 1][MOST + 1];
    for (size_t i = 0; i <= n; i++) d[i][0] = (int)i;
    for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            int replaced = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            int one_more = 1 + least(d[i - 1][j], d[i][j - 1]);
            d[i][j] = least(replaced, one_more);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t n = nearest->length, m = strlen(name), k = 0;
    if (n > MOST || m > MOST) return;
    while (k < n && k < m && same(nearest->word[k], name[k])) k++;
    bool begins = k == n && n >= LEAST_BEGINNING;
    int found = begins ? n < m : distance(nearest->word, n, name, m);
    if (!begins && 3 * (size_t)found > (n > m ? n : m)) return;
    if (nearest->name && nearest->distance <= found) return;
    nearest->name = name;
    nearest->distance = found;
}

struct nearest nearest_to(const char *text)
{
    return (struct nearest){.word = text, .length = strcspn(text, "(")};
}

const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_HINT_SIZE])
{
    text[0] = 0;
    if (nearest->name)
        (void)snprintf(text, NEAREST_HINT_SIZE, " (did you mean %s?)", nearest->name);
    return text;
}
