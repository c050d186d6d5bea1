"""Names in generated code: variables, bound objects, and what the text of library functions refers to."""

from __future__ import annotations

import builtins
import io
import re
import tokenize
from collections.abc import Mapping
from itertools import count
from typing import Any

_numbers = count(1)

#: Which object a name in the text of library functions stands for, in all plans of the process.
_library: dict[str, Any] = {}

#: Names that generated loops use themselves.
_RESERVED = frozenset(
    {"acc", "add", "block", "chain", "context", "key", "keys", "make", "matches", "other", "partners", "products"}
    | {"records", "times", "values"}
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_SHORT = re.compile(r"[a-z]{1,2}\d*|(context|fit|row|tag|test)\d*")


class Names:
    """The names of one operator's code. No other operator of the process has the same.

    Attributes:
        bound: Objects that the code uses, by name.
        reads_watermark: The code uses ``watermark``.
    """

    def __init__(self) -> None:
        self.bound: dict[str, Any] = {}
        self.reads_watermark = False
        self._prefix = f"c{next(_numbers)}_"
        self._count = 0

    def variable(self, what: str = "") -> str:
        """A name for a variable."""
        self._count += 1
        return f"{self._prefix}{what}{self._count}"

    def bind(self, thing: Any, what: str = "k") -> str:
        """A name for an object."""
        name = self.variable(what)
        self.bound[name] = thing
        return name

    def library(self, text: str, names: Mapping[str, Any]) -> str:
        """Bind what the text of a library function refers to; the text, with other names where these are taken."""
        used = set(_NAME.findall(text))
        for name, thing in names.items():
            if name not in used:
                continue
            taken = _taken(name, thing)
            if taken != name:
                text = _renamed(text, name, taken)
            self.bound[taken] = thing
        return text


def _taken(name: str, thing: Any) -> str:
    """The name that stands for an object of the library."""
    wanted = f"{name}_" if hasattr(builtins, name) or name in _RESERVED or _SHORT.fullmatch(name) else name
    found, number = wanted, 1
    while _library.setdefault(found, thing) is not thing:
        number += 1
        found = f"{wanted}_{number}"
    return found


def _renamed(text: str, name: str, new: str) -> str:
    """The text with another name for an object. Attributes and names of arguments stay."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines = text.splitlines(keepends=True)
    for i in reversed(range(len(tokens))):
        token = tokens[i]
        if token.type != tokenize.NAME or token.string != name or (i and tokens[i - 1].string == "."):
            continue
        row, start = token.start
        lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][token.end[1] :]
    return "".join(lines)
