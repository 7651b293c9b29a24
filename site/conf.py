# SPDX-License-Identifier: MIT
"""Sphinx's settings, for the pages that pages.py has made."""
import re
from pathlib import Path

project = "redist"
html_title = "redist"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
myst_heading_anchors = 4  # as GitHub makes them, so that links work in both places
smartquotes = False  # what is quoted is often pasted
html_show_copyright = html_show_sphinx = html_copy_source = html_show_sourcelink = False
highlight_language = "text"
html_theme_options = {"navigation_with_keys": True}

_header = Path(__file__).with_name("describe.h").read_text(encoding="utf-8")
release = ".".join(re.findall(r"#define REDIST_VERSION_\w+ (\d+)", _header))
