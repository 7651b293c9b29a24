# SPDX-License-Identifier: MIT
"""What the library proposes, and the plans that balance or go by indices, on whatever
number of processes: each element is its own number."""
import unittest

import numpy as np
import redist
from mpi4py import MPI
from odd import Odd, Unforeseen

COMM = MPI.COMM_WORLD
ME, P = COMM.rank, COMM.size
TO_OTHERS = "[4] (block) onto 2 ranks 2,3"


class Proposals(unittest.TestCase):
    def test_shares_follow_weights(self):
        shares = redist.balance_shares([8, 1, 3])
        self.assertEqual((shares.dtype, shares.tolist()), (np.int64, [4, 4, 4]))
        shares = redist.balance_shares(np.array([8, 1, 3]), "B", [1, 2, 0])
        self.assertEqual(shares.tolist(), [4, 8, 0])

    def test_dists_say_what_moves(self):
        """B numbers those that stay first, then those that move."""
        for method, source, target in [
                ("A", "gen_block(8,1,3)", "gen_block(4,4,4)"),
                ("B", "indirect(0,0,0,0,1,2,2,2,0,0,0,0)",
                 "indirect(0,0,0,0,1,2,2,2,1,1,1,2)")]:
            dists = redist.balance_dists([8, 1, 3], [4, 4, 4], method)
            self.assertEqual(dists, (redist.Dist(f"[12] ({source}) onto 3"),
                                     redist.Dist(f"[12] ({target}) onto 3")))

    def test_relabelled_ranks_keep_most(self):
        source = "[800,800] (cyclic(100),cyclic(100)) onto 2x4"
        target = "[800,800] (cyclic(100),cyclic(100)) onto 4x2"
        better, kept = redist.relabel(source, target, return_kept=True)
        self.assertEqual(repr(better), f"{target} ranks 0,1,4,5,2,3,6,7")
        self.assertEqual(kept, (640000 - 480000, 640000 - 320000))

    def test_a_section_goes_onto_what_is_proposed(self):
        source = redist.View("[8,3] (block,*) onto 2 section [4:7,:]")
        target = redist.View("[8,3] (block,*) onto 2 section [0:3,:] order column-major")
        better = target.onto(redist.relabel(source, target))
        self.assertEqual(repr(better), repr(target).replace("onto 2", "onto 2 ranks 1,0"))
        with self.assertRaisesRegex(redist.ArgumentError, "must be of"):
            target.onto(redist.Dist("[8] (block) onto 2"))

    def test_nodes_count(self):
        """Ranks 0 and 3 are of one node, 1 and 2 of another."""
        views = "[4] (block) onto 2 ranks 0,1", redist.Dist(TO_OTHERS)
        nodes = [0, 1, 1, 0]
        self.assertEqual(redist.relabel(*views, nodes=nodes),
                         redist.Dist("[4] (block) onto 2 ranks 3,2"))
        self.assertEqual(redist.relabel(*views, nodes=nodes, within=100), views[1])
        with self.assertRaisesRegex(redist.ArgumentError, "nodes has 3 elements"):
            redist.relabel(*views, nodes=nodes[:3])

    def test_wrong_proposals_raise(self):
        for wrong, sentence in [
                (lambda: redist.balance_shares([1, 2], "C"), "method is 'C'"),
                (lambda: redist.balance_shares([1, -2]), r"counts\[1\] is -2"),
                (lambda: redist.balance_shares([1, 2], weights=[1]), "must have 2"),
                (lambda: redist.balance_shares([1, 2], weights=[0, 0]), "sum to 0"),
                (lambda: redist.balance_dists([1, 2], [3]), "shares has 1 elements"),
                (lambda: redist.balance_dists([1, 2], [2, 2]), "must be as many|4"),
                (lambda: redist.relabel("[4] (*) onto 1", "[5] (*) onto 1"), "5"),
                (lambda: redist.relabel("[4] (*) onto 1", "[4] (*) onto 1", within=101),
                 "within is 101")]:
            with self.assertRaisesRegex(redist.ArgumentError, sentence):
                wrong()
        with self.assertRaises(TypeError):
            redist.balance_shares([1.5])


def count_of(k):
    """What process k has: the first nothing."""
    return 3 * k


COUNTS = [count_of(k) for k in range(P)]
BEFORE = sum(COUNTS[:ME])
ALL = sum(COUNTS)


def own(dtype="f8"):
    return np.arange(BEFORE, BEFORE + COUNTS[ME]).astype(dtype)


