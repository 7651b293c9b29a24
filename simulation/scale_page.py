# SPDX-License-Identifier: MIT
"""docs/scale_tables.md, the numbers in the summary of docs/scale.md, and its chart, from the
seconds of simulation/scale.txt."""
import math
import os
import textwrap

import bounds

WIDTH = 100  # of a line of text
DOCS = os.path.join(bounds.HERE, "..", "docs")
BEGIN, END = "<!-- by script/simulate scale -->\n", "<!-- end -->\n"
HEAD = """# Strategies at scale: the tables

This page has the simulated times behind [scale.md](scale.md), which defines the works, the bounds
and the columns. Except where a table says otherwise, a number is a time over the bound, and less is
better. `script/simulate` writes the page from simulation/scale.txt; with `--page` it simulates
nothing:

    script/simulate scale --page
"""
COLUMNS = ["auto", "tuned", "untold", "optimal", "timeline", "nonblocking", "window(4)",
           "optimal/sendrecv", "timeline/window(1)", "caterpillar/sendrecv", "alltoallv",
           "aggregated"]
OTHERS = ("caterpillar", "alltoallv", "stepwise", "guo-pan-1", "guo-pan-2")
NEVER_SLOW = ("crossbar", "fat_tree", "switch")  # as many links up as down
WITHOUT_CHOICE = ("untold", "nonblocking", "window(4)", "stepwise/sendrecv", "alltoallv",
                  "aggregated")
COLOURS = {"auto": "#d62728", "nonblocking": "#1f77b4", "optimal/sendrecv": "#2ca02c",
           "timeline/window(1)": "#9467bd", "caterpillar/sendrecv": "#999999"}


def table(found, processes, size, mode):
    """Rows of one size and mode: seconds over the bound, the shortest in bold."""
    rows = []
    for case in sorted(found):
        if case[1] != processes or case[3] != size or case[4] != mode:
            continue
        bound, routes, seconds = found[case]
        more = f"{1e3 * routes:.4g}" if exceeds(routes, bound) else ""
        best = min(seconds, key=seconds.get)
        cells = ["" if name not in seconds else
                 f"**{seconds[name] / bound:.2f}**" if seconds[name] == seconds[best] else
                 f"{seconds[name] / bound:.2f}" for name in COLUMNS]
        rows.append(f"| {case[0]} | {case[2]} | {1e3 * bound:.4g} | {more} | " + " | ".join(cells) +
                    f" | {best} {seconds[best] / bound:.2f} |\n")
    if not rows:
        return ""
    head = f"\n{processes} processes, {size * 8 / 1024:g} KiB each, links {LINKS[mode]}:\n\n"
    head += "| platform | work | bound, ms | by routes, ms | " + " | ".join(COLUMNS) + " | best |\n"
    return head + "|" + "---|" * (len(COLUMNS) + 5) + "\n" + "".join(rows)


LINKS = {"shared": "shared", "one-port": "one message at a time",
         "median": "one message at a time, median of five"}


def in_short(found, held):
    """The numbers in the summary of docs/scale.md: the usual cases, and the held-out ones."""
    ratios = [seconds["auto"] / min(seconds.values()) for _, _, seconds in held.values()]
    near = sum(ratio <= 1.02 for ratio in ratios)
    text = (f"{by_processes(found)}{against_named(found)}"
            f"On the held-out cases it is within 2% of the fastest in {near} of {len(ratios)}; "
            f"the worst ratio is {max(ratios):.3f}.")
    return textwrap.fill(text, WIDTH) + "\n"


def summary(found):
    """How far auto is from the best, told the network and not, by platform and mode."""
    text = "\n## auto, by platform\n\nThe columns compare `auto`, `untold` and `tuned` with the "
    text += "fastest of all columns.\n"
    text += "\n| platform | links | cases | auto within 2% of the best | median | worst | "
    text += "untold within 2% | median | worst | tuned, of them within 2% | worst |\n"
    text += "|---|---|---|---|---|---|---|---|---|---|---|\n"
    for platform, mode in sorted({(case[0], case[4]) for case in found}):
        cases = [seconds for case, (_, _, seconds) in found.items()
                 if (case[0], case[4]) == (platform, mode)]
        text += f"| {platform} | {LINKS[mode]} | {len(cases)} | "
        for name in ("auto", "untold"):
            ratios = sorted(seconds[name] / min(seconds.values()) for seconds in cases
                            if name in seconds)
            if not ratios:
                text += " |  |  | "
                continue
            near = sum(ratio <= 1.02 for ratio in ratios)
            text += f"{near} | {ratios[len(ratios) // 2]:.2f} | {ratios[-1]:.2f} | "
        ratios = sorted(seconds["tuned"] / min(seconds.values()) for seconds in cases
                        if "tuned" in seconds)
        near = sum(ratio <= 1.02 for ratio in ratios)
        text += f"{len(ratios)}, {near} | {max(ratios):.2f} |\n" if ratios else " |  |\n"
    return text


