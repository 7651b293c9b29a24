# SPDX-License-Identifier: MIT
"""Plans and batches, on whatever number of processes: rows go to columns, and each
element says where it belongs."""
import gc
import math
import unittest
import warnings
import weakref

import numpy as np
import redist
from mpi4py import MPI
from odd import Odd, Unforeseen

COMM = MPI.COMM_WORLD
ME, P = COMM.rank, COMM.size
N, M = 17, 10
ROWS, COLUMNS = f"[{N},{M}] (cyclic(1),*) onto {P}", f"[{N},{M}] (*,cyclic(1)) onto {P}"


def whole(dtype=np.float64, k=0):
    """The global array number k, [N,M]."""
    return (np.arange(N * M).reshape(N, M) + 1000 * k + 1).astype(dtype)


def rows(array):
    return np.ascontiguousarray(array[ME::P])


def columns(array):
    return array[:, ME::P]


class Plans(unittest.TestCase):
    def test_one_array_moves(self):
        with redist.Plan(COMM, ROWS, COLUMNS, np.float64) as plan:
            got = plan(rows(whole()))
            np.testing.assert_array_equal(got, columns(whole()))
            target = np.zeros_like(got, order="C")
            self.assertIs(plan(rows(whole()), target), target)
            np.testing.assert_array_equal(target, columns(whole()))
            flat = np.zeros(target.size + 3)
            plan(rows(whole()).ravel(), flat)
            np.testing.assert_array_equal(flat[:target.size], columns(whole()).ravel())
            self.assertEqual(flat[target.size:].sum(), 0)

    def test_any_dtype_moves(self):
        for dtype in ("i1", "u2", "f2", "i4", ">f8", "c16", "S5", "M8[s]",
                      [("x", "f4"), ("n", "i2")]):
            dtype = np.dtype(dtype)
            random = np.random.default_rng(1)
            bits = random.integers(0, 128, N * M * dtype.itemsize, np.uint8)
            array = bits.view(dtype).reshape(N, M)
            with redist.Plan(COMM, ROWS, COLUMNS, dtype) as plan:
                got = plan(rows(array))
            self.assertEqual(got.dtype, dtype)
            self.assertEqual(got.tobytes(), columns(array).tobytes())

    def test_numbers_are_converted_as_by_astype(self):
        names = "i1 <i2 >i4 i8 u1 u2 <u4 >u8 <f2 >f2 f4 >f8 f8 c8 >c16"
        dtypes = [np.dtype(name) for name in names.split()]
        random = np.random.default_rng(7)
        bits = random.integers(0, 256, (N, M, 16), np.uint8)
        for source in dtypes:
            array = bits[..., :source.itemsize].copy().view(source)[..., 0]
            for target in dtypes:
                if target.kind in "iu" and source.kind in "fc":  # where astype is defined
                    array = (random.integers(0, 100, (N, M)) + 0.5).astype(source)
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    due = columns(array.astype(target))
                with redist.Plan(COMM, ROWS, COLUMNS, target,
                                 source_dtype=source) as plan:
                    got = plan(rows(array))
                self.assertEqual(got.dtype, target)
                np.testing.assert_array_equal(got, due, f"{source.str} -> {target.str}")

    def test_a_checked_plan_names_what_is_lost(self):
        array = whole("f8")
        array[3, 4] += 0.25
        plan = redist.Plan(COMM, ROWS, COLUMNS, "i4", source_dtype="f8", checked=True)
        with self.assertRaisesRegex(redist.ArgumentError,
                                    r"element \(3, 4\) would be 35\.25, which <i4"):
            plan(rows(array))
        np.testing.assert_array_equal(plan(rows(whole("f8"))), columns(whole("i4")))
        self.assertIn("float64 -> int32", plan.explain())
        plan.destroy()
        with self.assertRaises(redist.ArgumentError):
            redist.Plan(COMM, ROWS, COLUMNS, "S5", source_dtype="f8")

    def test_memory_orders_meet(self):
        with redist.Plan(COMM, redist.View(redist.Dist(ROWS), order="F"),
                         redist.View(COLUMNS, order="F", halo_low=(1, 1)), "i8") as plan:
            got = plan(np.asfortranarray(rows(whole("i8"))))
        self.assertEqual(got[0].sum() + got[:, 0].sum(), 0)
        np.testing.assert_array_equal(got[1:, 1:], columns(whole("i8")))

    def test_sections_move(self):
        with redist.Plan(COMM, f"{ROWS} section [2:11:3,0:4]",
                         f"[4,5] (*,cyclic(1)) onto {P}", "f8") as plan:
            np.testing.assert_array_equal(plan(rows(whole())), whole()[2:12:3, ME:5:P])

    def test_who_holds_nothing_passes_nothing(self):
        one = f"[{N},{M}] (block,*) onto 1"
        with redist.Plan(COMM, one, COLUMNS, "f8") as there, \
                redist.Plan(COMM, COLUMNS, one, "f8") as back:
            parts = there(whole() if ME == 0 else None)
            np.testing.assert_array_equal(parts, columns(whole()))
            got = back(parts)
            if ME == 0:
                np.testing.assert_array_equal(got, whole())
            else:
                self.assertIsNone(got)

    def test_who_is_of_the_grid_gets_an_array(self):
        with redist.Plan(COMM, ROWS, f"[{N},{M}] (gen_block({N}{',0' * (P - 1)}),*) "
                         f"onto {P}", "f8") as plan:
            got = plan(rows(whole()))
        self.assertEqual(got.shape, (N if ME == 0 else 0, M))

    def test_what_was_started_comes(self):
        with redist.Plan(COMM, ROWS, COLUMNS, "f8", strategy="nonblocking") as plan:
            self.assertEqual((plan.report.strategy, plan.report.origin),
                             ("nonblocking", "given"))
            plan.start(rows(whole()))
            gc.collect()
            np.testing.assert_array_equal(plan.wait(), columns(whole()))
            got = plan.start(rows(whole(k=1)))
            while not plan.test():
                pass
            np.testing.assert_array_equal(got, columns(whole(k=1)))
            held = weakref.ref(got)
            del got
            self.assertIsNone(held(), "the plan is through, and keeps its array")
            with self.assertRaisesRegex(redist.StateError, "not been started"):
                plan.wait()
            with self.assertRaisesRegex(redist.StateError, "not been started"):
                plan.test()
            plan.start(rows(whole()))
            with self.assertRaisesRegex(redist.StateError, "redist_wait must come"):
                plan.destroy()
            plan.wait()

    def test_arithmetic_on_the_way(self):
        for dtype in ("i4", "i8", "u4", "u8", "f4", "f8", "c8", "c16"):
            with redist.Plan(COMM, ROWS, COLUMNS, dtype, scaled=True) as plan:
                got = plan(rows(whole(dtype)), alpha=2)
                np.testing.assert_array_equal(got, 2 * columns(whole(dtype)))
                plan(rows(whole(dtype)), got, alpha=3, beta=1)
                np.testing.assert_array_equal(got, 5 * columns(whole(dtype)))
                plan.start(rows(whole(dtype)), got, beta=1)
                np.testing.assert_array_equal(plan.wait(), 6 * columns(whole(dtype)))
                for odd in (2**32, -2**31 - 1, 2**63) if dtype == "i4" else ():
                    with self.assertRaisesRegex(redist.ArgumentError, "alpha is"):
                        plan(rows(whole(dtype)), alpha=odd)
        across = f"[{M},{N}] (*,cyclic(1)) onto {P}"
        turned = whole("c16") * (1 + 2j)
        with redist.Plan(COMM, ROWS, across, "c16", op="conjugate_transpose") as plan:
            got = plan(rows(turned))
            np.testing.assert_array_equal(got, turned[ME::P].T.conj())
            self.assertEqual(plan.report.elements_sent, 0)

    def test_partial_results_are_put_together(self):
        partial, n = np.arange(40.0) + ME, np.arange(40)
        for name, whole_of_all in [("sum", P * n + P * (P - 1) // 2), ("min", n),
                                   ("max", n + P - 1)]:
            with redist.Plan(COMM, f"[40] (*) onto {P}", f"[40] (cyclic(1)) onto {P}",
                             "f8", reduction=name) as plan:
                np.testing.assert_array_equal(plan(partial), whole_of_all[ME::P])
        for dtype in ("i1", "u1", "i2", "u2", "longdouble", "clongdouble"):
            with redist.Plan(COMM, f"[40] (*) onto {P}", f"[40] (cyclic(1)) onto {P}",
                             dtype, reduction="prod") as plan:
                got = plan(np.full(40, 1 + ME, dtype))
                self.assertTrue((got == math.factorial(P)).all())
                self.assertEqual(got.dtype, dtype)

    def test_where_the_least_is(self):
        for value in "hilfdg":
            pair = np.dtype([("height", value), ("rank", "i")], align=True)
            partial = np.zeros(40, pair)
            partial["height"] = (np.arange(40) + ME) % P
            partial["rank"] = ME
            with redist.Plan(COMM, f"[40] (*) onto {P}", f"[40] (cyclic(1)) onto {P}",
                             pair, reduction="minloc") as plan:
                got = plan(partial)
                self.assertTrue((got["height"] == 0).all())
                np.testing.assert_array_equal(got["rank"], -np.arange(40)[ME::P] % P)

    def test_a_tuned_plan_moves_too(self):
        with redist.Plan(COMM, ROWS, COLUMNS, "f8") as plan:
            np.testing.assert_array_equal(plan.tune(rows(whole())), columns(whole()))
            self.assertIn(plan.report.origin, ("tuned", "auto") if P == 1 else ("tuned",))
            np.testing.assert_array_equal(plan(rows(whole())), columns(whole()))

    def test_in_place_takes_one_array(self):
        with redist.Plan(COMM, ROWS, COLUMNS, "f8", in_place=True,
                         staging_bytes=65536) as plan:
            memory = np.empty(max(plan.source.span(ME), plan.target.span(ME)))
            plan.source.local(ME, memory)[:] = rows(whole())
            got = plan(memory)
            self.assertTrue(np.shares_memory(got, memory))
            np.testing.assert_array_equal(got, columns(whole()))
            with self.assertRaisesRegex(redist.ArgumentError, "must be flat"):
                plan(memory.reshape(1, -1))
            with self.assertRaisesRegex(redist.ArgumentError, "source is None"):
                plan()

    def test_the_report_counts(self):
        with redist.Plan(COMM, ROWS, COLUMNS, "f4") as plan:
            kept = len(range(ME, N, P)) * len(range(ME, M, P))
            report = plan.report
            self.assertEqual(report.elements_kept, kept)
            self.assertEqual(report.elements_sent, len(range(ME, N, P)) * M - kept)
            self.assertEqual(report.bytes_received, 4 * (N * len(range(ME, M, P)) - kept))
            self.assertEqual(report.messages_sent, P - 1)
            text = plan.explain()
            for words in (repr(plan.source), repr(plan.target), report.strategy,
                          f"keeps    {kept} elements", "float32"):
                self.assertIn(words, text)
            self.assertIn(repr(plan.source), repr(plan))

    def test_an_intercommunicator_joins_two_groups(self):
        if P < 2:
            self.skipTest("one process is no two groups")
        half, low = P // 2, ME < P // 2
        group = COMM.Split(low)
        inter = group.Create_intercomm(0, COMM, half if low else 0)
        with redist.Plan(inter, f"[{N},{M}] (block,*) onto {half}",
                         f"[{N},{M}] (*,cyclic(1)) onto {P - half}", "f8",
                         side="source" if low else "target") as plan:
            size = -(-N // half)
            got = plan(whole()[ME * size:(ME + 1) * size] if low else None)
            if not low:
                np.testing.assert_array_equal(got, whole()[:, ME - half::P - half])
        inter.Free()
        group.Free()


class Batches(unittest.TestCase):
    def test_a_batch_moves_all(self):
        items = [(ROWS, COLUMNS, "f8"), (COLUMNS, ROWS, "i2")]
        with redist.Batch(COMM, items) as batch:
            other = np.ascontiguousarray(columns(whole("i2")))
            one, two = batch([rows(whole()), other])
            np.testing.assert_array_equal(one, columns(whole()))
            np.testing.assert_array_equal(two, rows(whole("i2")))
            batch.start([rows(whole(k=1)), other], [one, two])
            one, two = batch.wait()
            np.testing.assert_array_equal(one, columns(whole(k=1)))
            one, two = batch.tune([rows(whole()), other])
            np.testing.assert_array_equal(one, columns(whole()))
            self.assertEqual(batch.report.arrays, 2)
            with self.assertRaisesRegex(redist.ArgumentError, "source is None"):
                batch([rows(whole())])

    def test_a_scaled_batch(self):
        with redist.Batch(COMM, [(ROWS, COLUMNS, "f8")] * 2, scaled=True) as batch:
            got = batch([rows(whole()), rows(whole(k=1))], alpha=2)
            batch([rows(whole()), rows(whole(k=1))], got, alpha=1, beta=-1)
            np.testing.assert_array_equal(got[1], -columns(whole(k=1)))
            batch.start([rows(whole()), rows(whole(k=1))], got, alpha=1, beta=0.0)
            np.testing.assert_array_equal(batch.wait()[1], columns(whole(k=1)))


class Lost(unittest.TestCase):
    def test_arrays_outlive_a_plan_that_is_lost_in_a_run(self):
        plan = redist.Plan(COMM, ROWS, COLUMNS, "f8")
        source, target = rows(whole()), np.ascontiguousarray(columns(whole(k=1)))
        plan.start(source, target)
        kept = weakref.ref(source), weakref.ref(target)
        handle = plan._handle
        del source, target
        with self.assertWarns(ResourceWarning):
            del plan
        np.testing.assert_equal([ref() is not None for ref in kept], [True, True])
        self.assertEqual(redist._c.lib.redist_wait(handle), 0)
        np.testing.assert_array_equal(kept[1](), columns(whole()))
        self.assertEqual(redist._c.lib.redist_plan_destroy(handle), 0)


class Faults(unittest.TestCase):
    """What one process does wrong, all processes learn, and none waits for ever."""

    def test_a_bad_array_on_one_process(self):
        good = rows(whole())
        last = ME == P - 1
        read_only = np.zeros((N, len(range(ME, M, P))))
        read_only.flags.writeable = False
        with redist.Plan(COMM, ROWS, COLUMNS, "f8", scaled=True) as plan:
            for arguments, words in [
                    ((None,), "source is None, must be a numpy.ndarray"),
                    (([1.0],), "source is a list, must be"),
                    ((good.astype("f4"),), "source has dtype float32, must be float64"),
                    ((good[:, ::2],), "source has shape"),
                    ((np.asfortranarray(good),) if P < 8 else (None,), "source has"),
                    ((good, read_only), "target is read-only"),
                    ((good, np.zeros(1)), "target has shape")]:
                with self.assertRaises(redist.ArgumentError) as caught:
                    plan(*(arguments if last else (good,)))
                text = str(caught.exception)
                self.assertIn(words if last else f"rank {P - 1}: {words}", text)
                with self.assertRaises(redist.ArgumentError) as caught:
                    plan.start(*(arguments if last else (good,)))
                    plan.wait()
                self.assertEqual(str(caught.exception), text)
            for odd in ("2", [2, 3]):
                with self.assertRaises(redist.ArgumentError) as caught:
                    plan(good, alpha=odd if last else 2)
                words = "alpha is" if last else f"rank {P - 1}: alpha is"
                self.assertIn(words, str(caught.exception))
            with self.assertRaises((redist.ArgumentError, Unforeseen)):
                plan(good, beta=Odd() if last else 2)
            np.testing.assert_array_equal(plan(good), columns(whole()))

    def test_arrays_that_share_memory_are_refused(self):
        if P != 4:
            self.skipTest("of four processes")
        buffer = np.zeros(60)
        with redist.Plan(COMM, "[12,10] (block,*) onto 4",
                         "[12,10] (cyclic(2),cyclic(3)) onto 2x2", "f8") as plan:
            with self.assertRaisesRegex(
                    redist.ArgumentError,
                    "source and target share 120 bytes, must share none"):
                plan(buffer[:30], buffer[15:])

    def test_a_bad_plan_on_one_process(self):
        last = ME == P - 1
        for bad, words in [(dict(dtype=object), "dtype is object, must be"),
                           (dict(dtype="f8", strategy=5), "strategy is 5"),
                           (dict(dtype="f8", target="no text"), 'expected "["')]:
            arguments = dict(source=ROWS, target=COLUMNS, dtype="f8")
            with self.assertRaises(Exception) as caught:
                redist.Plan(COMM, **(arguments | bad if last else arguments))
            if not last:
                self.assertIn(f"rank {P - 1}: ", str(caught.exception))
                self.assertIn(words, str(caught.exception))
        for call, words in [
                (lambda bad: redist.balance(COMM, "x" if bad else 5, "f8"), "TypeError"),
                (lambda bad: redist.indexed(COMM, 3 * P, range(3 * ME, 3 * ME + 3),
                                            range(3), object if bad else "f8"), "object"),
                (lambda bad: redist.alloc(COMM, "much" if bad else 8), "much")]:
            with self.assertRaises(Exception) as caught:
                call(last)
            if not last:
                self.assertIn(f"rank {P - 1}: ", str(caught.exception))
                self.assertIn(words, str(caught.exception))
        for good, bad in [(dict(), dict(strategy="by mail")), (dict(), dict(op="turn")),
                          (dict(), dict(reduction="mean")),
                          (dict(), dict(staging_bytes="much")),
                          (dict(), dict(staging_bytes=-1)), (dict(), dict(speed=9)),
                          (dict(), dict(staging_bytes=2**64 + 2**20)),
                          (dict(), dict(strategy=5)), (dict(), dict(topology="mesh")),
                          (dict(), dict(timeout_s="soon")),
                          (dict(), dict(staging_bytes=Odd()))]:
            with self.assertRaises((redist.Error, TypeError, Unforeseen)):
                redist.Plan(COMM, ROWS, COLUMNS, "f8", **(bad if last else good))
        with self.assertRaises(redist.ArgumentError):
            redist.Plan(COMM, ROWS, "no text" if last else COLUMNS, "f8")
        with self.assertRaises(redist.ArgumentError):
            redist.Plan(COMM, ROWS, COLUMNS, object if last else "f8")
        with self.assertRaisesRegex(redist.ArgumentError, "scaled"):
            with redist.Plan(COMM, ROWS, COLUMNS, "f8") as plan:
                plan(rows(whole()), alpha=2)

    def test_different_plans_mismatch(self):
        if P == 1:
            self.skipTest("one process agrees with itself")
        with self.assertRaises(redist.MismatchError):
            redist.Plan(COMM, ROWS, COLUMNS, "f8" if ME else "f4")

    def test_a_plan_that_is_forgotten_is_told(self):
        plan = redist.Plan(COMM, ROWS, COLUMNS, "f8")
        handle = plan._handle
        plan.itself = plan  # so that all of it goes at once
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del plan
            gc.collect()
        self.assertEqual([w.category for w in caught], [ResourceWarning])
        redist.plans.lib.redist_plan_destroy(handle)

    def test_a_destroyed_plan_is_none(self):
        plan = redist.Plan(COMM, ROWS, COLUMNS, "f8")
        plan.destroy()
        plan.destroy()
        with redist.Plan(COMM, ROWS, COLUMNS, "f8") as other:
            pass
        for call in (lambda: plan(rows(whole())), plan.test, plan.wait, plan.explain,
                     lambda: other.start(rows(whole()))):
            with self.assertRaisesRegex(redist.StateError, "the plan was destroyed"):
                call()

    def test_no_communicator_is_refused(self):
        for make in (lambda comm: redist.Plan(comm, ROWS, COLUMNS, "f8"),
                     lambda comm: redist.Batch(comm, [(ROWS, COLUMNS, "f8")]),
                     lambda comm: redist.balance(comm, 1, "f8"),
                     lambda comm: redist.balance_sized(comm, [1], "f8"),
                     lambda comm: redist.indexed(comm, 1, [0], [0], "f8"),
                     lambda comm: redist.alloc(comm, 8),
                     lambda comm: redist.alloc_view(comm, ROWS, "f8"),
                     redist.Topology.nodes):
            with self.assertRaisesRegex(redist.ArgumentError, "comm is MPI_COMM_NULL"):
                make(MPI.COMM_NULL)


class Memory(unittest.TestCase):
    def test_shared_memory_is_like_any_other(self):
        source = redist.alloc_view(COMM, ROWS, "f8")
        target = redist.alloc(COMM, np.int64(8 * N * M))
        source[:] = rows(whole())
        with redist.Plan(COMM, ROWS, COLUMNS, "f8") as plan:
            got = plan.target.local(ME, target.view("f8"))
            plan(source, got)
            np.testing.assert_array_equal(got, columns(whole()))
            redist.free(got)
            with self.assertRaisesRegex(redist.ArgumentError, "target is in memory that"):
                plan(source, got)
            redist.free(source)
            with self.assertRaisesRegex(redist.ArgumentError, "source is in memory that"):
                plan(source)
        with self.assertRaisesRegex(redist.ArgumentError, "freed already"):
            redist.free(source)
        with self.assertRaisesRegex(redist.ArgumentError, "memory"):
            redist.free(np.zeros(3))
        for alloc, good, bad in [
                (redist.alloc, (8,), (-8,)), (redist.alloc, (8,), ("8",)),
                (redist.alloc, (8,), (2**64 + 8,)),
                (redist.alloc_view, (ROWS, "f8"), (ROWS, object)),
                (redist.alloc_view, (ROWS, "f8"), ("no text", "f8"))]:
            with self.assertRaises(redist.Error):
                alloc(COMM, *(bad if ME == P - 1 else good))
        odd = redist.alloc_view(COMM, "[4] (block) onto 1", "S3")
        self.assertEqual(odd.shape, (4 if ME == 0 else 0,))
        redist.free(odd)
