#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heat spreads over a plate. The program goes on from its last checkpoint, with as many
processes as there are now.

    mpirun -n 4 python3 restart.py state 30
    mpirun -n 3 python3 restart.py state 30
"""
import os
import sys

import numpy as np
import redist
from mpi4py import MPI

comm = MPI.COMM_WORLD
folder, steps = sys.argv[1], int(sys.argv[2])
rows = redist.View(f"[240,200] (block,*) onto {comm.size}")
up = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
down = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL

start, u = 0, rows.zeros(comm.rank, np.float64)
if comm.bcast(os.path.isdir(folder)):
    with redist.Checkpoint(folder) as c:
        start = c.step
        c.read("plate", rows, u)

for step in range(start + 1, start + steps + 1):
    top, bottom = (u[0], u[-1]) if len(u) > 0 else (None, None)  # or it has no rows
    above = comm.sendrecv(bottom, down, source=up)
    below = comm.sendrecv(top, up, source=down)
    plate = np.zeros((u.shape[0] + 2, u.shape[1] + 2))  # with what is round it
    plate[1:-1, 1:-1] = u
    plate[0, 1:-1] = 100 if above is None else above  # the upper edge is hot
    plate[-1, 1:-1] = 0 if below is None else below
    u[:] = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4
    if step % 10 == 0:
        with redist.Checkpoint(folder, step, "w", keep=2) as c:
            c.write("plate", rows, u)

if comm.rank == 0:
    print(f"steps {start + 1} to {start + steps} with {comm.size} processes")
