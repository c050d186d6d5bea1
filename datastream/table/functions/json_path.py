"""Paths into JSON as Jayway JsonPath reads them: ``$.a[0]``, ``lax $.a``, ``$.items[?(@.price > 10)].name``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.json_filters import Condition, NotFound, Unreadable, read_condition, unescaped

_MODE = re.compile(r"\s*(strict|lax)\s+(.+)", re.S | re.I)
_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_NAME = re.compile(r"[^ .\[(*][^ .\[(]*")
_CALL = re.compile(r"([a-z]+)\(\s*(-?[0-9]*)\s*\)", re.ASCII)
_NAMES = re.compile(rf"\[ *({_QUOTED}(?: *, *{_QUOTED})*) *\]", re.S)
_INDEXES = re.compile(r"\[ *(-?[0-9]{1,9}(?: *, *-?[0-9]{1,9})*) *\]", re.ASCII)
_SLICE = re.compile(r"\[ *(-?[0-9]{0,9}):(-?[0-9]{0,9})(?::[-0-9]*)? *\]", re.ASCII)
_EVERY = re.compile(r"\*|\[ *\* *\]")
_FILTER = re.compile(r"\[ *\? *(?=\()")


class Step:
    """A step of a path.

    Attributes:
        definite: Whether it leads to one value at most.
    """

    definite = True

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        """What it leads to.

        Args:
            value: Where it starts.
            whole: The document.
            definite: Whether all steps before are definite.

        Raises:
            NotFound: it cannot start there, and all steps before are definite.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class _Names(Step):
    """Members of an object; several ones at the end of a path are one object."""

    names: tuple[str, ...]
    merged: bool = False

    @property
    def definite(self) -> bool:  # type: ignore[override]
        return self.merged or len(self.names) == 1

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        if not isinstance(value, dict):
            if definite:
                raise NotFound
        elif self.merged:
            yield {name: value[name] for name in self.names if name in value}
        else:
            yield from [value[name] for name in self.names if name in value]


@dataclass(frozen=True)
class _Elements(Step):
    """Elements of an array: by their places, or from one to another."""

    places: tuple[int, ...] = ()
    start: int | None = None
    end: int | None = None

    @property
    def definite(self) -> bool:  # type: ignore[override]
        return len(self.places) == 1

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        if not isinstance(value, list):
            if definite:
                raise NotFound
            return
        for place in self.places or self._slice(len(value)):
            if -len(value) <= place < len(value):
                yield value[place]

    def _slice(self, length: int) -> range:
        if self.start is None:
            end = self.end or 0
            return range(min(length, end + length if end < 0 else end))
        if self.end is None:
            return range(max(0, self.start + length if self.start < 0 else self.start), length)
        return range(self.start, min(length, self.end))  # Places below 0 count from the end, one by one.


class _Every(Step):
    """All members and elements."""

    definite = False

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        yield from value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


@dataclass(frozen=True)
class _Filter(Step):
    """The elements that a condition holds for, or an object."""

    condition: Condition
    definite = False

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        if isinstance(value, dict | list):
            yield from [each for each in (value if isinstance(value, list) else [value]) if self.condition(each, whole)]
        elif definite:
            raise NotFound


@dataclass(frozen=True)
class _Deep(Step):
    """A step that starts at a value and at all that is in it."""

    step: Step
    definite = False

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        if isinstance(value, dict | list):
            if not isinstance(self.step, _Filter) or self.step.condition(value, whole):
                yield from self.step.parts(value, whole, False)
            for part in value.values() if isinstance(value, dict) else value:
                yield from self.parts(part, whole, False)


@dataclass(frozen=True)
class _Function(Step):
    """A function of a value."""

    call: Callable[[Any], Any]

    def parts(self, value: Any, whole: Any, definite: bool) -> Iterator[Any]:
        yield self.call(value)


@dataclass(frozen=True)
class Path:
    """A path.

    Attributes:
        steps: Its steps.
        lax: What is not there is empty, not an error.
        many: It gives an array of what it finds.
        plain: The names and places of its steps, where all are such.
        total: Of all that a path with ``..`` finds, where a function stands at its end.
    """

    steps: tuple[Step, ...]
    lax: bool
    many: bool
    plain: tuple[str | int, ...] | None
    total: Callable[[Any], Any] | None = None

    def find(self, document: Any, whole: Any = None) -> Any:
        """What the path leads to.

        Args:
            document: Where it starts.
            whole: The whole document, for filters; None: the same.

        Raises:
            NotFound: there is nothing.
        """
        if self.plain is not None:
            return self._plainly(document, self.plain)
        try:
            found = self._found(document, document if whole is None else whole)
        except NotFound:
            if self.lax and self.many:
                return []
            raise
        if self.total is not None:
            return self.total(found)
        if not self.many and not found:
            raise NotFound
        return found if self.many else found[0]

    @staticmethod
    def _plainly(value: Any, steps: tuple[Any, ...]) -> Any:
        for step in steps:
            # Texts have indexes too.
            if type(value) is not (dict if type(step) is str else list):
                raise NotFound
            try:
                value = value[step]
            except LookupError:
                raise NotFound from None
        return value

    def _found(self, document: Any, whole: Any) -> list[Any]:
        found, definite = [document], True
        for i, step in enumerate(self.steps, 1):
            found = [part for each in found for part in step.parts(each, whole, definite)]
            if not found and definite and step.definite and isinstance(step, _Names) and i < len(self.steps):
                raise NotFound
            definite = definite and step.definite
        return found


