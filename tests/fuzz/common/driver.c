/* SPDX-License-Identifier: MIT
 *
 * tests/fuzz/common/driver.c - where there is no libFuzzer: call a target for each file
 * of the folder that the first argument names, and for no bytes at all.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { MOST = 1 << 20 }; /* bytes of a file */

static void run(const char *folder, const char *name)
{
    char path[4096];
    static uint8_t buffer[MOST];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t size = fread(buffer, 1, sizeof buffer, file);
    CHECK(feof(file) && !fclose(file));
    (void)fprintf(stderr, "%s\n", name); /* the last one is the culprit */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    CHECK(exact);
    memcpy(exact, buffer, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    DIR *folder = opendir(argv[1]);
    int files = 0;
    CHECK(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        run(argv[1], entry->d_name);
        files++;
    }
    CHECK(!closedir(folder));
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    CHECK(files > 0);
    printf("PASS: %d files\n", files);
    return 0;
}
