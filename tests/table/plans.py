"""Plans that tests build by hand, and a small function library for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from datastream import DataStream, StreamExecutionEnvironment
from datastream.api.environment import builder_of
from datastream.config.modes import RuntimeExecutionMode
from datastream.graph.builder import GraphBuilder
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.lowering.context import Lowered
from datastream.table.lowering.relations import Lowering
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Filter,
    Project,
    Relation,
    Values,
    Watermark,
    Window,
    WindowAggregate,
)
from datastream.table.types.logical_types import (
    BigIntType,
    BooleanType,
    DataType,
    DoubleType,
    TimestampType,
    VarCharType,
)

LONG, DOUBLE, TEXT, TRUTH, TIME = BigIntType(), DoubleType(), VarCharType(100), BooleanType(), TimestampType(3)


def _entry(name: str, python: str, **more: Any) -> Entry:
    return Entry(name, (name,), (0, None), lambda args: LONG, python, **more)


def _failing(value: Any) -> Any:
    raise ValueError(f"must not be called with {value}")


def _aggregate(name: str, slots: tuple[str, ...], add: tuple[str, ...], value: str, **more: Any) -> AggregateEntry:
    return AggregateEntry(name, (name,), (0, None), lambda args: LONG, slots, add, value, **more)


_EXTREME = {
    "slots": ("None",),
    "retract": (
        "if {s0}.get({x0}, 0) > 1: {s0}[{x0}] -= 1",
        "else: {s0}.pop({x0}, None)",
    ),
    "retract_slots": ("{}",),
    "retract_add": ("{s0}[{x0}] = {s0}.get({x0}, 0) + 1",),
}

LIBRARY = {
    entry.name: entry
    for entry in (
        _entry("plus", "{0} + {1}"),
        _entry("minus", "{0} - {1}"),
        _entry("times", "{0} * {1}"),
        _entry("divide", "{0} / {1}"),
        _entry("equals", "{0} == {1}"),
        _entry("greaterThan", "{0} > {1}"),
        _entry("lessThan", "{0} < {1}"),
        _entry("upper", "{0}.upper()"),
        _entry("twice", "{0} + {0}"),
        _entry("fail", "failing({0})", names={"failing": _failing}),
        _entry("isNull", "{0} is None", strict=False),
        _entry("startsWith", "{0}.startswith({1})"),
        _entry("left", "{0}[:{1}]"),
        *(_entry(name, "", strict=False) for name in ("and", "or", "case", "coalesce")),
        _entry("not", "not {0}"),
        _aggregate("count", ("0",), ("{s0} += 1",), "{s0}", retract=("{s0} -= 1",), merge=("{s0} += {o0}",)),
        _aggregate(
            "sum",
            ("0", "0"),
            ("{s0} += {x0}", "{s1} += 1"),
            "{s0} if {s1} else None",
            retract=("{s0} -= {x0}", "{s1} -= 1"),
            merge=("{s0} += {o0}", "{s1} += {o1}"),
        ),
        _aggregate(
            "max",
            ("None",),
            ("if {s0} is None or {x0} > {s0}: {s0} = {x0}",),
            "{s0}",
            merge=("if {o0} is not None and ({s0} is None or {o0} > {s0}): {s0} = {o0}",),
            retract=("if {s0}.get({x0}, 0) > 1: {s0}[{x0}] -= 1\nelse: {s0}.pop({x0}, None)",),
            retract_slots=("{}",),
            retract_add=("{s0}[{x0}] = {s0}.get({x0}, 0) + 1",),
            retract_value="max({s0}, default=None)",
        ),
    )
}


@dataclass
class Functions:
    """The library above, and functions of users."""

    more: dict[str, Any] = field(default_factory=dict)
    of_batch: bool = False

    def find(self, name: str) -> Any:
        return self.more.get(name) or LIBRARY.get(name)

    def names(self) -> list[str]:
        return [*self.more, *LIBRARY]


#: The environment of each graph.
_environments: dict[GraphBuilder, StreamExecutionEnvironment] = {}


@dataclass
class Context:
    """What lowering is given."""

    env: StreamExecutionEnvironment
    functions: Any = field(default_factory=Functions)
    streams: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    batch: bool = False

    @property
    def builder(self) -> GraphBuilder:
        found = builder_of(self.env)
        _environments[found] = self.env
        return found

    def upsert_key(self, scan: Any) -> Any:
        return ()

    def scan(self, scan: Any) -> Any:
        return self.streams[scan.path[-1]]


@dataclass
class UserFunction:
    """A user's function, as `FunctionLookup` gives it."""

    name: str
    kind: str
    function: Any
    result_type: DataType
    pandas: bool = False
    input_types: Any = None
    deterministic: bool = True


