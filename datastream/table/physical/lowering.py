"""Relations as operators of the DataStream engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.connectors.collection import CollectionSource
from datastream.errors import UnsupportedOperation
from datastream.graph import Hash, Partitioner
from datastream.graph.operators import Calc, GroupAggregate, Operator, SortLimit, TableJoin, TopN, WindowAggregate
from datastream.graph.operators.relational import FoldCode, RowCode
from datastream.table.logical_types import (
    DataType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
)
from datastream.table.plan.expressions import Alias, Call, Expression, Field, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Project,
    Relation,
    Scan,
    SetOperation,
    Sort,
    StreamScan,
    Values,
    Watermark,
    Window,
    WindowTable,
)
from datastream.table.plan.relations import WindowAggregate as WindowAggregateRelation
from datastream.table.plan.typed import type_of
from datastream.types.table_row import TableRow

from .aggregates import FoldCompiler
from .calc import RowCompiler
from .context import Lowered, LoweringContext
from .inside_types import inside_key, inside_row
from .joins import check_columns, join_keys
from .options import lowering_options
from .selectors import key_selector, no_key
from .streams import stream_rows
from .watermarks import strategy_of
from .window_tables import window_columns

__all__ = ["Lowered", "LoweringContext", "lower"]

#: Relations that are written into one loop with what is below.
_ROWS = (Project, Filter, Correlate, WindowTable)


def lower(relation: Relation, context: LoweringContext) -> Lowered:
    """Make the operators of a relation.

    Args:
        relation: Resolved.
        context: Where its streams, tables and functions are.

    Raises:
        UnsupportedOperation: A part of it is not carried out yet.
    """
    return Lowering(context).lower(relation)


class Lowering:
    """Makes operators. A relation that stands in a plan twice is made once.

    Args:
        context: Where streams, tables and functions are.
    """

    def __init__(self, context: LoweringContext) -> None:
        self._context = context
        self._options = lowering_options(context.config)
        self._made: dict[int, tuple[Relation, Lowered]] = {}

    def lower(self, relation: Relation) -> Lowered:
        """The stream of a relation; see `lower`."""
        known = self._made.get(id(relation))
        if known is None:
            known = self._made[id(relation)] = relation, self._lower(relation)
        return known[1]

    def _lower(self, relation: Relation) -> Lowered:
        match relation:
            case Project() | Filter() | Correlate() | WindowTable():
                return self._calc(relation)
            case Scan():
                return Lowered(self._context.scan(relation), relation.columns, False)
            case StreamScan():
                stream = stream_rows(self._context.streams[relation.stream], relation, self._options.zone)
                return Lowered(stream, relation.columns, relation.changelog)
            case Values(rows=rows):
                kind = inside_row(_types(relation.columns))
                stream = self._context.env._from(CollectionSource(rows), "Values", kind)
                return Lowered(stream, relation.columns, False)
            case Watermark():
                return self._watermark(relation)
            case Aggregate():
                return self._aggregate(relation)
            case WindowAggregateRelation():
                return self._window_aggregate(relation)
            case Join():
                return self._join(relation)
            case SetOperation():
                return self._set_operation(relation)
            case Sort():
                return self._sort(relation)
        raise _not_yet(type(relation).__name__)

    # -- rows --------------------------------------------------------------------------------------

    def _compiler(self, below: Lowered) -> RowCompiler:
        nullable = [column.type._nullable for column in below.columns]
        return RowCompiler(len(below.columns), below.updates, self._context.functions, self._options.zone, nullable)

    def _calc(self, relation: Relation) -> Lowered:
        steps: list[Relation] = []
        base = relation
        while isinstance(base, _ROWS):
            steps.append(base)
            base = base.input
        below = self.lower(base)
        compiler = self._compiler(below)
        for step in reversed(steps):
            self._step(compiler, step)
        return self._calculated(below, compiler, relation.columns, _calc_name(steps))

    def _step(self, compiler: RowCompiler, step: Relation) -> None:
        match step:
            case Project(expressions=expressions):
                compiler.project(expressions)
            case Filter(condition=condition):
                compiler.filter(condition)
            case Correlate(input=input, call=call, kind=kind):
                compiler.correlate(call, len(step.columns) - len(input.columns), kind == "left")
            case WindowTable(input=input, window=window):
                self._check_window(window, input.columns)
                window_columns(compiler, window, input.columns)

    def _calculated(self, below: Lowered, compiler: RowCompiler, columns: Sequence[Column], name: str) -> Lowered:
        columns = tuple(columns)
        if compiler.passes:
            return Lowered(below.stream, columns, below.updates)
        row = inside_row(_types(columns), below.updates)
        stream = self._in_place(below.stream, name, compiler.code(), row)
        return Lowered(stream, columns, below.updates)

    def _in_place(self, stream: DataStream, name: str, code: RowCode, row: TableRow) -> DataStream:
        """An operator in the subtasks of the one before it, so that rows keep their order."""
        before = stream._env._builder.operators[stream._id]
        subtasks = {"parallelism": before.parallelism, "non_parallel": before.non_parallel}
        return stream._then(Calc, name, code=code, output_type=row, fits=True, **subtasks)

    def _watermark(self, relation: Watermark) -> Lowered:
        below = self.lower(relation.input)
        if self._context.batch:
            return Lowered(below.stream, relation.columns, below.updates)
        if below.updates:
            raise _not_yet("a watermark of a table with updates")
        compiler = self._compiler(below)
        compiler.project([relation.expression])
        strategy = strategy_of(relation, compiler.code(), self._options.idle_ms)
        stream = below.stream.assign_timestamps_and_watermarks(strategy)
        return Lowered(stream, relation.columns, False)

    def _set_operation(self, relation: SetOperation) -> Lowered:
        if relation.kind != "union":
            return self._common_rows(relation)
        sides = [self.lower(relation.left), self.lower(relation.right)]
        updates = any(side.updates for side in sides)
        left, right = (self._with_kind(side) if updates and not side.updates else side for side in sides)
        stream = left.stream.union(right.stream)._set(
            output_type=inside_row(_types(relation.columns), updates), fits=True
        )
        below = Lowered(stream, relation.columns, updates)
        if relation.all:
            return below
        keys = tuple(range(len(relation.columns)))
        return self._grouped(below, keys, self._fold(below, (), relation, merges=False), relation.columns)

    def _common_rows(self, relation: SetOperation) -> Lowered:
        """INTERSECT and EXCEPT: rows, each once, that have equals on the other side, or have none."""
        name = {"intersect": "INTERSECT", "minus": "EXCEPT"}[relation.kind]
        if relation.all:
            raise _not_yet(f"{name} ALL")
        left, right = self.lower(relation.left), self.lower(relation.right)
        if not self._context.batch:
            check_columns((*left.columns, *right.columns))
        places = tuple(range(len(left.columns)))
        once = self._grouped(left, places, self._fold(left, (), relation, merges=False), left.columns)
        keys = tuple([Field(i, c.name, type=c.type) for i, c in enumerate(side.columns)] for side in (once, right))
        kind = "semi" if relation.kind == "intersect" else "anti"
        # NULL equals NULL here.
        return self._joined(once, right, kind, (keys[0], keys[1]), None, 0, relation.columns)

    def _with_kind(self, below: Lowered) -> Lowered:
        """The rows of a stream without updates, with their kind, +I, in front."""
        compiler = self._compiler(below)
        code = compiler.insert_code()
        row = inside_row(_types(below.columns), True)
        stream = self._in_place(below.stream, "Calc(+I)", code, row)
        return Lowered(stream, below.columns, True)

    # -- aggregates ----------------------------------------------------------------------------------

    def _aggregate(self, relation: Aggregate) -> Lowered:
        below = self.lower(relation.input)
        fold = self._fold(below, relation.calls, relation.input, merges=False)
        return self._grouped(below, relation.keys, fold, relation.columns)

    def _fold(self, below: Lowered, calls: Sequence[Call], relation: Relation, merges: bool) -> FoldCode:
        zone = self._options.zone
        return FoldCompiler(calls, below.updates, merges, self._context.functions, zone, _constants(relation)).code

    def _grouped(self, below: Lowered, keys: Sequence[int], fold: FoldCode, columns: tuple[Column, ...]) -> Lowered:
        batch = self._context.batch
        kinds = not batch and (fold.value != "()" or below.updates)
        stream = self._keyed(
            below,
            keys,
            GroupAggregate,
            f"GroupAggregate({_listed(columns)})",
            fold=fold,
            changes=below.updates,
            kinds=kinds,
            once_an_epoch=self._options.mini_batch,
            of_nothing=not keys,
            output_type=inside_row(_types(columns), kinds),
        )
        return Lowered(stream, columns, kinds)

    def _window_aggregate(self, relation: WindowAggregateRelation) -> Lowered:
        below = self.lower(relation.input)
        window = relation.window
        self._check_window(window, relation.input.columns)
        if "proctime" in relation.properties:
            raise _not_yet("the processing time of a window")
        fold = self._fold(below, relation.calls, relation.input, merges=window.kind != "tumble")
        stream = self._keyed(
            below,
            relation.keys,
            WindowAggregate,
            f"WindowAggregate({_listed(relation.columns)})",
            fold=fold,
            changes=below.updates,
            window=window.kind,
            time=window.time,
            size=window.size_us,
            slide=window.slide_us,
            offset=window.offset_us,
            given=relation.properties,
            output_type=inside_row(_types(relation.columns)),
        )
        return Lowered(stream, relation.columns, False)

    def _check_window(self, window: Window, columns: Sequence[Column]) -> None:
        column = columns[window.time]
        if column.time == "proctime":
            raise _not_yet("windows of processing time")
        if isinstance(column.type, LocalZonedTimestampType) and self._options.zone != "UTC":
            raise _not_yet("windows over TIMESTAMP_LTZ in another time zone than UTC (table.local-time-zone)")
        if (window.size_us % 1000, window.slide_us % 1000, window.offset_us % 1000) != (0, 0, 0):
            raise UnsupportedOperation("the length of a window must be whole milliseconds")
        if window.kind == "cumulate" and window.size_us % window.slide_us:
            raise UnsupportedOperation("CUMULATE: the longest window must be a multiple of the step")

    def _keyed(self, below: Lowered, keys: Sequence[int], kind: type[Operator], name: str, **fields: Any) -> DataStream:
        """An operator of rows by key."""
        types = [below.columns[key].type for key in keys]
        selector = key_selector([key + below.updates for key in keys])
        key = "key," if len(keys) == 1 else "*key," if keys else ""
        if any(map(_may_be_pickled, types)):
            key = key.replace("key", "user_key(key)")
        if not keys:
            fields |= {"parallelism": 1, "non_parallel": True}
        stream = below.stream
        by_key = DataStream(stream._env, stream._id, Hash(selector, inside_key(types) if keys else None), stream._tag)
        return by_key._then(kind, name, key=key, fits=True, **fields)

    # -- joins ---------------------------------------------------------------------------------------

    def _join(self, relation: Join) -> Lowered:
        batch, kind = self._context.batch, relation.kind
        left, right = self.lower(relation.left), self.lower(relation.right)
        columns = (*left.columns, *right.columns)
        if not batch:
            check_columns(columns)
        keys = join_keys(relation.condition, len(left.columns))
        condition = None
        if keys.rest:
            nullable = [column.type._nullable for column in columns]
            compiler = RowCompiler(len(columns), False, self._context.functions, self._options.zone, nullable)
            for part in keys.rest:
                compiler.filter(part)
            condition = compiler.code()
        return self._joined(left, right, kind, (keys.left, keys.right), condition, len(keys.left), relation.columns)

    def _joined(
        self,
        left: Lowered,
        right: Lowered,
        kind: str,
        keys: tuple[Sequence[Expression], Sequence[Expression]],
        condition: RowCode | None,
        nulls: int,
        columns: tuple[Column, ...],
    ) -> Lowered:
        """A join; see `TableJoin`."""
        changes = left.updates, right.updates
        kinds = not self._context.batch and (any(changes) or kind not in ("inner", "semi"))
        inputs: list[tuple[int, Partitioner, Any]] = []
        for side, wanted in zip((left, right), keys, strict=True):
            keyed, places = self._with_columns(side, wanted)
            # Numbers of different types may be equal, so keys travel as they are.
            selector = key_selector([place + side.updates for place in places])
            inputs.append((keyed.stream._id, Hash(selector), keyed.stream._tag))
        env = left.stream._env
        alone = {} if keys[0] else {"parallelism": 1, "non_parallel": True}
        id = env._builder.add(
            TableJoin,
            f"Join({kind}, {_listed(columns)})",
            inputs,
            join=kind,
            widths=(len(left.columns), len(right.columns)),
            changes=changes,
            kinds=kinds,
            nulls=nulls,
            condition=condition,
            output_type=inside_row(_types(columns), kinds),
            fits=True,
            **alone,
        )
        return Lowered(DataStream(env, id), columns, kinds)

    # -- order ---------------------------------------------------------------------------------------

    def _sort(self, relation: Sort) -> Lowered:
        below = self.lower(relation.input)
        if not relation.order and relation.limit is None and not relation.offset:
            return below
        top = not self._context.batch and (bool(relation.order) or below.updates)
        if top and relation.limit is None:
            raise UnsupportedOperation(
                "ORDER BY of a table without end needs a LIMIT in streaming mode (an order by a time attribute is not "
                "there yet): give a LIMIT, or use EnvironmentSettings.in_batch_mode()"
            )
        width = len(relation.columns)
        below, places = self._with_columns(below, [each.arg for each in relation.order])
        order = tuple(
            (place, each.ascending, each.ascending if each.nulls_first is None else each.nulls_first)
            for place, each in zip(places, relation.order, strict=True)
        )
        more = {"changes": below.updates} if top else {}
        name = f"SortLimit({_listed(relation.columns)})" if order else "Limit"
        stream = below.stream
        by_key = DataStream(stream._env, stream._id, Hash(no_key), stream._tag)
        stream = by_key._then(
            TopN if top else SortLimit,
            name,
            order=order,
            offset=relation.offset,
            limit=relation.limit,
            output_type=inside_row(_types(below.columns), top),
            fits=True,
            parallelism=1,
            non_parallel=True,
            **more,
        )
        sorted_rows = Lowered(stream, below.columns, top)
        if len(below.columns) == width:
            return Lowered(stream, relation.columns, top)
        compiler = self._compiler(sorted_rows)
        compiler.project([Field(i, column.name, type=column.type) for i, column in enumerate(relation.columns)])
        return self._calculated(sorted_rows, compiler, relation.columns, f"Calc({_listed(relation.columns)})")

    def _with_columns(self, below: Lowered, wanted: Sequence[Expression]) -> tuple[Lowered, list[int]]:
        """The rows with expressions as columns, behind the others where they are no columns; the place of each."""
        found = [_index(each) for each in wanted]
        places = [place for place in found if place is not None]
        if len(places) == len(found):
            return below, places
        fields = [Field(i, column.name, type=column.type) for i, column in enumerate(below.columns)]
        columns = [*below.columns, *(Column(f"${i}", type_of(each)) for i, each in enumerate(wanted))]
        compiler = self._compiler(below)
        compiler.project([*fields, *wanted])
        made = self._calculated(below, compiler, columns, f"Calc({_listed(columns)})")
        return made, [len(fields) + i for i in range(len(wanted))]


def _constants(relation: Relation) -> dict[int, Literal]:
    """The columns of a relation that are constants."""
    if not isinstance(relation, Project):
        return {}
    return {i: each for i, each in enumerate(relation.expressions) if isinstance(each, Literal)}


def _types(columns: Sequence[Column]) -> list[DataType]:
    return [column.type for column in columns]


def _listed(columns: Sequence[Column]) -> str:
    text = ", ".join(column.name for column in columns)
    return f"select=[{text if len(text) <= 100 else text[:97] + '...'}]"


def _calc_name(steps: Sequence[Relation]) -> str:
    kinds = {type(step) for step in steps}
    name = "Correlate" if Correlate in kinds else "WindowTableFunction" if WindowTable in kinds else "Calc"
    return f"{name}({_listed(steps[0].columns)})"


def _index(arg: Expression) -> int | None:
    while isinstance(arg, Alias):
        arg = arg.arg
    return arg.index if isinstance(arg, Field) else None


def _may_be_pickled(kind: DataType) -> bool:
    """Whether a value, such as NaN or a map, has no equality that all processes know."""
    return isinstance(kind, (FloatType, DoubleType, MapType, MultisetType)) or kind.type_name() in ("ARRAY", "ROW")


def _not_yet(what: str) -> UnsupportedOperation:
    return UnsupportedOperation(f"{what}: this operation of tables is not there yet")
