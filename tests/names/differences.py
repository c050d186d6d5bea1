"""The names that docs/differences.md lists, by what it says of them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"

#: What is so -> the heading of the table that lists it.
HEADINGS = {
    "later": "Connectors that come later",
    "absent": "Absent names",
    "refused": "Refused names",
    "without effect": "Names without effect",
    "parameters": "Other parameters",
}


def listed(what: str) -> list[str]:
    """The names in the first column of a table, such as ``Class``, ``Class.method`` or ``Class.method(parameter)``."""
    text = PAGE.read_text()
    found = re.search(rf"^### {HEADINGS[what]}\n(.*?)(?=^##|\Z)", text, re.S | re.M)
    assert found, f"{PAGE.name} has no heading {HEADINGS[what]!r}"
    rows = [line for line in found[1].splitlines() if line.startswith("| ")][1:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