def context(batch: bool = False, parallelism: int = 2, **more: Any) -> Context:
    """A context with a new environment."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    env.set_runtime_mode(RuntimeExecutionMode.BATCH if batch else RuntimeExecutionMode.STREAMING)
    return Context(env, batch=batch, **more)


def lower(relation: Relation, given: Any) -> Lowered:
    """Make the operators of a relation."""
    return Lowering(given).lower(relation)


def rows(relation: Relation, given: Context | None = None) -> list[Any]:
    """Run a relation: its rows."""
    return run(lower(relation, given or context()))


def run(lowered: Lowered) -> list[Any]:
    """Run a stream."""
    return list(stream_of(lowered).execute_and_collect())


def stream_of(lowered: Lowered) -> DataStream:
    """The rows as a stream."""
    return DataStream(_environments[lowered.node.builder], lowered.node)


def values(columns: dict[str, DataType], *given: tuple[Any, ...]) -> Values:
    """Rows of constants."""
    return Values(given, columns=tuple(Column(name, kind) for name, kind in columns.items()))


def field_of(relation: Relation, name: str) -> Field:
    """A column."""
    index = relation.names.index(name)
    return Field(index, name, type=relation.columns[index].type)


def call(function: str, *args: Any, type: DataType = LONG, **more: Any) -> Call:
    """A call; arguments that are no expressions are constants."""
    return Call(function, tuple(a if isinstance(a, Expression) else constant(a) for a in args), type=type, **more)


def constant(value: Any) -> Literal:
    """A constant."""
    kinds = {bool: TRUTH, int: LONG, float: DOUBLE, str: TEXT}
    return Literal(value, type=kinds.get(type(value), LONG).not_null())


def project(relation: Relation, **expressions: Expression) -> Project:
    """A projection."""
    columns = tuple(Column(name, each.type) for name, each in expressions.items())
    return Project(relation, tuple(expressions.values()), columns=columns)


def where(relation: Relation, condition: Expression) -> Filter:
    """A filter."""
    return Filter(relation, condition, columns=relation.columns)


def grouped(relation: Relation, keys: list[str], **calls: Call) -> Aggregate:
    """A grouping."""
    columns = [relation.columns[relation.names.index(key)] for key in keys]
    columns += [Column(name, each.type) for name, each in calls.items()]
    indexes = tuple(relation.names.index(key) for key in keys)
    return Aggregate(relation, indexes, tuple(calls.values()), columns=tuple(columns))


def timed(relation: Relation, name: str, delay_us: int = 0) -> Watermark:
    """A table with event time by a column."""
    index = relation.names.index(name)
    column = field_of(relation, name)
    columns = tuple(Column(c.name, c.type, "rowtime" if i == index else c.time) for i, c in enumerate(relation.columns))
    expression = call("minus", column, delay_us) if delay_us else column
    return Watermark(relation, index, expression, columns=columns)


def windowed(relation: Relation, window: Window, keys: list[str], **calls: Call) -> WindowAggregate:
    """A grouping by window; start and end stand behind the calls."""
    columns = [relation.columns[relation.names.index(key)] for key in keys]
    columns += [Column(name, each.type) for name, each in calls.items()]
    columns += [Column("window_start", TIME), Column("window_end", TIME)]
    indexes = tuple(relation.names.index(key) for key in keys)
    return WindowAggregate(relation, window, indexes, tuple(calls.values()), ("start", "end"), columns=tuple(columns))
