# SPDX-License-Identifier: MIT
"""Read C declarations of the kind that redist's headers consist of.

What the package knows of the library is api.h beside this file: the public headers
without their comments. The tests check that it is still that.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Declaration:
    """One name with its type: a field, an argument, or a function's result."""

    type: str  # without const: "int", "redist_grid *", "int []", "void (*)(int, void *)"
    name: str


@dataclass
class Header:
    """What some headers declare, each by name and in the order of the text."""

    constants: dict[str, int] = field(default_factory=dict)
    structs: dict[str, list[Declaration]] = field(default_factory=dict)
    functions: dict[str, tuple[str, list[Declaration]]] = field(default_factory=dict)
    inlines: list[str] = field(default_factory=list)  # functions that no library holds
    enums: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)  # all that api.h has to say


def parse(text: str) -> Header:
    """Read the text of one or more headers."""
    header = Header()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    for name, value in re.findall(r"^#define (REDIST_\w+) (\(?-?\w+\)?)$", text, re.M):
        header.constants[name] = _value(value)
        header.statements.append(f"#define {name} {value}")
    text = re.sub(r"^#ifdef __cplusplus.*?^#endif", "", text, flags=re.M | re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    inline = re.compile(r"^static inline \w+ (\w+)\([^)]*\)\s*{.*?^}", re.M | re.S)
    header.inlines = inline.findall(text)
    text = inline.sub("", text)
    for statement in re.findall(r"[^;{]+(?:{[^}]*}[^;{]*)?;", text):
        _read(header, " ".join(statement.split()))
    return header


# A comma that no parentheses enclose.
_ARGUMENT_END = re.compile(r", (?![^()]*\))")


def _read(header: Header, statement: str) -> None:
    statement = statement.removeprefix("REDIST_API ")
    header.statements.append(statement)
    if match := re.fullmatch(r"typedef enum (\w+) {(.*)} \w+;", statement):
        header.enums.append(match[1])
        value = -1
        for item in filter(None, map(str.strip, match[2].split(","))):
            name, _, given = item.partition(" = ")
            value = _value(given) if given else value + 1
            header.constants[name] = value
    elif match := re.fullmatch(r"typedef struct (\w+) {(.*)} \w+;", statement):
        fields = [f.strip() for f in match[2].split(";") if f.strip()]
        header.structs[match[1]] = [d for f in fields for d in _declarations(f)]
    elif match := re.fullmatch(r"([^()]+)\((.*)\);", statement):
        result = _declarations(match[1])[0]
        arguments = [] if match[2] == "void" else _ARGUMENT_END.split(match[2])
        header.functions[result.name] = (
            result.type, [_declarations(a)[0] for a in arguments])
    elif not re.fullmatch(r"typedef struct (\w+) \1;", statement):
        raise SyntaxError(f"no declaration that redist's headers hold: {statement}")


def _declarations(text: str) -> list[Declaration]:
    """The names of one declaration: "const int *a, b[3]" has two."""
    if match := re.fullmatch(r"void \(\*(\w+)\)\((.*)\)", text):
        types = [_declarations(argument)[0].type for argument in match[2].split(", ")]
        return [Declaration(f"void (*)({', '.join(types)})", match[1])]
    words = re.sub(r"\bconst\b", " ", text).split()
    base, rest = words[0], " ".join(words[1:])
    found = []
    for name in rest.split(","):
        match = re.fullmatch(r"\s*([* ]*)(\w+)(\[\w*\])?\s*", name)
        if not match:
            raise SyntaxError(f"no declaration that redist's headers hold: {text}")
        stars, array = match[1].replace(" ", ""), match[3] or ""
        suffix = " ".join(filter(None, (stars, array)))
        found.append(Declaration(f"{base} {suffix}".strip(), match[2]))
    return found


def _value(text: str) -> int:
    text = text.strip("()")
    return -(2**63) if text == "INT64_MIN" else int(text)
