"""What runs a process table function in its operator."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.functions import KeyedProcessFunction
from datastream.state import MapStateDescriptor
from datastream.table.codegen.user_calls import RowFromPython, ToPython
from datastream.table.codegen.user_open import Opened
from datastream.table.functions.process_functions import Collecting, OnTimerContext, TableSemantics, TimeContext
from datastream.table.functions.process_signature import ProcessFunction
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import LocalZonedTimestampType
from datastream.time import TimerService
from datastream.types import Row, RowKind, Types
from datastream.types.row import row_factory

from .process_states import PartitionState, partition_state
from .process_time import NamedTimers, PartitionTime

#: The state of timers; no parameter has such a name.
_TIMERS = "(timers)"
_KINDS = tuple(RowKind)


@dataclass(frozen=True)
class RowsOf:
    """A table's rows among the records of an operator.

    Attributes:
        name: Of the argument.
        columns: The table's.
        start: Where they begin in a record.
        partition: Where the columns of PARTITION BY are in a record.
        time: Where the column of ``on_time`` is; None: there is none.
        passed: All columns are those of the results, too; else those of PARTITION BY are.
    """

    name: str
    columns: tuple[Column, ...]
    start: int
    partition: tuple[int, ...]
    time: int | None
    passed: bool

    @property
    def semantics(self) -> TableSemantics:
        """What the function can know."""
        names = tuple(column.name for column in self.columns)
        partition = tuple(place - self.start for place in self.partition)
        return TableSemantics(names, partition, -1 if self.time is None else self.time - self.start)


@dataclass(frozen=True)
class ProcessCall:
    """A call of a function.

    Attributes:
        function: The function.
        tables: In the order of its table arguments.
        constants: Its other arguments, as Python's values.
        side: Where the number of a record's table is; None: there is one table.
        updates: Records have their kind in front.
        ttls: After which time in ms each state is forgotten; 0: never.
        zone: The session's time zone.
    """

    function: ProcessFunction
    tables: tuple[RowsOf, ...]
    constants: tuple[Any, ...]
    side: int | None
    updates: bool
    ttls: tuple[int, ...]
    zone: str


class RowCalls:
    """Calls a function for rows, one by one: a record -> the results."""

    def __init__(self, call: ProcessCall) -> None:
        self._call = call
        self.known_as = call.function.name

    def open(self, runtime_context: Any) -> None:
        call = self._call
        self._function = copy(call.function.function)  # which other subtasks of the process may have, too
        self._opened = Opened(self._function)
        self._opened.open(runtime_context)
        self._collecting = Collecting(self._function)
        self._result = RowFromPython(call.function.result_type, call.zone)
        self._rows = [_RowOf(table, call) for table in call.tables]
        self._context = CallContext(call)
        self._takes_context = call.function.signature.context

    def close(self) -> None:
        if "_opened" in self.__dict__:
            self._opened.close()

    def process(self, record: Any) -> list[Any]:
        """The results for a record."""
        return self._called(record, self._rows[0], ())

    def process_in_time(self, record: Any, ctx: Any) -> list[Any]:
        """The same for a function that takes a context."""
        self._context.service = ctx.timer_service()
        return self._called(record, self._rows[0], ())

    def _called(self, record: Any, rows: _RowOf, states: Sequence[Any]) -> list[Any]:
        """The results of ``eval`` for a record."""
        call, table = self._call, rows.table
        args: list[Any] = [self._context] if self._takes_context else []
        args += states
        constants, tables = iter(call.constants), iter(self._rows)
        for argument in call.function.signature.arguments:
            if argument.is_table:
                args.append(rows.row(record) if next(tables) is rows else None)
            else:
                args.append(next(constants))
        us = None
        if table.time is not None:
            us = record[table.time]
            if us is None:
                raise ValidationError(
                    f"the column of on_time is NULL in a row of the table argument '{table.name}': filter such rows"
                )
        self._context.now_us = us
        emitted = self._collecting.rows_of(self._function.eval(*args))
        if not emitted:
            return emitted
        if table.passed:
            prefix = tuple(record[table.start : table.start + len(table.columns)])
        else:
            prefix = tuple([record[place] for place in table.partition]) * len(call.tables)
        return self._results(emitted, prefix, us)

    def _results(self, emitted: list[Any], prefix: tuple[Any, ...], us: int | None) -> list[Any]:
        suffix = () if us is None else (us,)
        result = self._result
        for row in emitted:
            if type(row) is Row and row.get_row_kind() is not RowKind.INSERT:
                raise UnsupportedOperation(
                    f"{self.known_as} emits new rows only, and not {cut(row)}, a row of kind {row.get_row_kind().name}"
                )
        return [(*prefix, *result(row), *suffix) for row in emitted]


class SetCalls(RowCalls, KeyedProcessFunction):
    """Calls a function for the rows of partitions, with their states and timers."""

    def open(self, runtime_context: Any) -> None:
        super().open(runtime_context)
        call, signature = self._call, self._call.function.signature
        pairs = zip(signature.states, call.ttls, strict=True)
        self._states = [partition_state(entry, runtime_context, ttl, call.zone) for entry, ttl in pairs]
        self._context.states = {entry.name: state for entry, state in zip(signature.states, self._states, strict=True)}
        if self._may_set_timers:
            kinds = Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()
            self._context.timer_state = runtime_context.get_map_state(MapStateDescriptor(_TIMERS, *kinds))

    @property
    def _may_set_timers(self) -> bool:
        call = self._call
        timed = all(table.time is not None and not table.passed for table in call.tables)
        return timed and call.function.signature.timer_states is not None

    def process_element(self, value: Any, ctx: Any) -> list[Any]:
        call = self._call
        rows = self._rows[0 if call.side is None else value[call.side]]
        self._context.service, self._context.timer = ctx.timer_service(), None
        states = [state.load() for state in self._states]
        results = self._called(value, rows, states)
        self._store(self._states)
        return results

    def on_timer(self, timestamp: int, ctx: Any) -> list[Any]:
        context, signature = self._context, self._call.function.signature
        context.service, context.now_us = ctx.timer_service(), timestamp * 1000
        timers = context.timers
        if timers is None or signature.timer_states is None:
            return []  # set by an earlier version of the function
        key = ctx.get_current_key()
        places = self._call.tables[0].partition
        prefix = (() if not places else (key,) if len(places) == 1 else tuple(key)) * len(self._call.tables)
        results: list[Any] = []
        for name in timers.due(timestamp):
            if not timers.take(name, timestamp):
                continue  # the one before has removed it
            context.timer = name
            states = [self._states[place] for place in signature.timer_states]
            args = [context] if signature.timer_context else []
            args += [state.load() for state in states]
            emitted = self._collecting.rows_of(self._function.on_timer(*args))
            self._store(states)
            results += self._results(emitted, prefix, context.now_us)
        return results

    def _store(self, states: Sequence[PartitionState]) -> None:
        """Keep the states that a call got, and clear those that it wanted cleared."""
        cleared = self._context.take_cleared()
        for state in states:
            if state not in cleared:
                state.store()
        for state in cleared:
            state.clear()


class _RowOf:
    """Makes a table's rows of records."""

    def __init__(self, table: RowsOf, call: ProcessCall) -> None:
        self.table, self._updates = table, call.updates
        self._converts = [ToPython(column.type, call.zone) for column in table.columns]
        self._make = row_factory([column.name for column in table.columns])

    def row(self, record: Any) -> Row:
        """The row of a record of the table."""
        start = self.table.start
        values = record[start : start + len(self._converts)]
        pairs = zip(values, self._converts, strict=True)
        row = self._make([None if value is None else convert(value) for value, convert in pairs])
        if self._updates and record[0]:
            row.set_row_kind(_KINDS[record[0]])
        return row


