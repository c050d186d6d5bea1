"""Windows of groups: where they are written, and where a window table function makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from datastream.table.functions.entry import Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, conjuncts, rebuild, walk
from datastream.table.plan.expressions import Call, Expression, Field, Literal, Name
from datastream.table.plan.relations import Column, Filter, Project, Relation, Window, WindowTable
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import BigIntType, DataType, LocalZonedTimestampType, TimestampType

from .resolver import Resolver
from .windowed import Windowed, windowed

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
        check_time(column, str(time), self.time, resolver.of_batch)
        if self.alias is not None and self.kind != "session" and (_is_rows(self.size) or _is_rows(self.slide)):
            return Placed(self._of_rows(index), column, alias=self.alias)
        size, slide = length(self.size), 0 if self.slide is None else length(self.slide)
        return Placed(Window(self.kind, index, size, slide), column, alias=self.alias)

    def _of_rows(self, time: int) -> Window:
        """The window, whose lengths `row_interval` gave."""
        lengths = [self.size, self.size if self.slide is None else self.slide]
        if not all(map(_is_rows, lengths)):
            raise wrong("A sliding window expects the same type of size and slide.", self.size.position)
        size, slide = (each.value for each in lengths if isinstance(each, Literal))
        if min(size, slide) <= 0:
            raise wrong(f"A window has at least one row, got row_interval({min(size, slide)})", self.size.position)
        return Window("rows", time, size, slide)


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
        input: What is below a window table function; None: the input itself.
        places: Of a window table function: columns of its output, by index -> expressions over `input` and properties.
        conditions: On properties of the window, which stood between the function and the grouping.
        partition: Of SESSION: for each column that its sessions are of, where in `input` it stands.
        alias: As in `GroupWindow`.
        of: Of windows that the input's rows are of already: its columns that say of which.
    """

    window: Window
    column: Column | None
    input: Relation | None = None
    places: Mapping[int, Expression] = field(default_factory=dict)
    conditions: tuple[Expression, ...] = ()
    partition: tuple[frozenset[int], ...] = ()
    alias: str | None = None
    of: Windowed | None = None

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
                if self.window.kind == "rows":
                    raise wrong(
                        "Window start and Window end cannot be selected for a row-count window, nor its time.",
                        expression.position,
                    )
                return replace(self.property(_PROPERTIES[expression.function]), position=expression.position)
        parts = tuple(map(self.properties_of, children(expression)))
        return rebuild(expression, parts) if parts else expression

    def below(self, expression: Expression) -> Expression:
        """A resolved expression over the output of a window table function, over its input and properties instead."""
        if isinstance(expression, Field):
            return replace(self.places[expression.index], position=expression.position)
        parts = tuple(map(self.below, children(expression)))
        extreme = isinstance(expression, Call) and expression.function in ("min", "max") and len(parts) == 1
        if extreme and isinstance(parts[0], WindowProperty):
            return parts[0]  # which is the same in all rows of the window
        return rebuild(expression, parts) if parts else expression


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


def window_of(
    relation: Relation, keys: Sequence[Expression], calls: Sequence[Call], functions: FunctionLookup
) -> Placed | None:
    """The window of a grouping whose keys are the start and the end of a window, and others; None: there is none.

    Args:
        relation: The input.
        keys: Resolved.
        calls: The aggregates, resolved.
        functions: Finds functions.
    """
    found = _stripped(relation, functions)
    if found is not None:
        below = list(map(found.below, keys))
        by = {key.name for key in below if isinstance(key, WindowProperty)}
        args = [part for call in calls for part in children(found.below(call))]
        apart = all(only_of_window(key, functions) or not _properties_in(key) for key in below)
        fits = found.window.kind != "session" or _keys_are_of(below, found.partition)
        if {"start", "end"} <= by and apart and fits and not any(map(_properties_in, args)):
            size, slide = found.window.size_us, found.window.slide_us
            if found.window.kind == "hop" and size % slide:
                raise wrong(
                    "An aggregate over HOP takes a size that is a multiple of the slide, "
                    f"got {size // 1000} ms and {slide // 1000} ms"
                )
            return found
    return _attached(relation, keys)


def _keys_are_of(keys: Sequence[Expression], partition: Sequence[frozenset[int]]) -> bool:
    """Whether the keys that are no property of the window are the columns of a partition, each of them."""
    places = set[int]()
    for key in keys:
        if isinstance(key, Field):
            places.add(key.index)
        elif any(isinstance(part, Field) for part in walk(key)):
            return False
    return all(map(places.intersection, partition)) and places <= frozenset[int]().union(*partition)


