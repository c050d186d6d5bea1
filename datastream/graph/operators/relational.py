"""Operators of table plans: what they do is text of Python, which the engine writes into its loops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, NamedTuple

from datastream.graph.slices import stored_by_slice
from datastream.graph.slots import (
    OPEN_WINDOWS,
    ROWS_BY_TIME,
    ROWS_OF_OVER,
    ROWS_OF_RANK,
    ROWS_OF_SINK,
    ROWS_OF_WINDOWS,
    SHOWN_BY_SINK,
    TIMERS,
)
from datastream.graph.state_forms import Slot, StateForm, Stored

from .operator import Operator


class CodeLine(NamedTuple):
    """A line of a record's code.

    Attributes:
        depth: How many blocks it is in.
        text: Its text.
        what: The function or expression that it evaluates, for error messages.
    """

    depth: int
    text: str
    what: str


class FramedCode(ABC):
    """Code that calls functions, which are opened before and closed after it."""

    @property
    @abstractmethod
    def functions(self) -> Iterable[Any]:
        """The objects whose ``open`` and ``close`` frame the calls."""

    def open(self, context: Any) -> None:
        """Open the functions."""
        for function in self.functions:
            function.open(context)

    def close(self) -> None:
        """Close the functions."""
        for function in self.functions:
            function.close()


@dataclass(frozen=True)
class RowCode(FramedCode):
    """Code that makes results of a record, in the loop over records.

    Attributes:
        record: The variable that holds the record.
        lines: What runs before a result is there; a result follows after the last one.
        depth: How many blocks the result is in: conditions, and loops over what a table function gives.
        result: The expression of the result.
        bound: Objects that the code uses, by name; code of one job uses one name for one object.
        functions: The objects whose ``open`` and ``close`` frame the calls.
        reads_watermark: It uses ``watermark``, what has passed in front of the operator, in ms.
        shown: A function: a record -> what errors show of it; None: the record itself.
    """

    record: str
    lines: tuple[CodeLine, ...]
    depth: int
    result: str
    bound: Mapping[str, Any] = field(default_factory=dict)
    functions: tuple[Any, ...] = ()
    reads_watermark: bool = False
    shown: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    known_as: ClassVar[str] = "expressions"


@dataclass(frozen=True)
class Calc(Operator):
    """Expressions, conditions and table functions over single rows, inlined in the fused chain.

    Attributes:
        code: What is inlined.
    """

    kind: ClassVar[str] = "calc"

    code: RowCode

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return self.code.reads_watermark

    @property
    def user_code(self) -> Any:
        return self.code

    @property
    def rich_function(self) -> Any:
        return self.code if self.code.functions else None

    def shown(self, record: Any) -> Any:
        return record if self.code.shown is None else self.code.shown(record)


@dataclass(frozen=True)
class TimedCalc(Calc):
    """The same, with code that reads the record's timestamp, ``t``, in ms or None."""

    reads_time: ClassVar[bool] = True


@dataclass(frozen=True)
class StampedCalc(Calc):
    """The same, with code that sets the timestamp of its result, ``t``, in ms."""

    assigns_time: ClassVar[bool] = True


@dataclass(frozen=True)
class FoldCode(FramedCode):
    """Code of accumulators. An accumulator is a list; in the code it is ``acc``, another one is ``other``.

    Attributes:
        first: The expression of a new accumulator.
        add: Lines that take the row ``r`` in.
        retract: Lines that take the row ``r`` out again.
        merge: Lines that take in ``other``.
        value: The expression of the results, a tuple.
        count: The slot that counts rows, where rows are also taken out; None: they are not.
        bound: Objects that the code uses, by name.
        functions: The objects whose ``open`` and ``close`` frame the calls.
    """

    first: str
    add: tuple[str, ...]
    retract: tuple[str, ...]
    merge: tuple[str, ...]
    value: str
    count: int | None = None
    bound: Mapping[str, Any] = field(default_factory=dict)
    functions: tuple[Any, ...] = ()
    known_as: ClassVar[str] = "aggregates"


#: A time to live, in ms, that does not pass.
FOR_GOOD = 1 << 53


@dataclass(frozen=True)
class KeepingOperator(Operator):
    """What operators with state have in common.

    Attributes:
        layout: What the state is made of, in words; a job with another layout cannot go on from it.
        ttl_ms: What was not touched for so long is forgotten; 0: nothing is.
    """

    keyed: ClassVar[bool] = True
    hosted: ClassVar[bool] = True

    _: KW_ONLY
    layout: str = ""
    ttl_ms: int = 0

    def _values(self, name: str) -> StateForm:
        """A value of each key."""
        return StateForm(Stored.VALUES, name, made_of=self.layout, timed=self.ttl_ms > 0)

    def _contents(self, *slots: Slot) -> StateForm:
        """Contents of each key."""
        return StateForm(Stored.CONTENTS, made_of=self.layout, timed=self.ttl_ms > 0, slots=(*TIMERS, *slots))


