# SPDX-License-Identifier: MIT
"""Move a distributed array from one distribution to another, over MPI.

    import numpy as np, redist
    from mpi4py import MPI

    rows, columns = "[64,64] (block,*) onto 4", "[64,64] (*,block) onto 4"
    with redist.Plan(MPI.COMM_WORLD, rows, columns, np.float64) as plan:
        b = plan(a)    # as often as you like, on any such arrays

Dist says who owns what, View what of it takes part and how it lies in memory; Plan and
Batch move. balance evens out what processes have, indexed goes by lists of indices,
relabel proposes ranks that have most already. Topology says where processes sit in a
network, for plans to be told. alloc and alloc_view make arrays that the processes of a
node share. open gives a File, an array in a file, and copy copies one; a Checkpoint has
the arrays of a step of a program. Errors are exceptions under redist.Error, the same on
every process.
"""
from .balances import Balance, SizedBalance, balance, balance_sized
from .checkpoints import Checkpoint
from .dists import Dist, Format, Grid, block, collapsed, cyclic, gen_block, indirect
from .errors import (AllocationError, ArgumentError, DeviceError, Error, FileError,
                     MismatchError, MPIError, StateError)
from .files import File, copy, open
from .indexed import Indexed, indexed
from .memory import alloc, alloc_view, free
from .plans import Batch, Plan, Report
from .propose import balance_dists, balance_shares, relabel
from .topologies import Topology
from .version import __version__
from .views import View

__all__ = [
    "AllocationError", "ArgumentError", "Balance", "Batch", "Checkpoint", "DeviceError",
    "Dist", "Error", "File", "FileError", "Format", "Grid", "Indexed", "MPIError",
    "MismatchError", "Plan", "Report", "SizedBalance", "StateError", "Topology", "View",
    "__version__", "alloc", "alloc_view", "balance", "balance_dists", "balance_shares",
    "balance_sized", "block", "collapsed", "copy", "cyclic", "free", "gen_block",
    "indexed", "indirect", "open", "relabel"]
