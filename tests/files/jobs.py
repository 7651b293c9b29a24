# SPDX-License-Identifier: MIT
"""Jobs of file_jobs.c, which a script writes down, has done, and looks at."""
import os
import subprocess
import sys


class Jobs:
    """Jobs of file_jobs, each with a check of its result."""

    def __init__(self):
        self.lines, self.checks = [], []

    def add(self, check, *fields):
        self.lines.append("\t".join(fields))
        self.checks.append(check)

    def run(self, command):
        with open("jobs", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in self.lines)
        subprocess.run(command + ["jobs", "results"], check=True)
        with open("results", encoding="utf-8") as file:
            results = file.read().splitlines()
        assert len(results) == len(self.lines), (len(results), len(self.lines))
        for line, check, result in zip(self.lines, self.checks, results):
            try:
                check(result)
            except Exception:
                print(f"{os.getcwd()}: {line!r}: {result}", file=sys.stderr)
                raise
        count = len(self.lines)
        self.lines, self.checks = [], []
        return count
