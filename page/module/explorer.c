/* SPDX-License-Identifier: MIT
 *
 * page/module/explorer.c - texts, the commands of the tool, and single elements.
 */
#include "explorer.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "intersect/overlap.h"
#include "tool/common/tool.h"

enum { MOST_WORDS = 32 };

struct explorer explorer;

static char *text;
static void *array;

const char *page_given(void) { return text; }

void *page_array(int64_t count, size_t size)
{
    mem_free(array);
    return array = mem_alloc(NULL, count, size);
}

/* Return room for a text of `bytes`, with its 0. */
PAGE_EXPORT("page_text") char *page_text(int bytes)
{
    mem_free(text);
    return text = mem_alloc(NULL, bytes, 1);
}

PAGE_EXPORT("page_message") const char *page_message(void)
{
    return redist_error_message();
}

/* Run a command of the tool, given as `words` words, each ended by a 0. Returns its exit
 * status. */
PAGE_EXPORT("page_command") int page_command(int words)
{
    static const struct command *const known[] = {&command_explain, &command_schedule,
                                                  &command_balance};
    char *argv[MOST_WORDS + 1] = {NULL}, *word = text;
    if (words < 1 || words > MOST_WORDS) return TOOL_USAGE;
    optind = 0; /* getopt begins anew */
    for (int k = 0; k < words; k++, word += strlen(word) + 1) argv[k] = word;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(argv[0], known[k]->name) != 0) continue;
        int status = known[k]->run(words, argv);
        (void)fflush(stdout);
        return status;
    }
    return TOOL_USAGE;
}

/* Read the text as the source or the target. */
PAGE_EXPORT("page_parse") redist_err page_parse(redist_side side)
{
    redist_dist *dist = NULL;
    redist_view view;
    TRY(redist_view_parse(text, &dist, &view));
    redist_dist_destroy(&explorer.dist[side]);
    explorer.dist[side] = dist;
    explorer.view[side] = view;
    return REDIST_OK;
}

PAGE_EXPORT("page_pair") redist_err page_pair(void)
{
    return overlap_check(&explorer.view[REDIST_SOURCE], &explorer.view[REDIST_TARGET]);
}

/* ---- the distributions as JSON ----------------------------------------------------- */

static void print_list(const char *name, int n, const int64_t numbers[])
{
    (void)printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++) (void)printf("%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
    (void)printf("]");
}

static void print_ints(const char *name, int n, const int numbers[])
{
    int64_t wide[REDIST_MAX_DIMS];
    for (int i = 0; i < n; i++) wide[i] = numbers[i];
    print_list(name, n, wide);
}

/* Print a side: its shape, section and grid. */
PAGE_EXPORT("page_describe") void page_describe(redist_side side)
{
    const redist_view *view = &explorer.view[side];
    const redist_dist *dist = view->dist;
    int64_t extents[REDIST_MAX_DIMS], blocks[REDIST_MAX_DIMS];
    int procs[REDIST_MAX_DIMS];
    for (int i = 0; i < dist->ndims; i++) {
        const struct dim *dim = &dist->dim[i];
        extents[i] = dim->extent;
        procs[i] = dim->procs;
        blocks[i] = dim_is_regular(dim) ? dim->m : 0;
    }
    (void)printf("{\"processes\": %" PRId64 ", \"replicas\": %" PRId64
                 ", \"most_rank\": %d",
                 dist->grid->size, dist->nreplicas, grid_max_rank(dist->grid));
    print_list("extents", dist->ndims, extents);
    print_list("start", dist->ndims, view->start);
    print_list("count", dist->ndims, view->extent);
    print_list("stride", dist->ndims, view->stride);
    print_ints("axes", dist->ndims, view->axes);
    print_ints("coordinates", dist->ndims, procs);
    print_list("blocks", dist->ndims, blocks); /* 0: irregular */
    (void)printf("}\n");
    (void)fflush(stdout);
}

/* ---- an element -------------------------------------------------------------------- */

/* Print the owner of an element of a side, its place there and in memory. */
static redist_err print_place(const redist_view *view, const int64_t index[])
{
    int64_t local[REDIST_MAX_DIMS];
    struct layout layout;
    int rank = 0, ndims = view->dist->ndims;
    TRY(redist_dist_owner(view->dist, index, &rank, local));
    TRY(view_layout(view, rank, &layout));
    int64_t place = layout.offset;
    for (int i = 0; i < ndims; i++) place += local[i] * layout.stride[i];
    (void)printf("{\"rank\": %d, \"place\": %" PRId64, rank, place);
    print_list("index", ndims, index);
    print_list("local", ndims, local);
    (void)printf("}");
    return REDIST_OK;
}

/* Find the element of the other side that is paired with `index`. Returns whether it is
 * in the section. */
static bool find_pair(redist_side side, const int64_t index[], int64_t other[])
{
    const redist_view *from = &explorer.view[side];
    const redist_view *to = &explorer.view[!side];
    for (int j = 0; j < from->dist->ndims; j++) {
        int i = from->axes[j], k = to->axes[j];
        int64_t away = index[i] - from->start[i];
        if (away < 0 || away % from->stride[i] != 0) return false;
        if (away / from->stride[i] >= from->extent[i]) return false;
        other[k] = to->start[k] + away / from->stride[i] * to->stride[k];
    }
    return true;
}

/* Print an element of a side, and the one that it is paired with. The views must be a
 * pair. */
PAGE_EXPORT("page_element")
redist_err page_element(redist_side side, const int64_t index[])
{
    int64_t other[REDIST_MAX_DIMS];
    (void)printf("{\"own\": ");
    redist_err err = print_place(&explorer.view[side], index);
    if (!err && find_pair(side, index, other)) {
        (void)printf(", \"other\": ");
        err = print_place(&explorer.view[!side], other);
    }
    (void)printf("}\n");
    (void)fflush(stdout);
    return err;
}
