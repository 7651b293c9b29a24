/* SPDX-License-Identifier: MIT
 *
 * Run a program with less than it is used to.
 *
 *   under LIMIT.. -- PROGRAM [ARGUMENT..]
 *
 *   fsize=N   no file longer than N bytes, as on a full disk
 *   as=N      N bytes of address space
 *   nofile=N  N open files
 *   cpu=1     one CPU, the first that is allowed
 *   no=vm     a kernel that forbids to read and write another process's memory, as
 *             containers do, and to count events
 *   no=memfd  one that has no unnamed files
 *   no=huge   one that takes no advice on memory, as without huge pages
 *   no=fallocate, no=flock   a file system that can't reserve, or lock
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 3 };

static const struct {
    const char *name;
    int error, n, call[MOST];
} forbidden[] = {
    {"vm", EPERM, 3, {SYS_process_vm_readv, SYS_process_vm_writev, SYS_perf_event_open}},
    {"huge", EINVAL, 1, {SYS_madvise}},
    {"memfd", ENOSYS, 1, {SYS_memfd_create}},
    {"fallocate", EOPNOTSUPP, 1, {SYS_fallocate}},
    {"flock", ENOLCK, 1, {SYS_flock}},
};

static int fail(const char *what)
{
    perror(what);
    return -1;
}

/* Let each of these calls fail, and all others pass. */
static int forbid(const char *name)
{
    size_t k = 0, n = sizeof forbidden / sizeof *forbidden;
    while (k < n && strcmp(forbidden[k].name, name) != 0) k++;
    if (k == n) return fail(name);
    struct sock_filter code[2 * MOST + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 1;
    for (int i = 0; i < forbidden[k].n; i++) {
        code[length++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden[k].call[i], 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)forbidden[k].error);
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return fail("no new privileges");
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? fail("seccomp") : 0;
}

static int limit(unsigned resource, const char *text)
{
    struct rlimit limits;
    limits.rlim_cur = limits.rlim_max = strtoull(text, NULL, 10);
    return setrlimit(resource, &limits) ? fail("setrlimit") : 0;
}

static int take_one_cpu(void)
{
    cpu_set_t allowed, one;
    size_t cpu = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return fail("affinity");
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) ? fail("affinity") : 0;
}

static int take(const char *text)
{
    if (strncmp(text, "fsize=", 6) == 0) return limit(RLIMIT_FSIZE, text + 6);
    if (strncmp(text, "as=", 3) == 0) return limit(RLIMIT_AS, text + 3);
    if (strncmp(text, "nofile=", 7) == 0) return limit(RLIMIT_NOFILE, text + 7);
    if (strcmp(text, "cpu=1") == 0) return take_one_cpu();
    if (strncmp(text, "no=", 3) == 0) return forbid(text + 3);
    return fail(text);
}

int main(int argc, char **argv)
{
    int k = 1;
    for (; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (take(argv[k])) return 99;
    if (k + 1 >= argc) return 99;
    (void)execv(argv[k + 1], argv + k + 1);
    return fail(argv[k + 1]);
}
