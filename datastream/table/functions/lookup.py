"""What a query's names are looked up in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from datastream.errors import ValidationError
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.plan.errors import unknown
from datastream.table.plan.expressions import Position
from datastream.table.plan.models import ModelShape
from datastream.table.plan.relations import Relation
from datastream.table.types.logical_types import DataType


class UserFunction(Protocol):
    """A user's function.

    Attributes:
        name: Its name, also in plans.
        kind: ``scalar``, ``table``, ``aggregate``, ``table_aggregate``, ``async``.
        pandas: It takes columns.
        result_type: Of its results; a row's type for table functions.
        input_types: Of its arguments; None: any.
        deterministic: Gives the same for the same arguments.
        function: The object with ``eval``, ``accumulate`` ...
    """

    name: str
    kind: str
    pandas: bool
    result_type: DataType
    input_types: list[DataType] | None
    deterministic: bool
    function: Any


class FunctionLookup(Protocol):
    """Finds functions: the library's and users'."""

    @property
    def of_batch(self) -> bool:
        """Whether queries are of batch mode, where rows come in no time."""

    def find(self, name: str) -> Entry | AggregateEntry | UserFunction | None: ...

    def names(self) -> Iterable[str]: ...


class TableLookup(Protocol):
    """Finds tables, views and models."""

    def find(self, path: tuple[str, ...]) -> Relation | None: ...

    def names(self, path: tuple[str, ...] = ()) -> Iterable[str]: ...

    def missing_place(self, path: tuple[str, ...]) -> tuple[str, str, Iterable[str]] | None:
        """What is missing around a table: ``catalog`` or ``database``, its name, and those that there are.

        None: its database is there.
        """

    def find_model(self, path: tuple[str, ...]) -> ModelShape | None: ...

    def model_names(self) -> Iterable[str]: ...


def unknown_table(
    tables: TableLookup,
    path: tuple[str, ...],
    position: Position | None = None,
    text: str | None = None,
    others: Iterable[str] = (),
) -> ValidationError:
    """The error for a table that is not there: names its catalog or database where that is what is missing.

    Args:
        tables: Finds them.
        path: The table.
        position: Where.
        text: The path as written; default: its parts with dots.
        others: Names that could be meant beside those of the database.
    """
    missing = tables.missing_place(path)
    what, name, known = missing or ("table", text or ".".join(path), [*others, *tables.names(path)])
    return unknown(what, name, known, position)
