#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""join.py MODULE PAGE - write the explorer, one file: page.html with its style, its
modules of JavaScript and the module of WebAssembly, compressed, in it.

Each module of JavaScript becomes a function, in the order of their imports.
"""
import base64
import gzip
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (\{[^}]*\});\n", re.M)


def join(name, done):
    """The text of a module, as a function that returns its exports, after that of all
    that it imports."""
    if name in done:
        return ""
    done.add(name)
    text = (PAGE / "js" / f"{name}.js").read_text(encoding="utf-8")
    before = "".join(join(other, done) for _, other in IMPORT.findall(text))
    text = IMPORT.sub(r"const \1 = module_\2;\n", text)
    text = EXPORT.sub(r"return \1;\n", text)
    return f"{before}const module_{name} = (() => {{\n{text}}})();\n"


def main():
    module, page = map(Path, sys.argv[1:])
    packed = gzip.compress(module.read_bytes(), 9, mtime=0)
    done = set()
    parts = {"style": (PAGE / "page.css").read_text(encoding="utf-8"),
             "program": join("main", done),
             "module": base64.b64encode(packed).decode()}
    unused = {path.stem for path in (PAGE / "js").glob("*.js")} - done
    if unused:
        sys.exit(f"join.py: nothing imports {', '.join(sorted(unused))}")
    text = (PAGE / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part, 1)
    page.write_text(text, encoding="utf-8")


main()
