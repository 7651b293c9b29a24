#!/bin/bash
# SPDX-License-Identifier: MIT
#
# errors.sh first - started with too few processes, it says once what is wrong.
set -euo pipefail

said=$("$REDIST_MPIEXEC" -n 2 "$1" 2>&1) && { echo "it did not fail"; exit 1; }
echo "$said"
[[ $(grep -c "the communicator only 0 to 1" <<<"$said") -eq 1 ]]
