/* SPDX-License-Identifier: MIT
 *
 * tool/doctor/build.c - versions, modules, codecs, threads, environment.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/codec/codec.h"
#include "files/store/hdf5.h"
#include "move/device/module.h"
#include "move/kernel/threads.h"
#include "tool/doctor/probes.h"

/* The MPI of the build's headers, and others that have its binary interface. */
#ifdef OPEN_MPI
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
static const char *const built_family[] = {"Open MPI", "Spectrum MPI", NULL};
static const char built_version[] =
    TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION);
#elif defined MPICH_VERSION
static const char *const built_family[] = {"MPICH", "MVAPICH", "Intel(R) MPI", NULL};
static const char built_version[] = MPICH_VERSION;
#else
static const char *const built_family[] = {"", NULL};
static const char built_version[] = "";
#endif

/* Compare the MPI that runs with the headers that the library was built with. */
static void probe_mpi(struct findings *findings)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0, major = 0, minor = 0;
    (void)MPI_Get_library_version(library, &length);
    (void)MPI_Get_version(&major, &minor);
    library[strcspn(library, ",\n")] = 0;
    for (char *c = library; *c; c++) *c = *c == '\t' ? ' ' : *c;
    struct finding *finding =
        finding_add(findings, "MPI", "%s, standard %d.%d", library, major, minor);
    const char *const *family = built_family;
    while (*family && !strstr(library, *family)) family++;
    if (!*family)
        finding_advise(finding, FINDING_PROBLEM,
                       "The build is for %s %s. Build redist with the MPI that runs.",
                       *built_family, built_version);
    else if (!strstr(library, built_version))
        finding_advise(finding, FINDING_NOTE, "The build is for %s %s.", *built_family,
                       built_version);
    if (major < 3 || (major == 3 && minor < 1))
        finding_advise(finding, FINDING_PROBLEM, "redist needs MPI 3.1 or later.");
}

/* Count CUDA's devices, and name the first. */
static int find_devices(void *cuda, char name[], int size)
{
    int (*init)(unsigned) = NULL, (*count)(int *) = NULL,
        (*text)(char *, int, int) = NULL;
    void *found[] = {dlsym(cuda, "cuInit"), dlsym(cuda, "cuDeviceGetCount"),
                     dlsym(cuda, "cuDeviceGetName")};
    int devices = 0;
    if (!found[0] || !found[1] || !found[2]) return 0;
    memcpy(&init, &found[0], sizeof init);
    memcpy(&count, &found[1], sizeof count);
    memcpy(&text, &found[2], sizeof text);
    if (init(0) || count(&devices) || devices == 0 || text(name, size, 0)) return 0;
    return devices;
}

static void probe_cuda(struct findings *findings)
{
    char name[100] = "";
    void *cuda = dlopen("libcuda.so.1", RTLD_LAZY);
    if (!cuda) {
        (void)finding_add(findings, "CUDA", "no driver here");
        return;
    }
    int devices = find_devices(cuda, name, sizeof name);
    module_find();
    const char *missing = module_missing();
    struct finding *finding;
    if (devices == 0)
        finding = finding_add(findings, "CUDA", "no device%s", missing ? "" : ", module");
    else
        finding = finding_add(findings, "CUDA", "%d device%s, %s%s", devices,
                              devices > 1 ? "s" : "", name, missing ? "" : ", module");
    if (missing)
        finding_advise(finding, devices > 0 ? FINDING_PROBLEM : FINDING_NOTE,
                       "Arrays in device memory are refused: %.150s", missing);
}

static void probe_hdf5(struct findings *findings)
{
    const char *named = secure_getenv("REDIST_HDF5_MODULE");
    if (hdf5_load("HDF5") == REDIST_OK) {
        (void)finding_add(findings, "HDF5", "module");
        return;
    }
    struct finding *finding = finding_add(findings, "HDF5", "no module");
    finding_advise(finding, named && *named ? FINDING_PROBLEM : FINDING_NOTE,
                   "Files of HDF5 are refused: %.180s", redist_error_message());
}

static void probe_codecs(struct findings *findings)
{
    char there[100] = "", missing[100] = "";
    for (size_t k = 0; codec_kinds[k]; k++) {
        char *list = codec_kinds[k]->encode ? there : missing;
        size_t length = strlen(list);
        (void)snprintf(list + length, sizeof there - length, "%s%s", length ? ", " : "",
                       codec_kinds[k]->name);
    }
    struct finding *finding = finding_add(findings, "codecs", "%s", there);
    if (*missing)
        finding_advise(finding, FINDING_NOTE,
                       "Without %s: chunks compressed so are refused. Install the "
                       "library and build redist again.",
                       missing);
}

/* The variables that the library reads, but for those of ScaLAPACK's routines. */
static const char *const variables[] = {
    "REDIST_STRATEGY", "REDIST_RATES",      "REDIST_CORES",   "REDIST_NODE_SIZE",
    "REDIST_KERNELS",  "REDIST_PAGES",      "REDIST_THREADS", "REDIST_CUDA_MODULE",
    "REDIST_LOG",      "REDIST_HDF5_MODULE"};

static void probe_environment(struct findings *findings)
{
    char list[sizeof findings->list->value] = "";
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++) {
        const char *value = secure_getenv(variables[k]);
        size_t length = strlen(list);
        if (value)
            (void)snprintf(list + length, sizeof list - length, "%s%s=%s",
                           length ? ", " : "", variables[k], value);
    }
    struct finding *finding = finding_add(findings, "environment", "%s",
                                          *list ? list : "no variable that redist reads");
    const char *strategy = secure_getenv(variables[0]);
    if (strategy && *strategy)
        finding_advise(finding, FINDING_NOTE,
                       "REDIST_STRATEGY replaces the strategy of every plan.");
}

void probe_build(struct findings *findings)
{
    (void)finding_add(findings, "redist", "%s", REDIST_VERSION);
    probe_mpi(findings);
    probe_cuda(findings);
    probe_hdf5(findings);
    probe_codecs(findings);
#ifdef REDIST_OPENMP
    int threads = threads_for(INT64_MAX);
    (void)finding_add(findings, "OpenMP", "%d thread%s for large copies", threads,
                      threads > 1 ? "s" : "");
#else
    (void)finding_add(findings, "OpenMP", "not built in");
#endif
    probe_environment(findings);
}
