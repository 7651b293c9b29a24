/* SPDX-License-Identifier: MIT
 *
 * The tool's synthetic arrays: what is filled in passes the check, and a single wrong
 * byte of any element does not, whatever the size of the elements.
 */
#include "mpi/check.h"
#include "tool/store/elements.h"

static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 16, 21};

static redist_err check(struct input *input, const redist_view *view, const void *buffer)
{
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    return elements_check(MPI_COMM_WORLD, input, view, view, buffer, &quiet);
}

static void each_wrong_byte_is_found(int64_t size)
{
    int rank = world_rank(), nranks = world_size();
    char spec[64];
    (void)snprintf(spec, sizeof spec, "[23,5] (cyclic(2),*) onto %d", nranks);
    redist_dist *dist = NULL;
    redist_view view;
    struct input input;
    CHECK_OK(redist_view_parse(spec, &dist, &view));
    CHECK_OK(input_synthetic(dist, size, &input));
    int64_t span = 0;
    CHECK_OK(redist_view_span(&view, rank, &span));
    char *buffer = calloc((size_t)(span * size), 1);
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    CHECK_OK(elements_read(MPI_COMM_WORLD, &input, &view, buffer, &quiet));
    CHECK_OK(check(&input, &view, buffer));
    /* The last process that holds anything has the last element's every byte wrong once.
     */
    int last = 22 / 2 % nranks;
    for (int64_t k = 0; k < size; k++) {
        char *byte = buffer + (span - 1) * size + k;
        if (rank == last) *byte ^= 1;
        CHECK(check(&input, &view, buffer) == REDIST_ERR_STATE,
              "byte %" PRId64 " of %" PRId64, k, size);
        CHECK(strstr(redist_error_message(), "1 elements differ, the first at [22,4]"),
              "expected this sentence");
        if (rank == last) *byte ^= 1;
    }
    CHECK_OK(check(&input, &view, buffer));
    free(buffer);
    input_free(&input);
    redist_dist_destroy(&dist);
}

/* Of two bytes there are 65536 values: elements that far apart must differ all the same.
 */
static void elements_far_apart_differ(void)
{
    redist_dist *dist = NULL;
    redist_view view;
    struct input input;
    CHECK_OK(redist_view_parse("[131072] (*) onto 1", &dist, &view));
    CHECK_OK(input_synthetic(dist, 2, &input));
    uint16_t *buffer = calloc(131072, sizeof *buffer);
    struct progress quiet = progress_begin("", 0, PROGRESS_NEVER);
    CHECK_OK(elements_read(MPI_COMM_WORLD, &input, &view, buffer, &quiet));
    for (int i = 0; i < 65536 && world_rank() == 0; i++)
        CHECK(buffer[i] != buffer[i + 65536], "%d", i);
    free(buffer);
    input_free(&input);
    redist_dist_destroy(&dist);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        each_wrong_byte_is_found(sizes[k]);
    elements_far_apart_differ();
    return passed("synthetic arrays");
}
