"""Relations as operators of the DataStream engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.connectors.collection import CollectionSource
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.graph import Hash, Partitioner
from datastream.graph.operators import (
    Async,
    BlockCalc,
    Calc,
    ChangelogNormalize,
    GroupAggregate,
    IntervalJoin,
    Joining,
    MatchRecognize,
    Operator,
    SinkMaterialize,
    SortLimit,
    TableJoin,
    TemporalJoin,
    Timestamps,
    TopN,
    WindowAggregate,
    WindowJoin,
)
from datastream.graph.operators import OverAggregate as OverOperator
from datastream.graph.operators import Rank as RankOperator
from datastream.graph.operators.relational import FOR_GOOD, FoldCode, RowCode
from datastream.table.catalogs.errors import TableException
from datastream.table.data_types import DataTypes
from datastream.table.functions.over import BY_POSITION
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.logical_types import DataType, LocalZonedTimestampType
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Match,
    OverAggregate,
    Project,
    Rank,
    Relation,
    RowFunction,
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
from datastream.table.plan.resolver import conjuncts
from datastream.table.plan.temporal_relations import LookupJoin
from datastream.table.plan.temporal_relations import TemporalJoin as TemporalJoinRelation
from datastream.table.plan.timed_joins import TimeBounds, time_bounds
from datastream.table.plan.typed import type_of
from datastream.table.plan.upsert_keys import unique_keys
from datastream.table.plan.windowed import (
    Windowed,
    joined_windows,
    of_whole_windows,
    window_free,
    window_pairs,
    windowed,
)
from datastream.time import WatermarkStrategy
from datastream.types.table_row import TableRow

from .aggregates import FoldCompiler
from .async_calls import AwaitedCalls, awaited
from .block_calls import BlockCalls, apart, block_function
from .calc import RowCompiler
from .context import Lowered, LoweringContext
from .inside_types import inside_key, inside_row
from .joins import JoinKeys, have_maps, have_reals, join_keys, of_pairs
from .layouts import (
    aggregate_layout,
    join_layout,
    match_layout,
    over_layout,
    rows_layout,
    sink_layout,
    top_layout,
)
from .local_phase import in_two_phases, local_phase, may_be_pickled
from .lookup_calls import lookup_calls
from .matches import MatchCompiler, arguments_in, match_time
from .options import lowering_options
from .orders import at_places, column_of, placed
from .overs import order_time, positions
from .pandas_calls import PandasCalls
from .ranks import as_over, only_forward, rank_words
from .selectors import key_selector, no_key
from .streams import stream_rows
from .uids import Uids
from .upserts import needs_replaced, read_by
from .versioned_scans import UpsertRows, on_top, upsert_rows, with_place
from .watermarks import strategy_of
from .window_tables import clock_time, window_columns

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
        uids: Of a plan that is kept: those of all operators that get one; see `Uids`.
    """

    def __init__(self, context: LoweringContext, uids: Sequence[str] | None = None) -> None:
        self._context = context
        self._options = lowering_options(context.config)
        self._ttl_ms = 0 if context.batch else self._options.ttl_ms
        self._made: dict[tuple[int, frozenset[int] | None], tuple[Relation, Lowered]] = {}
        self._uids = Uids(context.env, uids)

    def start(self, goal: str, of_any_job: bool = False) -> None:
        """Begin with another query of the job; see `Uids.start`."""
        self._uids.start(goal, of_any_job)

    def uid(self) -> str:
        """The uid of the operator that takes the rows of the query begun with."""
        return self._uids.here()

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings."""
        return self._context.config

    def by_columns(self, below: Lowered, places: Sequence[int]) -> DataStream:
        """The rows, those that are equal in some columns in one subtask."""
        selector = key_selector([place + below.updates for place in places])
        stream = below.stream
        by_key = Hash(selector, inside_key([below.columns[place].type for place in places]))
        return DataStream(stream._env, stream._id, by_key, stream._tag)

    def materialized(
        self, below: Lowered, conflict: str, primary: Sequence[int], upsert: tuple[int, ...] | None
    ) -> Lowered:
        """The row of each primary key of the table that takes the rows; see `SinkMaterialize`.

        Args:
            below: The rows.
            conflict: What becomes of rows that have one primary key.
            primary: The columns of the primary key.
            upsert: Those by which the rows are changed; None: they are not known.
        """
        names = [below.columns[place].name for place in primary]
        with self._uids.below("materialize"):
            uid = self._uids.here()
        made = self.by_columns(below, primary)._then(
            SinkMaterialize,
            f"SinkMaterialize(pk=[{', '.join(names)}], conflictStrategy=[{conflict.upper()}])",
            conflict=conflict,
            key=tuple(zip(names, primary, strict=True)),
            upsert=upsert,
            changes=below.updates,
            layout=sink_layout(below.columns, primary, upsert, conflict),
            uid=uid,
            output_type=inside_row(_types(below.columns), True),
            fits=True,
        )
        return Lowered(made, below.columns, True)

    @property
    def uids(self) -> tuple[str, ...]:
        """All uids that operators have got."""
        return tuple(self._uids.given)

    def lower(self, relation: Relation, upserted: frozenset[int] | None = None) -> Lowered:
        """The stream of a relation; see `lower`.

        Args:
            relation: Resolved.
            upserted: The rows are written by these columns, a key, so that the row that an update replaces need not be
                given where they are the same in both; None: it has to be.
        """
        upserted = None if isinstance(relation, Scan | StreamScan) else upserted
        whole = self._made.get((id(relation), None))
        if whole is not None:
            return whole[1]
        key = id(relation), upserted
        if key not in self._made:
            with self._uids.inside(relation):
                self._made[key] = relation, self._lower(relation, upserted)
        return self._made[key][1]

    def _side(self, relation: Relation, name: str) -> Lowered:
        """One of two inputs."""
        with self._uids.below(name):
            return self.lower(relation)

    def _lower(self, relation: Relation, upserted: frozenset[int] | None) -> Lowered:
        match relation:
            case Project() | Filter() | Correlate() | WindowTable():
                return self._calc(relation, upserted)
            case Scan():
                return self._upserts(relation, upserted)
            case StreamScan():
                return self._upserts(relation, upserted)
            case Values(rows=rows):
                kind = inside_row(_types(relation.columns))
                first = len(self._context.env._builder.operators)
                stream = self._context.env._from(CollectionSource(rows), "Values", kind)
                self._uids.name_sources(first)
                return Lowered(stream, relation.columns, False)
            case Watermark():
                return self._watermark(relation, upserted)
            case BlockCalls():
                return self._block_calls(relation)
            case RowFunction(kind="flat_aggregate"):
                return self._table_aggregate(relation)
            case Aggregate():
                return self._aggregate(relation, upserted)
            case WindowAggregateRelation():
                return self._window_aggregate(relation)
            case OverAggregate():
                return self._over(relation)
            case Match():
                return self._match(relation)
            case Rank():
                return self._rank(relation)
            case Join():
                parted = apart(relation, self._context.functions)
                return self._join(relation) if isinstance(parted, Join) else self._calc(parted, upserted)
            case TemporalJoinRelation():
                return self._temporal_join(relation)
            case LookupJoin():
                return self._lookup_join(relation)
            case SetOperation():
                return self._set_operation(relation)
            case Sort():
                return self._sort(relation)
        raise _not_yet(type(relation).__name__)

    # -- sources -----------------------------------------------------------------------------------

    def _upserts(
        self,
        relation: Scan | StreamScan,
        upserted: frozenset[int] | None,
        timed: Callable[[Lowered], Lowered] | None = None,
    ) -> Lowered:
        """The rows of a table or stream, as changes where they replace each other.

        Args:
            relation: The scan.
            upserted: See `lower`.
            timed: Gives rows that replace each other their watermark, and may add columns; None: they have none.
        """
        if isinstance(relation, StreamScan):
            stream = stream_rows(self._context.streams[relation.stream], relation, self._options.zone)
            below, keys, uid = Lowered(stream, relation.columns, relation.changelog), relation.upserts, None
            if relation.versions and relation.changelog:
                return self._without_replaced(below)
        else:
            below, keys = self._scan(relation)
            uid = self._uids.of_table(relation.path, "normalize") if keys and not relation.versions else None
        if not keys or relation.versions:
            return below
        width = len(below.columns)
        below = self._normalized(below if timed is None else timed(below), keys, uid, upserted)
        if width == len(relation.columns) or timed is not None:
            return below
        compiler = self._compiler(below)
        compiler.project([Field(i, column.name, type=column.type) for i, column in enumerate(relation.columns)])
        return self._calculated(below, compiler, relation.columns, f"Calc({_listed(relation.columns)})")

    def _without_replaced(self, below: Lowered) -> Lowered:
        """Changes without the rows -U."""
        compiler = self._compiler(below)
        compiler.block(f"if {compiler.record}[0] != 1", "DropUpdateBefore")
        row = inside_row(_types(below.columns), True)
        return replace(below, stream=self._in_place(below.stream, "DropUpdateBefore", compiler.code(), row))

    def _scan(self, relation: Scan) -> tuple[Lowered, tuple[int, ...]]:
        """The rows of a table as they are read, and where the columns are by which they replace each other."""
        key = self._context.upsert_key(relation)
        missing = tuple(column for column in key if column.name not in relation.names)
        if missing:
            columns = (*relation.columns, *missing)
            relation = replace(relation, wanted=tuple(column.name for column in columns), columns=columns)
        first = len(self._context.env._builder.operators)
        stream = self._context.scan(relation)
        self._uids.name_sources(first, relation.path)
        places = tuple(relation.names.index(column.name) for column in key)
        return Lowered(stream, relation.columns, bool(key)), places

    def _normalized(
        self, below: Lowered, keys: Sequence[int], uid: str | None, upserted: frozenset[int] | None
    ) -> Lowered:
        """Rows that replace each other by a key, as changes."""
        batch = self._context.batch
        types = [below.columns[key].type for key in keys]
        by_key = DataStream(
            below.stream._env, below.stream._id, Hash(key_selector([key + 1 for key in keys]), inside_key(types)), None
        )
        stream = by_key._then(
            ChangelogNormalize,
            f"ChangelogNormalize(key=[{', '.join(below.columns[key].name for key in keys)}])",
            before=upserted is None or not upserted <= set(keys),
            layout=rows_layout(below.columns, keys),
            ttl_ms=self._ttl_ms,
            uid=self._uids.here() if uid is None else uid,
            output_type=inside_row(_types(below.columns), not batch),
            fits=True,
        )
        return Lowered(stream, below.columns, not batch)

    # -- rows --------------------------------------------------------------------------------------

    def _compiler(self, below: Lowered) -> RowCompiler:
        nullable = [column.type._nullable for column in below.columns]
        return RowCompiler(len(below.columns), below.updates, self._context.functions, self._options.zone, nullable)

    def _calc(self, relation: Relation, upserted: frozenset[int] | None) -> Lowered:
        steps: list[Relation] = []
        base = apart(relation, self._context.functions)
        while isinstance(base, _ROWS):
            steps.append(base)
            upserted = read_by(base, upserted, self._context.functions)
            base = apart(base.input, self._context.functions)
        below = self.lower(base, upserted)
        compiler = self._compiler(below)
        for step in reversed(steps):
            self._step(compiler, step)
        if compiler.names.reads_watermark:
            self._tell_watermarks(below.stream)
        return self._calculated(below, compiler, relation.columns, _calc_name(steps))

    def _tell_watermarks(self, stream: DataStream) -> None:
        """Let whoever makes a stream's watermarks tell each of them, for those who read it."""
        if self._context.batch:
            raise ValidationError(
                f"{CURRENT_WATERMARK} is there in streaming mode only: in batch mode no column is a rowtime attribute"
            )
        builder = stream._env._builder
        for id in builder.before(stream._id):
            operator = builder.operators[id]
            if isinstance(operator, Timestamps) and operator.strategy.row_gap is not None:
                builder.change(id, strategy=replace(operator.strategy, row_by_row=True))

    def _block_calls(self, relation: BlockCalls) -> Lowered:
        """Functions that do not run row by row, in the subtasks of what is before them."""
        below = self.lower(relation.input)
        calls, functions, zone = relation.calls, self._context.functions, self._options.zone
        first = block_function(calls[0], functions)
        assert first is not None
        names = ", ".join(call.function for call in calls)
        fields: dict[str, Any] = {"output_type": inside_row(_types(relation.columns), below.updates), "fits": True}
        before = below.stream._env._builder.operators[below.stream._id]
        fields |= {"parallelism": before.parallelism, "non_parallel": before.non_parallel}
        if first.kind == "async":
            called = AwaitedCalls(calls, below.updates, functions, zone)
            descriptor = awaited(called, self._context.config)
            stream = below.stream._then(Async, f"AsyncCalc({names})", descriptor=descriptor, **fields)
        else:
            function = PandasCalls(calls, below.updates, functions, zone)
            stream = below.stream._then(BlockCalc, f"PythonCalc({names})", function=function, **fields)
        return Lowered(stream, relation.columns, below.updates)

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
                if input.columns[window.time].time == "proctime":
                    raise _not_yet("windows of processing time without GROUP BY window_start, window_end")
                window_columns(compiler, window, input.columns, self._zone_of(window, input.columns))

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

    def _watermark(self, relation: Watermark, upserted: frozenset[int] | None) -> Lowered:
        if self._context.batch:
            return replace(self.lower(relation.input, upserted), columns=relation.columns)
        rows = upsert_rows(relation, self._context.upsert_key)
        if rows is None:
            return self._timed(self.lower(relation.input, upserted), relation)
        for step in rows.steps:
            upserted = read_by(step, upserted, self._context.functions)
        below = self._upserts(rows.rows, upserted, lambda each: self._timed_upserts(each, relation, rows))
        return replace(self.lower(on_top(rows, self._given(below))), columns=relation.columns)

    def _timed_upserts(self, below: Lowered, relation: Watermark, rows: UpsertRows) -> Lowered:
        """Rows that replace each other, with a watermark that is declared over what is made of them."""
        below, (place,) = self._with_columns(below, [rows.expressions[relation.column]])
        return self._timed(below, with_place(relation, rows, self._given(below), place))

    def _timed(self, below: Lowered, relation: Watermark) -> Lowered:
        """Rows with a watermark."""
        strategy = self._strategy(below, relation)
        stream = below.stream.assign_timestamps_and_watermarks(strategy)
        stream._env._builder.change(stream._id, uid=self._uids.here())
        return Lowered(stream, relation.columns, below.updates)

    def _strategy(self, below: Lowered, relation: Watermark) -> WatermarkStrategy:
        compiler = self._compiler(below)
        compiler.project([relation.expression])
        gap_ms = self._options.watermark_gap_ms
        if gap_ms is None:
            gap_ms = below.stream._env.get_config().get_auto_watermark_interval()
        return strategy_of(relation, compiler.code(), self._options.idle_ms, gap_ms, below.updates)

    def _set_operation(self, relation: SetOperation) -> Lowered:
        if relation.kind != "union":
            return self._common_rows(relation)
        sides = [self._side(relation.left, "left"), self._side(relation.right, "right")]
        updates = any(side.updates for side in sides)
        left, right = (self._with_kind(side) if updates and not side.updates else side for side in sides)
        stream = left.stream.union(right.stream)._set(
            output_type=inside_row(_types(relation.columns), updates), fits=True
        )
        if left.stream.get_parallelism() == right.stream.get_parallelism():
            stream._set(parallelism=left.stream._env._builder.operators[left.stream._id].parallelism)
        elif updates:  # what one subtask deals out to several loses its order
            stream._set(parallelism=1)
        below = Lowered(stream, relation.columns, updates)
        if relation.all:
            return below
        keys = tuple(range(len(relation.columns)))
        return self._grouped(below, keys, (), relation, relation.columns)

    def _common_rows(self, relation: SetOperation) -> Lowered:
        """INTERSECT and EXCEPT: rows, each once, that have equals on the other side, or have none."""
        left, right = self._side(relation.left, "left"), self._side(relation.right, "right")
        if have_maps(left.columns):
            return self._of_pairs(relation, left, right)
        once = left
        if not unique_keys(relation.left, lambda scan: ()):
            places = tuple(range(len(left.columns)))
            with self._uids.below("distinct"):
                once = self._grouped(left, places, (), relation, left.columns)
        fields = [tuple(Field(i, c.name, type=c.type) for i, c in enumerate(side.columns)) for side in (once, right)]
        keys = JoinKeys(fields[0], fields[1], (), equals=len(fields[0]))
        return self._joined(once, right, "semi" if relation.kind == "intersect" else "anti", keys, relation.columns)

    def _with_kind(self, below: Lowered) -> Lowered:
        """The rows of a stream without updates, with their kind, +I, in front."""
        compiler = self._compiler(below)
        code = compiler.insert_code()
        row = inside_row(_types(below.columns), True)
        stream = self._in_place(below.stream, "Calc(+I)", code, row)
        return Lowered(stream, below.columns, True)

    # -- aggregates ----------------------------------------------------------------------------------

    def _aggregate(self, relation: Aggregate, upserted: frozenset[int] | None) -> Lowered:
        below = self.lower(relation.input)
        same = upserted is not None and upserted <= set(range(len(relation.keys)))
        ttl_ms = relation.ttl_ms
        return self._grouped(below, relation.keys, relation.calls, relation.input, relation.columns, not same, ttl_ms)

    def _table_aggregate(self, relation: RowFunction) -> Lowered:
        """The rows of a table aggregate function: a list for each group, whose changes are those of its rows."""
        below = self.lower(relation.input)
        below, places = self._with_columns(below, relation.call.args)
        fields = [Field(place, below.columns[place].name, type=below.columns[place].type) for place in places]
        call = replace(relation.call, args=tuple(fields))
        keys = tuple(below.columns[key] for key in relation.keys)
        columns = (*keys, Column("$rows", DataTypes.ARRAY(type_of(call))))
        lists = self._grouped(below, relation.keys, [call], relation.input, columns)
        compiler = self._compiler(lists)
        of_rows = Call("UNNEST", (Field(len(keys), "$rows", type=columns[-1].type),), type=type_of(call))
        width = len(relation.columns)
        compiler.correlate(of_rows, width - len(keys), False)
        wanted = [*range(len(keys)), *range(len(keys) + 1, width + 1)]
        compiler.project([Field(i, "", type=column.type) for i, column in zip(wanted, relation.columns, strict=True)])
        compiler.updates_apart = True
        return self._calculated(lists, compiler, relation.columns, f"TableAggregate({_listed(relation.columns)})")

    def _fold(
        self, below: Lowered, calls: Sequence[Call], relation: Relation, merges: bool, ends: bool = True
    ) -> FoldCode:
        """The code of aggregates; `ends`: their groups come to an end."""
        functions, zone = self._context.functions, self._options.zone
        return FoldCompiler(calls, below.updates, merges, functions, zone, _constants(relation), ends).code

    def _two_phases(
        self, below: Lowered, keys: Sequence[int], calls: Sequence[Call], relation: Relation
    ) -> FoldCode | None:
        """The aggregates with code that puts accumulators together; None: there is one phase only."""
        if not in_two_phases(below, keys, calls, self._context.functions):
            return None
        try:
            return self._fold(below, calls, relation, merges=True)
        except UnsupportedOperation:
            return None

    def _grouped(
        self,
        below: Lowered,
        keys: Sequence[int],
        calls: Sequence[Call],
        relation: Relation,
        columns: tuple[Column, ...],
        before: bool = True,
        ttl_ms: int | None = None,
    ) -> Lowered:
        """Aggregates by key over the rows of a relation; `before`: see `GroupAggregate`; `ttl_ms`: see `Aggregate`."""
        batch, updates = self._context.batch, below.updates
        layout = aggregate_layout([below.columns[key].type for key in keys], calls, updates, None)
        twice = batch or self._options.mini_batch
        fold = self._two_phases(below, keys, calls, relation) if twice else None
        parts = fold is not None
        if fold is None:
            fold = self._fold(below, calls, relation, merges=False, ends=batch)
        else:
            below = local_phase(below, keys, fold, None, f"LocalGroupAggregate({_listed(columns)})")
            keys = range(len(keys))
        kinds = not batch and (fold.value != "()" or updates)
        stream = self._keyed(
            below,
            keys,
            GroupAggregate,
            f"GroupAggregate({_listed(columns)})",
            fold=fold,
            layout=layout,
            ttl_ms=self._ttl(ttl_ms),
            parts=parts,
            before=before,
            changes=updates,
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
        keys, calls, updates = relation.keys, relation.calls, below.updates
        zone, processing = self._zone_of(window, below.columns), below.columns[window.time].time == "proctime"
        if "proctime" in relation.properties and not processing:
            raise UnsupportedOperation("a window has a processing time only if it is over one, such as PROCTIME()")
        layout = aggregate_layout([below.columns[key].type for key in keys], calls, updates, window, zone, processing)
        if zone and window.kind != "session" and not processing and window.start is None:
            time = below.columns[window.time]
            below, (place,) = self._with_columns(below, [clock_time(Field(window.time, time.name, type=time.type))])
            window = replace(window, time=place)
        whole = window.kind == "session" or processing or window.start is not None
        fold = None if whole else self._two_phases(below, keys, calls, relation.input)
        parts = fold is not None
        if fold is None:
            merges = window.kind != "tumble" and window.start is None
            fold = self._fold(below, calls, relation.input, merges=merges)
        else:
            name = f"LocalWindowAggregate({_listed(relation.columns)})"
            below = local_phase(below, keys, fold, window, name, zone)
            keys = tuple(range(len(keys)))
            layout += ", window by window" if window.kind == "tumble" else ""
        stream = self._keyed(
            below,
            keys,
            WindowAggregate,
            f"WindowAggregate({_listed(relation.columns)})",
            fold=fold,
            layout=layout,
            parts=parts,
            changes=updates,
            window=window.kind,
            time=window.time,
            size=window.size_us,
            slide=window.slide_us,
            offset=window.offset_us,
            given=relation.properties,
            zone=zone,
            processing=processing,
            start=window.start,
            output_type=inside_row(_types(relation.columns)),
        )
        return Lowered(stream, relation.columns, False)

    def _check_window(self, window: Window, columns: Sequence[Column]) -> None:
        column = columns[window.time]
        if column.time == "proctime" and self._context.batch:
            raise UnsupportedOperation("windows of processing time are there in streaming mode only")
        if (window.size_us % 1000, window.slide_us % 1000, window.offset_us % 1000) != (0, 0, 0):
            raise UnsupportedOperation("the length of a window must be whole milliseconds")
        if window.kind == "cumulate" and window.size_us % window.slide_us:
            raise UnsupportedOperation("CUMULATE: the longest window must be a multiple of the step")

    def _zone_of(self, window: Window, columns: Sequence[Column]) -> str:
        """The time zone whose clock a window is of; empty: UTC, or that of TIMESTAMP itself."""
        zoned = window.zoned or isinstance(columns[window.time].type, LocalZonedTimestampType)
        return self._options.zone if zoned and self._options.zone != "UTC" else ""

    def _keyed(self, below: Lowered, keys: Sequence[int], kind: type[Operator], name: str, **fields: Any) -> DataStream:
        """An operator of rows by key."""
        types = [below.columns[key].type for key in keys]
        selector = key_selector([key + below.updates for key in keys])
        key = "key," if len(keys) == 1 else "*key," if keys else ""
        if any(map(may_be_pickled, types)):
            key = key.replace("key", "user_key(key)")
        if not keys:
            fields |= {"parallelism": 1, "non_parallel": True}
        stream = below.stream
        by_key = DataStream(stream._env, stream._id, Hash(selector, inside_key(types) if keys else None), stream._tag)
        return by_key._then(kind, name, key=key, fits=True, uid=self._uids.here(), **fields)

    # -- OVER windows --------------------------------------------------------------------------------

    def _over(self, relation: OverAggregate) -> Lowered:
        batch, frame, calls = self._context.batch, relation.frame, relation.calls
        below = self.lower(relation.input)
        time = None if batch else order_time(relation, below)
        order = placed(relation.order)
        fold, retracts = self._over_fold(relation)
        by = "".join(f"{below.columns[place].name} {'ASC' if up else 'DESC'}" for place, up, _ in order)
        updates = not batch and time is None
        stream = self._keyed(
            below,
            relation.partition,
            OverOperator,
            f"OverAggregate({_listed(relation.columns)})",
            fold=fold,
            changes=below.updates,
            layout=over_layout(below.columns, relation.partition, by, frame, calls),
            ttl_ms=self._ttl_ms if updates else 0,
            order=order,
            rows=frame.rows,
            start=frame.start,
            end=frame.end,
            retracts=retracts,
            timed=time == "rowtime",
            processing=time == "proctime",
            positions=positions(calls, _constants(relation.input)) if batch else (),
            output_type=inside_row(_types(relation.columns), updates),
        )
        return Lowered(stream, relation.columns, updates)

    def _over_fold(self, relation: OverAggregate) -> tuple[FoldCode, bool]:
        """The code of the aggregates, and whether it takes rows out again."""
        calls = [call for call in relation.calls if not (self._context.batch and call.function in BY_POSITION)]
        rest = (False, self._context.functions, self._options.zone, _constants(relation.input))
        if relation.frame.start is not None:
            with suppress(UnsupportedOperation):
                return FoldCompiler(calls, True, *rest, kinds=False).code, True
        return FoldCompiler(calls, False, *rest, kinds=False).code, False

    # -- patterns ------------------------------------------------------------------------------------

    def _match(self, relation: Match) -> Lowered:
        below = self.lower(relation.input)
        time = match_time(relation, below, self._context.batch, self._context.functions)
        args = arguments_in(relation)
        below, places = self._with_columns(below, args)
        compiler = MatchCompiler(relation, dict(zip(args, places, strict=True)), self._context.functions)
        order = placed(relation.order)
        by = "".join(f"{below.columns[place].name} {'ASC' if up else 'DESC'}" for place, up, _ in order)
        stream = self._keyed(
            below,
            relation.partition,
            MatchRecognize,
            f"Match({_listed(relation.columns)})",
            program=compiler.program(self._options.zone),
            pattern=compiler.pattern,
            skip=compiler.skip,
            within_ms=None if relation.within_us is None else relation.within_us // 1000,
            order=order,
            processing=time == "proctime",
            layout=match_layout(below.columns, relation.partition, by, relation.pattern),
            output_type=inside_row(_types(relation.columns)),
        )
        return Lowered(stream, relation.columns, False)

    # -- first rows of each key ----------------------------------------------------------------------

    def _rank(self, relation: Rank) -> Lowered:
        if self._context.batch:
            return self.lower(as_over(relation))
        below = self.lower(relation.input)
        order = placed(relation.order)
        by_time = below.columns[order[0][0]].time if len(order) == 1 and not below.updates else None
        one, ascending = relation.last == 1, bool(order) and order[0][1]
        fields: dict[str, Any] = {}
        windows = windowed(relation.input)
        if windows is not None and not below.updates and of_whole_windows(relation.partition, windows):
            (end, *_) = sorted(windows.ends)
            zoned = isinstance(windows.column.type, LocalZonedTimestampType) and self._options.zone != "UTC"
            fields = {"waits": True, "windows": True, "time": end, "zone": self._options.zone if zoned else ""}
            fields["newest"] = by_time == "rowtime" and one and not ascending
        elif by_time == "proctime" and ascending:
            fields, order = {"arrivals": True}, ()
        elif by_time == "proctime" and one:
            fields, order = {"newest": True}, ()
        elif by_time == "rowtime" and one and ascending:
            fields = {"waits": True, "time": order[0][0]}
        elif by_time == "rowtime" and one:
            fields = {"newest": True}
        elif below.updates:
            fields = {"upsert": only_forward(relation, self._context.upsert_key)}
        updates = not fields.get("waits") and not fields.get("arrivals")
        kept = None if below.updates else relation.last
        stream = self._keyed(
            below,
            relation.partition,
            RankOperator,
            f"Rank({_listed(relation.columns)})",
            order=order,
            first=relation.first,
            last=relation.last,
            numbered=relation.numbered,
            changes=below.updates,
            layout=top_layout(below.columns, order, kept) + rank_words(fields),
            ttl_ms=0 if fields.get("waits") else self._ttl_ms,
            output_type=inside_row(_types(relation.columns), updates),
            **fields,
        )
        return Lowered(stream, relation.columns, updates)

    # -- joins ---------------------------------------------------------------------------------------

    def _join(self, relation: Join) -> Lowered:
        batch, kind = self._context.batch, relation.kind
        left, right = self._side(relation.left, "left"), self._side(relation.right, "right")
        columns = (*left.columns, *right.columns)
        if not batch and not left.updates and not right.updates:
            if (windows := joined_windows(relation)) is not None:
                return self._window_join(relation, left, right, windows)
            if (bounds := time_bounds(relation, self._context.functions)) is not None:
                return self._interval_join(relation, left, right, bounds)
        if not batch and have_maps(columns):
            return self._of_pairs(relation, left, right)
        keys = join_keys([] if relation.condition is None else conjuncts(relation.condition), len(left.columns))
        return self._joined(left, right, kind, keys, relation.columns, relation.ttls)

    def _of_pairs(self, relation: Join | SetOperation, left: Lowered, right: Lowered) -> Lowered:
        """What finds rows that have maps."""
        return self.lower(of_pairs(replace(relation, left=self._given(left), right=self._given(right))))

    def _condition(self, parts: Sequence[Expression], columns: Sequence[Column]) -> RowCode | None:
        """The code of a join's conditions, over the columns of both sides."""
        if not parts:
            return None
        nullable = [column.type._nullable for column in columns]
        compiler = RowCompiler(len(columns), False, self._context.functions, self._options.zone, nullable)
        for part in parts:
            compiler.filter(part)
        if compiler.names.reads_watermark:
            raise UnsupportedOperation(f"{CURRENT_WATERMARK} in the condition of a join: put it in a column before")
        return compiler.code()

    def _window_join(
        self, relation: Join, left: Lowered, right: Lowered, windows: tuple[Windowed, Windowed]
    ) -> Lowered:
        """A join within windows."""
        keys = join_keys(window_free(relation, windows), len(left.columns))
        zoned = isinstance(windows[0].column.type, LocalZonedTimestampType) and self._options.zone != "UTC"
        start, end = window_pairs(relation, windows)
        return self._keyed_join(
            WindowJoin,
            relation,
            left,
            right,
            keys,
            layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "window "),
            spans=((start[0], end[0]), (start[1], end[1])),
            zone=self._options.zone if zoned else "",
        )

    def _interval_join(self, relation: Join, left: Lowered, right: Lowered, bounds: TimeBounds) -> Lowered:
        """A join of rows whose times are near each other."""
        keys = join_keys(bounds.rest, len(left.columns))
        return self._keyed_join(
            IntervalJoin,
            relation,
            left,
            right,
            keys,
            layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "interval "),
            times=(bounds.left, bounds.right),
            lower=bounds.lower,
            upper=bounds.upper,
            processing=left.columns[bounds.left].time == "proctime",
        )

    def _temporal_join(self, relation: TemporalJoinRelation) -> Lowered:
        """A join with the versions of a table."""
        if self._context.batch:
            raise TableException(
                "FOR SYSTEM_TIME AS OF an event time is there in streaming mode only: in batch mode no column is one"
            )
        left = self._side(relation.left, "left")
        width = len(left.columns)
        keys = join_keys(conjuncts(relation.condition), width)
        by = [column_of(each) for each in keys.right]
        with self._uids.below("right"):
            right = self.lower(relation.right, frozenset(place for place in by if place is not None))
        return self._two_inputs(
            TemporalJoin,
            f"TemporalJoin({relation.kind}, {_listed(relation.columns)})",
            left,
            right,
            (keys.left, keys.right),
            relation.columns,
            left.updates,
            join=relation.kind,
            nulls=0,
            equals=len(keys.left),
            condition=self._condition(keys.rest, (*left.columns, *right.columns)),
            layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "temporal "),
            ttl_ms=self._ttl_ms,
            times=(relation.time, relation.versioned_at),
            changes=(left.updates, right.updates),
            ends=needs_replaced(relation.right, self._context.functions, by),
        )

    def _lookup_join(self, relation: LookupJoin) -> Lowered:
        """A join with a table that is looked up in."""
        below = self.lower(relation.left)
        before = below.stream._env._builder.operators[below.stream._id]
        descriptor = lookup_calls(relation, below, self._context, self._options.zone)
        fields: dict[str, Any] = {"parallelism": before.parallelism, "non_parallel": before.non_parallel}
        fields |= {"output_type": inside_row(_types(relation.columns), below.updates), "fits": True}
        name = f"LookupJoin({relation.kind}, {_listed(relation.columns)})"
        stream = below.stream._then(Async, name, descriptor=descriptor, **fields)
        return Lowered(stream, relation.columns, below.updates)

    def _keyed_join(
        self, operator: type[Joining], relation: Join, left: Lowered, right: Lowered, keys: JoinKeys, **fields: Any
    ) -> Lowered:
        """A join by time, which gives new rows only."""
        condition = self._condition(keys.rest, (*left.columns, *right.columns))
        name = f"{operator.__name__}({relation.kind}, {_listed(relation.columns)})"
        fields |= {"nulls": keys.nulls, "equals": keys.equals, "condition": condition, "join": relation.kind}
        return self._two_inputs(operator, name, left, right, (keys.left, keys.right), relation.columns, False, **fields)

    def _joined(
        self,
        left: Lowered,
        right: Lowered,
        kind: str,
        keys: JoinKeys,
        columns: tuple[Column, ...],
        ttls: tuple[int | None, ...] = (),
    ) -> Lowered:
        """A join; see `TableJoin`."""
        changes = left.updates, right.updates
        of_left, of_right = map(self._ttl, ttls or (None, None))
        kinds = not self._context.batch and (any(changes) or kind not in ("inner", "semi"))
        return self._two_inputs(
            TableJoin,
            f"Join({kind}, {_listed(columns)})",
            left,
            right,
            (keys.left, keys.right),
            columns,
            kinds,
            join=kind,
            changes=changes,
            reals=(have_reals(left.columns), have_reals(right.columns)),
            kinds=kinds,
            nulls=keys.nulls,
            equals=keys.equals,
            condition=self._condition(keys.rest, (*left.columns, *right.columns)),
            layout=join_layout(kind, keys.left, left.columns, right.columns, timed=of_left + of_right > 0),
            ttl_ms=of_left + of_right and max(of_left or FOR_GOOD, of_right or FOR_GOOD),
            ttls=(of_left, of_right),
        )

    def _ttl(self, hinted: int | None) -> int:
        """After which time, in ms, something is forgotten; 0: never."""
        return self._ttl_ms if hinted is None or self._context.batch else hinted

    def _two_inputs(
        self,
        operator: type[Joining],
        name: str,
        left: Lowered,
        right: Lowered,
        keys: tuple[Sequence[Expression], Sequence[Expression]],
        columns: tuple[Column, ...],
        updates: bool,
        **fields: Any,
    ) -> Lowered:
        """An operator of the rows of two inputs by key; `updates`: its results have their kind in front."""
        inputs: list[tuple[int, Partitioner, Any]] = []
        for side, wanted in zip((left, right), keys, strict=True):
            keyed, places = self._with_columns(side, wanted)
            # Numbers of different types may be equal, so keys travel as they are.
            selector = key_selector([place + side.updates for place in places])
            inputs.append((keyed.stream._id, Hash(selector), keyed.stream._tag))
        env = left.stream._env
        alone = {} if keys[0] else {"parallelism": 1, "non_parallel": True}
        id = env._builder.add(
            operator,
            name,
            inputs,
            widths=(len(left.columns), len(right.columns)),
            uid=self._uids.here(),
            output_type=inside_row(_types(columns), updates),
            fits=True,
            **alone,
            **fields,
        )
        return Lowered(DataStream(env, id), columns, updates)

    # -- order ---------------------------------------------------------------------------------------

    def _sort(self, relation: Sort) -> Lowered:
        below = self.lower(relation.input)
        if not relation.order and relation.limit is None and not relation.offset:
            return below
        top = not self._context.batch and (bool(relation.order) or below.updates)
        if not self._context.batch and relation.limit is None:
            raise _without_limit(relation)
        width = len(relation.columns)
        below, places = self._with_columns(below, [each.arg for each in relation.order])
        order = at_places(relation.order, places)
        more = {"changes": below.updates} if top else {}
        kept = None if below.updates or relation.limit is None else relation.offset + relation.limit
        name = f"SortLimit({_listed(relation.columns)})" if order else "Limit"
        stream = below.stream
        by_key = DataStream(stream._env, stream._id, Hash(no_key), stream._tag)
        stream = by_key._then(
            TopN if top else SortLimit,
            name,
            order=order,
            offset=relation.offset,
            limit=relation.limit,
            layout=top_layout(below.columns, order, kept),
            uid=self._uids.here(),
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
        found = [column_of(each) for each in wanted]
        places = [place for place in found if place is not None]
        if len(places) == len(found):
            return below, places
        fields = [Field(i, column.name, type=column.type) for i, column in enumerate(below.columns)]
        columns = [*below.columns, *(Column(f"${i}", type_of(each)) for i, each in enumerate(wanted))]
        made = self._calc(Project(self._given(below), (*fields, *wanted), columns=tuple(columns)), None)
        return made, [len(fields) + i for i in range(len(wanted))]

    def _given(self, rows: Lowered) -> Relation:
        """A relation of rows that are there."""
        given = StreamScan("", columns=rows.columns)
        self._made[id(given), None] = given, rows
        return given


def _constants(relation: Relation) -> dict[int, Literal]:
    """The columns of a relation that are constants."""
    while isinstance(relation, OverAggregate):
        relation = relation.input
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


def _without_limit(relation: Sort) -> Exception:
    """Why the rows of a table without end cannot be put in order, in Flink's words."""
    so = "give a LIMIT, or use EnvironmentSettings.in_batch_mode()"
    if relation.offset:
        return TableException(f"FETCH is missed, which on streaming table is not supported currently: {so}")
    first = column_of(relation.order[0].arg) if relation.order[0].ascending else None
    if first is None or relation.columns[first].time is None:
        return TableException(f"Sort on a non-time-attribute field is not supported: {so}")
    return UnsupportedOperation(f"ORDER BY of a time attribute without a LIMIT is not there yet: {so}")


def _not_yet(what: str) -> UnsupportedOperation:
    return UnsupportedOperation(f"{what}: this operation of tables is not there yet")
