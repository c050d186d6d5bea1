"""Windows of groups: where they are written, and where a window table function makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from datastream.table.intervals import DayTimeIntervalType
from datastream.table.logical_types import DataType, TimestampType

from .errors import wrong
from .expressions import Call, Expression, Field, Literal, Name
from .relations import Column, Filter, Project, Relation, Window, WindowTable
from .resolver import Resolver, children, rebuilt

#: What SQL and the Table API call the window's properties -> the property.
_PROPERTIES = {
    "windowStart": "start",
    "windowEnd": "end",
    "rowtime": "rowtime",
    "proctime": "proctime",
    **{
        f"{kind}_{name}": name.lower()
        for kind in ("TUMBLE", "HOP", "SESSION")
        for name in ("START", "END", "ROWTIME", "PROCTIME")
    },
}
_KINDS = {"TUMBLE": "tumble", "HOP": "hop", "SESSION": "session"}

#: The columns that a window table function adds -> the property.
ADDED = {"window_start": "start", "window_end": "end", "window_time": "rowtime"}


@dataclass(frozen=True)
class WindowProperty(Expression):
    """A property of the window that a group is of; it is there only while a grouping is resolved."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class GroupWindow:
    """A window as it is written.

    Attributes:
        kind: ``tumble``, ``hop``, ``session``.
        time: The time attribute.
        size: Its length; of sessions the gap.
        slide: Of ``hop``.
        alias: Its name in the Table API; None: in SQL.
    """

    kind: str
    time: Expression
    size: Expression
    slide: Expression | None = None
    alias: str | None = None

    def resolved(self, resolver: Resolver) -> Placed:
        """The window over the columns of an input.

        Raises:
            ValidationError: Its time is no time attribute, or a length is no interval.
        """
        time = resolver.resolve(self.time)
        index = time.index if isinstance(time, Field) else -1
        column = resolver.scope.columns[index] if index >= 0 else None
        check_time(column, str(time), self.time)
        size, slide = length(self.size), 0 if self.slide is None else length(self.slide)
        return Placed(Window(self.kind, index, size, slide), column, None, {}, self.alias)


def properties_in(expression: Expression, alias: str) -> list[Call]:
    """The calls in an expression as written that ask for a property of the window of a name."""
    if isinstance(expression, Call) and expression.function in _PROPERTIES and expression.args == (Name((alias,)),):
        return [expression]
    return [call for part in children(expression) for call in properties_in(part, alias)]


@dataclass(frozen=True)
class Placed:
    """A window over the columns of an input.

    Attributes:
        window: It.
        column: Its time.
        input: What stands below a window table function; None: the input itself.
        places: Of a window table function: columns of its output, by index -> the property, or the index in `input`.
        alias: As in `GroupWindow`.
    """

    window: Window
    column: Column | None
    input: Relation | None
    places: dict[int, str | int]
    alias: str | None = None

    def property(self, name: str) -> WindowProperty:
        """A property with its type."""
        kind: DataType = TimestampType(3)
        if name in ("rowtime", "proctime") and self.column is not None:
            kind = self.column.type
        return WindowProperty(name, type=kind.not_null() if self.alias is None else kind.nullable())

    def properties_of(self, expression: Expression) -> Expression:
        """An expression as written, with the properties that it asks for by a function."""
        if isinstance(expression, Call) and expression.function in _PROPERTIES:
            of = expression.args[0] if expression.args else None
            if self.alias is None or (isinstance(of, Name) and of.parts == (self.alias,)):
                return replace(self.property(_PROPERTIES[expression.function]), position=expression.position)
        parts = tuple(map(self.properties_of, children(expression)))
        return rebuilt(expression, parts) if parts else expression

    def below(self, expression: Expression) -> Expression:
        """A resolved expression over the output of a window table function, over its input instead."""
        return remapped(expression, self.places, self)


def written_window(key: Expression) -> GroupWindow | None:
    """The window of a key of GROUP BY, as in ``TUMBLE(ts, INTERVAL '1' HOUR)``."""
    if not isinstance(key, Call) or key.function not in _KINDS:
        return None
    kind, args = _KINDS[key.function], key.args
    wanted = 3 if kind == "hop" else 2
    if len(args) != wanted:
        raise wrong(f"{key.function} in GROUP BY takes {wanted} arguments, got {len(args)}", key.position)
    if kind == "hop":
        return GroupWindow(kind, args[0], args[2], args[1])
    return GroupWindow(kind, args[0], args[1])