@lru_cache(1024)
def parsed_path(text: str) -> Path:
    """The path of a text.

    Raises:
        ValidationError: it is none, or has a part that is not supported.
    """
    mode = _MODE.fullmatch(text)
    try:
        return _parsed(mode[2] if mode else text, mode is not None and mode[1].lower() == "lax")
    except Unreadable as error:
        raise ValidationError(f"JSON path {text!r}: expected a path such as '$.a.b[0]'; {error}") from None


def _parsed(text: str, lax: bool = False) -> Path:
    text = text.rstrip(" ") if text[:1] in ("$", "@") else f"$.{text}"
    place, steps, deep = 1, list[Step](), list[bool]()
    total: Callable[[Any], Any] | None = None
    while place < len(text):
        dots = 2 if text.startswith("..", place) else 1 if text[place] == "." else 0
        found = _step(text, place + dots, dots)
        if found is None:
            raise Unreadable(f"{text[place:]!r} cannot be read")
        step, place = found
        if isinstance(step, _Function):
            if place < len(text) or dots != 1:
                raise Unreadable("a function is allowed only at the end of a path")
            if True in deep:
                total = step.call
                continue
        steps.append(step)
        deep.append(dots == 2)
    if steps and isinstance(steps[-1], _Names) and len(steps[-1].names) > 1:
        steps[-1] = _Names(steps[-1].names, merged=True)
    for i, each in enumerate(steps):
        if deep[i]:
            if i + 1 < len(steps) and not isinstance(each, _Names | _Filter):
                raise Unreadable(f"after {'..'!r} and an index or {'*'!r} no more steps are supported")
            steps[i] = _Deep(each)
    if total is not None and total not in _TOTALS.values():
        raise Unreadable(f"after {'..'!r} the functions are {', '.join(_TOTALS)}")
    many = total is None and not all(each.definite for each in steps)
    return Path(tuple(steps), lax, many, _plain(steps), total)


def _plain(steps: Sequence[Step]) -> tuple[str | int, ...] | None:
    plain: list[str | int] = []
    for step in steps:
        found: tuple[str | int, ...] = ()
        if isinstance(step, _Names):
            found = step.names
        elif isinstance(step, _Elements):
            found = step.places
        if len(found) != 1:
            return None
        plain += found
    return tuple(plain)


def _step(text: str, place: int, dots: int) -> tuple[Step, int] | None:
    """The step at a place of a text, and where it ends; None: there is none."""
    if found := _NAMES.match(text, place):
        names = [unescaped(each[1:-1]) for each in re.findall(_QUOTED, found[1], re.S)]
        return _Names(tuple(names)), found.end()
    if found := _INDEXES.match(text, place):
        return _Elements(tuple(map(int, found[1].split(",")))), found.end()
    if (found := _SLICE.match(text, place)) and (found[1] or found[2]):
        start, end = (int(each) if each else None for each in found.groups())
        return _Elements((), start, end), found.end()
    if (found := _EVERY.match(text, place)) and (dots or found[0] != "*"):
        return _Every(), found.end()
    if found := _FILTER.match(text, place):
        condition, end = read_condition(text, found.end(), _reader)
        end += len(text[end:]) - len(text[end:].lstrip(" "))
        return (_Filter(condition), end + 1) if text[end : end + 1] == "]" else None
    if dots and (found := _CALL.match(text, place)):
        return _function(found[1], found[2]), found.end()
    found = _NAME.match(text, place) if dots else None
    if found is None or text[found.end() : found.end() + 1] in ("(", " "):
        return None
    return _Names((found[0],)), found.end()


def _reader(text: str) -> Callable[[Any, Any], Any]:
    """What gives the value of a path in a filter, of an element and the whole document."""
    path = _parsed(text)
    return path.find if text[0] == "@" else lambda item, whole: path.find(whole)


def _function(name: str, argument: str) -> _Function:
    if name == "index" and argument:
        return _Function(lambda value: _element(value, int(argument)))
    call = {**_TOTALS, **_FUNCTIONS}.get(name)
    if call is None or argument:
        known = ", ".join(f"{each}()" for each in (*_TOTALS, *_FUNCTIONS))
        raise Unreadable(f"there is no function {name}({argument}); there are {known} and index(0)")
    return _Function(call)


def _numbers(value: Any) -> list[float]:
    found = [float(each) for each in value if not isinstance(each, bool | str | list | dict) and each is not None]
    if not found:
        raise NotFound
    return found


def _of_numbers(total: Callable[[Sequence[float]], float]) -> Callable[[Any], Any]:
    def call(value: Any) -> float:
        return total(_numbers(value if isinstance(value, list) else ()))

    return call


def _deviation(numbers: Sequence[float]) -> float:
    count = len(numbers)
    return sqrt(sum(each * each for each in numbers) / count - sum(numbers) * sum(numbers) / count / count)


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list | dict) else None


def _element(value: Any, place: int) -> Any:
    # As in Jayway JsonPath, a place from the end never is the first element.
    if not isinstance(value, list) or not -len(value) < place < len(value):
        raise NotFound
    return value[place]


#: Functions of numbers.
_TOTALS: dict[str, Callable[[Any], Any]] = {
    "min": _of_numbers(min),
    "max": _of_numbers(lambda numbers: max(*numbers, 5e-324)),
    "avg": _of_numbers(lambda numbers: sum(numbers) / len(numbers)),
    "sum": _of_numbers(sum),
    "stddev": _of_numbers(_deviation),
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "length": _length,
    "size": _length,
    "keys": lambda value: list(value) if isinstance(value, dict) else None,
    "first": lambda value: _element(value, 0),
    "last": lambda value: _element(value, -1),
}
