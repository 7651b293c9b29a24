/* SPDX-License-Identifier: MIT
 *
 * The variables of the environment that are parsed: a first byte chooses one, and the
 * rest is its text.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"

#include "move/kernel/machine.h"
#include "move/kernel/threads.h"
#include "move/node/node.h"
#include "plan/choice/rates.h"
#include "plan/choice/strategy.h"
#include "tool/common/terminal.h"

static void try_rates(const char *text)
{
    enum { RANKS = 1 << 20 };
    struct rates rates;
    fuzz_clear();
    redist_err err = rates_read(text, RANKS, &rates);
    if (err) {
        fuzz_refused(err, "REDIST_RATES is ");
        return;
    }
    CHECK(rates.stated && rates.fairness >= 0 && rates.fairness <= 1);
    for (int k = 0; k < EFFORT_TERMS; k++)
        CHECK(rates.seconds[k] >= 0 && isfinite(rates.seconds[k]));
}

static void try_strategy(const char *text)
{
    struct strategy strategy, again;
    const char *origin = NULL;
    CHECK(setenv("REDIST_STRATEGY", text, 1) == 0);
    fuzz_clear();
    redist_err err = strategy_take(NULL, true, &strategy, &origin);
    if (err) {
        fuzz_refused(err, "REDIST_STRATEGY: ");
    } else {
        CHECK(origin);
        GOOD(strategy_parse(strategy.text, &again));
        CHECK(strcmp(again.text, strategy.text) == 0);
        CHECK(again.schedule == strategy.schedule && again.exchange == strategy.exchange);
        CHECK(again.seed == strategy.seed && again.parameter == strategy.parameter);
    }
    CHECK(unsetenv("REDIST_STRATEGY") == 0);
}

static void try_node_size(const char *text)
{
    struct node node;
    int width = 0;
    CHECK(setenv("REDIST_NODE_SIZE", text, 1) == 0);
    GOOD(node_make(MPI_COMM_SELF, &node));
    CHECK(node.rank == 0 && node.nranks == 1);
    node_free(&node);
    GOOD(node_width(MPI_COMM_SELF, &width));
    CHECK(width == 1);
    CHECK(unsetenv("REDIST_NODE_SIZE") == 0);
}

static void try_threads(const char *variable, const char *text)
{
    CHECK(setenv(variable, text, 1) == 0);
    CHECK(threads_for(1) == 1);
    CHECK(threads_for((int64_t)8 << 20) >= 1 && threads_for(INT64_MAX) >= 1);
    CHECK(unsetenv(variable) == 0);
}

static void try_kernels(const char *text)
{
    CHECK(setenv("REDIST_KERNELS", text, 1) == 0);
    machine_forget();
    CHECK(machine_here() < MACHINES);
    CHECK(unsetenv("REDIST_KERNELS") == 0);
    machine_forget();
}

static void try_terminal(const char *text)
{
    struct terminal terminal;
    CHECK(setenv("COLUMNS", text, 1) == 0 && setenv("COLORTERM", text, 1) == 0);
    int columns = terminal_columns();
    CHECK(columns == 0 || (columns >= 40 && columns <= 400));
    GOOD(terminal_find("always", &terminal));
    CHECK(terminal.columns >= 40 && terminal.columns <= 400);
    fuzz_clear();
    redist_err err = terminal_find(text, &terminal);
    if (err) fuzz_refused(err, "--color is ");
    CHECK(unsetenv("COLUMNS") == 0 && unsetenv("COLORTERM") == 0);
}

__attribute__((constructor)) static void begin(void) { fuzz_mpi(); }

void fuzz_one(const uint8_t *data, size_t size)
{
    struct bytes in = {data, data + size};
    int which = take_byte(&in);
    char *text = fuzz_text(in.next, (size_t)(in.end - in.next));
    switch (which) {
        case 0: try_node_size(text); break;
        case 1: try_threads("REDIST_THREADS", text); break;
        case 2: try_threads("OMP_NUM_THREADS", text); break;
        case 3: try_kernels(text); break;
        case 4: try_terminal(text); break;
        default: (which % 2 ? try_rates : try_strategy)(text); break;
    }
    free(text);
}
