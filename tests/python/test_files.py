# SPDX-License-Identifier: MIT
"""Arrays in files: views, dtypes, formats that others read, and errors that all processes
have."""
import os

import numpy as np
import redist
from folder import LAST, InFolder, P, comm, create
from mpi4py import MPI
from odd import Odd, Unforeseen

RECORD = np.dtype([("x", ">i4"), ("y", "<f8", (2,)), ("name", "S3")])


def has_hdf5():
    """Whether there is a module for it."""
    try:
        redist.open("none.h5:/t").close()
    except redist.Error as error:
        return "there is no module" not in str(error)
    return True


class Views(InFolder):
    def expected(self, view, array):
        """The local array of a view over elements, by the definition of its dist."""
        local = redist.View(view).zeros(comm.rank, array.dtype)
        for place in np.ndindex(local.shape):
            local[place] = array[view.dist.index(comm.rank, place)]
        return local

    def test_each_process_reads_and_writes_its_part(self):
        array = np.arange(9 * 11 * 2, dtype="f8").reshape(9, 11, 2)
        for name in ["a.npy", "a.zarr"]:
            create(name, array, order="F")
            for text in [f"(block,*,*) onto {P}", f"(*,cyclic(2),*) onto {P}",
                         f"(*,*,cyclic) onto {P} order column-major", "(*,*,*) onto 1"]:
                view = redist.View(f"[9,11,2] {text}")
                mine = self.expected(view, array)
                with redist.open(name, "r+") as f:
                    for given in (text, view, view.dist):
                        found = f.read(given)
                        if view.dist.grid.coords(comm.rank) is None:
                            self.assertIsNone(found)
                            continue
                        np.testing.assert_array_equal(found, mine)
                    np.testing.assert_array_equal(f.read(), array)
                    f.write(view, -mine if mine.size else None, "f8")
                    np.testing.assert_array_equal(f[...], -array)
                    f.write(text, mine)

    def test_a_part_of_the_file_is_read_and_written(self):
        array = np.arange(90).reshape(9, 10)
        create("a.npy", array)
        at = np.s_[1:9:3, -7]
        view = redist.View(f"[3,1] (cyclic,*) onto {P}")
        with redist.open("a.npy", "r+") as f:
            mine = f.read(view, at=at)
            np.testing.assert_array_equal(mine,
                                          self.expected(view, array[1:9:3, 3:4]))
            f.write(f"(cyclic,*) onto {P}", mine + 500, at=at)
            array[at] += 500
            np.testing.assert_array_equal(f[...], array)
            self.assertEqual(f.read(at=at).shape, (3, 1))
            self.all_fail(redist.ArgumentError,
                          r"section of \(3, 1\), must have one of \(9, 10\)",
                          lambda: f.read(view))

    def test_axes_permute_the_file(self):
        array = np.arange(12).reshape(3, 4)
        create("a.npy", array)
        with redist.open("a.npy") as f:
            mine = f.read(redist.View(f"[4,3] (*,*) onto {P}", axes=(1, 0)))
            np.testing.assert_array_equal(mine, array.T)

    def test_arrays_lie_in_either_order(self):
        array = np.arange(12.0).reshape(3, 4)
        for order in "CF":
            create("a.npy", -array, order=order)
            with redist.open("a.npy", "r+") as f:
                for of_array in "CF":
                    f.write(None, array.copy(of_array))
                    out = np.zeros((3, 4), order=of_array)
                    np.testing.assert_array_equal(f.read(None, out), array)
                with self.assertRaisesRegex(redist.ArgumentError, "strides"):
                    f.read(None, np.zeros((3, 8))[:, ::2])

    def test_one_element_needs_no_dimension(self):
        with redist.open("a.npy", "w", shape=(), dtype="f8") as f:
            f.write(None, np.array(3.0))
        with redist.open("a.npy") as f:
            out = np.zeros(())
            self.assertEqual((f.read(None, out), out, f[()]), (3, 3, 3))

    def test_out_is_filled(self):
        array = np.arange(12, dtype=">i4").reshape(3, 4)
        create("a.npy", array)
        with redist.open("a.npy") as f:
            out = np.zeros((3, 4), "f4")
            self.assertIs(f.read(None, out), out)
            np.testing.assert_array_equal(out, array)
            flat = np.zeros(20, ">c16")
            f.read(None, flat)
            np.testing.assert_array_equal(flat[:12], array.ravel())
            frozen = np.zeros((3, 4))
            frozen.flags.writeable = False
            for wrong, sentence in [
                    (np.zeros((4, 3)), r"out has shape \(4, 3\)"),
                    (frozen, "out is read-only"), ([0] * 12, "out is a list"),
                    (np.zeros((3, 4), "?"), "out has dtype bool, the file >i4: only num"),
                    (np.zeros((3, 4), "O"), "out has dtype object")]:
                with self.assertRaisesRegex(redist.ArgumentError, sentence):
                    f.read(None, wrong)


