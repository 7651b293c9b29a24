#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""script/folders.py - check src against src/folders.txt and src/glossary.txt; run by
script/check layers.

A file name consists of words of the glossary. A file includes its own folder and those
before it in the list. A folder has at most 16 files, and a README.md that lists them.
Where build/openmpi has been built, no function calls one of a folder behind its own.
Prints each finding as file:line, and returns 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

MOST_FILES = 16
ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
found = 0


def finding(where, what):
    global found
    found += 1
    print(f"{where}: {what}")


def read_order():
    lines = (SRC / "folders.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def is_allowed(order, own, other):
    """Whether `own` may use `other`. The tool and the bindings stand side by side."""
    apart = {own.split("/")[0], other.split("/")[0]} == {"bind", "tool"}
    return order.index(other) <= order.index(own) and not apart


def check_readme(folder):
    readme = SRC / folder / "README.md"
    if not readme.exists():
        finding(f"src/{folder}", "has no README.md")
        return
    listed = set(re.findall(r"`(\w+)`", readme.read_text()))
    for stem in sorted({path.stem for path in (SRC / folder).glob("*.[ch]")} - listed):
        finding(f"src/{folder}/README.md", f"does not list `{stem}`")


def check_files(order):
    folders = {path.parent.relative_to(SRC).as_posix() for path in SRC.rglob("*.[ch]")}
    for folder in sorted(folders ^ set(order)):
        finding(f"src/{folder}", "is in src/folders.txt or has sources, but not both")
    for folder in sorted(folders & set(order)):
        count = len(list((SRC / folder).glob("*.[ch]")))
        if count > MOST_FILES:
            finding(f"src/{folder}", f"{count} files; {MOST_FILES} at most")
        check_readme(folder)


def read_glossary():
    lines = (SRC / "glossary.txt").read_text().splitlines()
    terms = [line.split(":")[0] for line in lines if line and not line.startswith("#")]
    return {word.strip() for term in terms for word in term.split(",")}


def check_names():
    glossary = read_glossary()
    for path in sorted(SRC.rglob("*.[ch]")):
        for word in path.stem.split("_"):
            if word not in glossary:
                finding(f"src/{path.relative_to(SRC)}", f'"{word}" is not in src/glossary.txt')


def check_includes(order):
    for path in sorted(SRC.rglob("*.[ch]")):
        own = path.parent.relative_to(SRC).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not match:
                continue
            other = pathlib.PurePosixPath(match[1]).parent.as_posix()
            where = f"src/{path.relative_to(SRC)}:{number}"
            if other not in order:
                finding(where, f'includes "{match[1]}", not "folder/file.h" of src')
            elif own in order and not is_allowed(order, own, other):
                finding(where, f"{own} includes {other}, which is not before it")


def read_symbols(paths):
    """The names that each object defines, and those that it needs."""
    listed = subprocess.run(["nm", "-A", "-P", "-g", *map(str, paths)], capture_output=True,
                            text=True)
    symbols = {str(path): (set(), set()) for path in paths}
    for line in listed.stdout.splitlines():
        path, symbol = line.split(": ", 1)
        name, kind = symbol.split()[:2]
        symbols[path][kind in "Uwv"].add(name)
    return symbols


def check_calls(order):
    objects = ROOT / "build/openmpi/src/CMakeFiles"
    home = {}
    parts = []
    for path in sorted(objects.rglob("*.c.o")):
        source = path.relative_to(objects).as_posix().split("/", 1)[1][: -len(".o")]
        folder = str(pathlib.PurePosixPath(source).parent)
        if folder in order and (SRC / source).exists():
            parts.append((source, folder, path))
    if not parts:
        return
    symbols = read_symbols([path for *_, path in parts])
    for source, own, path in parts:
        for name in symbols[str(path)][0]:
            home.setdefault(name, own)
    for source, own, path in parts:
        for name in sorted(symbols[str(path)][1]):
            if name in home and not is_allowed(order, own, home[name]):
                finding(f"src/{source}", f"{own} uses {name} of {home[name]}, "
                        "which is not before it")


def main():
    order = read_order()
    check_files(order)
    check_names()
    check_includes(order)
    check_calls(order)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
