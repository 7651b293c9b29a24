# SPDX-License-Identifier: MIT
"""judge.py SIMULATION - test how simulation/experiment.py reads and judges."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop())
import machine  # noqa: E402
from experiment import Experiment, Unknown, fill, within  # noqa: E402

TEXT = """
title = "none"
paper = "none"
machine = "hub"
processes = "{P}"
vary = ["P", "K"]
cases = [[2, [1, 5]], [3, 1]]
source = "[{P * K}] (block) onto {P}"
target = "[{P * K}] (cyclic) onto {P}"

[line]
slow = "naive/sendrecv"
[line.quick]
strategy = "{'optimal' if P == 3 else 'shifted'}/sendrecv"

[line.other]
strategy = "naive/sendrecv"
target = "[{P * K}] (cyclic(2)) onto {P}"
options = ["--type", "{'i4' if K < 5 else 'i8'}"]

[printed]
unit = "ms"
slow = [4, 5, 6]
"""
FOUND = [{"slow": 6.0, "quick": 2.0}, {"slow": 20.0}, {"slow": 8.0, "quick": 4.0}]


class Judge(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "name.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(TEXT)
            self.experiment = Experiment(path)

    def judge(self, value, of, bound, **more):
        claim = {"value": value, "of": of, "bound": bound, **more}
        return self.experiment.judge(claim, FOUND)

    def test_lists_are_one_case_for_each_value(self):
        self.assertEqual(self.experiment.numbers,
                         [{"P": 2, "K": 1}, {"P": 2, "K": 5}, {"P": 3, "K": 1}])

    def test_braces_are_expressions(self):
        self.assertEqual(fill("[{P * K}] onto {P}", {"P": 3, "K": 4}), "[12] onto 3")
        line = self.experiment.line["quick"]
        strategies = [self.experiment.fill(line, numbers, "strategy")
                      for numbers in self.experiment.numbers]
        self.assertEqual(strategies, ["shifted/sendrecv"] * 2 + ["optimal/sendrecv"])

    def test_a_race_is_of_the_lines_with_the_same_work(self):
        races = []

        def bench(case, strategies):
            races.append((case, list(strategies)))
            return {name: {"available": True, "median_seconds": len(races) + k}
                    for k, name in enumerate(strategies)}

        machine.bench = bench
        seconds = self.experiment.run_case({"P": 3, "K": 1}, "one_port")
        hub = ["hub", "3", "[3] (block) onto 3"]
        self.assertEqual(races, [
            (hub + ["[3] (cyclic) onto 3", "--bare", "--one-port"],
             ["naive/sendrecv", "optimal/sendrecv"]),
            (hub + ["[3] (cyclic(2)) onto 3", "--bare", "--type", "i4", "--one-port"],
             ["naive/sendrecv"])])
        self.assertEqual(seconds, {"slow": 1, "quick": 2, "other": 2})

    def test_some_cases_are_run_in_the_first_mode_alone(self):
        machine.bench = lambda case, strategies: {
            name: {"available": True, "median_seconds": 1} for name in strategies}
        self.experiment.once = "P == 3"
        found = self.experiment.run(lambda *case: None)
        for mode, cases in found.items():
            self.assertEqual([len(seconds) for seconds in cases],
                             [3, 3, 3 if mode == "shared" else 0])

    def test_long_cases_are_as_recorded(self):
        machine.bench = lambda case, strategies: {
            name: {"available": True, "median_seconds": 1} for name in strategies}
        self.experiment.long = "K == 5"
        recorded = {mode: [{"slow": 7}] * 3 for mode in self.experiment.modes}
        for known, slow in ((None, [1, 1, 1]), (recorded, [1, 7, 1])):
            for cases in self.experiment.run(lambda *case: None, known).values():
                self.assertEqual([seconds["slow"] for seconds in cases], slow)

    def test_what_cannot_be_had_ends_all(self):
        machine.bench = lambda case, strategies: {
            name: {"available": False, "why": "reasons"} for name in strategies}
        with self.assertRaisesRegex(SystemExit, "slow: reasons"):
            self.experiment.run_case({"P": 2, "K": 1}, "shared")

    def test_the_least_and_the_most_of_all_cases(self):
        self.assertEqual(self.judge("slow", "least", ">= 7"), (6, False))
        self.assertEqual(self.judge("slow", "most", ">= 7"), (20, True))

    def test_a_case_that_lacks_a_line_does_not_count(self):
        self.assertEqual(self.judge("slow / quick", "most", "<= 3"), (3, True))
        self.assertEqual(self.judge("slow / quick", "least", "> 2"), (2, False))

    def test_cases_can_be_picked(self):
        judged = self.judge("slow", "most", "< 8", only="P == 2 and K == 1")
        self.assertEqual(judged, (6, True))

    def test_another_case_of_the_line(self):
        judged = self.judge("at('slow', K=5) / slow", "most", "> 3")
        self.assertEqual(judged, (20 / 6, True))
        self.assertIsNone(self.judge("at('slow', P=7)", "most", "> 3"))

    def test_a_claim_about_nothing_has_no_verdict(self):
        self.assertIsNone(self.judge("slow", "most", "> 0", only="P == 7"))
        with self.assertRaises(Unknown):
            self.experiment.evaluate("quick", FOUND, 1)

    def test_a_bound_is_a_comparison(self):
        for bound, holds in ((">= 2", True), ("> 2", False), ("<= 2", True),
                             ("< 2", False), ("== 4 / 2", True), ("== 3", False)):
            self.assertEqual(within(2, bound), holds, bound)

    def test_what_is_printed_has_a_unit(self):
        self.assertEqual(self.experiment.printed_cases(),
                         [{"slow": 0.004}, {"slow": 0.005}, {"slow": 0.006}])


unittest.main()