class Dtypes(InFolder):
    def test_elements_keep_their_bytes(self):
        for k, dtype in enumerate(["?", "i1", ">u2", "<f2", ">f4", ">c16", "S5", "<U3",
                                   "<M8[s]", "V3", RECORD]):
            array = np.zeros((5, 3), dtype)
            array.reshape(-1).view("u1")[:] = np.arange(array.nbytes) % 2
            for name in [f"a{k}.npy", f"a{k}.raw"]:
                create(name, array)
                told = dict(shape=(5, 3), dtype=dtype) if name.endswith("raw") else {}
                with redist.open(name, **told) as f:
                    self.assertEqual(f.dtype, array.dtype)
                    found = f[1:, ::-1]
                    self.assertEqual(found.tobytes(), array[1:, ::-1].tobytes())
                    mine = f.read(f"(*,cyclic) onto {P}")
                    self.assertEqual(mine.tobytes(), array[:, comm.rank::P].tobytes())
            loaded = np.load(f"a{k}.npy")
            self.assertEqual((loaded.dtype, loaded.tobytes()),
                             (array.dtype, array.tobytes()))

    def test_numbers_are_converted(self):
        array = np.arange(-6, 6).reshape(3, 4)
        create("a.zarr", array.astype(">i2"))
        with redist.open("a.zarr", "r+", checked=True) as f:
            for dtype in ["<f4", ">f8", "i8", "c8"]:
                mine = f.read(f"(*,block) onto {P}", dtype=dtype)
                self.assertEqual(mine.dtype, np.dtype(dtype))
                np.negative(mine, mine)
                f.write(f"(*,block) onto {P}", mine if mine.size else None, dtype)
                np.testing.assert_array_equal(f[...], -array)
                f[...] = array.astype(dtype)
            self.all_fail(redist.ArgumentError, "which <u1 cannot hold|which .u1",
                          lambda: f.read(dtype="u1"))
            self.all_fail(redist.ArgumentError, ".5, which >i2 cannot hold",
                          lambda: f.write(None, array + 2.5))
            np.testing.assert_array_equal(f.read(None, dtype="V2").view(">i2"), array)

    def test_what_has_no_numbers_is_not_converted(self):
        create("a.npy", np.zeros(4, RECORD))
        with redist.open("a.npy", "r+") as f:
            for wrong in ["S23", [("x", "V23")], "i4"]:
                with self.assertRaisesRegex(redist.ArgumentError, "only numbers are"):
                    f.read(dtype=wrong)
            self.assertEqual(f.read(dtype=f"V{RECORD.itemsize}").dtype.itemsize, 23)
            f[1] = (7, [1, 2], b"abc")
            self.assertEqual(f[1], np.array((7, [1, 2], b"abc"), RECORD))

    def test_layouts_are_told(self):
        with redist.open("a.zarr:/g/t", "w", shape=(6, 5), dtype="<f4", chunks=(2, 5),
                         order="F", version=2) as f:
            self.assertEqual((f.shape, f.ndim, f.dtype, f.chunks, f.order, f.format,
                              f.version, f.codec),
                             ((6, 5), 2, np.dtype("f4"), (2, 5), "F", "zarr", 2, None))
            f[...] = 0
        with redist.open("b.bin", "w", shape=3, dtype="|V5", offset=7) as f:
            self.assertEqual((f.shape, f.chunks, f.offset), ((3,), None, 7))
            self.assertIn("raw (3,)", repr(f))
            f[...] = b"abcde"
        self.assertEqual(os.path.getsize("b.bin"), 7 + 15)
        with redist.open("c", "w", shape=(), dtype="i2", format="npy") as f:
            f[()] = 5
        with redist.open("c", format="npy") as f:
            self.assertEqual((f.shape, f[()], f[...].shape), ((), 5, ()))
            self.assertRaises(TypeError, len, f)