def window_of(relation: Relation, keys: Sequence[Expression]) -> Placed | None:
    """The window of a grouping over a window table function: its keys are the window's start and end, and others."""
    found = _stripped(relation)
    if found is None:
        return None
    by = {found.places.get(key.index) for key in keys if isinstance(key, Field)}
    if not {"start", "end"} <= by:
        return None
    size, slide = found.window.size_us, found.window.slide_us
    if found.window.kind == "hop" and size % slide:
        raise wrong(
            "An aggregate over HOP takes a size that is a multiple of the slide, "
            f"got {size // 1000} ms and {slide // 1000} ms"
        )
    return found


def check_time(column: Column | None, name: str, where: Expression) -> None:
    """Test that a window may be over a column.

    Raises:
        ValidationError: It has no watermark, and does not stand for the machine's time.
    """
    if column is None or column.time is None:
        raise wrong(
            f"A window needs a time attribute, and '{name}' is none: "
            f"declare WATERMARK FOR {name} AS {name} in its table",
            where.position,
        )


def length(interval: Expression) -> int:
    """The length of an interval, in µs.

    Raises:
        ValidationError: It is none of days to seconds, or not above 0.
    """
    if not isinstance(interval, Literal) or not isinstance(interval.type, DayTimeIntervalType):
        raise wrong(f"Expected an interval such as INTERVAL '10' MINUTES, got {interval}", interval.position)
    if interval.value <= 0:
        raise wrong(f"A window's length is above 0, got {interval}", interval.position)
    return int(interval.value)


def remapped(expression: Expression, places: dict[int, str | int], window: Placed | None = None) -> Expression:
    """An expression whose fields stand elsewhere.

    Raises:
        KeyError: One of them is a property, and no window is given.
    """
    if isinstance(expression, Field):
        place = places[expression.index]
        if isinstance(place, int):
            return replace(expression, index=place)
        if window is None:
            raise KeyError(place)
        return replace(window.property(place), position=expression.position)
    parts = tuple(remapped(part, places, window) for part in children(expression))
    return rebuilt(expression, parts) if parts else expression


def _stripped(relation: Relation) -> Placed | None:
    """A relation over a window table function without the window's columns; None: there is none, or it needs them."""
    if isinstance(relation, WindowTable):
        count = len(relation.input.columns)
        places: dict[int, str | int] = {i: i for i in range(count)}
        places |= {count + i: name for i, name in enumerate(ADDED.values())}
        column = relation.input.columns[relation.window.time]
        return Placed(relation.window, column, relation.input, places)
    if not isinstance(relation, Filter | Project):
        return None
    found = _stripped(relation.input)
    if found is None or found.input is None:
        return None
    try:
        if isinstance(relation, Filter):
            below = Filter(found.input, remapped(relation.condition, found.places), columns=found.input.columns)
            return replace(found, input=below)
        return _under_projection(relation, found, found.input)
    except KeyError:
        return None


def _under_projection(relation: Project, found: Placed, below: Relation) -> Placed:
    kept: list[Expression] = []
    columns: list[Column] = []
    places: dict[int, str | int] = {}
    for i, (each, column) in enumerate(zip(relation.expressions, relation.columns, strict=True)):
        place = found.places[each.index] if isinstance(each, Field) else None
        if isinstance(place, str):
            places[i] = place
        else:
            places[i] = len(kept)
            kept.append(remapped(each, found.places))
            columns.append(column)
    time = below.columns[found.window.time]
    at = next((i for i, e in enumerate(kept) if isinstance(e, Field) and e.index == found.window.time), None)
    if at is None:
        at = len(kept)
        kept.append(Field(found.window.time, time.name, type=time.type))
        columns.append(replace(time, name=f"${time.name}"))
    projected = Project(below, tuple(kept), columns=tuple(columns))
    return replace(found, input=projected, places=places, window=replace(found.window, time=at))
