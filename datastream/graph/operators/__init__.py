"""What the operators of a job are: a frozen dataclass for each kind. Everything else in the API lowers to these."""

from .async_wait import Async
from .broadcast import BroadcastProcess, KeyedBroadcastProcess
from .chained import Filter, FlatMap, Map, Process, Union
from .connected import CoProcess, KeyedCoProcess
from .ends import Sink, Source
from .keyed import KeyedProcess, Reduce, Window
from .loops import Feedback, Iteration
from .operator import FunctionOperator, Operator, Origin
from .timestamps import Timestamps

__all__ = [
    "Async",
    "BroadcastProcess",
    "FunctionOperator",
    "CoProcess",
    "Feedback",
    "Filter",
    "FlatMap",
    "Iteration",
    "KeyedBroadcastProcess",
    "KeyedCoProcess",
    "KeyedProcess",
    "Map",
    "Operator",
    "Origin",
    "Process",
    "Reduce",
    "Sink",
    "Source",
    "Timestamps",
    "Union",
    "Window",
]
