/* SPDX-License-Identifier: MIT */
#include "plan/choice/rates.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"
#include "plan/comm/keyval.h"

static struct rates assume(double alpha, double latency, double beta, double gamma,
                           int nranks)
{
    int levels = 0;
    for (int64_t reached = 1; reached < nranks; reached *= 2) levels++;
    return (struct rates){
        .seconds[EFFORT_STARTUPS] = alpha,
        .seconds[EFFORT_HANDSHAKES] = 0,
        .seconds[EFFORT_WAITS] = latency,
        .seconds[EFFORT_WIRE] = beta,
        .seconds[EFFORT_PACKING] = gamma,
        .seconds[EFFORT_SPILL] = gamma / 2,
        .seconds[EFFORT_CALLS] = alpha * nranks,
        .seconds[EFFORT_VOTES] = (alpha + latency) * levels,
        .seconds[EFFORT_BLOCKS] = 128 * gamma,
        .seconds[EFFORT_TYPED] = gamma,
        .seconds[EFFORT_GETS] = beta,
        .seconds[EFFORT_FLAGS] = alpha / 10,
        .seconds[EFFORT_RINGS] = 2 * gamma,
    };
}

struct rates rates_assume(double alpha, double beta, double gamma, int nranks)
{
    return assume(alpha, alpha, beta, gamma, nranks);
}

struct rates rates_default(int nranks)
{
    return rates_assume(2e-6, 1e-10, 1e-10, nranks);
}

/* ---- the environment --------------------------------------------------------------- */

static const char variable[] = "REDIST_RATES";

/* Return the variable's text, or NULL. */
static const char *stated(void)
{
    const char *text = secure_getenv(variable);
    return text && *text ? text : NULL;
}

/* Return a number that must be the same on all processes. */
static int64_t stated_digest(void)
{
    uint64_t hash = HASH_START;
    for (const char *c = stated(); c && *c; c++) hash = hash_int(hash, *c);
    return (int64_t)hash;
}

enum { LEAST = 3, MOST = 5 };

/* Read up to MOST numbers with points, not commas, whatever the locale. Returns how many,
 * and the end of the last. */
static int read_numbers(const char *text, double n[MOST], int *end)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t current = plain ? uselocale(plain) : (locale_t)0;
    int given = sscanf(text, "%lf,%lf,%lf%n,%lf%n,%lf%n", &n[0], &n[1], &n[2], end, &n[3],
                       end, &n[4], end);
    if (plain) (void)uselocale(current), freelocale(plain);
    return given;
}

redist_err rates_read(const char *text, int nranks, struct rates *rates)
{
    static const double LONGEST = 1e9;
    double n[MOST] = {0};
    int end = 0, given = read_numbers(text, n, &end);
    bool good = given >= LEAST && text[end] == '\0' && n[4] <= 1;
    /* with more, sums of what it takes would not be finite; of a NaN nothing holds */
    for (int k = 0; k < MOST; k++) good = good && n[k] >= 0 && n[k] <= LONGEST;
    *rates = assume(n[0], given > 3 ? n[3] : n[0], n[1], n[2], nranks);
    if (given > 4) rates->fairness = n[4];
    rates->stated = true;
    if (good) return REDIST_OK;
    return error_arg(
        "%s is \"%.60s\", must be the seconds of a startup, of a byte sent and of "
        "a byte packed, as 2e-6,1e-10,1e-10, and maybe of a latency, each at most 1e9, "
        "and then a fairness of links from 0 to 1",
        variable, text);
}

/* ---- the attribute ----------------------------------------------------------------- */

static atomic_llong measured;

int64_t rates_measured(void) { return atomic_load(&measured); }

static int forget_site(MPI_Comm comm, int keyval, void *site, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    mem_free(site);
    return MPI_SUCCESS;
}

static redist_err make_keyval(int *keyval)
{
    return mpi_call(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_site, keyval, NULL));
}

static struct keyval sites = {MPI_KEYVAL_INVALID, make_keyval, MPI_Comm_free_keyval};

/* ---- the site ---------------------------------------------------------------------- */

bool site_is_near(const struct site *site, int rank)
{
    int lo = 0, hi = site->nnear;
    while (hi - lo > 1) {
        int middle = lo + (hi - lo) / 2;
        if (site->near[middle] <= rank)
            lo = middle;
        else
            hi = middle;
    }
    return site->near[lo] == rank;
}

/* Find the node and measure: make a site. */
static redist_err look_round(MPI_Comm comm, struct site **site)
{
    static const char *const name[] = {variable};
    const char *text = stated();
    int64_t digest = stated_digest();
    int nranks = 0;
    TRY(mpi_call(MPI_Comm_size(comm, &nranks)));
    struct node node;
    redist_err err = node_make(comm, &node);
    if (!err) {
        *site = mem_alloc(NULL, 1, sizeof **site + (size_t)node.nranks * sizeof(int));
        err = *site ? node_list(&node, comm, (*site)->near) : REDIST_ERR_MEMORY;
    }
    if (!err) (*site)->rates = rates_default(nranks);
    if (!err && text) err = rates_read(text, nranks, &(*site)->rates);
    err = agree_equal(comm, err, 1, &digest, name);
    if (!err) err = node_width(comm, &(*site)->width);
    if (!err) {
        (*site)->nnear = node.nranks;
        if (!text && nranks > 1) err = rates_measure(comm, &node, &(*site)->rates);
    }
    node_free(&node);
    return err;
}

/* Find a site, and keep it. All processes do, or none: else only some would measure the
 * next time. */
static redist_err find_and_keep(MPI_Comm user, MPI_Comm own, int keyval,
                                struct site **site)
{
    TRY(look_round(own, site));
    redist_err err = mpi_call(MPI_Comm_set_attr(user, keyval, *site));
    redist_err common = agree(own, err);
    if (common && !err) {
        (void)MPI_Comm_delete_attr(user, keyval);
        *site = NULL;
    }
    return common;
}

static redist_err find_kept(MPI_Comm user, int keyval, struct site **site)
{
    int found = 0;
    TRY(mpi_call(MPI_Comm_get_attr(user, keyval, (void *)site, &found)));
    if (!found) *site = NULL;
    return REDIST_OK;
}

redist_err site_known(MPI_Comm user, const struct site **site)
{
    struct site *kept = NULL;
    int keyval = atomic_load(&sites.key);
    if (keyval != MPI_KEYVAL_INVALID) TRY(find_kept(user, keyval, &kept));
    *site = kept;
    return REDIST_OK;
}

redist_err site_find(MPI_Comm user, MPI_Comm own, const struct site **site)
{
    int keyval = MPI_KEYVAL_INVALID;
    struct site *kept = NULL;
    TRY(keyval_find(&sites, &keyval));
    TRY(find_kept(user, keyval, &kept));
    if (!kept) {
        (void)atomic_fetch_add(&measured, 1);
        redist_err err = find_and_keep(user, own, keyval, &kept);
        if (err) mem_free(kept);
        TRY(err);
    }
    *site = kept;
    return REDIST_OK;
}
