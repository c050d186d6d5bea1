"""Filters of JSON paths, such as ``(@.price > 10 && @.tags contains 'new')``, as Jayway JsonPath reads them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.patterns import java_regex

#: A filter: an element and the whole document -> whether it is wanted.
Condition = Callable[[Any, Any], bool]
#: Reads a path: what gives its values, an element and the whole document; it raises NotFound.
ReadPath = Callable[[str], Callable[[Any, Any], Any]]
_Value = Callable[[Any, Any], Any]


class Undefined:
    """What a path leads to that leads to nothing: it equals nothing."""


class NotFound(Exception):
    """The path leads to nothing."""


class Unreadable(Exception):
    """The text is no filter, or one that is not supported."""


UNDEFINED = Undefined()
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_TEXT = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.S)
_WORD = re.compile(r"true|false|null")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/([a-zA-Z]*)", re.S)
_OPERATOR = re.compile(r"[<>=~!]+|[A-Za-z]+(?= )")


def unescaped(text: str) -> str:
    """A quoted text without its backslashes."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), text)


def read_condition(text: str, start: int, read_path: ReadPath) -> tuple[Condition, int]:
    """The filter in parentheses that begins at a place of a text, and where it ends.

    Raises:
        Unreadable: there is none.
    """
    reader = _Reader(text, start, read_path)
    return reader.operand(), reader.place


class _Reader:
    def __init__(self, text: str, place: int, read_path: ReadPath) -> None:
        self.text, self.place, self.read_path = text, place, read_path

    def operand(self) -> Condition:
        """A filter in parentheses, one after ``!``, or a comparison."""
        if self._skip("("):
            found = self._either()
            if not self._skip(")"):
                raise Unreadable("a parenthesis is not closed")
            return found
        if self._skip("!"):
            wanted = self.operand()
            return lambda item, whole: not wanted(item, whole)
        return self._comparison()

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._skip("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda item, whole: any([part(item, whole) for part in parts])

    def _both(self) -> Condition:
        parts = [self.operand()]
        while self._skip("&&"):
            parts.append(self.operand())
        return parts[0] if len(parts) == 1 else lambda item, whole: all([part(item, whole) for part in parts])

    def _comparison(self) -> Condition:
        is_path = self.text[self._next() : self.place + 1] in ("@", "$")
        left = self._value()
        self._next()
        found = _OPERATOR.match(self.text, self.place)
        if found is None:
            if not is_path:
                raise Unreadable("a value is compared with nothing")
            return lambda item, whole: left(item, whole) is not UNDEFINED
        compare = _COMPARISONS.get(found[0].lower())
        if compare is None:
            raise Unreadable(f"{found[0]} is not supported; it has {', '.join(_COMPARISONS)}")
        self.place = found.end()
        right = self._value()
        return lambda item, whole: compare(left(item, whole), right(item, whole))

    def _value(self) -> _Value:
        start = self._next()
        if self.text[start : start + 1] in ("@", "$"):
            self.place = self._path_end()
            return self._or_undefined(self.read_path(self.text[start : self.place]))
        constant = self._constant()
        return lambda item, whole: constant

    def _or_undefined(self, read: _Value) -> _Value:
        def value(item: Any, whole: Any) -> Any:
            try:
                return read(item, whole)
            except NotFound:
                return UNDEFINED

        return value

    def _path_end(self) -> int:
        depth, place = 0, self.place
        while place < len(self.text):
            quoted = _TEXT.match(self.text, place) if depth else None
            if quoted is not None:
                place = quoted.end()
                continue
            char = self.text[place]
            if char in "[(":
                depth += 1
            elif char in "])" and depth:
                depth -= 1
            elif not depth and char in ") <>=~!&|,":
                break
            place += 1
        return place

    def _constant(self) -> Any:
        for form, read in _CONSTANTS:
            found = form.match(self.text, self.place)
            if found is not None:
                self.place = found.end()
                return read(found)
        if self._skip("["):
            items: list[Any] = []
            while not self._skip("]"):
                if items and not self._skip(","):
                    raise Unreadable("a list is not closed")
                self._next()
                items.append(self._constant())
            return items
        raise Unreadable(f"there is no value at {self.text[self.place :][:20]!r}")

    def _next(self) -> int:
        while self.text[self.place : self.place + 1] == " ":
            self.place += 1
        return self.place

    def _skip(self, mark: str) -> bool:
        found = self.text.startswith(mark, self._next())
        self.place += len(mark) * found
        return found


_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}


def _regex(found: re.Match[str]) -> re.Pattern[str]:
    if set(found[2]) - _FLAGS.keys():
        raise Unreadable(f"the flags {found[2]!r} of a regular expression are not supported")
    try:
        plain = java_regex(found[1])
    except ValidationError as error:
        raise Unreadable(str(error)) from None
    flags = sum(_FLAGS[flag] for flag in dict.fromkeys(found[2]))
    return re.compile(plain.pattern, plain.flags | flags)


_CONSTANTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (_TEXT, lambda found: unescaped(found[1] if found[1] is not None else found[2])),
    (_WORD, lambda found: {"true": True, "false": False, "null": None}[found[0]]),
    (_NUMBER, lambda found: Decimal(found[0])),
    (_REGEX, _regex),
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal | float) and not isinstance(value, bool)


def _is_equal(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return bool(one == other)
    if isinstance(one, str) and _is_number(other):
        return one == str(other)
    if _is_number(one) and isinstance(other, str):
        try:
            return bool(Decimal(other) == one)
        except InvalidOperation:
            return False
    return type(one) is type(other) and not isinstance(one, Undefined) and bool(one == other)


def _same(one: Any, other: Any) -> bool:
    return (_is_number(one) == _is_number(other)) and _is_equal(one, other)


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    def holds(one: Any, other: Any) -> bool:
        alike = (_is_number(one) and _is_number(other)) or (isinstance(one, str) and isinstance(other, str))
        return alike and bool(compare(one, other))

    return holds


def _matches(one: Any, other: Any) -> bool:
    if isinstance(other, re.Pattern) == isinstance(one, re.Pattern):
        return False
    pattern, value = (one, other) if isinstance(one, re.Pattern) else (other, one)
    if isinstance(value, list):
        return any([_matches(pattern, each) for each in value])
    shown = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else None
    if shown is None:
        shown = str(value) if _is_number(value) else ""
    return pattern.fullmatch(shown) is not None


def _is_in(one: Any, other: Any) -> bool:
    return isinstance(other, list) and any([_is_equal(one, each) for each in other])


def _contains(one: Any, other: Any) -> bool:
    if isinstance(one, str):
        return isinstance(other, str) and other in one
    return _is_in(other, one)


def _has_size(one: Any, other: Any) -> bool:
    return _is_number(other) and isinstance(one, str | list | dict) and len(one) == int(other)


def _is_empty(one: Any, other: Any) -> bool:
    return isinstance(one, str | list | dict) and (not one) is other


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": _is_equal,
    "!=": lambda one, other: not _is_equal(one, other),
    "===": _same,
    "!==": lambda one, other: not _same(one, other),
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "=~": _matches,
    "in": _is_in,
    "nin": lambda one, other: not _is_in(one, other),
    "contains": _contains,
    "size": _has_size,
    "empty": _is_empty,
}
