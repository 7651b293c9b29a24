#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Simulated seconds are those that are recorded.
exec python3 "${REDIST_SOURCE_DIR:?}/simulation/guard.py"
