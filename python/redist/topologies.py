# SPDX-License-Identifier: MIT
"""Where processes sit in a network, and which links a message between two of them takes.
All of it is local but Topology.nodes."""
from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

from mpi4py import MPI

from ._c import check, handle, ints, lib, refuse, whole
from .dists import owned
from .errors import ArgumentError


class Topology:
    """A network with processes in it, ranks 0 to nprocs-1, for a plan to be told of.

    Topology("torus(8,8)", nprocs), or "mesh(8,16)", or "tree(4:1,16)": rank r is on node,
    or at place, r. Raises ArgumentError or AllocationError, as the class methods do.
    """

    def __init__(self, text: str, nprocs: int):
        self._make(lib.redist_topology_parse, text.encode(), nprocs)

    def _make(self, create: Any, *arguments: Any) -> None:
        pointer = ctypes.c_void_p()
        check(create(*arguments, pointer))
        self._handle = owned(self, pointer, lib.redist_topology_destroy)

    @classmethod
    def _of(cls, create: Any, *arguments: Any) -> Topology:
        self = cls.__new__(cls)
        self._make(create, *arguments)
        return self

    @classmethod
    def mesh(cls, extents: Sequence[int], periodic: Sequence[bool] | None = None,
             nprocs: int | None = None,
             coords: Sequence[Sequence[int]] | None = None) -> Topology:
        """A mesh of `extents` nodes, a torus along each dimension that is `periodic`.

        Rank r sits at coords[r], or on node r in row-major order; a process a node unless
        nprocs or coords say otherwise. A message goes along the last dimension first.
        """
        if periodic is not None and len(periodic) != len(extents):
            raise ArgumentError(f"periodic has {len(periodic)} elements, must have "
                                f"{len(extents)}")
        nprocs = _processes(extents, nprocs, "coords", coords)
        listed = None
        if coords is not None:
            for rank, at in enumerate(coords):
                if len(at) != len(extents):
                    raise ArgumentError(f"coords[{rank}] has {len(at)} elements, must "
                                        f"have {len(extents)}")
            listed = ints(x for at in coords for x in at)
        return cls._of(lib.redist_topology_create_mesh, len(extents), ints(extents),
                       None if periodic is None else ints(map(bool, periodic)), nprocs,
                       listed)

    @classmethod
    def tree(cls, members: Sequence[int], links: Sequence[int],
             nprocs: int | None = None,
             places: Sequence[int] | None = None) -> Topology:
        """A tree of switches, members[0] places at each of the lowest, members[k] of
        these below each of level k; one of level k has links[k] to the next, so that
        links is one shorter.

        Rank r is at places[r], or at place r; a process a place unless nprocs or places
        say otherwise.
        """
        if len(links) < len(members) - 1:
            raise ArgumentError(f"links has {len(links)} elements, must have "
                                f"{len(members) - 1}")
        nprocs = _processes(members, nprocs, "places", places)
        return cls._of(lib.redist_topology_create_tree, len(members), ints(members),
                       ints(links), nprocs, None if places is None else ints(places))

    @classmethod
    def cart(cls, comm: MPI.Cartcomm) -> Topology:
        """The mesh, or torus, of a communicator with a Cartesian topology. Also raises
        MPIError."""
        return cls._of(lib.redist_topology_create_cart, handle(comm))

    @classmethod
    def nodes(cls, comm: MPI.Intracomm, links: int = 1) -> Topology:
        """The nodes of a communicator, of processes that share memory, with `links` ways
        out each into a network that never blocks. Collective. Also raises MPIError."""
        try:
            links = whole("links", links, ctypes.c_int)
        except Exception as fault:
            refuse(fault, lib.redist_topology_create_nodes, handle(comm), 0,
                   ctypes.c_void_p())
            raise
        return cls._of(lib.redist_topology_create_nodes, handle(comm), links)

    @property
    def links(self) -> int:
        """The number of links of the network, each way counted."""
        return lib.redist_topology_links(self._handle)

    def route(self, source: int, target: int) -> tuple[int, ...]:
        """The links that a message takes from rank `source` to rank `target`, in the
        order in which they are passed. Raises IndexError if there is no such rank."""
        n = lib.redist_topology_route(self._handle, source, target, 0, None)
        if n < 0:
            raise IndexError(f"source and target are {source} and {target}, must be "
                             "ranks of the topology")
        links = (ctypes.c_int64 * n)()
        lib.redist_topology_route(self._handle, source, target, n, links)
        return tuple(links)


def _processes(counts: Sequence[int], nprocs: int | None, name: str,
               where: Sequence[Any] | None) -> int:
    """`nprocs`, or as many as are placed, or one at each place."""
    if nprocs is None and where is None:
        # Counts that are wrong are for the library to name, and nprocs is right.
        return min(max(math.prod(counts), 1), 2**31 - 1)
    if nprocs is None:
        return len(where)
    if where is not None and len(where) != nprocs:
        raise ArgumentError(f"{name} has {len(where)} elements, must have {nprocs}")
    return nprocs
