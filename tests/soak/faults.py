# SPDX-License-Identifier: MIT
"""Plant the faults of faults.txt into a copy of the library, one at a time, and see after
how many cases they are found: script/soak --faults. Alone it checks that all apply."""
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COPY = os.path.join(ROOT, "build", "faults")
COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "tests",
          "fortran", "python", "LICENSE", "README.md"]
CONFIGURE = ["cmake", "--preset", "openmpi", "-DREDIST_BUILD_BENCH=OFF",
             "-DREDIST_BUILD_EXAMPLES=OFF"]
# Lengths of the copy are short, as for the sanitizers: small cases cross all boundaries.
LENGTHS = os.path.join("src", "base", "lengths.h")
SHORT = ("#define REDIST_BASE_LENGTHS_H",
         "#define REDIST_BASE_LENGTHS_H\n#define REDIST_SHORT_LENGTHS")
SEED = 1
SECONDS = 300  # for a fault
TURN = 200  # cases with one of the settings
STALL = 60  # seconds that a case may take; then it hangs


def parse(path):
    """Yield (name, file, from, to) of each fault."""
    with open(path, encoding="utf-8") as file:
        blocks = re.split(r"^== ", file.read(), flags=re.M)[1:]
    for block in blocks:
        head, _, rest = block.partition("\n")
        name, _, source = head.rpartition(" in ")
        old, _, new = rest.partition("\n--\n")
        yield name, source, old, new.rstrip("\n")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def load(names):
    """Return the faults of these names, or all. They must apply."""
    found = list(parse(os.path.join(HERE, "faults.txt")))
    for name, source, old, new in found:
        count = read(os.path.join(ROOT, source)).count(old)
        if count != 1 or old == new:
            sys.exit(f"{name}: {source} has its lines {count} times, must have them once")
    known = [fault[0] for fault in found]
    for name in names:
        if name not in known:
            sys.exit(f"faults.txt has no {name}")
    return [fault for fault in found if not names or fault[0] in names]


# ---- the copy ------------------------------------------------------------------------

def copy_changed(source, target):
    """Copy a file if it differs, so that no more than needed is rebuilt."""
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copy(source, target)
    return target


def shorten():
    path, text = os.path.join(COPY, LENGTHS), read(os.path.join(ROOT, LENGTHS))
    if not os.path.exists(path) or read(path) != text.replace(*SHORT):
        write(path, text.replace(*SHORT))


def run(command):
    done = subprocess.run(command, cwd=COPY, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(done.stdout[-3000:])


def prepare():
    """Bring the copy up to date."""
    os.makedirs(COPY, exist_ok=True)
    for name in COPIED:
        source, target = os.path.join(ROOT, name), os.path.join(COPY, name)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True,
                            copy_function=copy_changed,
                            ignore=shutil.ignore_patterns("__pycache__", "lengths.h"))
        else:
            copy_changed(source, target)
    shorten()
    os.environ.update(CCACHE_BASEDIR=COPY, CCACHE_NOHASHDIR="1")
    if shutil.which("ccache"):
        os.environ["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
    if not os.path.exists(os.path.join(COPY, "build", "openmpi", "build.ninja")):
        run(CONFIGURE)


def build():
    run(["cmake", "--build", "build/openmpi", "--target", "soak"])


# ---- the cases -----------------------------------------------------------------------

def stop(process):
    """End it and all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass


def last_case(path, otherwise):
    try:
        return int(read(path))
    except (OSError, ValueError):
        return otherwise


def turn(settings, processes, first, end):
    """Run cases from `first` on. Return whether all passed, and the last one."""
    progress = os.path.join(COPY, "progress")
    if os.path.exists(progress):
        os.remove(progress)
    command = ["build/openmpi/bin/mpiexec", "-n", str(processes),
               "build/openmpi/tests/soak", "--seed", str(SEED), "--first", str(first),
               "--cases", str(TURN),
               "--seconds", str(max(1, end - time.monotonic())), "--progress", progress]
    process = subprocess.Popen(command, cwd=COPY, env=dict(os.environ, **settings),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    case, since = first, time.monotonic()
    try:
        while process.poll() is None and time.monotonic() - since < STALL:
            time.sleep(0.2)
            now = last_case(progress, first)
            if now != case:
                case, since = now, time.monotonic()
        return process.poll() == 0, last_case(progress, first)
    finally:
        stop(process)


def found_after(all_settings, processes):
    """Return the number of the first case that fails, or None, and the cases run."""
    end = time.monotonic() + SECONDS
    for first in range(0, sys.maxsize, TURN):
        settings = all_settings[first // TURN % len(all_settings)]
        passed, case = turn(settings, processes, first, end)
        if not passed:
            return case + 1, case + 1
        if time.monotonic() > end:
            return None, case + 1


def plant(names, processes, all_settings):
    """Plant each fault of these names, or all, and run the cases in turn with each of the
    settings. Return the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    faults = load(names)
    prepare()
    found = 0
    for name, source, old, new in faults:
        path = os.path.join(COPY, source)
        text = read(path)
        try:
            write(path, text.replace(old, new))
            build()
            case, cases = found_after(all_settings, processes)
        finally:
            write(path, text)
        found += case is not None
        after = f"not in {cases:,d} cases" if case is None else f"case {case:,d}"
        print(f"{name:50s} {after}", flush=True)
    print(f"{found} of {len(faults)} faults found")
    return 0 if found == len(faults) else 1


if __name__ == "__main__":
    print(f"PASS: {len(load([]))} faults apply")