@dataclass(frozen=True)
class LocalAggregate(Operator):
    """Aggregates of what a subtask has since the last watermark or the epoch's begin, so that fewer rows are exchanged.

    A result is the key's columns, the end of the slice of time if there are any, and the accumulator.

    Attributes:
        fold: The aggregates; accumulators can be put together.
        keys: Indexes of the key's columns.
        time: The index of the rows' time, in µs; None: there are no slices.
        slice: The length of a slice, in µs.
        offset: Of their starts, in µs.
        zone: The time zone whose clock the time is of; empty: UTC.
    """

    kind: ClassVar[str] = "local_aggregate"
    hosted: ClassVar[bool] = True

    fold: FoldCode
    keys: tuple[int, ...]
    time: int | None = None
    slice: int = 0
    offset: int = 0
    zone: str = ""

    @property
    def user_code(self) -> Any:
        return self.fold


@dataclass(frozen=True)
class _Folding(KeepingOperator):
    """What the operators of aggregates have in common.

    Attributes:
        fold: The aggregates.
        key: The expression of the key's columns, from ``key``, as the beginning of a tuple: ``key,`` or ``*key,``.
        changes: The input has updates: rows have their kind in front.
        parts: The input is that of a `LocalAggregate`.
    """

    fold: FoldCode
    key: str
    changes: bool
    _: KW_ONLY
    parts: bool = False

    @property
    def user_code(self) -> Any:
        return self.fold

    @property
    def rich_function(self) -> Any:
        return self.fold if self.fold.functions else None


@dataclass(frozen=True)
class GroupAggregate(_Folding):
    """Aggregates by key, given as changes: rows with their kind in front.

    Attributes:
        kinds: Results have their kind in front; else they are new rows only.
        once_an_epoch: One change for each key and epoch, instead of one for each row.
        of_nothing: There are no keys: in batch mode the aggregates of no rows are given too.
        before: Updates are given with the row that they replace.
    """

    kind: ClassVar[str] = "group_aggregate"

    kinds: bool = True
    once_an_epoch: bool = False
    of_nothing: bool = False
    before: bool = True

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._values("(aggregates)"),)


@dataclass(frozen=True)
class WindowAggregate(_Folding):
    """Aggregates by key and window of event time.

    Attributes:
        window: ``tumble``, ``hop``, ``cumulate`` or ``session``.
        time: The index of the rows' time, in µs; where the rows are of windows already, that of the windows' ends.
        size: Of a window, in µs; of sessions the gap.
        slide: From window to window, in µs; 0: they do not overlap.
        offset: Of the windows' starts, in µs.
        given: Of ``start``, ``end``, ``rowtime``, ``proctime``: what follows the aggregates in each result.
        zone: The time zone whose clock start and end are of; empty: UTC. The time is of it too, but that of sessions is
            of UTC.
        processing: Windows are of the machine's time, and `time` counts for nothing.
        start: Where the rows are of windows already, the index of the windows' starts; else None.
    """

    kind: ClassVar[str] = "window_aggregate"
    #: Where the logs of slices lie.
    WINDOWS: ClassVar[str] = "windows"
    reads_watermarks: ClassVar[bool] = True

    window: str
    time: int
    size: int
    slide: int
    offset: int
    given: tuple[str, ...]
    zone: str = ""
    processing: bool = False
    start: int | None = None

    @property
    def by_slice(self) -> bool:
        """Whether it keeps accumulators slice by slice, and not key by key."""
        return self.parts and stored_by_slice(self.window, self.size, self.slide, self.zone)

    @property
    def reads_clock(self) -> bool:
        return self.processing

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (
            self._contents(Slot(OPEN_WINDOWS, "(open windows)")),
            StateForm(Stored.LOGS_BY_WINDOW, "(windows)", self.WINDOWS, self.layout),
        )


@dataclass(frozen=True)
class RowWindowAggregate(_Folding):
    """Aggregates by key of windows of a number of rows, given when a window is full.

    Attributes:
        size: Rows of a window.
        slide: From the first row of a window to that of the next.
    """

    kind: ClassVar[str] = "row_window_aggregate"

    size: int
    slide: int

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._values("(open windows)"),)