class CallContext(OnTimerContext):
    """What a function can ask for.

    Args:
        call: The call.

    Attributes:
        service: The time of the operator.
        now_us: The time of the row or timer in hand, in µs; None: the call has no ``on_time``.
        timer: The name of the timer that fires.
        states: The states of the partition by name.
        timer_state: Keeps the names of timers; None: the function may set none.
    """

    service: TimerService

    def __init__(self, call: ProcessCall) -> None:
        self._call = call
        self.now_us: int | None = None
        self.timer: str | None = None
        self.states: dict[str, PartitionState] = {}
        self.timer_state: Any = None
        self._cleared: list[PartitionState] = []
        self._semantics = {table.name: table.semantics for table in call.tables}
        timed = next((table for table in call.tables if table.time is not None), None)
        column = None if timed is None else timed.columns[timed.semantics.time]
        zoned = column is not None and isinstance(column.type, LocalZonedTimestampType)
        self._zone = call.zone if zoned else None

    @property
    def timers(self) -> NamedTimers | None:
        """The timers of the partition in hand; None: the function may set none."""
        return None if self.timer_state is None else NamedTimers(self.timer_state, self.service)

    def take_cleared(self) -> list[PartitionState]:
        """The states that the call wanted cleared."""
        cleared, self._cleared = self._cleared, []
        return cleared

    def time_context(self, time_type: type[Any]) -> TimeContext[Any]:
        now = None if self.now_us is None else self.now_us // 1000
        why_not = self._why_no_timers()
        return PartitionTime(time_type, now, self._zone, self.service, self.timers, why_not, len(self._call.tables))

    def table_semantics_for(self, arg_name: str) -> TableSemantics:
        found: TableSemantics = self._found(self._semantics, arg_name, "table argument")
        return found

    def clear_state(self, state_name: str) -> None:
        self._cleared.append(self._found(self.states, state_name, "state"))

    def clear_all_state(self) -> None:
        self._cleared += self.states.values()

    def clear_all_timers(self) -> None:
        timers = self.timers
        if timers is not None:
            timers.clear_all()

    def clear_all(self) -> None:
        self.clear_all_state()
        self.clear_all_timers()

    def current_timer(self) -> str | None:
        return self.timer

    def _why_no_timers(self) -> str:
        call, name = self._call, self._call.function.name
        if not call.function.signature.by_set:
            return f"the table of {name} has row semantics: timers belong to a partition"
        if call.tables[0].time is None:
            return f"{name} was called without on_time: on_time => DESCRIPTOR(ts)"
        if call.tables[0].passed:
            return f"{name} passes columns through (PASS_COLUMNS_THROUGH), and a timer has no row"
        return f"{name} has no method on_timer"

    def _found(self, known: dict[str, Any], name: str, what: str) -> Any:
        if name not in known:
            raise ValidationError(f"{self._call.function.name} has no {what} {name!r}; there are: {', '.join(known)}")
        return known[name]
