"""Java's date patterns, as far as folder names need them."""

from __future__ import annotations

import re

from datastream.errors import ValidationError

_DIRECTIVES = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "DDD": "%j",
    "HH": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "a": "%p",
    "Z": "%z",
}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'")


def strftime_pattern(java: str) -> str:
    """The pattern for ``strftime`` of a pattern for Java's DateTimeFormatter.

    Args:
        java: Of the letters ``yyyy yy MM dd DDD HH hh mm ss a Z`` and quoted text.

    Raises:
        ValidationError: for any other letters, or a quote that does not end.
    """
    out = []
    for match in _TOKEN.finditer(java):
        token = match.group()
        if match.group(1) is not None:
            out.append((match.group(1).replace("''", "'") or "'").replace("%", "%%"))
        elif match.group(2) is None and token != "'":
            out.append(token.replace("%", "%%"))
        elif token in _DIRECTIVES:
            out.append(_DIRECTIVES[token])
        else:
            raise ValidationError(
                f"date pattern {java!r}: {token!r} is not supported, only {' '.join(_DIRECTIVES)} and 'quoted text'"
            )
    return "".join(out)
