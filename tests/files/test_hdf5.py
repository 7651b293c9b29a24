#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of HDF5 beside h5py: what it writes is read, what is written it reads.

    test_hdf5.py FILE_JOBS MPIEXEC ..
"""
import os
import random
import shutil
import sys
import tempfile

from jobs import Jobs

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"left out: {error}")
    sys.exit(77)

SIMPLE = ("|i1 |u1 <i2 >i2 <u4 >i4 <i8 >u8 <f2 >f2 <f4 >f4 <f8 >f8 <c8 >c8 <c16 >c16 "
          "|b1 |S1 |S7 |V3 <M8[ns] >m8[s] <U5").split()
LAYOUTS = "contiguous chunked gzip shuffle fletcher32 unlimited compact latest".split()


def random_dtype(draw, depth=0):
    if depth > 1 or draw.random() < 0.75:
        return np.dtype(draw.choice(SIMPLE))
    fields = []
    for i in range(draw.randint(1, 4)):
        dtype = random_dtype(draw, depth + 1)
        if dtype.kind in "MmU":
            dtype = np.dtype("<f4")
        shape = draw.choice([(), (), (3,), (2, 2)])
        fields.append((f"{'abcd'[i]}{draw.randint(0, 9)}", dtype, shape))
    if fields[0][0] == "r" or draw.random() < 0.7:
        return np.dtype(fields)
    return np.dtype({"names": [f[0] for f in fields],
                     "formats": [(f[1], f[2]) for f in fields]}, align=True)


def random_array(draw, dtype, most=12):
    shape = tuple(draw.randint(1, most) for _ in range(draw.randint(0, 4)))
    if draw.random() < 0.05:
        shape = tuple(draw.choice([1, 1, 2]) for _ in range(15))
    if draw.random() < 0.05:
        shape = (0,) + shape[:3]
    return fill(draw, dtype, shape)


def fill(draw, dtype, shape):
    count = int(np.prod(shape))
    if dtype == np.dtype("|b1"):
        return np.array([draw.random() < 0.5 for _ in range(count)], dtype).reshape(shape)
    if dtype.kind == "U":
        return np.array(["".join(draw.choice("abcé") for _ in range(5))
                         for _ in range(count)], dtype).reshape(shape)
    if dtype.names:
        array = np.zeros(shape, dtype)
        for name in dtype.names:
            field, at = dtype[name], shape
            if field.subdtype:
                field, at = field.subdtype[0], shape + field.subdtype[1]
            array[name] = fill(draw, field, at)
        return array
    data = bytes(draw.randint(1, 255) for _ in range(count * dtype.itemsize))
    return np.frombuffer(data, dtype).reshape(shape)


def stored(dtype):
    """The type as h5py takes it."""
    return h5py.opaque_dtype(dtype) if dtype.kind in "MmU" else dtype


def same(a, b):
    """The same elements; bytes between fields may differ."""
    if a.shape != b.shape or a.dtype.names != b.dtype.names:
        return False
    if a.dtype.names:
        return all(same(np.asarray(a[n]), np.asarray(b[n])) for n in a.dtype.names)
    return a.dtype == b.dtype and \
        np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def put(path, name, array, layout, draw):
    """Write a data set with h5py."""
    version = "latest" if layout == "latest" else "earliest"
    with h5py.File(path, "w", libver=version) as file:
        dtype, options = stored(array.dtype), {}
        chunked = array.ndim > 0 and array.size > 0
        if layout == "compact":
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_layout(h5py.h5d.COMPACT)
            kind = h5py.h5t.py_create(dtype, logical=True)
            links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
            links.set_create_intermediate_group(1)
            if array.nbytes < 60000:
                space = h5py.h5s.create_simple(array.shape) if array.ndim else \
                    h5py.h5s.create(h5py.h5s.SCALAR)
                h5py.h5d.create(file.id, name.encode(), kind, space, properties, links)
                file[name][...] = array.astype(dtype)
                return
        if chunked and layout not in ("contiguous", "compact"):
            options["chunks"] = tuple(draw.randint(1, n) for n in array.shape)
        if chunked and layout == "gzip":
            options["compression"] = draw.choice([0, 1, 9])
        if chunked and layout == "shuffle":
            options.update(compression=4, shuffle=True)
        if chunked and layout == "fletcher32":
            options["fletcher32"] = True
        if chunked and layout in ("unlimited", "latest"):
            most = tuple(draw.choice([None, n, n + 5]) for n in array.shape)
            options["maxshape"] = most
        file.create_dataset(name, data=array.astype(dtype), dtype=dtype, **options)
        file.create_group("other")


def get(path, name):
    with h5py.File(path, "r") as file:
        return file[name][...]


def text(numbers):
    return ",".join(str(n) for n in numbers)


def check_read(array, out):
    def check(result):
        assert result == "ok"
        found = np.load(out)
        expected = np.atleast_1d(array) if found.ndim and not array.ndim else array
        assert same(expected, found), (array.dtype, found.dtype, array, found)
    return check


def check_written(array, path, name, also=None):
    def check(result):
        assert result == "ok"
        found = get(path, name)
        if array.dtype.kind == "S":  # all bytes of a string may be used
            with h5py.File(path, "r") as file:
                kind = file[name].id.get_type()
                assert kind.get_strpad() == h5py.h5t.STR_NULLPAD
        assert same(array, np.asarray(found)), (array.dtype, found.dtype, array, found)
        if also is not None:
            assert same(np.asarray(get(path, "other/t")), also)
            with h5py.File(path, "r") as file:
                names = []
                file.visit(names.append)
                assert not [n for n in names if "part" in n], names
    return check


def read_jobs(jobs, draw, k):
    array = random_array(draw, random_dtype(draw))
    layout = draw.choice(LAYOUTS)
    name = draw.choice(["t", "group/t"])
    put(f"a{k}.h5", name, array, layout, draw)
    named = f"a{k}.h5" if draw.random() < 0.5 else f"a{k}.h5:/{name}"
    jobs.add(check_read(array, f"a{k}.npy"), "copy", named, f"a{k}.npy", "", "")


def write_jobs(jobs, draw, k):
    dtype = random_dtype(draw)
    array = random_array(draw, dtype)
    np.save(f"b{k}.npy", array)
    codec = draw.choice(["", "", "none", "gzip", "gzip:9", "gzip:0"])
    chunk = text(draw.randint(1, 13) for _ in array.shape) if draw.random() < 0.5 else ""
    other = None
    if draw.random() < 0.6:  # a file that exists, and now and then the data set
        other = np.arange(7)
        with h5py.File(f"b{k}.h5", "w") as file:
            file["other/t"] = other
            if draw.random() < 0.5:
                file["g/t"] = np.arange(draw.randint(0, 2000))
            if draw.random() < 0.3:
                file["g/t.redist.part"] = np.arange(100)
    jobs.add(check_written(array, f"b{k}.h5", "g/t", other), "copy", f"b{k}.npy",
             f"b{k}.h5:/g/t", codec, chunk)


def update_jobs(jobs, draw, k):
    dtype = np.dtype(draw.choice(SIMPLE[:18]))
    array = random_array(draw, dtype)
    while array.ndim == 0 or array.size == 0:
        array = random_array(draw, dtype)
    start, stride, count = [], [], []
    for n in array.shape:
        start.append(draw.randint(0, n - 1))
        stride.append(draw.randint(1, 3))
        count.append(draw.randint(1, (n - 1 - start[-1]) // stride[-1] + 1))
    where = tuple(slice(s, s + (c - 1) * d + 1, d)
                  for s, c, d in zip(start, count, stride))
    part = fill(draw, dtype, tuple(count))
    layout = draw.choice(LAYOUTS + ["unwritten", "partly"])
    name = "t"
    put(f"c{k}.h5", name, array, draw.choice(LAYOUTS) if layout in ("unwritten", "partly")
        else layout, draw)
    expected = array.copy()
    if layout in ("unwritten", "partly"):
        expected = np.zeros_like(array)
        with h5py.File(f"c{k}.h5", "w") as file:
            chunks = None if draw.random() < 0.3 else \
                tuple(draw.randint(1, n) for n in array.shape)
            packed = draw.choice([None, 4]) if chunks else None
            file.create_dataset(name, array.shape, dtype, chunks=chunks,
                                compression=packed)
            if layout == "partly":
                first = tuple(slice(0, (n + 1) // 2) for n in array.shape)
                file[name][first] = array[first]
                expected[first] = array[first]
    np.save(f"c{k}.npy", part)
    expected[where] = part
    jobs.add(check_written(expected, f"c{k}.h5", name), "update", f"c{k}.npy",
             f"c{k}.h5:/t", text(start), text(stride))


def growing_job(jobs):
    """An array that is written and then grows shows its fill behind the old end."""
    with h5py.File("grown.h5", "w") as file:
        file.create_dataset("t", (5,), "i4", maxshape=(None,), chunks=(4,), compression=1,
                            fillvalue=7)
    np.save("grown.npy", np.arange(5, dtype="i4"))

    def check(result):
        assert result == "ok"
        with h5py.File("grown.h5", "r+") as file:
            file["t"].resize((9,))
            assert file["t"][...].tolist() == [0, 1, 2, 3, 4, 7, 7, 7, 7], file["t"][...]
    jobs.add(check, "update", "grown.npy", "grown.h5:/t", "0", "1")


def refused(words, path=None):
    """An error with these words, which leaves the file as it is."""
    before = None
    if path:
        with open(path, "rb") as file:
            before = file.read()

    def check(result):
        assert result.startswith(("IO: ", "ARG: ")), result
        assert words in result, words
        if path:
            with open(path, "rb") as file:
                assert file.read() == before, "the file has changed"
    return check


def error_jobs(jobs):
    np.save("one.npy", np.arange(100.0))
    with h5py.File("bad.h5", "w") as file:
        file["g/t"] = np.arange(10)
        file["u"] = np.arange(10)
        file.create_dataset("vlen", (3,), h5py.vlen_dtype(np.int32))
        file.create_dataset("text", (3,), h5py.string_dtype())
        file.create_dataset("deep", (3,), np.dtype([("a", h5py.string_dtype())]))
        file.create_dataset("ref", (3,), h5py.ref_dtype)
        file["null"] = h5py.Empty("f4")
        file.create_dataset("lzf", (30,), "f4", chunks=(5,), compression="lzf")
        file.create_dataset("long", (3,), np.longdouble)
        file.create_dataset("wide", (1,) * 16, "f4")
        brain = h5py.h5t.IEEE_F32LE.copy()
        brain.set_fields(15, 7, 8, 0, 7)
        brain.set_size(2)
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"brain", brain, space)
        odd = h5py.h5t.STD_I32LE.copy()
        odd.set_precision(17)
        h5py.h5d.create(file.id, b"odd", odd, space)
        file["link"] = h5py.SoftLink("/nowhere")
        file["far"] = h5py.ExternalLink("nowhere.h5", "/t")
    shutil.copy("bad.h5", "read.h5")
    with h5py.File("none.h5", "w") as file:
        file.create_group("g")
    for name, words in [("vlen", "variable length"), ("text", "variable length"),
                        ("deep", "variable length"), ("ref", "reference"),
                        ("null", "no elements"), ("lzf", "not installed"),
                        ("long", "float, but not of IEEE"), ("wide", "16 dimensions"),
                        ("brain", "float, but not of IEEE"), ("odd", "integer, but not"),
                        ("g", "HDF5: "), ("nothing", "HDF5: "), ("g/nothing", "HDF5: "),
                        ("link", "HDF5: "), ("far", "HDF5: "), ("t/t", "HDF5: ")]:
        jobs.add(refused(words, "read.h5"), "try", f"read.h5:/{name}")
        jobs.add(refused(words), "update", "one.npy", f"bad.h5:/{name}", "0", "1")
    jobs.add(refused("must be named as in bad.h5:/NAME: g/t, "), "try", "bad.h5")
    jobs.add(refused("no data set of numbers"), "try", "none.h5")
    with open("classic.nc", "wb") as file:
        file.write(b"CDF\1" + bytes(28))
    jobs.add(refused("netCDF's classic format", "classic.nc"), "try", "classic.nc")
    jobs.add(refused("netCDF's classic format", "classic.nc"), "copy", "one.npy",
             "classic.nc:/t", "", "")
    jobs.add(refused("No such file"), "try", "missing.h5:/t")
    jobs.add(refused("No such file"), "try", "missing/a.h5:/t")
    jobs.add(refused("No such file"), "copy", "one.npy", "missing/a.h5:/t", "", "")
    os.mkdir("folder.h5")
    jobs.add(refused("HDF5: "), "try", "folder.h5:/t")
    jobs.add(refused("Is a directory"), "copy", "one.npy", "folder.h5:/t", "", "")
    jobs.add(refused("the name of the new data set"), "copy", "one.npy", "new.h5", "", "")
    jobs.add(refused("is no data set"), "copy", "one.npy", "bad.h5:/g", "", "")
    jobs.add(refused("HDF5: "), "copy", "one.npy", "bad.h5:/u/t", "", "")
    for codec in ["zstd", "gzip:10", "gzip:", "gzip:x", "gzip5"]:
        jobs.add(refused("must be gzip"), "copy", "one.npy", "bad.h5:/new", codec, "")
        jobs.add(refused("must be gzip"), "copy", "one.npy", "new.h5:/new", codec, "")
    np.save("wide.npy", np.zeros(3, np.longdouble))
    jobs.add(refused("more than 8 bytes"), "copy", "wide.npy", "new.h5:/new", "", "")


def broken_jobs(jobs, draw, cases):
    """Truncated and overwritten files: an error or an array, but no crash."""
    array = np.arange(6000, dtype="<i4").reshape(60, 100)
    put("sound.h5", "g/t", array, "gzip", draw)
    put("plain.h5", "g/t", array, "contiguous", draw)
    for k in range(cases):
        with open(draw.choice(["sound.h5", "plain.h5"]), "rb") as file:
            data = bytearray(file.read())
        cut = k % 2 == 0
        if cut:
            data = data[:draw.randint(0, len(data) - 1)]
        else:
            at = draw.randint(0, len(data) - 1)
            data[at:at + 64] = bytes([draw.choice([0, 255])]) * 64
        with open(f"broken{k}.h5", "wb") as file:
            file.write(data)

        def check(result, cut=cut):
            assert result != "ok" if cut else result, result
        jobs.add(check, "try", f"broken{k}.h5:/g/t")


def scarce_jobs(jobs):
    """A file that can't become so long: an error, and what else it has stays readable."""
    large = np.random.default_rng(1).integers(0, 2**62, (1000, 1000))
    np.save("large.npy", large)
    for name, options in [("c", {}), ("k", {"chunks": (50, 1000)}),
                          ("z", {"chunks": (50, 1000), "compression": 1})]:
        with h5py.File(f"scarce_{name}.h5", "w") as file:
            file["u"] = np.arange(7)
            file.create_dataset("t", data=np.ones_like(large), **options)
        jobs.add(refused("HDF5: " if name != "z" else "File too large"), "update",
                 "large.npy", f"scarce_{name}.h5:/t", "0,0", "1,1")
        jobs.add(check_ok, "try", f"scarce_{name}.h5:/t")
        if name == "z":
            for codec in ["", "gzip"]:
                jobs.add(refused("File too large"), "copy", "large.npy",
                         "scarce_z.h5:/v", codec, "")
                jobs.add(refused("File too large"), "copy", "large.npy", "new.h5:/v",
                         codec, "")
        jobs.add(check_ok, "try", f"scarce_{name}.h5:/u")


