/* SPDX-License-Identifier: MIT
 *
 * mpi_doze.c - preloaded into MPI programs that run more processes than there are
 * cores.
 *
 * An MPI process waits by polling. Open MPI yields the core between two polls if told
 * to, MPICH over UCX has no such setting; and where others compute too, one who yields
 * is soon back before the one who has the work. Here whoever polls in vain falls
 * asleep for an instant.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Linux adds 50 us; were it less, the sleeper would be back before others run. The more
 * processes share the cores, the longer one waits, and the less often it should look. */
static void doze(void)
{
    enum { EACH = 10000, MOST = 1000000 }; /* ns */
    static long nap;
    if (nap == 0) {
        const char *of_open_mpi = getenv("OMPI_COMM_WORLD_SIZE");
        const char *of_mpich = getenv("PMI_SIZE");
        const char *size = of_open_mpi ? of_open_mpi : of_mpich ? of_mpich : "1";
        nap = EACH * atol(size);
        nap = nap < EACH ? EACH : nap > MOST ? MOST : nap;
    }
    struct timespec instant = {0, nap};
    (void)nanosleep(&instant, NULL);
}

/* Open MPI calls this between two polls. */
int sched_yield(void)
{
    doze();
    return 0;
}

/* MPICH polls with this, and with other things beside, so that to find nothing here is no
 * proof of waiting: it is when it happens often. */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    enum { OFTEN = 100 };
    static unsigned (*poll)(void *);
    static unsigned in_vain;
    if (!poll) *(void **)&poll = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = poll(worker);
    if (events == 0 && ++in_vain % OFTEN == 0) doze();
    return events;
}
