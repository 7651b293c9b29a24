#!/bin/bash
# SPDX-License-Identifier: MIT
#
# commands.sh cmake mpicc mpifort - every command of README.md and docs/**/*.md runs as it is
# pasted (commands.py). `mpifort` is `none` where there is none.
exec /usr/bin/env python3 -B "${0%.sh}.py" "$@"
