"""What the operators of a job are: a frozen dataclass for each kind. Everything else in the API lowers to these."""

from .async_wait import Async
from .block_calc import BlockCalc
from .broadcast import BroadcastProcess, KeyedBroadcastProcess
from .chained import Filter, FlatMap, Map, Process, Union
from .connected import CoProcess, KeyedCoProcess
from .ends import Sink, Source
from .keyed import KeyedProcess, ProcessTable, Reduce, Window
from .loops import Feedback, Iteration
from .operator import FunctionOperator, Operator, Origin
from .patterns import MatchRecognize
from .relational import (
    Calc,
    ChangelogNormalize,
    GroupAggregate,
    IntervalJoin,
    Joining,
    KeepingOperator,
    LocalAggregate,
    OverAggregate,
    Rank,
    RowWindowAggregate,
    SessionTable,
    SinkMaterialize,
    SortLimit,
    StampedCalc,
    TableJoin,
    TimedCalc,
    TopN,
    WindowAggregate,
    WindowJoin,
)
from .temporal import TemporalJoin
from .timestamps import Timestamps

__all__ = [
    "Async",
    "BlockCalc",
    "BroadcastProcess",
    "Calc",
    "ChangelogNormalize",
    "FunctionOperator",
    "CoProcess",
    "Feedback",
    "Filter",
    "FlatMap",
    "GroupAggregate",
    "Iteration",
    "KeyedBroadcastProcess",
    "KeyedCoProcess",
    "KeepingOperator",
    "KeyedProcess",
    "LocalAggregate",
    "Map",
    "MatchRecognize",
    "Operator",
    "Origin",
    "OverAggregate",
    "Rank",
    "Process",
    "ProcessTable",
    "Reduce",
    "RowWindowAggregate",
    "SessionTable",
    "Sink",
    "SortLimit",
    "Source",
    "IntervalJoin",
    "Joining",
    "SinkMaterialize",
    "TableJoin",
    "TemporalJoin",
    "WindowJoin",
    "StampedCalc",
    "TimedCalc",
    "Timestamps",
    "TopN",
    "Union",
    "Window",
    "WindowAggregate",
]
