#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""links.py FOLDER - check that what the pages of a site link to is there, anchors too."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def main():
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong = checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            there = file.is_file() and (not anchor or file not in pages or
                                        anchor in pages[file].anchors)
            if not there:
                wrong += 1
                print(f"{path.relative_to(folder)}: {link} is not there")
    print(f"{len(pages)} pages, {checked} links within the site, {wrong} of them broken")
    return wrong > 0 or checked == 0


sys.exit(main())
