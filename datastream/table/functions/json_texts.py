"""JSON as text: documents, and values that become a part of one."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from decimal import Decimal
from functools import lru_cache
from typing import Any

from datastream.table.functions.text_forms import double_text


class NotJson(Exception):
    """The text is not JSON."""


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
    if isinstance(value, float):
        return double_text(value)
    return number_text(value) if isinstance(value, Decimal) else str(value)


def number_text(value: Decimal) -> str:
    """A number with all of its digits, as Java's BigDecimal shows it, which has no -0."""
    return str(value or value.copy_abs())


class _Exact(Exception):
    """A number has to keep its digits."""


def java_order(item: tuple[str, Any]) -> bytes:
    """What orders the members of an object by their keys as Java compares texts: by UTF-16."""
    return item[0].encode("utf-16-be", "surrogatepass")


def json_text(value: Any, sort_keys: bool = False) -> str:
    """A value as JSON; Decimals are numbers."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_other, sort_keys=sort_keys)
    except _Exact:
        return _exact_text(value, sort_keys)
    if sort_keys and not text.isascii() and max(text) > "\uffff":  # the only ones whose order in UTF-16 is another
        return _exact_text(value, sort_keys)
    return text


def _exact_text(value: Any, sort_keys: bool) -> str:
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, dict):
        items = sorted(value.items(), key=java_order) if sort_keys else value.items()
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
        items = sorted(((str(key), each) for key, each in value.items()), key=java_order)
        return "{" + ",".join(f"{json_text(key)}:{fragment(each)}" for key, each in items) + "}"
    return json_text(value)


def _other(value: Any) -> Any:
    if isinstance(value, Decimal):
        raise _Exact
    if isinstance(value, bytes):
        return b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
