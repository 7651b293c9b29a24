#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py FOLDER - write Sphinx's sources for the site into FOLDER.

The pages are README.md, docs/**/*.md, CONVENTIONS.md and CHANGELOG.md, where they link to
each other as in the repository; a page for each header (reference.py), for the man page,
and for each other file that a page links to.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import reference

ROOT = Path(__file__).resolve().parent.parent
LEXERS = {".c": "c", ".h": "c", ".cu": "c++", ".hpp": "c++", ".cpp": "c++",
          ".f90": "fortran", ".py": "python", ".sh": "bash"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
EXPLORER = ('```{raw} html\n<p><a class="explorer" href="%sexplorer.html">Open the explorer</a>'
            "</p>\n```\n\n")
FENCE = re.compile(r"^ *```")


def page_of(path):
    """The page that shows a file of the repository, both relative to the root."""
    if path == Path("README.md"):
        return Path("index.md")
    if path.parts[0] == "include":
        return Path("reference", path.name).with_suffix(".md")
    if path.suffix in (".md", ".svg", ".png"):
        return path
    if path.parts[:2] == ("docs", "man"):
        return path.with_suffix(".md")
    return Path("source", *path.parts[:-1], path.name + ".md")


class Site:
    """The pages, as they are written."""

    def __init__(self, folder):
        self.folder = folder
        self.faults = []
        self.sources = set()  # files that need a page
        self.names = reference.names(ROOT)

    def write(self, page, text):
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def link(self, page, match):
        """A link of a page, to where its target is in the site."""
        picture, text, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if not path or "://" in path:
            return match[0]
        file = Path(os.path.normpath(ROOT / page.parent / path))
        if not file.is_file():
            self.faults.append(f"{page}: {target} is no file")
            return match[0]
        file = file.relative_to(ROOT)
        to = page_of(file)
        if to.suffix in (".svg", ".png"):
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.folder / to)
        elif file.suffix != ".md" and to.parts[0] == "source":
            self.sources.add(file)
        at = os.path.relpath(to, page_of(page).parent)
        return f"{picture}[{text}]({at}{hash_}{anchor})"

    def convert(self, page, text):
        """The text of a page with its links, and names of the library linked."""
        lines, fenced = [], False
        for block in re.split(r"(?m)(^ *```[^\n]*\n)", text):
            if FENCE.match(block):
                fenced = not fenced
            elif not fenced:
                block = LINK.sub(lambda match: self.link(page, match), block)
                block = re.sub(r"(?<![\[`])`(redist_\w+)`(?![\]`])", self.name, block)
            lines.append(block)
        return "".join(lines)

    def name(self, match):
        """A function or type, linked to where it is explained."""
        known = match[1] in self.names
        return f"[`{match[1]}`]({match[1]})" if known else match[0]

    def check_excerpts(self, page, text):
        """Check that the code of a tutorial is in a program that it links to."""
        programs = [(ROOT / page.parent / target).read_text(encoding="utf-8")
                    for _, _, target in LINK.findall(text) if "/examples/" in target]
        blocks = re.findall(r"(?m)^```c\n(.*?)^```", text, re.S)
        if not blocks:
            self.faults.append(f"{page}: no code")
        for block in blocks:
            if not any(block in program for program in programs):
                self.faults.append(f"{page}: not in its program:\n{block}")

    def add(self, path):
        text = (ROOT / path).read_text(encoding="utf-8")
        if "tutorial" in path.parts:
            self.check_excerpts(path, text)
        text = self.convert(path, text)
        title, rest = text.split("\n\n", 1)
        if path == Path("README.md"):
            text = f"{title}\n\n{EXPLORER % ''}{rest}"
            text += "\n" + (ROOT / "site/contents.md").read_text(encoding="utf-8")
        elif path == Path("docs/explorer.md"):
            text = f"{title}\n\n{EXPLORER % '../'}{rest}"
        self.write(page_of(path), text)

    def add_source(self, path):
        code = (ROOT / path).read_text(encoding="utf-8")
        lexer = LEXERS.get(path.suffix, "text")
        self.write(page_of(path), f"---\norphan: true\n---\n# {path.name}\n\n"
                   f"{path}\n\n````{{code-block}} {lexer}\n{code}````\n")

    def add_man(self):
        page = ROOT / "docs/man/redist.1"
        html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", page], check=True,
                              text=True, stdout=subprocess.PIPE).stdout
        self.write("docs/man/redist.md",
                   f"# redist(1)\n\n```{{raw}} html\n{html}```\n")


def main():
    site = Site(Path(sys.argv[1]))
    for pattern in ("README.md", "CHANGELOG.md", "CONVENTIONS.md", "docs/**/*.md"):
        for path in sorted(ROOT.glob(pattern)):
            site.add(path.relative_to(ROOT))
    site.add_man()
    for path in sorted(site.sources):
        site.add_source(path)
    for header in reference.HEADERS:
        site.write(f"reference/{Path(header).stem}.md", reference.page(ROOT, header))
    (site.folder / "_static").mkdir(exist_ok=True)
    shutil.copy(ROOT / "site/site.css", site.folder / "_static")
    shutil.copy(ROOT / "site/conf.py", site.folder)
    shutil.copy(ROOT / "include/redist/describe.h", site.folder)
    for fault in site.faults:
        print(fault, file=sys.stderr)
    return bool(site.faults)


sys.exit(main())