@dataclass(frozen=True)
class SessionTable(WindowAggregate):
    """The rows of sessions, when a session has ended: each with what `given` says of its session after its columns."""

    kind: ClassVar[str] = "session_table"


class Position(NamedTuple):
    """A function of where a row is among the rows of its key.

    Attributes:
        function: Its name in the library.
        column: The index of what LAG and LEAD give.
        distance: How far they look; of NTILE how many parts there are.
        default: The index of what they give where there is no row; None: NULL.
    """

    function: str
    column: int | None = None
    distance: int = 1
    default: int | None = None


@dataclass(frozen=True)
class OverAggregate(_Folding):
    """Each row, with aggregates of the rows around it after its columns.

    Attributes:
        order: The order of the rows of a key: as in `SortLimit`, over rows without their kind.
        rows: Bounds count rows; else they are distances by the column of the order.
        start: How far before the row its rows begin; None: with the first one.
        end: How far behind the row they end; None: with the last one.
        retracts: The code of aggregates also takes rows out, and counts them.
        timed: The order is that of event time.
        processing: The order is that in which rows come.
        positions: Of batch mode: what follows the aggregates.
    """

    kind: ClassVar[str] = "over_aggregate"
    #: Where rows lie in batch mode.
    ROWS: ClassVar[str] = "rows"

    _: KW_ONLY
    order: tuple[tuple[int, bool, bool], ...]
    rows: bool
    start: Any
    end: Any
    retracts: bool
    timed: bool
    processing: bool
    positions: tuple[Position, ...] = ()

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return self.timed

    @property
    def reads_clock(self) -> bool:
        return self.processing

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        name, logs = "(rows of OVER windows)", StateForm(Stored.LOGS, "(rows)", self.ROWS, self.layout)
        by_time = self.timed or self.processing
        return (self._contents(Slot(ROWS_OF_OVER, name)) if by_time else self._values(name), logs)


@dataclass(frozen=True)
class Rank(KeepingOperator):
    """The first rows of each key in an order.

    Attributes:
        key: As in `GroupAggregate`; it is not read.
        order: As in `SortLimit`, over rows without their kind; empty: as they come.
        first: The number of the first row that is given, from 1.
        last: The number of the last one.
        numbered: Results have the number after their columns.
        changes: The input has updates: rows have their kind in front, and all rows are kept.
        upsert: Rows replace those with equals in these columns, and only move to the front; None: they do not.
        newest: Of rows with one place, the latest is the first, and there is one result: it replaces the one before.
        waits: A row is given once, when event time has passed it or, of rows of windows, the window: those of a key
            come by their numbers. Otherwise results are changes.
        time: The index of what is waited for, in µs: the row's time, or the end of its window.
        windows: It is the end of a window.
        zone: Of windows: the time zone whose clock ends are of; empty: UTC.
        arrivals: Rows never leave: they are new rows only.
    """

    kind: ClassVar[str] = "rank"

    _: KW_ONLY
    key: str
    order: tuple[tuple[int, bool, bool], ...]
    first: int
    last: int
    numbered: bool
    changes: bool
    upsert: tuple[int, ...] | None = None
    newest: bool = False
    waits: bool = False
    time: int = 0
    windows: bool = False
    zone: str = ""
    arrivals: bool = False

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return self.waits

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        if self.waits:
            return (self._contents(Slot(ROWS_OF_RANK, "(first rows)")),)
        return (self._values("(first rows)"),)


@dataclass(frozen=True)
class SortLimit(KeepingOperator):
    """Rows in order, and how many of them. With an order, all rows are kept until the input ends.

    Attributes:
        order: For each key of the order: the index of the column, whether it ascends, whether NULL comes first.
        offset: How many rows are left out at first.
        limit: How many rows are given; None: all.
    """

    kind: ClassVar[str] = "sort_limit"

    order: tuple[tuple[int, bool, bool], ...]
    offset: int = 0
    limit: int | None = None

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._values("(sorted rows)"),)


@dataclass(frozen=True)
class Joining(KeepingOperator):
    """Rows of two inputs by key, each with its partners.

    Attributes:
        join: ``inner``, ``left``, ``right``, ``full``, ``semi``, ``anti``.
        widths: How many columns of each side are given; others are keys.
        nulls: How many columns of a key, the first ones, have no partners where one of them is NULL.
        equals: How many columns a key has besides, in which NULL equals NULL. Both 0: there are no keys.
        condition: What partners have to fulfil besides, over the columns of both; None: nothing.
    """

    _: KW_ONLY
    join: str
    widths: tuple[int, int]
    nulls: int
    equals: int = 0
    condition: RowCode | None = None

    @property
    def user_code(self) -> Any:
        return self.condition

    @property
    def rich_function(self) -> Any:
        return self.condition if self.condition is not None and self.condition.functions else None

    def shown(self, record: Any) -> Any:
        show = None if self.condition is None else self.condition.shown
        return record if show is None else show(record)


