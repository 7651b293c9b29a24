# SPDX-License-Identifier: MIT
"""The version of the package, which is that of the headers in api.h."""
import re
from pathlib import Path

_header = Path(__file__).with_name("api.h").read_text(encoding="utf-8")
_numbers = re.findall(r"^#define REDIST_VERSION_\w+ (\d+)$", _header, re.M)
__version__ = ".".join(_numbers)