class Formats(InFolder):
    """The same file by redist and by others."""

    def test_numpy_reads_the_same(self):
        array = np.arange(35, dtype=">f8").reshape(5, 7)
        create("a.npy", array, order="F", staging_bytes=128, writers=1)
        loaded = np.load("a.npy")
        np.testing.assert_array_equal(loaded, array)
        self.assertTrue(loaded.flags.f_contiguous)
        self.left()
        if comm.rank == 0:
            np.save("b.npy", array[:, ::2])
        comm.Barrier()
        with redist.open("b.npy") as f:
            np.testing.assert_array_equal(f[...], array[:, ::2])

    def test_zarr_reads_the_same(self):
        try:
            import zarr
        except ImportError as error:
            self.skipTest(str(error))
        array = np.arange(35, dtype="<i4").reshape(5, 7)
        create("a.zarr", array, chunks=(2, 3), version=2)
        np.testing.assert_array_equal(zarr.open("a.zarr", mode="r")[...], array)
        self.left()
        if comm.rank == 0:
            zarr.save("b.zarr", array)
        comm.Barrier()
        with redist.open("b.zarr") as f:
            np.testing.assert_array_equal(f[::-2, 3], array[::-2, 3])

    def test_h5py_reads_the_same(self):
        try:
            import h5py
        except ImportError as error:
            self.skipTest(str(error))
        if not has_hdf5():
            self.skipTest("no module for HDF5")
        array = np.zeros((5, 7), [("x", ">i4"), ("y", "<f8", (2,))])
        array["x"] = np.arange(35).reshape(5, 7)
        create("a.h5:/g/records", array)
        create("a.h5:/g/numbers", array["x"], chunks=(3, 3))
        if comm.rank == 0:
            with h5py.File("a.h5", "a") as f:
                np.testing.assert_array_equal(f["g/records"][...]["x"], array["x"])
                np.testing.assert_array_equal(f["g/numbers"][...], array["x"])
                f["t"] = array["x"] + 0.5
        comm.Barrier()
        with redist.open("a.h5:/t") as f:
            np.testing.assert_array_equal(f[1:, 2], array["x"][1:, 2] + 0.5)
        with redist.open("a.h5:/g/numbers", "r+") as f:
            self.assertEqual((f.format, f.chunks), ("hdf5", (3, 3)))
            f[:, 0] = 9
            self.assertTrue((f[:, 0] == 9).all())

    def test_copies_go_from_format_to_format(self):
        array = np.arange(600, dtype="f8").reshape(20, 30)
        create("a.npy", array, order="F")
        told = []
        redist.copy("a.npy", "b.zarr", chunks=(4, 7), dtype=">f4", staging_bytes=512,
                    progress=lambda done, total: told.append((done, total)))
        self.assertEqual(told[-1][0], told[-1][1])
        self.assertGreater(len(told), 3)
        with redist.open("b.zarr") as b, \
                redist.open("c.npy", "w", shape=(20, 30), dtype="i2") as c:
            self.assertEqual((b.chunks, b.dtype, b.order), ((4, 7), np.dtype(">f4"), "F"))
            redist.copy(b, c)
        np.testing.assert_array_equal(np.load("c.npy"), array)
        self.all_fail(redist.FileError, "No such file",
                      lambda: redist.copy("none.npy", "d.npy"))
        self.all_fail(redist.ArgumentError, "which .u1 cannot hold",
                      lambda: redist.copy("c.npy", "d.npy", dtype="u1", checked=True))
        self.assertEqual(self.left(), ["a.npy", "b.zarr", "c.npy"])


