#!/bin/bash
# SPDX-License-Identifier: MIT
#
# nvcc.sh cmake mpicc nvcc - an nvcc before CUDA 11.8 is asked for no architecture that it does
# not know.
set -euo pipefail

cmake=$1 mpicc=$2 nvcc=$3
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
cat >"$work/nvcc" <<END
#!/bin/bash
[[ \$* != *--version* ]] || { echo release 11.5 && exit; }
[[ \$* != *_89* && \$* != *_90* ]] || exit 1
exec "$nvcc" "\${@//_70/_75}" # which later ones do not know
END
chmod +x "$work/nvcc"
CUDACXX=$work/nvcc "$cmake" -S "$REDIST_SOURCE_DIR" -B "$work/build" -DREDIST_CUDA=ON \
    -DMPI_C_COMPILER="$mpicc" -DREDIST_{HDF5,FORTRAN,PAGE}=OFF \
    -DREDIST_BUILD_{TESTS,EXAMPLES,BENCH}=OFF
