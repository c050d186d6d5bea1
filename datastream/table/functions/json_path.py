"""JSON and paths into it, such as ``$.a[0]`` and ``lax $.a``."""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.text_forms import double_text

_STEP = re.compile(
    r"""\s*(?:
        \.\.(?P<deep>[\w$-]+|\*)
      | \.(?P<name>[\w$-]+)
      | (?P<every>\.\*|\[\s*\*\s*\])
      | \[\s*(?P<index>-?\d+)\s*\]
      | \[\s*(?P<from>-?\d*)\s*:\s*(?P<to>-?\d*)\s*\]
      | \[\s*'(?P<single>(?:[^'\\]|\\.)*)'\s*\]
      | \[\s*"(?P<double>(?:[^"\\]|\\.)*)"\s*\]
    )""",
    re.X,
)
_MODE = re.compile(r"\s*(strict|lax)\s+(.*)", re.S | re.I)


class NotFound(Exception):
    """The path leads to nothing."""


class NotJson(Exception):
    """The text is not JSON."""


@dataclass(frozen=True)
class Path:
    """A path.

    Attributes:
        steps: Kind and value of each.
        lax: What is not there is empty, not an error.
        many: It gives an array of what it finds.
    """

    steps: tuple[tuple[str, Any], ...]
    lax: bool
    many: bool

    def find(self, document: Any) -> Any:
        """What the path leads to.

        Raises:
            NotFound: there is nothing.
        """
        found = [document]
        many = False
        for kind, value in self.steps:
            many = many or kind in ("every", "deep", "slice")
            found = [part for each in found for part in _step(each, kind, value)]
            if not found and not many:
                raise NotFound
        return found if many else found[0]


def _step(document: Any, kind: str, value: Any) -> Iterator[Any]:
    match kind:
        case "name":
            if isinstance(document, dict) and value in document:
                yield document[value]
        case "index":
            if isinstance(document, list) and -len(document) <= value < len(document):
                yield document[value]
        case "slice":
            if isinstance(document, list):
                yield from document[value]
        case "every":
            yield from document.values() if isinstance(document, dict) else document if _is_list(document) else ()
        case "deep":
            yield from _deep(document, value)


def _is_list(document: Any) -> bool:
    return isinstance(document, list)


def _deep(document: Any, name: str) -> Iterator[Any]:
    parts = document.items() if isinstance(document, dict) else enumerate(document) if _is_list(document) else ()
    for key, value in parts:
        if name in ("*", key):
            yield value
        yield from _deep(value, name)


@lru_cache(1024)
def parsed_path(text: str) -> Path:
    """The path of a text.

    Raises:
        ValidationError: it is none, or has a filter, which is not supported.
    """
    mode = _MODE.fullmatch(text)
    rest = (mode[2] if mode else text).strip()
    place = 1
    steps: list[tuple[str, Any]] = []
    while rest[:1] == "$" and place < len(rest):
        found = _STEP.match(rest, place)
        if found is None:
            break
        steps.append(_parsed_step(found))
        place = found.end()
    if rest[:1] != "$" or place != len(rest):
        raise ValidationError(f"JSON path {text!r}: expected a path such as '$.a.b[0]'; filters are not supported")
    many = any(kind in ("every", "deep", "slice") for kind, _ in steps)
    return Path(tuple(steps), mode is not None and mode[1].lower() == "lax", many)


def _parsed_step(found: re.Match[str]) -> tuple[str, Any]:
    parts = found.groupdict()
    if parts["deep"] is not None:
        return "deep", parts["deep"]
    if parts["index"] is not None:
        return "index", int(parts["index"])
    if parts["every"] is not None:
        return "every", None
    if parts["from"] is not None:
        start, end = (int(each) if each else None for each in (parts["from"], parts["to"]))
        return "slice", slice(start, end)
    name = next(parts[each] for each in ("name", "single", "double") if parts[each] is not None)
    return "name", re.sub(r"\\(.)", r"\1", name)


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


#: Numbers with a point or an exponent are Decimals, so that no digit is lost.
_decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse)
_SPACES = " \t\n\r"


@lru_cache(32)
def document(text: str) -> Any:
    """The value of JSON; several functions of one row share it. As in Flink, what follows the value does not count.

    Raises:
        NotJson: the text is none.
    """
    start = len(text) - len(text.lstrip(_SPACES))
    try:
        value, end = _decoder.raw_decode(text, start)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise NotJson(str(error)) from error
    if end < len(text) and text[end] not in _SPACES and text[end - 1] not in ']}"':
        raise NotJson(f"{text[start : end + 1][-50:]!r} is no value")
    return value


def scalar_text(value: Any) -> str:
    """A scalar value of JSON as a string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, Decimal) else str(value)


def number_text(value: Decimal) -> str:
    """A number with all of its digits, as Java's BigDecimal shows it, which has no -0."""
    return str(value or value.copy_abs())


class _Exact(Exception):
    """A number has to keep its digits."""


_KEY = itemgetter(0)


def json_text(value: Any, sort_keys: bool = False) -> str:
    """A value as JSON; Decimals are numbers."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_other, sort_keys=sort_keys)
    except _Exact:
        return _exact_text(value, sort_keys)


def _exact_text(value: Any, sort_keys: bool) -> str:
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, dict):
        items = sorted(value.items(), key=_KEY) if sort_keys else value.items()
        return "{" + ",".join([f"{json_text(key)}:{_exact_text(each, sort_keys)}" for key, each in items]) + "}"
    if isinstance(value, list):
        return f"[{','.join([_exact_text(each, sort_keys) for each in value])}]"
    return json_text(value)


class Raw(str):
    """JSON that stands as it is inside of other JSON."""

    __slots__ = ()


def fragment(value: Any) -> str:
    """A value of a row as a part of JSON."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, float):
        return number_text(Decimal(double_text(value))) if math.isfinite(value) else f'"{double_text(value)}"'
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(fragment, value))}]"
    if isinstance(value, dict):
        items = sorted(((str(key), each) for key, each in value.items()), key=_KEY)
        return "{" + ",".join(f"{json_text(key)}:{fragment(each)}" for key, each in items) + "}"
    return json_text(value)


def _other(value: Any) -> Any:
    if isinstance(value, Decimal):
        raise _Exact
    if isinstance(value, bytes):
        return b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
