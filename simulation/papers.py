#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script/simulate papers [--check] [--recorded] [--long] [NAME..] - the papers' experiments.

Prints the results of each experiment beside those of the paper, and for each claim the
number that decides whether it holds. Records the seconds in
simulation/papers/results.json, and writes the tables and charts of docs/papers_tables.md and
the summary of docs/papers.md from them.

--check      write nothing; it is an error if a claim has another verdict than in the
             record, or if a page differs from the record
--recorded   run nothing; the seconds are those of the record
--long       also run the cases that take minutes; else their seconds are those of the
             record
"""
import glob
import json
import os
import re
import sys
import tomllib

import chart
import machine
from experiment import MODES, Experiment

FOLDER = os.path.join(machine.HERE, "papers")
REASONS = os.path.join(machine.HERE, "reasons.toml")
RECORD = os.path.join(FOLDER, "results.json")
DOCS = os.path.join(machine.HERE, "..", "docs")
SUMMARY, TABLES = "papers.md", "papers_tables.md"
PLACE = re.compile(", (?:Figure|Table|experiment) ")  # in a paper, after its name


def plain(name):
    return name.replace("_", " ")


def table(rows):
    """Rows of cells as a table in Markdown, of which the first is the head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|"] + lines[1:]


def verdicts_of(experiment, claim, found):
    """{mode: (value, whether it holds)} where a case has what the claim takes."""
    judged = {mode: experiment.judge(claim, found[mode]) for mode in experiment.modes}
    if judged[experiment.modes[0]] is None:
        raise SystemExit(f"{experiment.name}: no case has what it takes: {claim['says']}")
    return {mode: verdict for mode, verdict in judged.items() if verdict}


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
        judged = verdicts_of(experiment, claim, found)
        for mode in experiment.modes:
            row.append("" if mode not in judged else f"{judged[mode][0]:.3g} "
                       f"{'holds' if judged[mode][1] else '**no**'}")
        rows.append(row)
    return table(rows)


def seconds_table(experiment, found):
    """Milliseconds of the first mode, if known, and, in brackets, the paper's."""
    rows = [[*experiment.vary, *map(plain, experiment.line)]]
    for numbers, seconds, printed in zip(experiment.numbers, found[experiment.modes[0]],
                                         experiment.printed_cases()):
        row = [str(numbers[name]).replace("*", "\\*") for name in experiment.vary]
        for name in experiment.line:
            paper = f" [{1e3 * printed[name]:g}]" if name in printed else ""
            own = f"{1e3 * seconds[name]:.4g}" if name in seconds else ""
            row.append((own + paper).strip())
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
    unit = "times that of the paper's schedule" if "y" in what else "ms"
    y_name = f"{unit}, {MODES[experiment.modes[0]][0]}"
    only = f", {what['only']}".replace("==", "=") if "only" in what else ""
    x = [experiment.numbers[k][what["x"]] for k in chosen]
    return chart.draw(experiment.title, what["x"] + only, x, y_name, curves,
                      what.get("log", False))


def section(experiment, found):
    """The section of docs/papers_tables.md on an experiment."""
    lines = [f"*{experiment.title}. {experiment.paper}.*", ""]
    lines += claims_table(experiment, found)
    if experiment.chart:
        lines += ["", f"![{experiment.title}](papers/{experiment.name}.svg)"]
    brackets = ", and in brackets the paper's" if experiment.printed else ""
    lines += ["", f"Milliseconds, {MODES[experiment.modes[0]][0]}{brackets}:"]
    return "\n".join(lines + [""] + seconds_table(experiment, found)) + "\n"


