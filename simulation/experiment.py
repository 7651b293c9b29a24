# SPDX-License-Identifier: MIT
"""An experiment of a paper: its cases, on a simulated machine, and its claims, judged.

simulation/papers/*.toml say what there is in one:

    title, paper        what is compared, and where the paper does
    machine             a platform, see script/simulate --help
    modes               how it treats messages, of MODES; all of them if not given
    once                a condition on cases that are run in the first mode alone, as they
                        take long
    long                a condition on cases that take minutes: without --long their seconds
                        are those of the record
    options             of redist bench
    vary                names of numbers, and
    cases               their values: a row for each case, or where a value is a list, for
                        each of its values
    processes           of the machine; as machine, source, target and strategies, this is
    source, target      text in which {..} is an expression over these numbers
    [line]              the curves or columns: a strategy, or a table with `strategy` and,
                        if it has its own, `source`, `target` and `options`, in which {..}
                        is an expression too
    [printed]           by line, what the paper prints for each case, in `unit`: ms or s
    [[claim]]           `says`, in our words; `value`, an expression over lines (their
                        seconds), numbers, at(line, number=..) for another case of the
                        line, and ns(schedule), tc(schedule) and w(schedule); the least or
                        most `of` it in the cases of `only` must be within `bound`;
                        `paper`, its figure; `why`, where it does not hold, the
                        reason of simulation/reasons.toml
    chart               `x`, one of the numbers; `only`; `log`: in powers of 10; `y`, by
                        name expressions to draw, if not the seconds of the lines
"""
import itertools
import os
import re
import tomllib

import machine

MODES = {
    "shared": ("links shared", []),
    "one_port": ("one a link", ["--one-port"]),
    "waiting": ("sends wait", ["--cfg=smpi/send-is-detached-thresh:0"]),
}
BOUND = re.compile(r"(>=|<=|<|>|==) *(.+)")


def fill(text, numbers):
    return re.sub(r"\{([^{}]+)\}", lambda m: str(eval(m[1], {}, dict(numbers))), text)


def within(value, bound):
    sign, limit = BOUND.fullmatch(bound).groups()
    limit = eval(limit)
    return {">=": value >= limit, "<=": value <= limit, ">": value > limit,
            "<": value < limit, "==": value == limit}[sign]


class Unknown(Exception):
    """There are no seconds of a line in a case: the paper does not print it."""


class Seconds(dict):
    """The names of an expression: numbers, and lines as their seconds."""

    def __missing__(self, name):
        raise Unknown(name)


class Experiment:
    # Of which a file need not speak.
    modes, options, claim = list(MODES), [], []
    chart = printed = once = long = None

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, "rb") as file:
            self.__dict__.update(tomllib.load(file))
        self.options = ["--bare"] + self.options
        self.line = {name: {"strategy": line} if isinstance(line, str) else line
                     for name, line in self.line.items()}
        self.numbers = []
        for row in self.cases:
            values = [v if isinstance(v, list) else [v] for v in row]
            self.numbers += [dict(zip(self.vary, v)) for v in itertools.product(*values)]

    def fill(self, line, numbers, key):
        """The text `key` of a line, or of all, in a case."""
        return fill(line.get(key) or getattr(self, key), numbers)

    def run_case(self, numbers, mode):
        """{line: seconds}."""
        races = {}  # what one command can compare
        for name, line in self.line.items():
            case = [self.fill(line, numbers, key)
                    for key in ("machine", "processes", "source", "target")]
            own = [fill(option, numbers) for option in line.get("options", [])]
            case += self.options + own + MODES[mode][1]
            races.setdefault(tuple(case), {})[name] = self.fill(line, numbers, "strategy")
        seconds = {}
        for case, strategies in races.items():
            found = machine.bench(list(case), dict.fromkeys(strategies.values()))
            for name, strategy in strategies.items():
                if not found[strategy]["available"]:
                    raise SystemExit(f"{self.name}: {name}: {found[strategy]['why']}")
                seconds[name] = found[strategy]["median_seconds"]
        return seconds

    def run(self, progress, recorded=None):
        """[mode][case] of {line: seconds}; those of long cases as recorded, if that is
        given."""
        def is_(condition, numbers):
            return condition and eval(condition, {}, dict(numbers))

        found = {}
        for mode in self.modes:
            found[mode] = []
            for k, numbers in enumerate(self.numbers):
                if mode != self.modes[0] and is_(self.once, numbers):
                    seconds = {}
                elif recorded and is_(self.long, numbers):
                    seconds = recorded[mode][k]
                else:
                    progress(self, mode, numbers)
                    seconds = self.run_case(numbers, mode)
                found[mode].append(seconds)
        return found

    def printed_cases(self):
        """What the paper prints, as run has it, [case] of {line: seconds}; empty if it does
        not."""
        printed = self.printed or {"unit": "s"}
        scale = {"ms": 1e-3, "s": 1}[printed["unit"]]
        return [{name: scale * printed[name][k] for name in self.line if name in printed}
                for k in range(len(self.numbers))]

    def evaluate(self, text, cases, k):
        """The value of an expression in the k-th case. Unknown: a line is not in it."""
        numbers = self.numbers[k]

        def at(line, **other):
            wanted = {**numbers, **other}
            for others, seconds in zip(self.numbers, cases):
                if others == wanted and line in seconds:
                    return seconds[line]
            raise Unknown(line)

        def cost(name):
            sides = [self.fill({}, numbers, side) for side in ("source", "target")]
            return machine.schedules(*sides)[name]

        names = Seconds(numbers, **cases[k], at=at, min=min, max=max,
                        ns=lambda name: cost(name)["ns"],
                        tc=lambda name: cost(name)["tc"],
                        w=lambda name: cost(name)["w"])
        return eval(text, {}, names)

    def judge(self, claim, cases):
        """The least or most value of a claim, and whether it holds; None if no case has
        what it is about."""
        values = []
        for k in range(len(self.numbers)):
            if "only" in claim and not eval(claim["only"], {}, dict(self.numbers[k])):
                continue
            try:
                values.append(self.evaluate(claim["value"], cases, k))
            except Unknown:
                continue
        if not values:
            return None
        value = {"least": min, "most": max}[claim["of"]](values)
        return value, within(value, claim["bound"])