@dataclass(frozen=True)
class TableJoin(Joining):
    """A join of tables that may change.

    Attributes:
        changes: Of each side: it has updates, so its rows have their kind in front.
        kinds: Results have their kind in front; else they are new rows only.
        reals: Of each side: its rows have FLOATs or DOUBLEs in them.
        ttls: Of each side: after which time in ms a row is forgotten that has not changed, 0: never; empty: `ttl_ms`.
        plain_keys: Keys are whole numbers on both sides, or texts on both.
    """

    kind: ClassVar[str] = "table_join"
    #: Where the logs of the rows of each side lie.
    SIDES: ClassVar[tuple[str, str]] = ("left", "right")

    _: KW_ONLY
    changes: tuple[bool, bool]
    kinds: bool
    reals: tuple[bool, bool] = (False, False)
    ttls: tuple[int, ...] = ()
    plain_keys: bool = False

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (
            self._values("(rows of both sides)"),
            *(StateForm(Stored.LOGS, f"({side})", side, self.layout) for side in self.SIDES),
        )


@dataclass(frozen=True)
class WindowJoin(Joining):
    """A join of the rows of each window, given when the window ends.

    Attributes:
        spans: Of each side: the indexes of the window's start and end.
        zone: The time zone whose clock they are of; empty: UTC.
    """

    kind: ClassVar[str] = "window_join"
    reads_watermarks: ClassVar[bool] = True

    _: KW_ONLY
    spans: tuple[tuple[int, int], tuple[int, int]]
    zone: str = ""

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._contents(Slot(ROWS_OF_WINDOWS, "(rows of windows)")),)


@dataclass(frozen=True)
class IntervalJoin(Joining):
    """A join of rows whose times are near each other; a row without a partner is given when none can come any more.

    Attributes:
        times: Of each side: the index of its time, in µs.
        lower: The right time minus the left one is no less, in µs.
        upper: Nor more.
        processing: Times are those at which rows come, and `times` count for nothing.
    """

    kind: ClassVar[str] = "table_interval_join"
    reads_watermarks: ClassVar[bool] = True

    _: KW_ONLY
    times: tuple[int, int]
    lower: int
    upper: int
    processing: bool = False

    @property
    def reads_clock(self) -> bool:
        return self.processing

    @property
    def watermark_delay_ms(self) -> int:
        return 0 if self.processing else max(0, -(-max(self.upper, -self.lower) // 1000))

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._contents(Slot(ROWS_BY_TIME, "(rows by time)")),)


@dataclass(frozen=True)
class ChangelogNormalize(KeepingOperator):
    """The last row of each key, given as changes: rows with their kind in front, or in batch mode alone.

    Rows of the input have their kind in front: +I and +U replace the row of their key, and -D takes it away.

    Attributes:
        before: Updates are given with the row that they replace.
    """

    kind: ClassVar[str] = "changelog_normalize"

    before: bool

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._values("(latest row)"),)


@dataclass(frozen=True)
class SinkMaterialize(KeepingOperator):
    """The row of each key of a sink, where rows of several keys of the query may have it.

    Attributes:
        conflict: ``deduplicate``: the last row counts; ``nothing``: the first one; ``error``: there may be no other.
        key: Names of the sink's key, for people, and the indexes of its columns in a row without its kind.
        upsert: Indexes of the columns by which the query changes its rows; None: rows are known by all columns.
        changes: The input has updates: rows have their kind in front. Results always have.
    """

    kind: ClassVar[str] = "sink_materialize"

    _: KW_ONLY
    conflict: str
    key: tuple[tuple[str, int], ...]
    upsert: tuple[int, ...] | None
    changes: bool

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return self.conflict != "deduplicate"

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._contents(Slot(ROWS_OF_SINK, "(rows of sink)"), Slot(SHOWN_BY_SINK, "(shown by sink)")),)


@dataclass(frozen=True)
class TopN(KeepingOperator):
    """The first rows in an order, given as changes.

    Attributes:
        order: As in `SortLimit`, over rows without their kind.
        offset: How many rows are left out at first.
        limit: How many rows are given.
        changes: The input has updates: rows have their kind in front, and all rows are kept.
    """

    kind: ClassVar[str] = "top_n"

    order: tuple[tuple[int, bool, bool], ...]
    offset: int
    limit: int
    changes: bool

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (self._values("(first rows)"),)
