"""What lowering needs besides the plan, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from datastream.api.environment import StreamExecutionEnvironment
from datastream.graph.builder import GraphBuilder, Node
from datastream.table.connectors.lookup import TableLookup
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.relations import Column, Scan


class LoweringContext(Protocol):
    """Where the plan's streams, tables and functions are.

    Attributes:
        env: The settings of streams.
        builder: Where operators are made.
        streams: The streams of `StreamScan`, by name.
        functions: Finds functions.
        config: The options ``table.*``.
        batch: Batch mode.
    """

    @property
    def env(self) -> StreamExecutionEnvironment: ...
    @property
    def builder(self) -> GraphBuilder: ...
    @property
    def streams(self) -> Mapping[str, Node]: ...
    @property
    def functions(self) -> FunctionLookup: ...
    @property
    def config(self) -> Mapping[str, Any]: ...
    @property
    def batch(self) -> bool: ...

    def scan(self, scan: Scan) -> Node:
        """The rows of a table, as tuples in the form that values have inside; of upserts with their kind in front."""

    def lookup(self, scan: Scan, keys: Sequence[str]) -> TableLookup:
        """What finds the rows of a table that have these columns' values."""

    def upsert_key(self, scan: Scan) -> tuple[Column, ...]:
        """The columns by which a table's rows replace each other; empty: each row is one more."""


@dataclass(frozen=True)
class Lowered:
    """A relation as operators.

    Attributes:
        node: What gives its rows, as tuples.
        columns: What is in them.
        updates: Their kind stands in front: 0 +I, 1 -U, 2 +U, 3 -D.
    """

    node: Node
    columns: tuple[Column, ...]
    updates: bool
