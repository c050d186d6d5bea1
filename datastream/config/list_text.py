"""Lists written as text."""

from __future__ import annotations

import csv
import re

from datastream.errors import ValidationError, cut

_FLOW_ITEM = re.compile(r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)"|([^,'"\[\]{}]*))\s*(?:,|$)""")


def parse_list(text: str) -> list[str]:
    """Return the items of `a;b`, of a YAML list in brackets, or of one with a dash a line.

    Raises:
        ValidationError: The brackets do not hold a flat list.
    """
    stripped = text.strip()
    if not stripped:
        return []
    if stripped.startswith("["):
        return _bracketed(stripped)
    if stripped.startswith("- "):
        lines = [line.strip() for line in stripped.splitlines() if line.strip()]
        if all(line.startswith("- ") for line in lines):
            return [unquoted(line[2:].strip()) for line in lines]
    return next(csv.reader([text], delimiter=";", quotechar="'"))


def _bracketed(text: str) -> list[str]:
    if not text.endswith("]"):
        raise ValidationError(f"Expected a list such as [a, b] or a;b: got {cut(text)}.")
    body = text[1:-1].strip().removesuffix(",")
    items: list[str] = []
    at = 0
    while at < len(body):
        found = _FLOW_ITEM.match(body, at)
        if found is None:
            raise ValidationError(f"Expected a flat list such as [a, b] or a;b: got {cut(text)}.")
        items.append(unquoted(found.group().strip().removesuffix(",").strip()))
        at = found.end()
    return items


def unquoted(item: str) -> str:
    """An item without the quotes around it, single or double."""
    if len(item) > 1 and item[0] == item[-1] == "'":
        return item[1:-1].replace("''", "'")
    if len(item) > 1 and item[0] == item[-1] == '"':
        return re.sub(r"\\(.)", r"\1", item[1:-1])
    return item
