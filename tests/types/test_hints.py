"""Types from annotations, and what functions say of their records."""

from __future__ import annotations

import collections
import enum
import functools
import sys
import typing
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union

import pytest

from datastream.errors import ValidationError
from datastream.time.instant import Instant
from datastream.types import Row, Types
from datastream.types.hint_results import element_hint, result_hint

ANY = Types.PICKLED_BYTE_ARRAY()
LONG, STRING, DOUBLE = Types.LONG(), Types.STRING(), Types.DOUBLE()
BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())

UserId = NewType("UserId", int)
T = TypeVar("T")
Ts = typing.TypeVarTuple("Ts")
Bound = TypeVar("Bound", bound=str)
Either = TypeVar("Either", int, str)


class Colour(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    pass


@dataclass
class Point:
    x: int
    y: float | None
    made: ClassVar[int] = 0


@dataclass
class Line:
    points: list[Point]
    label: Annotated[str, "shown"]
    first: Annotated[Point, ANY]


@dataclass
class Node:
    value: int
    children: list[Node]


class Pair(NamedTuple):
    left: int
    right: str


class Movie(TypedDict, total=False):
    name: typing.Required[str]
    year: int


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (int, LONG),
        (float, DOUBLE),
        (str, STRING),
        (bool, Types.BOOLEAN()),
        (bytes, BYTES),
        (Decimal, Types.BIG_DEC()),
        (date, Types.SQL_DATE()),
        (time, Types.SQL_TIME()),
        (datetime, Types.SQL_TIMESTAMP()),
        (Instant, Types.INSTANT()),
        (None, Types.VOID()),
        (list, Types.LIST(ANY)),
        (list[int], Types.LIST(LONG)),
        (typing.List[str], Types.LIST(STRING)),  # noqa: UP006
        (dict[str, list[int]], Types.MAP(STRING, Types.LIST(LONG))),
        (tuple[int, str], Types.TUPLE([LONG, STRING])),
        (tuple[()], Types.TUPLE([])),
        (Optional[int], LONG),  # noqa: UP045
        (int | None, LONG),
        (list[int | None], Types.LIST(LONG)),
        (Union[int, UserId], LONG),  # noqa: UP007
        (Annotated[int, "unit"], LONG),
        (Annotated[int, Types.INT()], Types.INT()),
        (list[Annotated[float | None, Types.FLOAT()]], Types.LIST(Types.FLOAT())),
        (UserId, LONG),
        (Literal["a", "b"], STRING),
        (Literal[1, None], LONG),
        (Bound, STRING),
        ("int", LONG),
        ("list[dict[str, bytes]]", Types.LIST(Types.MAP(STRING, BYTES))),
        (list["int"], Types.LIST(LONG)),
        (Types.SHORT(), Types.SHORT()),
    ],
)
def test_hints(hint, kind):
    assert Types.from_hint(hint) == kind


