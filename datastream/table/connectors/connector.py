"""Table connectors: what a table's name refers to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from datastream.errors import FormatError, UnsupportedOperation, ValidationError
from datastream.io import Predicate
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import DataType

from .options import Option, Settings, read_options

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink
    from datastream.io import Sink

    from .lookup import TableLookup

__all__ = ["Option", "Settings", "TableConnector", "TableInfo"]

#: Options that every table may have.
COMMON = (
    Option("connector", required=True, doc="Which connector."),
    Option("property-version", "integer", 1, doc="Of the options; has no effect."),
)
SOURCE_PARALLELISM = Option("scan.parallelism", "integer", doc="Number of tasks that read. Default: the job's.")
SINK_PARALLELISM = Option(
    "sink.parallelism", "integer", doc="Number of tasks that write. Default: that of the query's last operator."
)


@dataclass(frozen=True)
class TableInfo:
    """A table as its connector sees it.

    Attributes:
        path: Catalog, database, table.
        columns: The physical ones, from left to right.
        metadata: Columns that the connector's metadata gives -> the connector's key of it.
        options: The WITH clause, as written.
        primary_key: Names of its columns; empty: none.
        partition_keys: Names of the columns of PARTITIONED BY.
        comment: For people.
        persisted: Those of `metadata` that are written, in the order in which they follows the physical columns
            of a row for the sink.
        overwrite: What is written takes the place of what is there; see `TableConnector.overwrites`.
        predicates: Of those that `TableConnector.takes`: `scan` may leave out rows for which one is not true.
        batch: What is written is so in batch mode.
        limit: How many rows are wanted, any; None: all. `scan` may return more.
        fields: Of ROW columns that are not read as a whole, each part that is read: the column, and the names of fields
            that lead to it. `scan` may return None for other fields.
    """

    path: tuple[str, ...]
    columns: tuple[Column, ...]
    metadata: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    persisted: tuple[str, ...] = ()
    overwrite: bool = False
    predicates: tuple[Predicate, ...] = ()
    batch: bool = False
    limit: int | None = None
    fields: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        return "table " + ".".join(f"`{part}`" for part in self.path)

    def type_of(self, name: str) -> DataType:
        """The type of a physical column."""
        return next(column.type for column in self.columns if column.name == name)


class TableConnector(ABC):
    """Reads and writes tables. An object has no state: everything is in the `TableInfo`.

    Before `scan`, `lookup` and `sink` the table passes `check`; before `sink` also, that it takes the rows: updates by
    `takes_updates`, metadata by `writable_metadata`.

    Another package brings one by an entry point of the group ``datastream.table_connectors``, whose name is the
    connector's.

    Attributes:
        name: The value of the option ``connector``.
        options: What stands in the WITH clause beside the options of formats.
        metadata: Keys of metadata that can be read -> type of the values.
        writable_metadata: The keys that can be written.
        overwrites: Whether `sink` heeds `TableInfo.overwrite`. If not, INSERT OVERWRITE is refused.
        looks_up: Whether there is `lookup`, for joins FOR SYSTEM_TIME AS OF a processing time.
        updates: What a table needs so that `takes_updates`, for errors, such as ``with a PRIMARY KEY``; empty: nothing.
            None: no table takes them, or none keeps its rows.
    """

    name: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    metadata: ClassVar[Mapping[str, DataType]] = {}
    writable_metadata: ClassVar[tuple[str, ...]] = ()
    overwrites: ClassVar[bool] = False
    looks_up: ClassVar[bool] = False
    updates: ClassVar[str | None] = None

    @abstractmethod
    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        """A stream of the table's rows: bare tuples of values in the form that they have inside.

        Args:
            env: Where the source is added.
            table: Which table.
            wanted: Which physical and metadata columns, in the order of the tuples; may be empty.

        Raises:
            ValidationError: the table cannot be read, or an option is wrong.
        """

    @abstractmethod
    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        """Write a stream of tuples of the table's physical columns and then `TableInfo.persisted`.

        Args:
            stream: The rows.
            table: Which table.
            updates: Whether the kind of each row (0 +I, 1 -U, 2 +U, 3 -D) comes before its tuple.
            name: The sink's, for people.

        Raises:
            ValidationError: the table cannot be written, or an option is wrong.
        """

    @staticmethod
    def written(stream: DataStream, sink: Sink, settings: Settings, name: str) -> DataStreamSink:
        """Write a stream to a sink, with the parallelism of the table's options.

        Args:
            stream: The rows.
            sink: The sink.
            settings: The table's; `SINK_PARALLELISM` is among them.
            name: The sink's, for people.
        """
        written = stream.sink_to(sink).name(name)
        parallelism = settings["sink.parallelism"]
        return written if parallelism is None else written.set_parallelism(parallelism)

    def lookup(self, table: TableInfo, keys: Sequence[str], wanted: Sequence[str]) -> TableLookup:
        """What finds the rows of keys. It is asked for where `looks_up` says that there is one.

        Args:
            table: Which table.
            keys: The columns of a key, in order.
            wanted: Which physical columns the rows have, in order.

        Raises:
            ValidationError: the table cannot be read so, or an option is wrong.
        """
        raise ValidationError(f"{table}: the connector '{self.name}' cannot be looked up in")

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        """Whether `scan` leaves out rows, all or some, for which a predicate is not true. Default: no.

        Args:
            table: Which table.
            predicate: On a physical column; its values are in the form that they have inside.
        """
        return False

    def skips(self, table: TableInfo, kind: DataType) -> bool:
        """Whether `scan` leaves out fields of ROW columns that are not in `TableInfo.fields`. Default: no.

        Args:
            table: Which table.
            kind: The type of the field. False where a value that does not fit it has to be found.
        """
        return False

    def upsert_key(self, table: TableInfo) -> tuple[str, ...]:
        """The columns of a key by which rows replace each other. Default: none, each row is one more.

        If there are any, `scan` returns rows with their kind in front: 2 for a row that takes the place of the one of
        its key, 3 for one that takes it away, of which only the key's columns are looked at. Rows of a key must come in
        order. Its `wanted` has the key's columns.
        """
        return ()

    def has_changes(self, table: TableInfo) -> bool:
        """Whether rows are changes. Default: no.

        If so, `scan` returns rows with their kind in front: 0 +I, 1 -U, 2 +U, 3 -D, of which the second and the last
        take away a row as it is. The changes of a row must come in order.
        """
        return False

    def takes_updates(self, table: TableInfo) -> bool:
        """Whether the table can be given rows of all kinds. Default: only +I."""
        return False

    def needs_update_before(self, table: TableInfo) -> bool:
        """Whether a changelog has to hold -U before each +U; if not, a row's primary key says which one it replaces."""
        return True

    def check(self, table: TableInfo) -> None:
        """See that the options and columns are what the connector takes. Default: the options.

        Raises:
            ValidationError: they are not.
        """
        self.settings(table)

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        """All options that the table may have. Default: `options` and those that every table has."""
        return (*COMMON, *self.options)

    def settings(self, table: TableInfo) -> Settings:
        """The table's options, read.

        Raises:
            ValidationError: one is unknown, missing or wrong.
        """
        return read_options(table.options, self.options_of(table), str(table))

    def metadata_type(self, key: str, table: TableInfo) -> DataType:
        """The type of the values of a metadata key.

        Raises:
            ValidationError: there is no such key.
        """
        if key not in self.metadata:
            there = ", ".join(self.metadata) or "none"
            raise ValidationError(f"{table}: the connector '{self.name}' has no metadata '{key}'; it has: {there}")
        return self.metadata[key]


