#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script/simulate scale [--platform NAMES] [--processes NUMBERS] [--work NAMES] [--again [NAMES]]
                      [--held-out] [--page] - the strategies on 16 to 4,096 simulated processes.

Simulates the cases without seconds in simulation/scale.txt (with --again all of them, or the named
strategies), records each, then writes docs/scale_tables.md, the numbers in docs/scale.md and its
chart; with --page it simulates nothing. NAMES and NUMBERS have commas between. The defaults are
PLATFORMS, PROCESSES and WORKS, as far as `is_usual` says. --held-out runs the cases of HELD_OUT and
of works.OTHERS.
"""
import argparse
import enum
import json
import math
import os
import subprocess
import sys

import bounds
import scale_page
import works

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "scale.txt")
LIMIT = 200  # seconds of a race, whose case is then left out
LONGEST = 3600  # the same of more than 1,024 processes

PLATFORMS = ["crossbar", "switch", "mesh", "fat_tree", "tapered"]
NARROW = ["crossbar", "fat_tree", "tapered"]  # of which messages pass few links
UNTOLD = ["dragonfly"]  # of which redist_topology has no shape
PROCESSES = [16, 64, 256, 1024, 4096]
SIZES = [4800, 153600]  # doubles a process: 37.5 KiB, 1.2 MiB
LONG = 4915200  # 37.5 MiB, on platforms that take 1.2 MiB in some 100 us
FAST = ["fat_tree"]
MODES = {"shared": [], "one-port": ["--one-port"],
         "median": ["--one-port", "--reps", "5"]}  # of five beginnings
FAIRNESS = {"shared": 1, "one-port": 0, "median": 0}

SCHEDULED = ["caterpillar/sendrecv", "stepwise/sendrecv", "guo-pan-1/sendrecv",
             "guo-pan-2/sendrecv", "combination/sendrecv", "timeline/window(4)",
             "links/window(2)"]
MANY = ["auto", "optimal", "timeline", "nonblocking", "window(4)", "optimal/sendrecv",
        "timeline/window(1)", "sendrecv", "aggregated", "multiphase", "optimal/nonblocking",
        *SCHEDULED]
FEW = ["auto", "optimal", "timeline", "nonblocking", "window(4)", "links/window(2)",
       "caterpillar/sendrecv", "stepwise/sendrecv"]
FEWEST = ["auto", "optimal", "nonblocking", "links/window(2)", "stepwise/sendrecv"]


# What nothing was tuned on, nor anybody has looked at before it was run: drawn once by a seed
# that is the day of the draw. Who tunes on these draws others by a new seed.
SEED, DRAWN = 20261127, 24
HELD_OUT, HELD_OUT_WORKS = works.draw(
    SEED, DRAWN, ["crossbar", "switch", "mesh", "torus", "fat_tree", "tapered", "nodes",
                  "dragonfly"])
WORKS_OF_ALL = {**works.WORKS, **works.OTHER_WORKS, **HELD_OUT_WORKS}


COLUMNS_OF_AUTO = {"untold": [], "tuned": ["--tune"]}  # and tuned is told the network


def columns_of_auto(processes, mode):
    """Of more than 100 processes alltoallv, which tuning tries too, takes too long; of
    1,024 each simulation counts."""
    if mode == "median":
        return ["untold"]
    return ["untold", "tuned"] if processes <= 100 else ["untold"] if processes <= 256 else []


def sizes_on(platform):
    return [*SIZES, LONG] if platform in FAST else SIZES


def strategies(processes):
    if processes > 1024:
        return FEWEST
    return MANY + ["alltoallv"] if processes <= 64 else MANY if processes <= 256 else FEW


def is_usual(platform, processes, work, size, mode):
    """Whether a case is run where nothing is asked for: what takes seconds, and of what
    takes minutes a few."""
    if mode == "median" and processes > 64:
        return False
    if size == LONG:
        few = work in ("grid", "1:10", "P to 3P/4")
        return processes == 16 or processes <= 64 and few
    if processes <= 64:
        return True
    if platform == "switch":
        return False
    if processes <= 256:
        long = work == "3 to 5" and platform in ("mesh", "tapered")
        return work in ("3 to 5", "grid", "1:10", "P to 3P/4") and not long
    if processes > 1024:
        return platform in NARROW and work == "P to 3P/4" and size == SIZES[0]
    return work == "P to 3P/4" or work == "grid" and size == SIZES[0]


# ---- the record ------------------------------------------------------------------------


def read_record():
    """{(platform, processes, work, size, mode): {strategy: seconds}}; None: not available."""
    found, case = {}, None
    if not os.path.exists(RECORD):
        return found
    with open(RECORD, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            if line[0].isspace():
                name, seconds = line.split()
                found[case][name] = None if seconds == "-" else float(seconds)
            else:
                platform, processes, size, mode, work = line.split(maxsplit=4)
                case = (platform, int(processes), work.strip(), int(size), mode)
                found[case] = {}
    return found


def available(found):
    """The same without what is not available."""
    return {case: {name: s for name, s in seconds.items() if s} for case, seconds in found.items()}


def write_record(found):
    with open(RECORD, "w", encoding="utf-8") as file:
        file.write("# Simulated seconds, written by script/simulate scale: platform, processes,\n"
                   "# doubles a process, how links are shared (median: one-port, of five\n"
                   "# beginnings), work; and strategies.\n")
        for case in sorted(found):
            platform, processes, work, size, mode = case
            file.write(f"\n{platform} {processes} {size} {mode} {work}\n")
            for name, seconds in found[case].items():
                text = "-" if seconds is None else f"{seconds:.9g}"
                file.write(f"    {name:<28}{text}\n")


# ---- running ---------------------------------------------------------------------------


def run(case, known):
    """{strategy: seconds}, those that are known too, or None after LIMIT seconds. All are
    told the network, which auto and links look at, if it can be told; "untold" is auto that
    is not, "tuned" auto that redist_plan_tune has improved."""
    told = [] if case[0] in UNTOLD else ["--placed"]
    missing = [name for name in strategies(case[1]) if name not in known]
    races = [(missing, told, None)]
    races += [(["auto"], COLUMNS_OF_AUTO[name] + (told if name == "tuned" else []), name)
              for name in columns_of_auto(case[1], case[4])]
    found = dict(known)
    for names, options, column in races:
        if column not in known and names:
            seconds = race(case, names, options)
            if seconds is None:
                return None
            found.update({column: seconds["auto"]} if column else seconds)
    return found


def race(case, names, options):
    platform, processes, work, size, mode = case
    texts = WORKS_OF_ALL[work](processes, size)[0]
    command = [os.path.join(HERE, "bench"), platform, str(processes), *texts, "--hollow",
               "--json", "--strategy", ",".join(names), *options, *MODES[mode]]
    limit = LIMIT if processes <= 1024 else LONGEST
    environment = dict(os.environ, REDIST_MPI_TIMEOUT=str(limit),
                       REDIST_RATES=bounds.Platform(platform, processes).rates(FAIRNESS[mode]))
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode == 124:
        return None
    if done.returncode != 0:
        sys.exit(f"{case}: failed\n{done.stdout}{done.stderr}")
    return {entry["strategy"]: entry.get("median_seconds")
            for entry in json.loads(done.stdout)["strategies"]}


def bounds_of(case):
    """The seconds that no strategy undercuts, and those that none does whose messages go
    straight, 0 where the routes are not known."""
    platform, processes, work, size, _ = case
    _, (sources, targets), extents = WORKS_OF_ALL[work](processes, size)
    volume = bounds.volume(sources, targets, extents, 8)
    machine = bounds.Platform(platform, processes)
    return bounds.bound(machine, volume), bounds.bound_by_routes(machine, volume)


def names_among(known):
    """A reader of names with commas between, each one of those known."""
    def read(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name}, there are: "
                                                 + ", ".join(known))
        return names
    return read


def even_squares(text):
    """Numbers of processes with commas between, which all works can do with."""
    numbers = [int(n) if n.isdecimal() else 0 for n in text.split(",")]
    for n in numbers:
        if n < 16 or math.isqrt(n) ** 2 != n or n % 2:
            raise argparse.ArgumentTypeError(f"'{text}' are not squares of even numbers, "
                                             "each at least 16")
    return numbers


def parse_arguments():
    if "--help" in sys.argv:
        print(__doc__)
        sys.exit()
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--platform", type=names_among(bounds.platforms()))
    parser.add_argument("--processes", type=even_squares)
    parser.add_argument("--work", type=names_among(WORKS_OF_ALL))
    parser.add_argument("--again", nargs="?", const="all", default="")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--page", action="store_true")
    return parser.parse_args()


def wanted_cases(arguments):
    if arguments.held_out:
        yield from (case + (mode,) for case in HELD_OUT + works.OTHERS for mode in MODES
                    if mode != "median" or case[1] <= 100)
        return
    named = arguments.platform or arguments.processes or arguments.work
    for processes in arguments.processes or PROCESSES:
        for platform in arguments.platform or PLATFORMS:
            for work in arguments.work or works.WORKS:
                for size in sizes_on(platform):
                    for mode in MODES:
                        case = (platform, processes, work, size, mode)
                        if named and arguments.work or is_usual(*case):
                            yield case


class Part(enum.Enum):
    """What a case is on the page, in the order of scale_page.write."""
    USUAL, OTHER, HELD_OUT = range(3)


def part_of(case):
    if case[:4] in HELD_OUT:
        return Part.HELD_OUT
    return Part.OTHER if case[:4] in works.OTHERS else Part.USUAL


def main():
    arguments = parse_arguments()
    found = read_record()
    for case in wanted_cases(arguments):
        again = arguments.again.split(",")
        known = {} if again == ["all"] else {name: seconds for name, seconds in
                                             found.get(case, {}).items() if name not in again}
        if arguments.page or known.keys() >= {*columns_of_auto(case[1], case[4]),
                                                 *strategies(case[1])}:
            continue
        print(*case, end=" ", flush=True)
        seconds = run(case, known)
        print("left out" if seconds is None else f"{seconds['auto']:.6g} s", flush=True)
        if seconds is not None:
            found[case] = seconds
            write_record(found)
    found = available(found)
    scale_page.write(*({case: (*bounds_of(case), found[case]) for case in found
                        if part_of(case) == part} for part in Part))


if __name__ == "__main__":
    main()
