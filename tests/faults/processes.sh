# SPDX-License-Identifier: MIT
#
# What scripts have in common that kill and stop processes: each reads this first, and it
# reads checks.sh. Where the system allows it the script goes on in namespaces of its own: in
# an empty /dev/shm, where nothing but these processes is seen, and with root's rights over it.
#
#   REDIST_TEST_ALONE=yes|no    whether it is in such a namespace
if [ -z "${REDIST_TEST_ALONE:-}" ]; then
    map=-r
    [ "$(id -u)" -ne 0 ] || map= # root needs no mapping, which would hide other users
    # shellcheck disable=SC2016,SC2086 # the inner shell expands; no word where there is none
    if unshare $map -mpf --kill-child --mount-proc true 2>/dev/null; then
        exec unshare $map -mpf --kill-child --mount-proc bash -c \
            'mount -t tmpfs none /dev/shm && export REDIST_TEST_ALONE=yes
             bash "$@"' - "$0" "$@"
    fi
    export REDIST_TEST_ALONE=no
    echo 'skipped: what is left in /dev/shm, and by which processes: no namespaces here'
fi
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
mpiexec=${REDIST_MPIEXEC:?what runs a program with -n processes}
cd "$scratch" || exit 1
mkdir tmp
export TMPDIR=$scratch/tmp
seed=${REDIST_TEST_SEED:-20260725}
echo "REDIST_TEST_SEED=$seed"
RANDOM=$((seed % 32768))

# moments FEW  - how many there are: 200 in a long run.
moments() {
    if [ -n "${REDIST_TEST_LONG:-}" ]; then echo 200; else echo "$1"; fi
}

# below N  - draw a number in 0 .. N - 1.
below() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); }

# milliseconds N  - wait, without a process that sleeps. Nothing is ever written there.
exec {silent}<> <(:)
milliseconds() {
    local k
    printf -v k '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
    read -rt "$k" -u "$silent"
}

# begin COMMAND..  - run a job. Its processes are known by a word of their environment.
jobs=0
begin() {
    jobs=$((jobs + 1))
    mark=REDIST_TEST_JOB=$$.$jobs
    env "$mark" "$@" >stdout 2>stderr &
    launcher=$!
    until [ -n "$(members)" ] || ! kill -0 "$launcher" 2>/dev/null; do milliseconds 1; done
}

# members  - the processes of the job that have not ended.
members() { grep -lsaF "$mark" /proc/[0-9]*/environ | tr -dc '0-9\n'; }

# ranks PROGRAM  - those of the job that run this program.
ranks() {
    local pid
    for pid in $(members); do
        if [ "/proc/$pid/exe" -ef "$1" ]; then echo "$pid"; fi
    done
}

# rank_of PID  - its rank, as its launcher told it.
rank_of() {
    tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" |
        sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p' | head -n 1
}

# eventually COMMAND..  - wait until it holds, 10 seconds at most.
eventually() {
    local k
    for k in $(seq 200); do
        if "$@"; then return 0; fi
        milliseconds 50
    done
    return 1
}
none_is_left() { [ -z "$(members)" ]; }
nothing_in() { [ -z "$(ls -A "$1")" ]; }

# ended NAME  - wait for the job; its status is then in `status`. Nothing may hang, and
# nothing be left in TMPDIR and, where it is ours alone, in /dev/shm.
ended() {
    wait "$launcher" 2>/dev/null
    status=$?
    # shellcheck disable=SC2046 # each process is a word
    eventually none_is_left || {
        fail "$1: processes hang: $(ps -o pid,args -p "$(members | paste -sd,)")"
        kill -KILL $(members) 2>/dev/null
    }
}
# Files of the MPI libraries are left if a process is killed while they make them: in MPI_Init,
# and for memory that is shared.
left_in_shm() {
    find /dev/shm -mindepth 1 ! -name 'ucx_shm_posix_*' ! -name 'mpich_shar_tmp*' \
        ! -name 'osc_sm.*'
}
shm_is_empty() { [ -z "$(left_in_shm)" ]; }
is_clean() {
    eventually nothing_in "$TMPDIR" || fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
    [ "$REDIST_TEST_ALONE" = yes ] || return 0
    eventually shm_is_empty || fail "$1: left in /dev/shm: $(left_in_shm)"
}
# Remove what is the MPI library's own, after a kill of its launcher too.
sweep() {
    rm -rf "${TMPDIR:?}"/*
    [ "$REDIST_TEST_ALONE" = no ] || rm -rf /dev/shm/*
}
