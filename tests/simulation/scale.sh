#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The study at scale: the bytes that its bounds count are those that the library moves, and
# of the seconds that are recorded none is shorter than its bound.
exec python3 - "${REDIST_SOURCE_DIR:?}" <<'END'
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "simulation"))
import bounds
import scale

failures = 0
for work, make in scale.WORKS_OF_ALL.items():
    texts, (sources, targets), extents = make(16, scale.SIZES[0])
    counted = sum(bounds.volume(sources, targets, extents, 8).values())
    command = [os.path.join(scale.HERE, "bench"), "crossbar", "16", *texts, "--hollow",
               "--json", "--strategy", "nonblocking"]
    environment = dict(os.environ, REDIST_RATES="2e-6,3e-9,0")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    moved = json.loads(done.stdout)["bytes_moved"]
    if moved != counted:
        print(f"{work}: {moved} bytes are moved, {counted} were counted")
        failures += 1

record = scale.available(scale.read_record())
for case, seconds in record.items():
    least, best = scale.lower_bound(case), min(seconds.values())
    if best < least * (1 - 1e-6):
        print(f"{case}: {best} s, less than the bound {least} s")
        failures += 1
print("PASS" if not failures and record else "FAIL")
sys.exit(failures > 0 or not record)
END