class KeyedConnector(TableConnector):
    """A connector whose tables follow all changes of rows if they have a PRIMARY KEY, which says which row one is."""

    updates = "with a PRIMARY KEY"

    def takes_updates(self, table: TableInfo) -> bool:
        return bool(table.primary_key)

    def needs_update_before(self, table: TableInfo) -> bool:
        return not table.primary_key


def check_written(connector: TableConnector, table: TableInfo) -> None:
    """See that the connector can write the metadata columns that are not VIRTUAL.

    Raises:
        ValidationError: it cannot.
    """
    for name in table.persisted:
        key = table.metadata[name]
        if key not in connector.writable_metadata:
            there = ", ".join(connector.writable_metadata) or "none"
            raise ValidationError(
                f"{table}: the connector '{connector.name}' cannot write the metadata '{key}' of the column '{name}': "
                f"declare the column as VIRTUAL; metadata that can be written: {there}"
            )


@contextmanager
def naming(table: TableInfo) -> Iterator[None]:
    """Let errors of what a table's options are given to name the table."""
    try:
        yield
    except (FormatError, UnsupportedOperation, ValidationError) as error:
        raise type(error)(f"{table}: {error}") from None


def only_sink(connector: str) -> ValidationError:
    """The error for reading where one can only write."""
    return ValidationError(f"the connector '{connector}' can only be used as a sink: its tables cannot be read")


def only_source(connector: str) -> ValidationError:
    """The error for writing where one can only read."""
    return ValidationError(f"the connector '{connector}' can only be used as a source: its tables cannot be written")