def put(page, text, name, part):
    """The text of a page in which the part that is marked by a name is replaced."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    if begin not in text or end not in text:
        raise SystemExit(f"docs/{page} lacks {begin.strip()} or {end.strip()}")
    head, rest = text.split(begin, 1)
    return head + begin + part + end + rest.split(end, 1)[1]


def put_section(text, experiment, found):
    return put(TABLES, text, experiment.name, section(experiment, found))


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
    return {(claim["says"], mode): holds for claim in experiment.claim
            for mode, (_, holds) in verdicts_of(experiment, claim, found).items()}


def count_verdicts(experiments, record):
    """{paper: [claims, verdicts, those that hold]} and {reason: {experiment: how many do not
    hold for it}}, in the order of the file of reasons."""
    with open(REASONS, "rb") as file:
        missed = {reason: {} for reason in tomllib.load(file)}
    papers = {}
    for experiment in experiments:
        counts = papers.setdefault(PLACE.split(experiment.paper)[0], [0, 0, 0])
        for claim in experiment.claim:
            found = verdicts_of(experiment, claim, record[experiment.name])
            judged = [holds for _, holds in found.values()]
            counts[:] = counts[0] + 1, counts[1] + len(judged), counts[2] + sum(judged)
            if all(judged):
                continue
            if claim.get("why") not in missed:
                raise SystemExit(f"{experiment.name}: does not hold, and no `why` in "
                                 f"{REASONS} says why: {claim['says']}")
            where = missed[claim["why"]]
            where[experiment.name] = (where.get(experiment.name, 0) + len(judged) -
                                      sum(judged))
    return papers, missed


def summary(papers):
    """The table in the summary of docs/papers.md: how many claims hold."""
    rows = [["paper", "claims", "verdicts", "hold", "do not"]]
    rows += [[paper, *map(str, (*counts, counts[1] - counts[2]))]
             for paper, counts in papers.items()]
    claims, verdicts_, hold = (sum(counts[k] for counts in papers.values()) for k in range(3))
    rows.append(["all", *map(str, (claims, verdicts_, hold, verdicts_ - hold))])
    return (f"{hold} of {verdicts_} verdicts hold. A verdict is on one claim on one machine.\n\n"
            + "\n".join(table(rows)) + "\n")


def list_reasons(missed):
    """The list of reasons in docs/papers.md, the most frequent first."""
    with open(REASONS, "rb") as file:
        reasons = tomllib.load(file)
    lines = []
    for reason, where in sorted(missed.items(), key=lambda item: -sum(item[1].values())):
        if where:
            names = ", ".join(f"{name} {count}" for name, count in where.items())
            why = reasons[reason].strip().replace("\n", "\n  ")
            lines.append(f"- **{sum(where.values())}** ({names}):\n  {why}")
    return "\n".join(lines) + "\n"


def put_summary(text, papers, missed):
    text = put(SUMMARY, text, "summary", summary(papers))
    return put(SUMMARY, text, "reasons", list_reasons(missed))


def verdicts_chart(papers):
    return chart.bars("Verdicts on the papers' claims", ("hold", "do not"),
                      {paper: (hold, verdicts_ - hold)
                       for paper, (_, verdicts_, hold) in papers.items()})


def check(experiment, found, recorded):
    """How many verdicts are not those of the record, or parts of the document."""
    wrong = 0
    old, new = verdicts(experiment, recorded), verdicts(experiment, found)
    for claim, holds in new.items():
        if holds != old[claim]:
            wrong += 1
            now = "holds" if holds else "does not hold"
            print(f"{claim[0]} ({MODES[claim[1]][0]}): {now}, other than recorded")
    text = read(page_path(TABLES))
    drawn = picture(experiment, recorded)
    if put_section(text, experiment, recorded) != text:
        wrong += 1
        print(f"docs/{TABLES} is not what the record says of {experiment.name}")
    if drawn and drawn != read(chart_path(experiment.name)):
        wrong += 1
        print(f"{chart_path(experiment.name)} is not what the record says")
    return wrong


def page_path(page):
    return os.path.join(DOCS, page)


def chart_path(name):
    return os.path.join(DOCS, "papers", name + ".svg")


def keep(experiment, found, record):
    record[experiment.name] = found
    write(RECORD, record_text(record))
    page = page_path(TABLES)
    write(page, put_section(read(page), experiment, found))
    drawn = picture(experiment, found)
    if drawn:
        os.makedirs(os.path.dirname(chart_path(experiment.name)), exist_ok=True)
        write(chart_path(experiment.name), drawn)


def show_progress(experiment, mode, numbers):
    if sys.stderr.isatty():
        print(f"{experiment.name}, {MODES[mode][0]}: {numbers}", file=sys.stderr)


def main(arguments):
    options = {option: option in arguments
               for option in ("--check", "--recorded", "--long")}
    names = [argument for argument in arguments if argument not in options]
    paths = {os.path.basename(path)[:-5]: path
             for path in sorted(glob.glob(os.path.join(FOLDER, "*.toml")))}
    if any(name not in paths for name in names):
        raise SystemExit(f"{__doc__}\nNAME is one of {', '.join(paths)}")
    record = json.loads(read(RECORD)) if os.path.exists(RECORD) else {}
    wrong = 0
    # Nothing is left to the library's choice, so it need not measure anything for that.
    os.environ["REDIST_RATES"] = "2e-6,3.3e-9,0"
    for name in names or paths:
        experiment = Experiment(paths[name])
        found = record.get(name)
        if not options["--recorded"]:
            found = experiment.run(show_progress, None if options["--long"] else found)
        print(f"\n{name}\n{section(experiment, found)}", flush=True)
        if options["--check"]:
            wrong += check(experiment, found, record[name])
        else:
            keep(experiment, found, record)
    if record.keys() >= paths.keys():
        papers, missed = count_verdicts(map(Experiment, paths.values()), record)
        parts = {page_path(SUMMARY): put_summary(read(page_path(SUMMARY)), papers, missed),
                 chart_path("summary"): verdicts_chart(papers)}
        for path, text in parts.items():
            if not options["--check"]:
                write(path, text)
            elif text != read(path):
                wrong += 1
                print(f"{path} is not what the record says in its summary")
    if options["--check"]:
        print(f"{wrong} differences from the record, or of the pages from that")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