def gains(found):
    """What is lost if one strategy is taken in all cases, or auto does not know the network."""
    text = ("\n## What the choice gains\n\nThe time of one strategy in all cases, and of `untold`, over "
            "that of `auto`:\n\n"
            "| instead of auto | cases | geometric mean | longest | cases above 1.1 |\n"
            "|---|---|---|---|---|\n")
    for name in WITHOUT_CHOICE:
        ratios = [seconds[name] / seconds["auto"] for _, _, seconds in found.values()
                  if name in seconds]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            text += (f"| {name} | {len(ratios)} | {mean:.2f} | {max(ratios):.2f} | "
                     f"{sum(ratio > 1.1 for ratio in ratios)} |\n")
    return text


def exceeds(routes, bound):
    """Whether the busiest link by the routes has more to carry than the busiest port or cut."""
    return routes > 1.001 * bound


def against_bounds(found):
    """How often long messages, which are bound by bandwidth, are within a tenth of the bounds
    where no pattern need be slow by itself."""
    text = ("\n## Near the bound\n\nCases within 1.1 of the bound, and within 1.1 of the larger "
            "of the bound and the bound by routes.\nOnly platforms with as many links up as down, "
            "and long messages:\n\n"
            "| platform | KiB each | links | cases | auto, of the bound | of both | "
            "best, of the bound | of both |\n|---|---|---|---|---|---|---|---|\n")
    least = min((case[3] for case in found), default=0)
    for platform, size, mode in sorted({(case[0], *case[3:]) for case in found}):
        cases = [row for case, row in found.items()
                 if (case[0], *case[3:]) == (platform, size, mode)]
        if platform not in NEVER_SLOW or size == least:
            continue
        counts = [sum(pick(seconds) <= 1.1 * (max(bound, routes) if both else bound)
                      for bound, routes, seconds in cases)
                  for pick in (lambda s: s["auto"], lambda s: min(s.values()))
                  for both in (False, True)]
        text += f"| {platform} | {size * 8 / 1024:g} | {LINKS[mode]} | {len(cases)} | "
        text += " | ".join(map(str, counts)) + " |\n"
    return text


def by_processes(found):
    """A sentence: in how many cases auto is near the best, by the number of processes."""
    near = {}
    for case, (_, _, seconds) in found.items():
        near.setdefault(case[1], []).append(seconds["auto"] <= 1.02 * min(seconds.values()))
    parts = [f"{sum(near[n])} of {len(near[n])} cases of {n} processes" for n in sorted(near)]
    return ("`auto` is within 2% of the fastest strategy in " + ", ".join(parts) + ". ")


def schedules(found):
    """How the two schedules that are followed as the library chooses compare with others."""
    text = "\n## optimal and timeline alone\n"
    for name in ("optimal", "timeline"):
        ratios = []
        for case, (_, _, seconds) in found.items():
            others = [s for other, s in seconds.items() if other.split("/")[0] in OTHERS]
            if name in seconds and others:
                ratios.append((seconds[name] / min(others), case))
        if ratios:
            behind = sum(ratio > 1.01 for ratio, _ in ratios)
            ratio, case = max(ratios)
            sentence = (f"`{name}` alone is more than 1% slower than the fastest of caterpillar, "
                        f"Alltoallv, Guo and Pan's schedules and stepwise in {behind} of "
                        f"{len(ratios)} cases. The worst ratio is {ratio:.2f} ({case[0]}, {case[1]} "
                        f"processes, {case[2]}, {case[3] * 8 / 1024:g} KiB, links: "
                        f"{LINKS[case[4]]}).")
            text += f"\n{textwrap.fill(sentence, WIDTH)}\n"
    return text


OF_AUTO = ("auto", "untold", "tuned")


def against_named(found):
    """Sentences: with how many strategies auto competes, and how often it is behind and ahead
    of the best of them."""
    numbers, ratios = [], []
    for _, _, seconds in found.values():
        named = [s for name, s in seconds.items() if name not in OF_AUTO]
        numbers.append(len(named))
        ratios.append(seconds["auto"] / min(named))
    behind, ahead = sum(r > 1.02 for r in ratios), sum(r < 1 / 1.02 for r in ratios)
    text = (f"It competes with {min(numbers)} to {max(numbers)} named strategies: all that can do "
            f"the work and that the number of processes leaves time for. It is more than 2% slower "
            f"than the fastest of these in {behind} of {len(ratios)} cases (worst ratio "
            f"{max(ratios):.3f}) and more than 2% faster than all of them in {ahead} (best ratio "
            f"{min(ratios):.3f}).")
    return textwrap.fill(text, WIDTH) + "\n"


