# SPDX-License-Identifier: MIT
"""Run `redist` on a simulated machine, by the build in REDIST_BUILD_DIR."""
import functools
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("REDIST_BUILD_DIR", os.path.join(HERE, "..", "build", "smpi"))


def run(command):
    """What a command prints, one JSON value; ends the program if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: failed\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def bench(case, strategies):
    """What simulation/bench finds with these arguments, {strategy: its entry}."""
    command = [os.path.join(HERE, "bench")] + case
    found = run(command + ["--json", "--strategy", ",".join(strategies)])
    return {entry["strategy"]: entry for entry in found["strategies"]}


@functools.cache
def schedules(source, target):
    """What `redist schedule` says of all schedules, {name: its entry}."""
    command = [os.path.join(BUILD, "bin", "mpiexec"), "-n", "1"]
    command += [os.path.join(BUILD, "bin", "redist"), "schedule", source, target]
    found = run(command + ["--schedule", "all", "--json"])
    return {entry["schedule"]: entry for entry in found}
