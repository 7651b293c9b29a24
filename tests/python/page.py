#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the pieces of Python on a page of the documentation, as one program.

    page.py PAGE.md

A line of it that fails is named by its line in the page.
"""
import re
import sys


def program(page):
    """The page with all that is not Python made empty."""
    inside, lines = False, []
    for line in page.split("\n"):
        fence = re.match(r"```(\w*)", line)
        if fence:
            inside = fence[1] == "python"
        lines.append(line if inside and not fence else "")
    return "\n".join(lines)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = program(file.read())
    if not text.strip():
        sys.exit(f"{sys.argv[1]} holds no Python")
    exec(compile(text, sys.argv[1], "exec"), {"__name__": "__main__"})
