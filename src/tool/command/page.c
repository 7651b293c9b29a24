/* SPDX-License-Identifier: MIT
 *
 * tool/command/page.c - `redist page`: write the explorer, a page for a browser.
 *
 * The build defines the places of the page: REDIST_PAGE_FROM_TOOL, relative to the folder
 * of the installed tool, and REDIST_PAGE_INSTALLED, absolute.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "files/format/window.h"
#include "intersect/overlap.h"
#include "tool/common/arguments.h"
#include "tool/common/specs.h"
#include "tool/common/tool.h"
#include "tool/picture/picture.h"

static const char *output = "redist.html";

static const struct argument option_table[] = {
    {"output", "FILE",
     "into this file, redist.html by default; to stdout where FILE is -;\n"
     "-o FILE is the same",
     .letter = 'o', .text = &output},
    {.name = NULL}};

/* Where the page has its first texts, as JSON. */
static const char mark[] = "id=\"preset\">{}";
enum { MARK = sizeof mark - sizeof "{}" }; /* bytes of it that stay */

struct page {
    char *text; /* as installed */
    int64_t size;
    struct specs specs; /* the first texts, if any; else those of the page */
};

/* ---- the installed page ------------------------------------------------------------ */

/* Read the page beside the installed tool, in the tree of the build, or where it was to
 * be installed. */
static redist_err read_page(struct page *page)
{
    static const char *const beside[] = {REDIST_PAGE_FROM_TOOL, "../page/explorer.html"};
    char own[PATH_MAX], path[PATH_MAX + sizeof REDIST_PAGE_FROM_TOOL + 32];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    const char *slash = strrchr(own, '/');
    for (size_t k = 0; slash && k < sizeof beside / sizeof *beside; k++) {
        (void)snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own), own, beside[k]);
        if (access(path, R_OK) == 0)
            return window_read_all(path, INT64_MAX, &page->text, &page->size);
    }
    if (access(REDIST_PAGE_INSTALLED, R_OK) == 0)
        return window_read_all(REDIST_PAGE_INSTALLED, INT64_MAX, &page->text,
                               &page->size);
    return error_set(REDIST_ERR_IO,
                     "the explorer is not installed: there is no %s; this build may have "
                     "been made without it (REDIST_PAGE)",
                     REDIST_PAGE_INSTALLED);
}

/* ---- the copy ---------------------------------------------------------------------- */

/* Read both texts, and check that they are a pair. */
static redist_err read_specs(const char *const given[2], struct page *page)
{
    struct specs *specs = &page->specs;
    TRY(specs_read(given, specs));
    return overlap_check(&specs->view[0], &specs->view[1]);
}

static redist_err write_page(FILE *out, void *what)
{
    const struct page *page = what;
    const char *place = strstr(page->text, mark);
    if (!place)
        return error_set(REDIST_ERR_IO, "the installed explorer has no place for texts");
    size_t before = (size_t)(place - page->text) + MARK;
    (void)fwrite(page->text, 1, before, out);
    if (page->specs.text[0]) {
        (void)fputs("{\"source\": ", out);
        tool_print_json_string(out, page->specs.text[0]);
        (void)fputs(", \"target\": ", out);
        tool_print_json_string(out, page->specs.text[1]);
        (void)fputs("}", out);
        before += strlen("{}");
    }
    (void)fwrite(page->text + before, 1, (size_t)page->size - before, out);
    return REDIST_OK;
}

static int tool_page(int argc, char **argv)
{
    const char *specs[2];
    int status = arguments_take(argc, argv, true, &command_page, specs);
    if (status) return status;
    struct page page = {.text = NULL};
    redist_err err = specs[0] ? read_specs(specs, &page) : REDIST_OK;
    if (!err) err = read_page(&page);
    if (!err) err = picture_write(output, write_page, &page);
    mem_free(page.text);
    specs_free(&page.specs);
    return err ? tool_fail_last() : TOOL_OK;
}

const struct command command_page = {
    .name = "page",
    .arguments = "[SOURCE TARGET]",
    .nwords = -2,
    .summary = "write the explorer, a page for a browser",
    .options = option_table,
    .notes =
        "SOURCE and TARGET are texts of distributions, such as '[240] (cyclic(3)) onto "
        "16',\n"
        "or @FILE: the text is in the file. The page begins with them. It needs no "
        "network.\n",
    .run = tool_page};