def only_of_window(expression: Expression, functions: FunctionLookup) -> bool:
    """Whether an expression is the same for all rows of a window."""
    for part in walk(expression):
        if isinstance(part, Field):
            return False
        if isinstance(part, Call):
            entry = functions.find(part.function)
            if not isinstance(entry, Entry) or not entry.deterministic:
                return False
    return _properties_in(expression)


def check_time(column: Column | None, name: str, where: Expression, batch: bool) -> None:
    """Test that a window may be over a column: a time attribute, or in batch mode any TIMESTAMP.

    Raises:
        ValidationError: It has no watermark, and does not stand for the machine's time.
    """
    if batch and column is not None and isinstance(column.type, (TimestampType, LocalZonedTimestampType)):
        return
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
        months = isinstance(interval, Literal) and isinstance(interval.type, YearMonthIntervalType)
        got = f"{interval} months, which differ in length" if months else interval
        raise wrong(f"Expected an interval such as INTERVAL '10' MINUTES, got {got}", interval.position)
    if interval.value <= 0:
        raise wrong(f"A window's length is above 0, got {interval}", interval.position)
    return int(interval.value)


def _is_rows(interval: Expression | None) -> bool:
    """Whether `row_interval` gave it."""
    return isinstance(interval, Literal) and isinstance(interval.type, BigIntType)


def _properties_in(expression: Expression) -> bool:
    return any(isinstance(part, WindowProperty) for part in walk(expression))


def _attached(relation: Relation, keys: Sequence[Expression]) -> Placed | None:
    """The windows that rows are of already, by the columns that say so."""
    of = windowed(relation)
    if of is None or of.column.time == "proctime":
        return None
    indexes = [key.index for key in keys if isinstance(key, Field)]
    starts, ends = [i for i in indexes if i in of.starts], [i for i in indexes if i in of.ends]
    if not starts or not ends:
        return None
    if of.window.kind == "session":
        others = [key for key in keys if not isinstance(key, Field) or of.property_of(key.index) is None]
        if not _keys_are_of(others, of.partition):
            return None
    zoned = isinstance(of.column.type, LocalZonedTimestampType)
    return Placed(replace(of.window, time=ends[0], start=starts[0], zoned=zoned), of.column, of=of)


def _stripped(relation: Relation, functions: FunctionLookup) -> Placed | None:
    """A relation over a window table function without the window's columns; None: there is none, or it needs them."""
    if isinstance(relation, WindowTable):
        below = relation.input
        found = Placed(relation.window, below.columns[relation.window.time], below)
        places: dict[int, Expression] = {i: Field(i, each.name, type=each.type) for i, each in enumerate(below.columns)}
        places |= {len(places) + i: found.property(name) for i, name in enumerate(ADDED.values())}
        return replace(found, places=places, partition=tuple(frozenset({i}) for i in relation.partition))
    if not isinstance(relation, Filter | Project):
        return None
    found_below = _stripped(relation.input, functions)
    if found_below is None or found_below.input is None:
        return None
    if isinstance(relation, Project):
        return _under_projection(relation, found_below, found_below.input, functions)
    above, under = list(found_below.conditions), []
    for part in map(found_below.below, conjuncts(relation.condition)):
        if not _properties_in(part):
            under.append(part)
        elif only_of_window(part, functions):
            above.append(part)
        else:
            return None
    filtered = found_below.input
    for part in under:
        filtered = Filter(filtered, part, columns=filtered.columns)
    return replace(found_below, input=filtered, conditions=tuple(above))


def _under_projection(relation: Project, found: Placed, below: Relation, functions: FunctionLookup) -> Placed | None:
    kept: list[Expression] = []
    columns: list[Column] = []
    places: dict[int, Expression] = {}
    for i, (each, column) in enumerate(zip(map(found.below, relation.expressions), relation.columns, strict=True)):
        if only_of_window(each, functions):
            places[i] = each
        elif _properties_in(each):
            return None
        else:
            places[i] = Field(len(kept), column.name, type=column.type)
            kept.append(each)
            columns.append(column)
    time = below.columns[found.window.time]
    at = next((i for i, e in enumerate(kept) if isinstance(e, Field) and e.index == found.window.time), None)
    if at is None:
        at = len(kept)
        kept.append(Field(found.window.time, time.name, type=time.type))
        columns.append(replace(time, name=f"${time.name}"))
    projected = Project(below, tuple(kept), columns=tuple(columns))
    partition = tuple(
        frozenset(i for i, e in enumerate(kept) if isinstance(e, Field) and e.index in of) for of in found.partition
    )
    window = replace(found.window, time=at)
    return replace(found, input=projected, places=places, partition=partition, window=window)