def check_ok(result):
    assert result == "ok"


def netcdf_jobs(jobs):
    try:
        import netCDF4
    except ImportError:
        return
    values = np.arange(35, dtype="f4").reshape(5, 7)
    with netCDF4.Dataset("n.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 7)
        file.createVariable("x", "f8", ("x",))[:] = np.arange(7.0)
        file.createVariable("v", "f4", ("time", "x"), zlib=True)[:] = values
    for name in ["n.nc", "n.nc:/v"]:
        jobs.add(check_read(values, "n.npy"), "copy", name, "n.npy", "", "")


def main():
    seed = int(os.environ.get("REDIST_TEST_SEED", "20260725"), 0)
    cases = 500 if "REDIST_TEST_LONG" in os.environ else 100
    print(f"REDIST_TEST_SEED={seed}", flush=True)
    command = sys.argv[2:] + [os.path.abspath(sys.argv[1])]
    draw = random.Random(seed)
    work = tempfile.mkdtemp(prefix="hdf5-", dir=os.getcwd())
    os.chdir(work)
    jobs = Jobs()
    for k in range(cases):
        [read_jobs, write_jobs, update_jobs][k % 3](jobs, draw, k)
    growing_job(jobs)
    error_jobs(jobs)
    broken_jobs(jobs, draw, cases // 5)
    netcdf_jobs(jobs)
    count = jobs.run(command)
    scarce_jobs(jobs)
    limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 5000; exec "$@"', "limited"]
    count += jobs.run(sys.argv[2:] + limited + command[-1:])
    assert get("bad.h5", "u").tolist() == get("bad.h5", "g/t").tolist() == list(range(10))
    for module, words in [("./none.so", "cannot open"), ("libc.so.6", "undefined")]:
        jobs.add(refused("there is no module for HDF5: "), "try", "bad.h5:/u")
        jobs.add(refused(words), "try", "new.h5:/u")
        count += jobs.run(["env", f"REDIST_HDF5_MODULE={module}"] + command)
    left = [name for name in os.listdir(".") if ".part" in name or ".lock" in name]
    assert not left, left
    assert not os.path.exists("new.h5")
    os.chdir("..")
    shutil.rmtree(work)
    print(f"PASS: {count} jobs")


if __name__ == "__main__":
    main()
