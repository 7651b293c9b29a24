# SPDX-License-Identifier: MIT
"""Ways through networks, and plans that are told of them, on whatever number of
processes."""
import unittest

import numpy as np
import redist
from mpi4py import MPI
from redist import Topology

COMM = MPI.COMM_WORLD
ME, P = COMM.rank, COMM.size


class Ways(unittest.TestCase):
    def test_a_mesh_is_crossed_along_the_last_dimension_first(self):
        """Nodes 0 1 2 above 3 4 5."""
        mesh = Topology("mesh(2,3)", 6)
        way = mesh.route(0, 5)
        self.assertEqual(len(way), 3)
        self.assertEqual(way, mesh.route(0, 1) + mesh.route(1, 2) + mesh.route(2, 5))
        back = mesh.route(5, 0)
        self.assertEqual((len(back), set(way) & set(back)), (3, set()))
        self.assertEqual(len(mesh.route(0, 2)), 2)
        self.assertEqual(mesh.route(4, 4), ())
        self.assertEqual(Topology.mesh((2, 3)).route(0, 5), way)
        # Rank 0 in the last corner, 1 in the first, 2 beside rank 0.
        placed = Topology.mesh((2, 3), coords=np.array([[1, 2], [0, 0], [1, 1]]))
        self.assertEqual(placed.route(1, 0), way)
        self.assertEqual(placed.route(2, 0), mesh.route(4, 5))
        with self.assertRaisesRegex(IndexError, "source and target are 3 and 0"):
            placed.route(3, 0)

    def test_a_torus_is_crossed_the_shorter_way(self):
        torus = Topology.mesh((3, 4), (True, True))
        self.assertEqual(torus.links, 2 * 2 * 12)
        half = Topology.mesh((3, 4), periodic=(False, True), nprocs=10)
        self.assertEqual([len(t.route(0, 3)) for t in (torus, half)], [1, 1])
        self.assertEqual([len(t.route(0, 8)) for t in (torus, half)], [1, 2])
        with self.assertRaises(IndexError):
            half.route(0, 10)
        same = Topology("torus(3,4)", 12)
        self.assertEqual([same.route(1, r) for r in range(12)],
                         [torus.route(1, r) for r in range(12)])

    def test_a_tree_is_climbed_no_higher_than_needed(self):
        """Four processes to a node, two ways out of each, of three nodes."""
        tree = Topology.tree((4, 3), (2,))
        self.assertEqual(tree.links, 2 * (12 + 2 * 3))
        self.assertEqual([len(tree.route(0, r)) for r in (0, 3, 4)], [0, 2, 4])
        one, same, other = tree.route(0, 4), tree.route(1, 6), tree.route(1, 7)
        self.assertEqual(one[1], same[1])
        self.assertNotEqual(one[1], other[1])
        text = Topology("tree(4:2,3)", 12)
        self.assertEqual([text.route(5, r) for r in range(12)],
                         [tree.route(5, r) for r in range(12)])
        placed = Topology.tree((4, 3), (2,), places=(4, 0))
        self.assertEqual(placed.route(1, 0), one)

    def test_mpi_knows_where_processes_sit(self):
        cart = COMM.Create_cart((P,), periods=(True,))
        ring = Topology.cart(cart)
        cart.Free()
        self.assertEqual(ring.links, 2 * P)
        self.assertEqual([len(ring.route(0, r)) for r in range(P)],
                         [min(r, P - r) for r in range(P)])
        nodes = Topology.nodes(COMM)
        self.assertLessEqual({len(nodes.route(0, r)) for r in range(1, P)}, {2, 4})
        self.assertGreater(Topology.nodes(COMM, links=2).links, nodes.links)
        with self.assertRaisesRegex(redist.ArgumentError, "no Cartesian topology"):
            Topology.cart(COMM)

    def test_wrong_topologies_raise(self):
        for wrong, sentence in [
                (lambda: Topology("mesh(4,0)", 4), "column 8"),
                (lambda: Topology("mesh(2,2)", 5), "nprocs is 5"),
                (lambda: Topology.mesh((2, 0)), r"extents\[1\] is 0"),
                (lambda: Topology.mesh((2**20, 2**20)), "extents: more than"),
                (lambda: Topology.mesh((2, 2), (True,)), "periodic has 1 elements"),
                (lambda: Topology.mesh((2, 2), nprocs=2, coords=[(0, 0)]),
                 "coords has 1 elements, must have 2"),
                (lambda: Topology.mesh((2, 2), nprocs=1, coords=[(0, 0), (0, 1)]),
                 "coords has 2 elements, must have 1"),
                (lambda: Topology.mesh((2, 2), coords=[(0, 0), (1,)]),
                 r"coords\[1\] has 1 elements, must have 2"),
                (lambda: Topology.mesh((2, 2), coords=[(0, 0), (0, 1, 1)]),
                 r"coords\[1\] has 3 elements, must have 2"),
                (lambda: Topology.tree((4, 3), ()), "links has 0 elements"),
                (lambda: Topology.tree((4, 3), (1,), places=(0, 12)),
                 r"places\[1\] is 12"),
                (lambda: Topology.nodes(COMM, 0), "links is 0")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                wrong()
        with self.assertRaises(redist.ArgumentError):
            Topology.nodes(COMM, "2")


class Plans(unittest.TestCase):
    EACH = 7
    VIEWS = (f"[{EACH * P}] (block) onto {P}", f"[{EACH * P}] (cyclic(1)) onto {P}")

    def test_plans_that_are_told_move_all(self):
        with redist.Plan(COMM, *self.VIEWS, "i4", strategy="links/window(2)",
                         topology=Topology.mesh((P,))) as plan:
            self.assertEqual(plan.report.strategy, "links/window(2)")
            got = plan(np.arange(self.EACH * ME, self.EACH * (ME + 1), dtype="i4"))
        self.assertEqual(got.tolist(), list(range(ME, self.EACH * P, P)))
        redist.Plan(COMM, *self.VIEWS, "i4", topology=None).destroy()

    def test_wrong_topologies_of_plans_raise(self):
        wider = Topology.mesh((P + 1,))
        for options, sentence in [
                (dict(strategy="links/window(2)"), "schedule links is not applicable"),
                (dict(topology=wider), "options: topology is of"),
                (dict(topology=f"mesh({P})"), "topology is 'mesh")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                redist.Plan(COMM, *self.VIEWS, "i4", **options)
