#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays of CuPy and PyTorch on a device, those of the two that are installed: rows
become columns, new targets and given ones, beside the same with NumPy."""
import importlib
import sys

import numpy as np
from mpi4py import MPI

import redist

COMM = MPI.COMM_WORLD
N = 96
ROWS = f"[{N},{N}] (block,*) onto {COMM.size}"
COLUMNS = f"[{N},{N}] (*,cyclic(5)) onto {COMM.size}"


def packages():
    """Each package, how it takes an array of NumPy's, and how it gives one back."""
    found = {}
    for name, take, give in (
            ("cupy", lambda m, a: m.asarray(a), lambda m, a: m.asnumpy(a)),
            ("torch", lambda m, a: m.tensor(a, device="cuda"),
             lambda m, a: a.cpu().numpy())):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        found[name] = (lambda a, m=module, f=take: f(m, a),
                       lambda a, m=module, f=give: f(m, a))
    return found


def main():
    found = packages()
    whole = np.arange(N * N, dtype="f8").reshape(N, N)
    for name, (take, give) in found.items():
        here = redist.View(ROWS).local_shape(COMM.rank)[0]
        first = COMM.exscan(here) or 0
        source = take(np.ascontiguousarray(whole[first:first + here]))
        with redist.Plan(COMM, ROWS, COLUMNS, "f8") as plan:
            due = plan(whole[first:first + here].copy())
            new = plan(2 * source)
            assert type(new) is type(source), type(new)
            given = take(np.zeros(due.shape))
            assert plan(source, given) is given
            for array, factor in ((new, 2), (given, 1)):
                np.testing.assert_array_equal(give(array), factor * due)
        if COMM.rank == 0:
            print("PASS", name)
    return 0 if found else "neither CuPy nor PyTorch"


if __name__ == "__main__":
    sys.exit(main())
