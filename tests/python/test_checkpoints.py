# SPDX-License-Identifier: MIT
"""Checkpoints: steps that appear whole or not, arrays in any distribution, texts."""
import os

import numpy as np
import redist
from folder import LAST, InFolder, P, comm

RECORD = np.dtype([("id", "<i8"), ("at", "<f4", (3,))])


def steps():
    comm.Barrier()
    found = comm.bcast(sorted(os.listdir("state")))
    comm.Barrier()
    return [int(name[5:17]) for name in found if name.endswith(".zarr")]


def save(step, array, **options):
    with redist.Checkpoint("state", step, "w", **options) as c:
        c.write("whole", None, array)


class Checkpoints(InFolder):
    def test_a_step_is_read_in_another_distribution(self):
        table = np.arange(7 * 9.0).reshape(7, 9).astype(">f8")
        view = redist.View(f"[7,9] (cyclic(2),*) onto {P}")
        mine = table[[i for i in range(7) if i // 2 % P == comm.rank]]
        with redist.Checkpoint("state", 42, "w") as c:
            self.assertEqual(c.step, 42)
            c.write("table", view, mine if mine.size else None, ">f8")
            c.write("turned", redist.View(view, axes=(1, 0)), mine, ">f8")
            c.write("whole", None, table.astype("f4"))
            for key, value in [("time", 0.1 + 0.2), ("n", 7), ("who", "Zoë \"x\"\n"),
                               ("n", np.int64(8))]:
                c.set(key, value)
        with redist.Checkpoint("state") as c:
            self.assertEqual((c.step, float(c.get("time")), int(c.get("n")),
                              c.get("who"), c.get("none"), c.get("none", 5)),
                             (42, 0.1 + 0.2, 8, "Zoë \"x\"\n", None, 5))
            c.verify()
            for view in (f"(*,block) onto {P}", f"[7,9] (*,block) onto {P}"):
                at = slice(comm.rank * -(-9 // P), (comm.rank + 1) * -(-9 // P))
                for out in (None, np.zeros_like(table[:, at], "i4")):
                    part = c.read("table", view, out)
                    np.testing.assert_array_equal(part, table[:, at])
                    self.assertTrue(out is None or part is out)
                part = c.read("table", view, dtype="f2")
                self.assertEqual(part.dtype, np.float16)
            np.testing.assert_array_equal(c.read("turned"), table.T)
            self.assertEqual(c.read("whole").dtype, np.float32)
            with c.array("whole") as f:
                self.assertEqual((f.shape, f.codec, f.format, f[6, 8]),
                                 ((7, 9), "crc32c", "zarr", 62))

    def test_records_are_bytes(self):
        array = np.zeros(8, RECORD)
        array["id"] = np.arange(8)
        save(0, array)
        with redist.Checkpoint("state", 0) as c:
            self.assertEqual(c.read("whole").dtype, np.dtype("V20"))
            for view in (None, f"[8] (*) onto {P}"):
                np.testing.assert_array_equal(c.read("whole", view, dtype=RECORD), array)

    def test_as_many_steps_are_kept_as_asked(self):
        for step in (3, 1, 7):
            save(step, np.arange(3) + step)
        self.assertEqual(steps(), [1, 3, 7])
        save(9, np.arange(3), keep=2)
        self.assertEqual(steps(), [7, 9])
        c = redist.Checkpoint("state", 7, "w")
        c.write("whole", None, np.arange(3))
        c.commit(keep=1)
        c.close()
        self.assertEqual(steps(), [7, 9])  # never the one that was committed
        with self.assertRaisesRegex(redist.StateError, "the checkpoint was closed"):
            c.commit()
        c = redist.Checkpoint("state", 10, "w")
        c.close()
        self.assertEqual(steps(), [7, 9])

    def test_an_exception_leaves_no_step(self):
        save(1, np.arange(3))
        for many in (False, True):
            for then in (lambda c: None, lambda c: c.write("b", None, np.zeros(3)),
                         lambda c: c.set("b", 1), lambda c: c.commit()):
                def write():
                    with redist.Checkpoint("state", 2, "w") as c:
                        c.write("a", None, np.arange(3))
                        if many or LAST:
                            raise KeyError("oops")
                        then(c)
                if many:
                    self.assertRaises(KeyError, write)
                else:
                    self.fails_alike(KeyError, "oops", write)
                self.assertEqual(comm.bcast(sorted(os.listdir("state"))),
                                 ["step-000000000001.zarr"])
                comm.Barrier()

    def test_what_one_does_wrong_all_learn(self):
        def wrong(bad, good):
            return bad if LAST else good
        self.fails_alike(redist.ArgumentError, "mode is 'x'",
                         lambda: redist.Checkpoint("state", 1, wrong("x", "w")))
        self.fails_alike(redist.ArgumentError, "step is -2, must be >= 0",
                         lambda: redist.Checkpoint("state", wrong(-2, 2), "w"))
        self.fails_alike(redist.ArgumentError, "step is None, must be an integer",
                         lambda: redist.Checkpoint("state", wrong(None, 2), "w"))
        with redist.Checkpoint("state", 4, "w") as c:
            for sentence, call in [
                    ("value is [], must", lambda: c.set("a", wrong([], 1))),
                    ("key is 'a\\x00', must", lambda: c.set(wrong("a\0", "a"), 1)),
                    ("must be a word without /",
                     lambda: c.write(wrong("a/b", "a"), None, np.zeros(3)))]:
                self.fails_alike(redist.ArgumentError, sentence, call)
            self.all_fail(redist.StateError, "is open for writing",
                          lambda: c.read("a", "[3] (*) onto 1", dtype="f8"))
            c.close()
        save(4, np.zeros((3, 2)))
        with redist.Checkpoint("state") as c:
            for error, sentence, call in [
                    (redist.ArgumentError, "out has shape (2, 2)", lambda: c.read(
                        "whole", f"[3,2] (*,*) onto {P}",
                        np.zeros(wrong((2, 2), (3, 2))))),
                    (redist.ArgumentError, "array is 5, must be", lambda: c.read(
                        "whole", f"[3,2] (*,*) onto {P}", wrong(5, np.zeros((3, 2)))))]:
                self.fails_alike(error, sentence, call)
            self.all_fail(redist.FileError, "none", lambda: c.read("none"))
            self.all_fail(redist.StateError, "is open for reading",
                          lambda: c.set("a", "b"))
        self.all_fail(redist.FileError, "state",
                      lambda: redist.Checkpoint("state", 77))
        self.fails_alike(redist.ArgumentError, "keep is", lambda: save(
            5, np.zeros(3), keep=-1 if LAST else 0))
        self.assertEqual(steps(), [4])

    def test_a_damaged_chunk_is_named(self):
        save(1, np.zeros(64))
        if comm.rank == 0:
            with open("state/step-000000000001.zarr/whole/c/0", "r+b") as file:
                file.write(b"x")
        comm.Barrier()
        with redist.Checkpoint("state") as c:
            self.all_fail(redist.FileError, "c/0", c.verify)
            self.all_fail(redist.FileError, "c/0", lambda: c.read("whole"))
