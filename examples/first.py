#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program of the README in Python: the rows of a matrix on all processes become
64 x 64 blocks on 2 x 2 of them.

    mpirun -n 4 python3 first.py
"""
import numpy as np
import redist
from mpi4py import MPI

comm = MPI.COMM_WORLD
rows = redist.View("[4096,4096] (block,*) onto 4")
blocks = redist.View("[4096,4096] (cyclic(64),cyclic(64)) onto 2x2")

a = rows.zeros(comm.rank, np.float64)  # [1024,4096]
a[:] = comm.rank

with redist.Plan(comm, rows, blocks, np.float64) as plan:
    b = plan(a)  # [2048,2048]; as often as you like, on any such arrays
    if comm.rank == 0:
        print(plan.explain())

# Local row i is row i // 64 * 128 + i % 64 + 64 * (comm.rank // 2), of 1024 a process.
i = np.arange(2048)
owner = (i // 64 * 128 + i % 64 + 64 * (comm.rank // 2)) // 1024
assert (b == owner[:, None]).all()
