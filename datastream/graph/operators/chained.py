"""Operators that are lines of a fused chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.functions import ProcessFunction

from .operator import FunctionOperator, Operator


@dataclass(frozen=True)
class Map(FunctionOperator):
    """One result for each record."""

    kind: ClassVar[str] = "map"

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class FlatMap(FunctionOperator):
    """Any number of results for each record; None is none."""

    kind: ClassVar[str] = "flat_map"

    function: Callable[[Any], Iterable[Any] | None]


@dataclass(frozen=True)
class Filter(FunctionOperator):
    """The records for which the function returns a true value."""

    kind: ClassVar[str] = "filter"

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class Process(FunctionOperator):
    """Any number of results for each record, of a function that sees the time and writes to side outputs."""

    kind: ClassVar[str] = "process"
    reads_time: ClassVar[bool] = True
    splits: ClassVar[bool] = True

    function: Callable[[Any, ProcessFunction.Context], Iterable[Any] | None]


@dataclass(frozen=True)
class Union(Operator):
    """All records of several inputs."""

    kind: ClassVar[str] = "union"
