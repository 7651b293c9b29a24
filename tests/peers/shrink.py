#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shrink.py mpiexec program processes [cases] - random calls; what fails is shrunk.

Runs test_random. If it fails, also by a crash or by never ending, the calls of the batch
before the failing one are left out, as far as it still fails, then numbers of the calls
are replaced by smaller ones, and processes left out; each trial is a run of its own.
At the end stands the command that repeats it.
"""

import os
import re
import subprocess
import sys
import time

TRIAL_S = 60  # a trial that takes longer has failed, too
SHRINK_S = 400  # then the smallest so far is good enough


def run(command, seconds=None):
    """Return whether it ended well, and what it printed."""
    environment = dict(os.environ)
    if seconds:
        environment["REDIST_MPI_TIMEOUT"] = str(seconds)
    done = subprocess.run(command, env=environment, check=False, text=True,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


class Failure:
    """Calls over the grids of a batch that fail, the last of them or all together."""

    def __init__(self, mpiexec, program, processes, batch):
        self.mpiexec, self.program = mpiexec, program
        self.processes, self.batch, self.calls = processes, batch, []
        self.end = time.monotonic() + SHRINK_S

    def command(self, calls, processes=None):
        texts = [",".join(map(str, call)) for call in calls]
        return [self.mpiexec, "-n", str(processes or self.processes), self.program,
                self.batch, *texts]

    def fails(self, calls, processes=None):
        over = time.monotonic() > self.end
        return not over and not run(self.command(calls, processes), TRIAL_S)[0]

    def drop_calls(self):
        """Leave out calls before the last: half of them at a time, then fewer."""
        n = max(1, (len(self.calls) - 1) // 2)
        while n >= 1:
            at = 0
            while at < len(self.calls) - 1:
                end = min(at + n, len(self.calls) - 1)
                fewer = self.calls[:at] + self.calls[end:]
                if self.fails(fewer):
                    self.calls = fewer
                else:
                    at = end
            n //= 2

    def simplify(self, k):
        """Replace as many numbers of a call as possible by the least: all at a time, then
        fewer."""
        places = list(range(len(self.calls[k])))
        n = len(places)
        while n >= 1:
            for at in range(0, len(places), n):
                changed = list(self.calls[k])
                for i in places[at:at + n]:
                    changed[i] = min(changed[i], 0)  # or 1, where the test must
                self.try_call(k, changed)
            places = [i for i in places if self.calls[k][i] > 0]
            n = min(n // 2, max(1, len(places)))

    def lessen(self, k):
        """Halve the numbers that are left, again and again."""
        for i, number in enumerate(self.calls[k]):
            while number > 1:
                changed = list(self.calls[k])
                changed[i] = number = number // 2
                if not self.try_call(k, changed):
                    break

    def try_call(self, k, call):
        """Take this call instead of the k-th, if that fails, too."""
        calls = self.calls[:k] + [call] + self.calls[k + 1:]
        if calls == self.calls or not self.fails(calls):
            return False
        self.calls = calls
        return True

    def shrink(self):
        """Find fewer calls, with smaller numbers, of fewer processes."""
        self.drop_calls()
        for k in reversed(range(len(self.calls))):
            self.simplify(k)
            self.lessen(k)
        for processes in range(1, self.processes):
            if self.fails(self.calls, processes):
                self.processes = processes
                return


def main():
    mpiexec, program, processes, *cases = sys.argv[1:]
    well, printed = run([mpiexec, "-n", processes, program, *cases])
    print(printed, end="", flush=True)
    if well:
        return 0
    places = [(int(count), batch)
              for batch, count in re.findall(r"repeat: (\d+) (\d+)", printed)]
    if not places:
        return 1
    count, batch = max(places)
    failure = Failure(mpiexec, program, int(processes), batch)
    well, printed = run([mpiexec, "-n", processes, program, batch, str(count)], TRIAL_S)
    failure.calls = [[int(number) for number in call.split(",")]
                     for call in re.findall(r"^call ([-\d,]+)$", printed, re.MULTILINE)]
    if well or not failure.calls or not failure.fails(failure.calls):
        print("It fails behind other batches only.")
        return 1
    failure.shrink()
    _, printed = run(failure.command(failure.calls), TRIAL_S)
    print(f"{len(failure.calls)} calls are enough:\n{printed}\nRepeat it with")
    print(f"REDIST_SCALAPACK={os.environ.get('REDIST_SCALAPACK')}",
          *failure.command(failure.calls))
    return 1


if __name__ == "__main__":
    sys.exit(main())
