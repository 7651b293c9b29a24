# SPDX-License-Identifier: MIT
"""Plant the faults of faults.txt into a copy of the library, one at a time, and see after how
many cases they are found."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COPY = os.path.join(ROOT, "build", "faults")
COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "tests"]
SEED, CASES, SECONDS = 1, 200000, 300


def parse(path):
    """Yield (name, file, from, to) of each fault."""
    with open(path, encoding="utf-8") as file:
        blocks = re.split(r"^== ", file.read(), flags=re.M)[1:]
    for block in blocks:
        head, _, rest = block.partition("\n")
        name, _, source = head.rpartition(" in ")
        old, _, new = rest.partition("\n--\n")
        yield name, source, old, new.rstrip("\n")


def run(command, **more):
    return subprocess.run(command, cwd=COPY, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)


def build():
    done = run(["cmake", "--build", "build/openmpi", "--target", "soak"])
    if done.returncode:
        sys.exit(done.stdout[-3000:])


def found_after(processes):
    """Return the number of the first case that fails, or None."""
    progress = os.path.join(COPY, "progress")
    environment = dict(os.environ, REDIST_RATES="2e-6,1e-10,1e-10")
    command = ["build/openmpi/bin/mpiexec", "-n", str(processes),
               "build/openmpi/tests/soak", "--seed", str(SEED), "--cases", str(CASES),
               "--seconds", str(SECONDS), "--progress", progress]
    if os.path.exists(progress):
        os.remove(progress)
    try:
        done = run(["timeout", str(SECONDS + 60), *command], env=environment)
    finally:
        with open(progress, encoding="ascii") as file:
            case = int(file.read())
    return case + 1 if done.returncode else None


def plant(names, processes):
    all_faults = list(parse(os.path.join(HERE, "faults.txt")))
    os.makedirs(COPY, exist_ok=True)
    for name in COPIED:
        source, target = os.path.join(ROOT, name), os.path.join(COPY, name)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)
    done = run(["cmake", "--preset", "openmpi"])
    if done.returncode:
        sys.exit(done.stdout[-3000:])
    missed = 0
    for name, source, old, new in all_faults:
        if names and name not in names:
            continue
        path = os.path.join(COPY, source)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.count(old) != 1:
            sys.exit(f"{name}: {source} has its lines {text.count(old)} times")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        build()
        case = found_after(processes)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        missed += case is None
        print(f"{name:50s} {'not found' if case is None else f'case {case:,d}'}", flush=True)
    return 1 if missed else 0
