#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""simulation/guard.py [--update] - compare simulated seconds with those of guard.txt.

A line of guard.txt that begins at its margin is a case, as for simulation/bench; the indented
ones below it are strategies and their seconds. The build is REDIST_BUILD_DIR's.
"""
import os
import shlex
import sys

import machine

RECORD = os.path.join(machine.HERE, "guard.txt")
TOLERANCE = 1e-6  # of the seconds: what they are printed with, and no more


def read_cases():
    """The comment before the first case, and a list of (case, {strategy: seconds or None})."""
    head, cases = "", []
    with open(RECORD, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if line.startswith("#"):
                head += line
            elif words and not line[0].isspace():
                cases.append((line.strip(), {}))
            elif words:
                cases[-1][1][words[0]] = float(words[1]) if len(words) > 1 else None
    return head, cases


def run(case, strategies):
    found = machine.bench(shlex.split(case), list(strategies))
    for name, s in found.items():
        if not s["available"]:
            sys.exit(f"{case}: {name}: not available: {s['why']}")
    return {name: found[name]["median_seconds"] for name in strategies}


def main():
    update = sys.argv[1:] == ["--update"]
    if sys.argv[1:] and not update:
        sys.exit(__doc__)
    head, cases = read_cases()
    differ = count = 0
    text = head
    for case, old in cases:
        new = run(case, list(old))
        text += f"\n{case}\n"
        for name, seconds in new.items():
            text += f"    {name:<28}{seconds:.9g}\n"
            count += 1
            if old[name] is not None and abs(seconds / old[name] - 1) <= TOLERANCE:
                continue
            differ += 1
            was = "nothing" if old[name] is None else f"{old[name]:.9g} s"
            change = "" if old[name] is None else f" ({seconds / old[name] - 1:+.3%})"
            print(f"{case}\n    {name}: was {was}, is {seconds:.9g} s{change}")
    if update:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"{count} times recorded, {differ} of them changed")
        return 0
    print(f"{count} times, {differ} of them not as recorded")
    if differ:
        print("If that is meant: script/simulate guard --update, in the same commit.")
    return 1 if differ else 0


sys.exit(main())
