#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run build/<preset>/tests/soak for a while, and make a case that fails smaller: see
script/soak --help."""
import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import faults
from shrink import shrink

PRESETS = ["openmpi", "mpich", "smpi", "sanitize"]
TURN = 20  # seconds of one preset and number of processes
LIMIT = 600  # seconds that a turn may take longer; some cases take minutes under SMPI
LONGEST = 100000  # characters of a command's argument
RECORD = "tests/soak/record.json"
PAGE, BEGIN, END = "docs/reliability.md", "<!-- counts -->", "<!-- end of counts -->"
GROUPS = ["cases", "openmpi on", "mpich on", "smpi on", "sanitize on", "REDIST_",
          "plan of", "format", "memory", "exchange", "schedule", "reduction", "fault",
          "refused:"]
RATES = {"REDIST_RATES": "2e-6,1e-10,1e-10"}
SETTINGS = [{}, {"REDIST_TEST_DEVICE": "none"}, {"REDIST_NODE_SIZE": "2"},
            {"REDIST_KERNELS": "portable"}, {}, {"REDIST_THREADS": "3"},
            {"REDIST_CORES": "far"}, {"REDIST_NODE_SIZE": "1"}]


class Soak:
    """The program of one preset on a number of processes, with some environment."""

    def __init__(self, preset, processes, settings):
        self.preset, self.processes = preset, processes
        self.settings = dict(RATES, **settings)
        self.folder = os.path.join("build", preset)

    def line(self, *arguments):
        words = [f"{name}={value}" for name, value in self.settings.items()]
        return " ".join(words + self.command(*arguments))

    def command(self, *arguments):
        mpiexec = os.path.join(self.folder, "bin", "mpiexec")
        program = os.path.join(self.folder, "tests", "soak")
        return [mpiexec, "-n", str(self.processes), program, *map(str, arguments)]

    def run(self, *arguments, limit):
        """Return the exit status and the output; None where it took too long."""
        environment = dict(os.environ, **self.settings)
        process = subprocess.Popen(self.command(*arguments), text=True, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=limit)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                output = process.communicate(timeout=20)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output = process.communicate()[0]
            return None, output

    def fails(self, draws, limit=40):
        text = ",".join(map(str, draws)) or "0"
        return self.run("--draws", text, limit=limit)[0] != 0

    def show(self, *arguments):
        return self.run(*arguments, "--show", limit=60)[1]

    def draws_of(self, seed, case):
        for line in self.show("--seed", seed, "--first", case, "--cases", 1).split("\n"):
            if line.startswith("draws "):
                return [int(word) for word in line[6:].split(",")]
        return None


def features_of(output):
    found = collections.Counter()
    for line in output.split("\n"):
        if line.startswith("feature "):
            name, _, count = line[8:].rpartition(": ")
            found[name] += int(count)
        elif line.startswith("PASS: "):
            found["cases"] += int(line.split()[1])
    return found


def report_failure(soak, seed, case, output):
    print(output[-4000:])
    print(f"case {case} of seed {seed} fails: {soak.preset}, {soak.processes} processes")
    draws = soak.draws_of(seed, case)
    if draws and len(str(draws)) > LONGEST:
        print("To repeat it:")
        print("   ", soak.line("--seed", seed, "--first", case, "--cases", 1))
        return
    if not draws or not soak.fails(draws):
        first = max(0, case - 50)
        print("It does not fail by itself. To repeat it with the cases before:")
        print("   ", soak.line("--seed", seed, "--first", first, "--cases", 100))
        return
    draws = shrink(draws, soak.fails)
    text = ",".join(map(str, draws)) or "0"
    print(soak.show("--draws", text))
    print(soak.run("--draws", text, limit=60)[1][-1500:])
    print("To repeat it:")
    print("   ", soak.line("--draws", text))


def turn(soak, seed, first, seconds):
    """Run cases from `first` on. Return the counts of features, or None if one fails."""
    with tempfile.TemporaryDirectory() as folder:
        progress = os.path.join(folder, "progress")
        status, output = soak.run("--seed", seed, "--first", first, "--cases", 10**9,
                                  "--seconds", seconds, "--progress", progress,
                                  limit=seconds + LIMIT)
        if status == 0:
            return features_of(output)
        try:
            with open(progress, encoding="ascii") as file:
                case = int(file.read())
        except (OSError, ValueError):
            case = first
        report_failure(soak, seed, case, output)
        return None


def write_page():
    """Write the counts of the record into docs/reliability.md, several to a line."""
    with open(RECORD, encoding="ascii") as file:
        counts = json.load(file)
    groups = collections.defaultdict(list)
    for name, count in counts.items():
        group = next((g for g in GROUPS if name.startswith(g)), "other")
        short = name.removeprefix(group).strip() or name
        groups[group].append(f"{short} {count:,d}")
    rows = ["| what | how often |", "|---|---|"]
    rows += [f"| {group.strip()} | {', '.join(groups[group])} |"
             for group in [*GROUPS, "other"] if groups[group]]
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + "\n".join(rows) + "\n" + END + after)


def record(path, counts):
    """Add counts to those of a file."""
    old = {}
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            old = json.load(file)
    total = collections.Counter(old) + counts
    with open(path, "w", encoding="ascii") as file:
        json.dump(dict(sorted(total.items())), file, indent=1)
        file.write("\n")


def soak_for(minutes, seed, presets, processes, more, path):
    counts = collections.Counter()
    end = time.monotonic() + 60 * minutes
    ways = [(preset, n) for n in processes for preset in presets]
    first = collections.Counter()
    turns = 0
    while True:
        left = end - time.monotonic()
        if left <= 1 and turns > 0:
            break
        preset, n = ways[turns % len(ways)]
        soak = Soak(preset, n, dict(SETTINGS[turns // len(ways) % len(SETTINGS)], **more))
        found = turn(soak, seed, first[preset, n], max(1, min(TURN, left)))
        if found is None:
            return 1
        found[f"{preset} on {n} processes"] = found["cases"]
        for name, value in soak.settings.items():
            if name not in RATES:
                found[f"{name}={value}"] = found["cases"]
        counts += found
        if path:
            record(path, found)
        first[preset, n] += found["cases"]
        turns += 1
    for name, count in sorted(counts.items()):
        print(f"{count:12,d}  {name}")
    return 0


def build(presets):
    subprocess.run(["script/bootstrap"], check=True, stdout=sys.stderr)
    for preset in presets:
        for command in (["cmake", "--preset", preset],
                        ["cmake", "--build", "--preset", preset, "--target", "soak"]):
            done = subprocess.run(command, check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                sys.exit(done.stdout[-3000:])


def numbers_of_processes(text):
    words = text.split(",")
    if not all(word.isdecimal() and 1 <= int(word) <= 32 for word in words):
        raise argparse.ArgumentTypeError(f"{text!r} must be numbers from 1 to 32: 2,4")
    return [int(word) for word in words]


def main():
    parser = argparse.ArgumentParser(prog="script/soak")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--processes", type=numbers_of_processes)
    parser.add_argument("--schedules", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.page:
        write_page()
        return 0
    if options.faults:
        settings = [dict(RATES, **setting) for setting in SETTINGS]
        return faults.plant(options.names, (options.processes or [4])[0], settings)
    presets = options.names or ["openmpi"]
    for preset in presets:
        if preset not in PRESETS:
            parser.error(f"{preset} is none of {', '.join(PRESETS)}")
    build(presets)
    seed = int(time.time()) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    return soak_for(options.minutes, seed, presets, options.processes or [1, 2, 3, 4, 7],
                    {"REDIST_TEST_DRAW": "schedules"} if options.schedules else {},
                    RECORD if options.record else None)


if __name__ == "__main__":
    sys.exit(main())