@pytest.mark.parametrize(
    "hint",
    [
        # Wider than one type.
        Any, object, T, Either, int | str, bool | int, list[int] | dict[str, int], Literal["a", 1], Literal[T], complex,
        # Values whose class would be lost, or is not known.
        Point, Pair, Movie, Colour, Number, Text, Literal[Colour.RED], Row, collections.namedtuple("P", "a"),
        tuple, tuple[int, ...], tuple[int, *tuple[str, ...]], tuple[*Ts],
        set[int], dict, dict[Any, int], dict[int | None, int], Iterable[int],
        Callable[[int], str], type[int], bytearray, 5, [], ...,
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_one_type_is_pickled(hint):
    assert Types.from_hint(hint) == ANY


def test_optional_fields_of_tuples_are_pickled():
    assert Types.from_hint(tuple[int | None, str]) == Types.TUPLE([ANY, STRING])
    assert Types.from_hint(tuple[Annotated[int | None, "x"], Literal["a", None]]) == Types.TUPLE([ANY, ANY])


@pytest.mark.parametrize("hint", ["Nowhere", "list[Nowhere]", "1 +", list["Nowhere"], "1/0"])  # noqa: F821
def test_strings_that_cannot_be_resolved(hint):
    with pytest.raises(ValidationError, match="pass the class itself"):
        Types.from_hint(hint)


if sys.version_info >= (3, 12):  # that has the statement

    def test_type_statements():
        scope: dict[str, Any] = {}
        exec("type Id = int\ntype Json = list[Json] | str\ntype Maybe = int | None", scope)
        number, json, maybe = scope["Id"], scope["Json"], scope["Maybe"]
        assert Types.from_hint(list[number]) == Types.LIST(LONG)
        assert Types.from_hint(json) == ANY
        assert Types.from_hint(tuple[maybe]) == Types.TUPLE([ANY])


def test_endless_annotations():
    hint = int
    for _ in range(3000):
        hint = list[hint]
    with pytest.raises(ValidationError):
        Types.from_hint(hint)
    assert result_hint(annotated(hint)) is None


def test_rows_of_classes():
    point = "RowTypeInfo(x: Long, y: Double)"
    assert repr(Types.row_of(Point)) == point
    assert repr(Types.row_of(Line)) == (
        f"RowTypeInfo(points: ListTypeInfo<{point}>, label: String, first: PickledByteArrayTypeInfo)"
    )
    assert repr(Types.row_of(Pair)) == "RowTypeInfo(left: Long, right: String)"
    assert repr(Types.row_of(Movie)) == "RowTypeInfo(name: String, year: Long)"
    assert repr(Types.row_of(collections.namedtuple("P", "a"))) == "RowTypeInfo(a: PickledByteArrayTypeInfo)"


def test_rows_of_other_classes_are_refused():
    with pytest.raises(ValidationError, match="Node holds itself"):
        Types.row_of(Node)
    for cls in (int, Colour, Point(1, 2), list[int]):
        with pytest.raises(ValidationError, match="expected a dataclass"):
            Types.row_of(cls)
    broken = dataclass(type("Broken", (), {"__annotations__": {"a": "Nowhere"}}))
    with pytest.raises(ValidationError, match="of Broken cannot be resolved"):
        Types.row_of(broken)


class Mapper:
    def map(self, value: str) -> tuple[str, int]:
        return value, 1

    @classmethod
    def made(cls, value: str) -> float:
        return 1.0

    @staticmethod
    def plain(value: str) -> bytes:
        return b""


class Called:
    def __call__(self, value: int) -> str:
        return ""


def plain(value: int) -> int:
    return value


def none(value):
    return value


def lost(value) -> Nowhere:  # noqa: F821
    return value


def half(value: Nowhere) -> int:  # noqa: F821
    return value


async def later(value) -> int:
    return value


async def several(value) -> AsyncIterator[int]:
    yield value


@functools.wraps(plain)
def wrapper(*args):
    return plain(*args)


class Odd:
    def __getattr__(self, name):
        raise RuntimeError(name)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (plain, LONG),
        (half, LONG),
        (wrapper, LONG),
        (functools.lru_cache(plain), LONG),
        (functools.partial(plain, 1), LONG),
        (functools.partial(functools.partial(Mapper().map)), Types.TUPLE([STRING, LONG])),
        (Mapper().map, Types.TUPLE([STRING, LONG])),
        (Mapper.made, DOUBLE),
        (Mapper().plain, BYTES),
        (Called(), STRING),
        (int, LONG),
        (Point, ANY),
        (lambda value: 1, None),
        (none, None),
        (lost, None),
        (later, None),
        (several, None),
        (len, None),
        ("abc".upper, None),
        (5, None),
    ],
)
def test_results_of_functions(function, kind):
    assert result_hint(function) == kind


def test_a_result_that_may_be_none_is_any():
    def maybe(value) -> int | None: ...

    assert result_hint(maybe) == ANY


def annotated(hint):
    def function(value): ...

    function.__annotations__["return"] = hint
    return function


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (Iterable[int], LONG),
        (Iterator[tuple[str, int]], Types.TUPLE([STRING, LONG])),
        (Generator[int, None, str], LONG),
        (list[Point], ANY),
        (list[str] | None, STRING),
        (list[int] | Iterator[int], LONG),
        (list[int] | Iterator[str], ANY),
        (Iterable[int | None], ANY),
        (tuple[int, int], LONG),
        (tuple[str, ...], STRING),
        (Annotated[list[int], "x"], LONG),
        ("Iterable[str]", STRING),
        (Iterable, None),
        (list, None),
        (tuple[int, str], None),
        (str, None),
        (dict[str, int], None),
        (None, None),
        (int, None),
        ("Nowhere", None),
    ],
)
def test_elements_of_functions(hint, kind):
    assert element_hint(annotated(hint)) == kind


@pytest.mark.parametrize("function", [lambda value: [], none, len, list, 5])
def test_functions_that_say_nothing_of_elements(function):
    assert element_hint(function) is None


def test_objects_that_raise_say_nothing():
    assert result_hint(Odd()) is None
    assert element_hint(Odd()) is None
