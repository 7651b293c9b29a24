#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write what the public headers declare, for the bindings to be compared with.

    header.py api        the headers without comments: python/redist/api.h
    header.py c          a C program that prints constants, and the layout of the structs
    header.py fortran    a Fortran program that prints the same of the module redist, and
                         does not compile where the module lacks a name
    header.py python     print the same of the package redist, as ctypes lays it out
    header.py names      the names of all functions
"""
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "redist"))
import _header  # noqa: E402  the package itself needs the library and mpi4py

HEADERS = [ROOT / "include" / "redist" / name
           for name in ("describe.h", "propose.h", "topology.h", "redist.h", "files.h",
                        "checkpoint.h")]


def read():
    """All that the public headers declare."""
    return _header.parse("".join(h.read_text(encoding="utf-8") for h in HEADERS))


def api(header):
    """The text of api.h."""
    lines = ["/* SPDX-License-Identifier: MIT", " *",
             " * api.h - redist's public headers without comments, as the package reads",
             " * them. Made by tests/bindings/header.py api. */"]
    for statement in header.statements:
        lines += textwrap.wrap(statement, 90, subsequent_indent="    ",
                               break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def is_handle(field):
    """Of MPI's, whose size is not looked at: where it is an int, padding follows, and
    Fortran has a word for both."""
    return field.type.startswith("MPI_")


def c_program(header):
    """Print `constant NAME value`, `struct NAME bytes` and `field NAME offset bytes`."""
    lines = ["#include <stddef.h>", "#include <stdio.h>",
             "#include <redist/checkpoint.h>", "int main(void)", "{"]
    for name in header.constants:
        lines.append(f'    printf("constant {name} %lld\\n", (long long){name});')
    for name, fields in header.structs.items():
        lines.append(f'    printf("struct {name} %zu\\n", sizeof({name}));')
        for f in fields:
            size = "(size_t)0" if is_handle(f) else f"sizeof((({name} *)0)->{f.name})"
            lines.append(f'    printf("field {name}.{f.name} %zu %zu\\n", '
                         f"offsetof({name}, {f.name}), {size});")
    return "\n".join([*lines, "    return 0;", "}", ""])


def fortran_name(constant):
    """Those whose names are also functions, to Fortran, are kinds, or modes."""
    kinds = ("COLLAPSED", "BLOCK", "CYCLIC", "GEN_BLOCK", "INDIRECT")
    modes = ("FILE_READ", "FILE_UPDATE", "FILE_CREATE")
    name = constant.removeprefix("REDIST_")
    return f"{constant}{'_KIND' * (name in kinds)}{'_MODE' * (name in modes)}"


# The structs as the module hands them to C, where that is another form than its users'.
MIRRORS = {"redist_format": "c_format", "redist_options": "c_options",
           "redist_item": "c_item", "redist_report": "c_report",
           "redist_file_layout": "c_file_layout", "redist_file_options": "c_file_options"}
# Not in the native module: its batches are lists, and its types have their sizes.
NOT_NATIVE = {"redist_item", "redist_options.size", "redist_file_layout.size",
              "redist_file_layout.ndims", "redist_file_options.size"}


def fortran_program(header):
    """Print what the program in C prints, and name every function and native field."""
    functions = [*header.functions, *header.inlines]
    names = [*functions, *map(fortran_name, header.constants),
             *(s for s in header.structs if s not in NOT_NATIVE)]
    lines = ["program header", "use, intrinsic :: iso_c_binding", "use redist, only: &",
             ", &\n".join(f"  {name}" for name in names),
             "use redist_c, only: " + ", ".join(MIRRORS.values()), "implicit none"]
    for i, name in enumerate(header.structs):
        lines.append(f"type({MIRRORS.get(name, name)}), target :: s{i}")
        if name not in NOT_NATIVE:
            lines.append(f"type({name}) :: native{i}")
    for name in header.constants:
        lines.append(f"print '(a, i0)', 'constant {name} ', {fortran_name(name)}")
    for i, (name, fields) in enumerate(header.structs.items()):
        lines.append(f"print '(a, i0)', 'struct {name} ', c_sizeof(s{i})")
        for f in fields:
            lines.append(f"print '(a, i0, a, i0)', 'field {name}.{f.name} ', &")
            lines.append(f"  at(c_loc(s{i}%{f.name})) - at(c_loc(s{i})), ' ', &")
            lines.append("  0" if is_handle(f) else f"  c_sizeof(s{i}%{f.name})")
            if not {name, f"{name}.{f.name}"} & NOT_NATIVE:
                lines.append(f"call is_there(native{i}%{f.name})")
    return "\n".join([*lines, "contains",
                      "integer(c_intptr_t) function at(address)",
                      "  type(c_ptr), intent(in) :: address",
                      "  at = transfer(address, at)",
                      "end function at",
                      "subroutine is_there(field)",
                      "  type(*), intent(in), optional :: field(..)",
                      "end subroutine is_there",
                      "end program header", ""])


def python_layout(header):
    """What the package's own constants and structs are."""
    sys.path.pop(0)
    from redist import _c
    lines = [f"constant {name} {value}" for name, value in _c.constants.items()]
    for name, struct in _c.structs.items():
        lines.append(f"struct {name} {_c.ctypes.sizeof(struct)}")
        for f in header.structs[name]:
            at = getattr(struct, f.name)
            lines.append(f"field {name}.{f.name} {at.offset} "
                         f"{0 if is_handle(f) else at.size}")
    return "\n".join([*lines, ""])


def names(header):
    """The names of all functions, those in the headers too."""
    return "\n".join([*header.functions, *header.inlines, ""])


MAKE = {"api": api, "c": c_program, "fortran": fortran_program, "python": python_layout,
        "names": names}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MAKE:
        sys.exit(__doc__)
    sys.stdout.write(MAKE[sys.argv[1]](read()))