class Indices(unittest.TestCase):
    """Elements are their own indices; the last process has them all in the end, and
    backwards."""

    def test_what_is_wanted_comes(self):
        n, last = 4 * P, ME == P - 1
        blocks = redist.Dist(f"[{n}] (block) onto {P}")
        mine = np.arange(4 * ME, 4 * ME + 4)
        wanted = np.arange(n)[::-1] if last else []
        for source in blocks, mine, [(4 * ME, 3), (4 * ME + 3, 1)]:
            with redist.indexed(COMM, n, source, wanted, "i8") as plan:
                self.assertEqual(plan(mine).tolist(), list(wanted))
                report = plan.report
                self.assertEqual(report.elements_received, n - 4 if last else 0)
        with redist.indexed(COMM, n, mine, [(0, 2), (n - 1, 1)], "i8",
                            strategy="alltoallv") as plan:
            self.assertEqual(plan(mine).tolist(), [0, 1, n - 1])

    def test_what_one_does_wrong_all_learn(self):
        n, last = 4 * P, ME == P - 1
        mine = np.arange(4 * ME, 4 * ME + 4)
        for wrong, sentence in [
                (mine[:3], f"index {n - 1} is in no source list"),
                ([(n, 1)], r"source: ranges\[0\] are 1 indices"),
                (np.uint64([2**63]), f"indices hold {2**63}" if last else "rank"),
                (Odd(), "no integer" if last else "rank"),
                ([1.5], "indices must be a Dist" if last else "rank")]:
            with self.assertRaisesRegex((redist.ArgumentError, Unforeseen), sentence):
                redist.indexed(COMM, n, wrong if last else mine, mine, "i8")
        with self.assertRaises(redist.ArgumentError):
            redist.indexed(COMM, n + 2**64 if last else n, mine, mine, "i8")


class Balances(unittest.TestCase):
    def test_a_keeps_the_order(self):
        weights = list(range(1, P + 1))
        shares = redist.balance_shares(COUNTS, "A", weights)
        with redist.balance(COMM, COUNTS[ME], "f8", weight=ME + 1) as plan:
            self.assertEqual(plan.share, shares[ME])
            got = plan(own())
            first = shares[:ME].sum()
            self.assertEqual(got.tolist(), list(range(first, first + plan.share)))
            self.assertIn("float64", plan.explain())

    def test_b_moves_the_surplus(self):
        with redist.balance(COMM, np.int64(COUNTS[ME]), "i4", "B",
                            strategy="nonblocking") as plan:
            self.assertEqual(plan.report.strategy, "nonblocking")
            self.assertIn(plan.share, (ALL // P, -(-ALL // P)))
            plan.start(own("i4"))
            got = plan.wait().tolist()
            kept = min(COUNTS[ME], plan.share)
            self.assertEqual(got[:kept], own("i4").tolist()[:kept])
            self.assertEqual(plan.report.elements_sent, COUNTS[ME] - kept)
        self.assertEqual(sorted(sum(COMM.allgather(got), [])), list(range(ALL)))

    def test_one_array_will_do(self):
        with redist.balance(COMM, COUNTS[ME], "f8", in_place=True,
                            staging_bytes=65536) as plan:
            memory = np.full(max(COUNTS[ME], plan.share), -1.0)
            memory[:COUNTS[ME]] = own()
            got = plan(memory).tolist()
        self.assertEqual(sum(COMM.allgather(got), []), list(range(ALL)))

    def test_sized_elements_stay_whole(self):
        """Element e is of e mod 4 units, each of which says e."""
        elements, everything = own("i8"), np.arange(ALL)
        for method in "AB":
            with redist.balance_sized(COMM, elements % 4, "f4", method) as plan:
                sizes, units = plan([elements % 4, np.repeat(elements, elements % 4)
                                     .astype("f4")])
                sizes, units = sizes.tolist(), units.tolist()
                self.assertEqual(len(sizes), plan.count_share)
                self.assertEqual(len(units), plan.unit_share)
            self.assertEqual(sum(sizes), len(units))
            at = np.cumsum([0, *sizes])
            for begin, end in zip(at, at[1:]):
                self.assertEqual(len(set(units[begin:end])), min(1, end - begin))
            parts = sum(COMM.allgather(units), [])
            whole = np.repeat(everything, everything % 4).tolist()
            self.assertEqual(parts if method == "A" else sorted(parts), whole)

    def test_what_one_does_wrong_all_learn(self):
        last = ME == P - 1
        for bad in [dict(count=-1), dict(count="8"), dict(count=1.5), dict(dtype=object),
                    dict(method="C"), dict(weight=-1), dict(speed=9),
                    dict(count=2**64 + 4), dict(count=Odd())]:
            with self.assertRaises((redist.Error, TypeError, Unforeseen)):
                redist.balance(COMM, **dict(dict(count=4, dtype="f8"),
                                            **(bad if last else {})))
        for bad in [dict(sizes=[-1]), dict(sizes=["a"]), dict(sizes=None),
                    dict(dtype=object), dict(method=0), dict(weight=None)]:
            with self.assertRaises((redist.Error, TypeError)):
                redist.balance_sized(COMM, **dict(dict(sizes=[4], dtype="f8"),
                                                  **(bad if last else {})))
        with redist.balance(COMM, 4, "f8") as plan:
            with self.assertRaises(redist.ArgumentError) as caught:
                plan(np.zeros(3 if last else 4))
            words = "source has shape (3,)" if last else f"rank {P - 1}: "
            self.assertIn(words, str(caught.exception))
        if P > 1:
            with self.assertRaises(redist.MismatchError):
                redist.balance(COMM, 4, "f8", "AB"[last])