class Errors(InFolder):
    def test_wrong_arguments_raise_on_all(self):
        def new(name="a.npy", mode="w", **given):
            given = {"shape": 3, "dtype": "f8"} | given
            return lambda: redist.open(name, mode, **given)
        for call, sentence in [
                (new(mode="a"), "mode is 'a', must be 'r', 'r+' or 'w'"),
                (new(dtype=None), "dtype is None, must be given with shape"),
                (new(shape=None), "dtype is 'f8', but shape is None"),
                (new(shape=[1] * 16), "shape has 16 elements, must have at most 15"),
                (new(shape=2**70), f"shape is {2**70}, must be an integer of 64"),
                (new(chunks=(1, 2)), "chunks has 2 elements, must have 1"),
                (new(order="A"), "order is 'A', must be 'C' or 'F'"),
                (new(name="a\0.npy"), "must be a text without"),
                (new(writers=-1), "writers is -1"),
                (new(name="a.txt"), "must end in one of .npy"),
                (new(dtype="O"), "layout"), (new(codec="none\0"), "must be a text with")]:
            self.all_fail(redist.ArgumentError, sentence.replace("+", r"\+"), call)
        self.all_fail(redist.FileError, "none.npy: cannot be read: No such file",
                      lambda: redist.open("none.npy"))
        with self.assertRaises(Unforeseen):
            redist.open("a.npy", "w", shape=3, dtype="f8", writers=Odd())
        with self.assertRaisesRegex(redist.ArgumentError, "COMM_NULL"):
            redist.files.File(MPI.COMM_NULL)
        self.assertEqual(self.left(), [])

    def test_what_one_does_wrong_all_learn(self):
        create("a.npy", np.arange(12).reshape(3, 4))
        view = f"(*,*) onto {P}"
        self.fails_alike(redist.ArgumentError, "mode is 'x'",
                         lambda: redist.open("a.npy", "x" if LAST else "r"))
        with redist.open("a.npy", "r+") as f:
            def wrong(bad, good):
                return bad if LAST else good
            for error, sentence, call in [
                    (IndexError, "index 3 is out of b", lambda: f[wrong(3, 2)]),
                    (IndexError, "index 3 is out", lambda: f.__setitem__(wrong(3, 2), 0)),
                    (ValueError, "broadcast",
                     lambda: f.__setitem__(0, wrong([1, 2, 3], 5))),
                    (ValueError, "expected *, block", lambda: f.read(wrong("(?)", view))),
                    (redist.ArgumentError, "out is a list", lambda: f.read(
                        view, wrong([], np.zeros((3, 4))))),
                    (redist.ArgumentError, "source is None", lambda: f.write(
                        view, wrong(None, np.zeros((3, 4))), "f8")),
                    (Unforeseen, "no integer and", lambda: f[wrong(Odd(), 0)])]:
                self.fails_alike(error, sentence, call)
            if P > 1:
                for call in (lambda: f[wrong(1, 2)], lambda: f[:wrong(0, 2)],
                             lambda: f.read(at=np.s_[::wrong(2, 1)])):
                    self.all_fail(redist.MismatchError, "another section of the file",
                                  call)
                self.all_fail(redist.MismatchError, "another call", lambda: wrong(
                    f.read, lambda: f.__setitem__(..., 0))())
            self.assertEqual(f[2, 3], 11)

    def test_an_exception_leaves_no_file(self):
        for many in (False, True):
            for name in ["a.npy", "a.zarr", "b.zarr:/g", "a.raw"]:
                for then in (lambda f: None, lambda f: f.__setitem__(..., 1)):
                    def fill():
                        with redist.open(name, "w", shape=(9, 9), dtype="i4") as f:
                            f[...] = 7
                            if many or LAST:
                                raise KeyError("oops")
                            then(f)
                    if many:
                        self.assertRaises(KeyError, fill)
                    else:
                        self.fails_alike(KeyError, "oops", fill)
        self.assertEqual([x for x in self.left() if "b.zarr" not in x], [])
        with self.assertRaises(redist.FileError):
            redist.open("b.zarr:/g")

    def test_an_exception_of_any_text_is_told(self):
        def fill():
            with redist.open("a.npy", "w", shape=4, dtype="i4"):
                if LAST:
                    raise ValueError("no such file: \udcff")  # as os.fsdecode returns it
        _, texts = self.texts_of(fill)
        self.assertIn("no such file: ", texts[0])

    def test_what_was_not_written_is_told_at_the_end(self):
        with self.assertRaisesRegex(redist.StateError, "a write has failed"), \
                redist.open("a.npy", "w", shape=4, dtype="i4") as f:
            with self.assertRaises(IndexError):
                f[4] = 1
            f[...] = 1
        self.assertEqual(self.left(), [])

    def test_an_error_that_all_have_closes_the_file(self):
        create("a.npy", np.arange(4))
        with self.assertRaises(IndexError), redist.open("a.npy") as f:
            f[9]
        with self.assertRaisesRegex(redist.StateError, "the file was closed"):
            f[0]
        with self.assertRaises(redist.StateError), f:
            f.read()
        f.close()
        with redist.open("a.npy") as f:
            self.all_fail(redist.ArgumentError, "is open for reading alone",
                          lambda: f.__setitem__(0, 1))

    def test_what_progress_raises_the_call_raises(self):
        create("a.npy", np.arange(100))
        calls = []
        with redist.open("a.npy", staging_bytes=256) as f:
            def told(done, total):
                calls.append(done / total)
                if LAST:
                    raise KeyError("enough")
            f.set_progress(told)
            if LAST:
                self.assertRaises(KeyError, lambda: f[...])
            else:
                f[...]
            self.assertEqual(calls[-1], 1)
            f.set_progress(None)
            self.assertEqual(f[7], 7)
        self.assertGreater(len(calls), 1)

    def test_one_that_is_not_closed_is_told(self):
        create("a.npy", np.arange(4))
        f = redist.open("a.npy")
        handle = type(f._handle)(f._handle.value)
        with self.assertWarnsRegex(ResourceWarning, "a redist.File was not closed"):
            del f
        redist._c.check(redist._c.lib.redist_file_close(handle))
