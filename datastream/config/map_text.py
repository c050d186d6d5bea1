"""Names with values, written as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from datastream.config.list_text import unquoted
from datastream.errors import ValidationError, cut

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\""""
_PAIR = re.compile(rf"""\s*({_QUOTED}|[^:,'"]+?)\s*:\s*({_QUOTED}|(?!['"])[^,]*?)\s*(?:,|$)""")


def parse_map(key: str, text: str) -> dict[str, str]:
    """Return the values by name of `k1:v1,k2:v2`, of a JSON object or of YAML's `{k1: v1, k2: v2}`.

    A name or value in quotes, single or double, may hold the separators.

    Raises:
        ValidationError: The value of `key` has none of these forms.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        try:
            return {str(name): str(value) for name, value in json.loads(stripped).items()}
        except ValueError:
            if not stripped.endswith("}"):
                raise _unreadable(key, text) from None
            stripped = stripped[1:-1].strip()
    return dict(_pairs(key, stripped, text))


def _pairs(key: str, items: str, text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(items):
        found = _PAIR.match(items, at)
        if found is None:
            raise _unreadable(key, text)
        yield unquoted(found[1]), unquoted(found[2])
        at = found.end()


def _unreadable(key: str, text: str) -> ValidationError:
    return ValidationError(f"Config '{key}' is {cut(text)}: expected 'k1:v1,k2:v2'.")