def row_of_others(case, bound, routes, seconds):
    best = min(seconds, key=seconds.get)
    more = f"{routes / bound:.2f}" if exceeds(routes, bound) else ""
    tuned = f"{seconds['tuned'] / seconds[best]:.3f}" if "tuned" in seconds else ""
    cells = [case[0], case[1], case[2], f"{case[3] * 8 / 1024:.0f}", LINKS[case[4]], more,
             f"{seconds['auto'] / bound:.2f}", f"{seconds['untold'] / bound:.2f}",
             f"{best} {seconds[best] / bound:.2f}", f"{seconds['auto'] / seconds[best]:.3f}",
             tuned]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def others(what, found):
    """A row for each case of those that are not the usual ones."""
    if not found:
        return ""
    text = "\n| platform | processes | work | KiB each | links | routes over the bound | "
    text += "auto over the bound | untold | best | auto over the best | tuned |\n"
    text += "|---|---|---|---|---|---|---|---|---|---|---|\n"
    text += "".join(row_of_others(case, *found[case]) for case in sorted(found))
    ratios = [seconds["auto"] / min(seconds.values()) for _, _, seconds in found.values()]
    near = sum(ratio <= 1.02 for ratio in ratios)
    return (f"\n## {what}\n\n`auto` is within 2% of the fastest column in {near} of "
            f"{len(ratios)} cases; the worst ratio is {max(ratios):.3f}.\n"
            f"{against_named(found)}\n{by_platforms(found)}{text}")


def by_platforms(found):
    """A table: in how many cases of each platform auto is near the best."""
    ratios = {}
    for case, (_, _, seconds) in found.items():
        ratios.setdefault(case[0], []).append(seconds["auto"] / min(seconds.values()))
    text = "| platform | cases | auto within 2% of the best | worst |\n|---|---|---|---|\n"
    return text + "".join(f"| {name} | {len(ratios[name])} | "
                          f"{sum(r <= 1.02 for r in ratios[name])} | {max(ratios[name]):.3f} |\n"
                          for name in sorted(ratios))


def chart(found):
    """Points of time over the bound against processes: "3 to 5", the longest size of all
    platforms, shared links, a panel for each platform."""
    cases = [case for case in found if case[2] == "3 to 5" and case[4] == "shared"]
    if not cases:
        return None
    platforms = sorted({case[0] for case in cases})
    size = min(max(case[3] for case in cases if case[0] == platform) for platform in platforms)
    width, height, left = 150, 180, 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" '
           f'width="{left + width * len(platforms)}" height="{height + 90}">']

    def y(ratio):
        return 30 + height * (1 - math.log2(ratio) / 3)  # 1 to 8

    for ratio in (1, 2, 4, 8):
        out.append(f'<text x="4" y="{y(ratio) + 4:g}">{ratio}x</text>')
    for n, platform in enumerate(platforms):
        x0 = left + n * width
        out.append(f'<text x="{x0}" y="16">{platform}</text>')
        for ratio in (1, 2, 4, 8):
            out.append(f'<path d="M{x0} {y(ratio):g}h{width - 20}" stroke="#ddd"/>')
        for name, colour in COLOURS.items():
            points = [(x0 + 12 + 34 * (math.log(case[1], 4) - 2),
                       y(min(found[case][2][name] / found[case][0], 8)), case[1])
                      for case in sorted(cases)
                      if (case[0], case[3]) == (platform, size) and name in found[case][2]]
            line = " ".join(f"{x:g},{at:g}" for x, at, _ in points)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
            out += [f'<circle cx="{x:g}" cy="{at:g}" r="3" fill="{colour}"/>'
                    for x, at, _ in points]
        for k, processes in enumerate((16, 64, 256, 1024)):
            out.append(f'<text x="{x0 + 12 + 34 * k}" y="{height + 46}" '
                       f'text-anchor="middle">{processes}</text>')
    for k, (name, colour) in enumerate(COLOURS.items()):
        out.append(f'<text x="{left + 145 * k}" y="{height + 76}" fill="{colour}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write(found, looked_at, held):
    """Write the page of tables, the numbers in the summary and the chart, of the usual cases,
    of those that were held out once and of those that are: {case: (bound, bound by routes or
    0, seconds)}."""
    path = os.path.join(DOCS, "scale.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    put(path, before + BEGIN + in_short(found, held) + END + rest.split(END)[1])
    kinds = sorted({(case[3], case[1], case[4]) for case in found if case[4] != "median"},
                   key=lambda k: (-k[0], *k[1:]))
    tables = summary(found) + gains(found) + against_bounds(found)
    tables += schedules({**found, **looked_at, **held})
    tables += others("Held-out cases", held)
    tables += others("Cases that were held out once", looked_at)
    tables += "\n## All cases\n"
    tables += "".join(table(found, processes, size, mode) for size, processes, mode in kinds)
    put(os.path.join(DOCS, "scale_tables.md"), HEAD + tables)
    picture = chart(found)
    if picture:
        put(os.path.join(DOCS, "scale.svg"), picture)
