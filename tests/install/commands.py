#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py cmake mpicc mpifort - run every command of README.md and docs/**/*.md.

A command is a line of an indented block that begins with a word of WORDS. It runs, as a
reader pastes it, in a folder that looks like a checkout whose build is installed. One
that is not run is named in LEFT_OUT, with the reason, which must still be needed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WORDS = re.compile(r"(?:[A-Z_]+=\S+ )*(redist(?= )|mpirun|mpicc|mpifort|cmake|pip|"
                   r"python3|mpiexec|export|script/\w+|build/\S+)")
LEFT_OUT = {
    "script/": "builds, tests or times everything, for minutes",
    "REDIST_THREADS=2 script/": "the same",
    "pip wheel": "the python.wheel test makes wheels",
    "cmake -B build": "the install.tree test configures, builds and installs",
    "cmake --build build": "the same",
    "export PATH=": "this test has a prefix of its own",
    "python3 -m venv": "the python.wheel test installs the package",
    "mpirun -n 4 redist bench": "times all for a minute; tool.bench has small ones",
    "mpirun -n 16 redist bench": "the same",
    "build/openmpi/bin/mpiexec -n 4 build/openmpi/tests/mpi.growth":
        "takes half an hour; the mpi.growth test makes fewer plans",
    "REDIST_TEST_LONG=1 build/": "takes minutes; mpi.memory tries fewer failures",
    "mpirun -n 4 ./gpu_transpose": "needs nvcc; the example.gpu_transpose test runs it",
    "mpirun -n 64 ": "./solver is the reader's own program",
    "mpicc solver.o": "the same; the install.tree test links the example",
    "mpicc.openmpi first.c": "debian/tests compiles it with the installed packages",
    "mpicc.mpich first.c": "the same",
    "mpifort first.f90": "the install.tree test compiles it",
    "redist schedule '[90] (cyclic(3)) onto 6' '[90] (cyclic(5)) onto 9' --schedule NAME":
        "NAME and FILE are the reader's choice",
    "redist schedule '[N] ": "N, P, Q, r and s are the reader's choice",
}
SECONDS = 60  # that a command may take


def commands(text):
    """The commands of a page, with the lines that continue them."""
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith("    ") or not WORDS.match(line[4:]):
            continue
        command = line[4:]
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
        yield command


def write_npy(path, rows, columns):
    """An array of zeros, as script/demo leaves one."""
    head = f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head = head.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") +
                     head.encode() + bytes(2 * rows * columns))


def main():
    source = Path(os.environ["REDIST_SOURCE_DIR"])
    build = Path(os.environ["REDIST_BUILD_DIR"])
    cmake, mpicc, mpifort = sys.argv[1:]
    unused, ran, failed = set(LEFT_OUT), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        prefix, bin_ = work / "prefix", work / "bin"
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        bin_.mkdir()
        for name, target in [("mpirun", os.environ["REDIST_MPIEXEC"]), ("mpicc", mpicc),
                             ("mpifort", mpifort), ("redist", prefix / "bin/redist")]:
            if str(target) != "none":
                (bin_ / name).write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
                (bin_ / name).chmod(0o755)
        checkout = work / "checkout"
        (checkout / "build").mkdir(parents=True)
        for name in ("examples", "docs"):
            (checkout / name).symlink_to(source / name)
        (checkout / "build/openmpi").symlink_to(build)
        write_npy(checkout / "elevation.npy", 344, 403)
        environment = os.environ | {
            "PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(work),
            "PKG_CONFIG_PATH": str(next(prefix.rglob("pkgconfig"))),
            "LD_LIBRARY_PATH": str(next(prefix.rglob("libredist.so")).parent)}
        for page in [source / "README.md", *sorted((source / "docs").rglob("*.md"))]:
            for command in commands(page.read_text(encoding="utf-8")):
                reasons = [start for start in LEFT_OUT if command.startswith(start)]
                unused -= set(reasons)
                if reasons:
                    continue
                ran += 1
                run = subprocess.run(["bash", "-c", command], cwd=checkout, text=True,
                                     env=environment, timeout=SECONDS, check=False,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if run.returncode != 0:
                    failed += 1
                    print(f"{page.name}: {command}\n  exit status {run.returncode}\n"
                          f"{run.stdout[-600:]}")
    for start in sorted(unused):
        print(f"left out, but nowhere any more: {start}")
    print(f"{ran} commands ran, {failed} of them failed")
    return failed > 0 or bool(unused) or ran == 0


sys.exit(main())
