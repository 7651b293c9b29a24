#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script/simulate papers [--check] [--recorded] [NAME..] - the papers' experiments.

Prints for each experiment what was found beside what the paper prints, and for each of
its claims the number that decides whether it holds. Records the seconds in
simulation/papers/results.json, and makes the tables and charts of docs/papers.md of them.

--check      write nothing; it is an error if a claim has another verdict than by the
             record, or if the document is not made of that
--recorded   run nothing; the seconds are those of the record
"""
import glob
import json
import os
import re
import sys

import chart
import machine
from experiment import MODES, Experiment

FOLDER = os.path.join(machine.HERE, "papers")
RECORD = os.path.join(FOLDER, "results.json")
DOCUMENT = os.path.join(machine.HERE, "..", "docs", "papers.md")


def plain(name):
    return name.replace("_", " ")


def table(rows):
    """Rows of cells as a table in Markdown, of which the first is the head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|"] + lines[1:]


def verdict(experiment, claim, cases):
    judged = experiment.judge(claim, cases)
    if judged is None:
        raise SystemExit(f"{experiment.name}: no case has what it takes: {claim['says']}")
    return judged


def claims_table(experiment, found):
    printed = experiment.printed_cases() if experiment.printed else None
    rows = [["claim", "as a number", "paper"]]
    rows[0] += [MODES[mode][0] for mode in experiment.modes]
    for claim in experiment.claim:
        own = experiment.judge(claim, printed) if printed else None
        paper = claim.get("paper", "")
        if own:
            paper = f"{paper} (its table: {own[0]:.3g})".strip()
        row = [claim["says"], f"{claim['of']} {claim['bound']}", paper]
        for mode in experiment.modes:
            value, holds = verdict(experiment, claim, found[mode])
            row.append(f"{value:.3g} {'holds' if holds else '**no**'}")
        rows.append(row)
    return table(rows)


def seconds_table(experiment, found):
    """Milliseconds of the first mode and, in brackets, the paper's."""
    rows = [[*experiment.vary, *map(plain, experiment.line)]]
    for numbers, seconds, printed in zip(experiment.numbers, found[experiment.modes[0]],
                                         experiment.printed_cases()):
        row = [str(numbers[name]).replace("*", "\\*") for name in experiment.vary]
        for name in experiment.line:
            paper = f" [{1e3 * printed[name]:g}]" if name in printed else ""
            row.append(f"{1e3 * seconds[name]:.4g}{paper}")
        rows.append(row)
    return table(rows)


def picture(experiment, found):
    """The chart of an experiment in its first mode, or None if it has none."""
    what = experiment.chart
    if not what:
        return None
    cases = found[experiment.modes[0]]
    chosen = [k for k, numbers in enumerate(experiment.numbers)
              if eval(what.get("only", "True"), {}, dict(numbers))]
    drawn = what.get("y", {name: f"1000 * {name}" for name in experiment.line})
    curves = {plain(name): [experiment.evaluate(text, cases, k) for k in chosen]
              for name, text in drawn.items()}
    unit = "times that of the optimal schedule" if "y" in what else "ms"
    y_name = f"{unit}, {MODES[experiment.modes[0]][0]}"
    only = f", {what['only']}".replace("==", "=") if "only" in what else ""
    x = [experiment.numbers[k][what["x"]] for k in chosen]
    return chart.draw(experiment.title, what["x"] + only, x, y_name, curves,
                      what.get("log", False))


def section(experiment, found):
    """What docs/papers.md says of an experiment."""
    lines = [f"*{experiment.title}. {experiment.paper}.*", ""]
    lines += claims_table(experiment, found)
    if experiment.chart:
        lines += ["", f"![{experiment.title}](papers/{experiment.name}.svg)"]
    brackets = ", and in brackets the paper's" if experiment.printed else ""
    lines += ["", f"Milliseconds, {MODES[experiment.modes[0]][0]}{brackets}:"]
    return "\n".join(lines + [""] + seconds_table(experiment, found)) + "\n"


def put_section(text, experiment, found):
    """The document with the marked section of an experiment written anew."""
    begin, end = f"<!-- {experiment.name} -->\n", f"<!-- end of {experiment.name} -->\n"
    if begin not in text or end not in text:
        raise SystemExit(f"docs/papers.md lacks {begin.strip()} or {end.strip()}")
    head, rest = text.split(begin, 1)
    return head + begin + section(experiment, found) + end + rest.split(end, 1)[1]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def record_text(record):
    """The record with a case a line."""
    text = json.dumps(record, indent=1, sort_keys=True)
    return re.sub(r"\{\s+([^{}]*?)\s+\}", lambda m: "{" + " ".join(m[1].split()) + "}",
                  text) + "\n"


def verdicts(experiment, found):
    return {(claim["says"], mode): verdict(experiment, claim, found[mode])[1]
            for claim in experiment.claim for mode in experiment.modes}


def check(experiment, found, recorded):
    """How many verdicts are not those of the record, or parts of the document."""
    wrong = 0
    old, new = verdicts(experiment, recorded), verdicts(experiment, found)
    for claim, holds in new.items():
        if holds != old[claim]:
            wrong += 1
            now = "holds" if holds else "does not hold"
            print(f"{claim[0]} ({MODES[claim[1]][0]}): {now}, other than recorded")
    text = read(DOCUMENT)
    drawn = picture(experiment, recorded)
    if put_section(text, experiment, recorded) != text:
        wrong += 1
        print(f"docs/papers.md is not what the record says of {experiment.name}")
    if drawn and drawn != read(chart_path(experiment)):
        wrong += 1
        print(f"{chart_path(experiment)} is not what the record says")
    return wrong


def chart_path(experiment):
    return os.path.join(os.path.dirname(DOCUMENT), "papers", experiment.name + ".svg")


def keep(experiment, found, record):
    record[experiment.name] = found
    write(RECORD, record_text(record))
    write(DOCUMENT, put_section(read(DOCUMENT), experiment, found))
    drawn = picture(experiment, found)
    if drawn:
        os.makedirs(os.path.dirname(chart_path(experiment)), exist_ok=True)
        write(chart_path(experiment), drawn)


def show_progress(experiment, mode, numbers):
    if sys.stderr.isatty():
        print(f"{experiment.name}, {MODES[mode][0]}: {numbers}", file=sys.stderr)


def main(arguments):
    options = {option: option in arguments for option in ("--check", "--recorded")}
    names = [argument for argument in arguments if argument not in options]
    paths = {os.path.basename(path)[:-5]: path
             for path in sorted(glob.glob(os.path.join(FOLDER, "*.toml")))}
    if any(name not in paths for name in names):
        raise SystemExit(f"{__doc__}\nNAME is one of {', '.join(paths)}")
    record = json.loads(read(RECORD)) if os.path.exists(RECORD) else {}
    wrong = 0
    for name in names or paths:
        experiment = Experiment(paths[name])
        found = record[name] if options["--recorded"] else experiment.run(show_progress)
        print(f"\n{name}\n{section(experiment, found)}", flush=True)
        if options["--check"]:
            wrong += check(experiment, found, record[name])
        else:
            keep(experiment, found, record)
    if options["--check"]:
        print(f"{wrong} differences from the record, or of docs/papers.md from that")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
