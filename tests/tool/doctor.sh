#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# redist doctor: what it finds here, and in places where something is scarce, missing or
# set: each is named, with its state and advice, and the exit status is that of the worst.
. "${REDIST_SOURCE_DIR:?the folder of the sources}/tests/checks.sh"
python=$(sed -n 's/^Python3_EXECUTABLE:[A-Z]*=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
unset REDIST_STRATEGY REDIST_KERNELS REDIST_THREADS REDIST_NODE_SIZE

# finds NAME STATUS LINE COMMAND..  - the command prints a line, of this extended regular
# expression, and ends with this status.
finds() {
    local name=$1 status=$2 line=$3 actual
    shift 3
    timeout 60 "$@" >"$scratch/found" 2>&1
    actual=$?
    [ $actual -eq "$status" ] || fail "$name: exit status $actual, expected $status"
    grep -qE "$line" "$scratch/found" || { fail "$name: no line $line"; cat "$scratch/found"; }
}
# The command after a limit is set.
limited=(bash -c 'ulimit -S "$1" "$2" && shift 2 && exec "$@"' -)
says() { grep -qF -- "$1" "$scratch/found" || fail "it does not say: $1"; }

finds here 0 '^  (ok|note) +MPI +[A-Z].*, standard [3-9]\.' "$tool" doctor
for name in redist CUDA HDF5 codecs OpenMP environment processes kernels caches cores \
    'huge pages' /dev/shm 'locked memory' 'open files' 'file size' redist_alloc \
    process_vm_readv; do
    grep -qE "^  (ok|note)  +$name +[^ ]" "$scratch/found" || fail "nothing on $name"
done
says "$("$tool" --version | sed 's/^redist //')"

for variable in $(grep -rhoP '"\KREDIST_[A-Z0-9_]+(?=")' \
    "$REDIST_SOURCE_DIR"/src/{base,plan,move,files} | sort -u); do
    grep -q "$variable=" "$scratch/found" && fail "$variable is set"
    env "$variable=$scratch/x" "$tool" doctor | grep -q "environment .*$variable=$scratch/x" ||
        fail "$variable is not named"
done

finds 'a missing module' 1 '^  problem  HDF5 +no module' \
    env REDIST_HDF5_MODULE="$scratch/none.so" "$tool" doctor
says 'there is no module for HDF5'
finds 'a strategy' 0 '^  note +environment +.*REDIST_STRATEGY=naive' \
    env REDIST_STRATEGY=naive "$tool" doctor
says 'REDIST_STRATEGY replaces the strategy'
if grep -qw avx2 /proc/cpuinfo; then
    finds 'portable kernels' 0 '^  note +kernels +portable' \
        env REDIST_KERNELS=portable "$tool" doctor
fi
finds 'few open files' 0 '^  note +open files +300$' "${limited[@]}" -n 300 "$tool" doctor
says 'ulimit -n 4096'
finds 'little locked memory' 0 '^  note +locked memory +32\.0 KiB' "${limited[@]}" -l 32 "$tool" doctor
finds 'short files' 0 '^  note +file size +' "${limited[@]}" -f 1000000 "$tool" doctor
finds 'shorter files' 1 '^  problem +redist_alloc +fails' \
    "$REDIST_MPIEXEC" -n 4 "${limited[@]}" -f 9000 "$tool" doctor
says RLIMIT_FSIZE
if command -v taskset >/dev/null && grep -q '^REDIST_OPENMP:BOOL=ON' \
    "$REDIST_BUILD_DIR/CMakeCache.txt"; then
    finds 'more threads than cores' 0 '^  note +cores .*may use 1$' \
        taskset -c "$(taskset -cp $$ | grep -oP ': \K[0-9]+')" \
        env REDIST_THREADS=3 "$tool" doctor
    says '3 threads are asked for'
fi
if unshare -m mount -t tmpfs none /dev/shm 2>/dev/null; then
    finds 'a small /dev/shm' 0 '^  note +/dev/shm +64\.0 MiB' unshare -m bash -c \
        'mount -t tmpfs -o size=64m none /dev/shm && exec "$0" doctor' "$tool"
    says --shm-size
fi
finds 'the launcher of another MPI' 1 '^  problem  processes +1 on 1 node' \
    env PMI_SIZE=4 "$tool" doctor
says 'The launcher has started 4, which do not know each other'
finds 'a word' 2 'there are only options' "$tool" doctor all

finds 'several processes' 0 'processes +3 on 1 node, ' "$REDIST_MPIEXEC" -n 3 "$tool" doctor
# shellcheck disable=SC2016 # the processes' own
finds 'nodes that differ' 0 'processes +4 on 2 nodes' env REDIST_NODE_SIZE=2 \
    "$REDIST_MPIEXEC" -n 4 bash -c \
    '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -lt 2 ] || ulimit -Sn 300; exec "$0" doctor' "$tool"
[ "$(grep -cE '^  note +[^ ]+ +300$' "$scratch/found")" -eq 1 ] ||
    fail 'the node with few open files is not named once'

# On the last process of three the MPI calls itself another.
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$REDIST_BUILD_DIR/CMakeCache.txt")
if ! grep -q '^CMAKE_C_FLAGS:.*sanitize' "$REDIST_BUILD_DIR/CMakeCache.txt"; then
    cat >"$scratch/other.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int MPI_Get_library_version(char *version, int *length)
{
    const char *other = getenv("OTHER_MPI");
    *length = sprintf(version, "%s", other ? other : "X");
    return 0;
}
END
    "$compiler" -shared -fPIC -o "$scratch/other.so" "$scratch/other.c"
    cd "$scratch" || exit 1 # no space may be in what is preloaded
    # shellcheck disable=SC2016 # the processes' own
    finds 'another version' 1 '^  problem  processes +3 on' "$REDIST_MPIEXEC" -n 3 bash -c \
        '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -lt 2 ] || export LD_PRELOAD=$1; exec "$0" doctor' \
        "$tool" ./other.so
    says 'They run different versions'
    finds 'another MPI' 1 '^  problem  MPI +X,' env LD_PRELOAD=./other.so "$tool" doctor
    says 'Build redist with the MPI that runs'
    relative='IBM Spectrum MPI, version 10.4'
    ! "$tool" doctor | grep -q 'MPI .*MPICH' || relative='Intel(R) MPI Library 2021.8 for Linux* OS'
    finds 'another MPI of the same binary interface' 0 '^  note +MPI +(IBM|Intel)' \
        env LD_PRELOAD=./other.so OTHER_MPI="$relative" "$tool" doctor
    says 'The build is for '
fi

if [ -n "$python" ]; then
    "$tool" doctor >"$scratch/text"
    REDIST_HDF5_MODULE=none "$tool" doctor --json >"$scratch/json"
    [ $? -eq 1 ] || fail 'json: another status'
    "$python" - "$scratch/json" "$scratch/text" <<'END' || fail 'json: other findings'
import json
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
found = {f["name"]: f for f in report["findings"]}
assert report["problems"] == 1 and found["HDF5"]["state"] == "problem", report
assert "no module" in found["HDF5"]["advice"], found["HDF5"]
assert all(f["nodes"] == [] for f in report["findings"]), report
with open(sys.argv[2], encoding="utf-8") as file:
    names = [line[11:27].strip() for line in file if line[2] != " "]
assert names == list(found), (names, list(found))
END
fi

# A driver of CUDA, and modules for it, as the tests of devices have them.
fake=$REDIST_BUILD_DIR/tests/fake
if [ -e "$fake/libcuda.so.1" ]; then
    export LD_LIBRARY_PATH=$fake
    finds 'no device' 0 '^  ok +CUDA +no device, module' \
        env REDIST_CUDA_MODULE="$REDIST_BUILD_DIR/tests/liblate_works.so" "$tool" doctor
    finds 'another interface' 0 '^  note +CUDA +no device$' \
        env REDIST_CUDA_MODULE="$REDIST_BUILD_DIR/tests/liblate_version.so" "$tool" doctor
    says 'they must be installed'
    export REDIST_TEST_DEVICES=2
    finds 'two devices' 0 '^  ok +CUDA +2 devices, Number 0, module' \
        env REDIST_CUDA_MODULE="$REDIST_BUILD_DIR/tests/liblate_works.so" "$tool" doctor
    finds 'devices without a module' 1 '^  problem +CUDA +2 devices, Number 0$' \
        env REDIST_CUDA_MODULE="$scratch/none.so" "$tool" doctor
    says 'Arrays in device memory are refused: '
fi
conclude
