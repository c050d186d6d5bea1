"""What lowering needs besides the plan, and what it gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from datastream.api.environment import StreamExecutionEnvironment
from datastream.graph.builder import GraphBuilder, Node
from datastream.table.connectors.lookup import TableLookup
from datastream.table.connectors.models import RunnableModel
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

    def model(self, path: tuple[str, ...]) -> RunnableModel:
        """A model and what runs it."""

    def upsert_key(self, scan: Scan) -> tuple[Column, ...]:
        """The columns by which a table's rows replace each other; empty: each row is one more, or a change."""

    def has_changes(self, scan: Scan) -> bool:
        """Whether a table's rows are changes, whose kind says whether a row comes or goes."""

    def only_adds(self, scan: Scan) -> bool:
        """Whether each row of a table is one more."""

    def metadata_columns(self, scan: Scan) -> Collection[str]:
        """The columns of a table that are of its connector's metadata."""


@dataclass(frozen=True)
class Lowered:
    """A relation as operators.

    Attributes:
        node: What gives its rows, as tuples.
        columns: What is in them.
        updates: Their kind comes first: 0 +I, 1 -U, 2 +U, 3 -D.
    """

    node: Node
    columns: tuple[Column, ...]
    updates: bool
