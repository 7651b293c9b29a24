#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests of the package on all processes of this run, and say PASS once.

Every function of the library must have been called by the end.
"""
import sys
import unittest
from pathlib import Path

from mpi4py import MPI
from redist import _c

HERE = Path(__file__).resolve().parent


def count_calls():
    """Have the package call the library through functions that leave their names."""
    called = set()

    def counted(name, function):
        def call(*arguments):
            called.add(name)
            return function(*arguments)
        return call

    for name in _c.API.functions:
        setattr(_c.lib, name, counted(name, getattr(_c.lib, name)))
    return called


def main():
    comm = MPI.COMM_WORLD
    called = count_calls()
    suite = unittest.defaultTestLoader.discover(str(HERE), top_level_dir=str(HERE))
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    missed = sorted(set(_c.API.functions) - called)
    if missed:
        print("no test calls", ", ".join(missed))
    good = result.wasSuccessful() and result.testsRun > 0 and not missed
    if comm.allreduce(good, MPI.LAND):
        if comm.rank == 0:
            print("PASS")
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
