"""Reads changes from MySQL's log, by the package mysql-replication; values are read here."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from datastream.errors import FormatError, JobError, cut

from .positions import Position
from .server import STATEMENT, Server
from .values import Read, reader_of
from .zones import zone_of

if TYPE_CHECKING:
    from .source import MySqlChangeSource

#: A server that says nothing for so long is away.
_SILENCE_S = 60


@dataclass(frozen=True)
class LogTable:
    """A table as the log describes it.

    Attributes:
        schema: Its database.
        name: Its name there.
        columns: Names.
        key: Positions of the columns of the primary key.
        readers: Of the columns' values.
    """

    schema: str
    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    readers: tuple[Read, ...]


class Change(NamedTuple):
    """What became of a row.

    Attributes:
        table: Of it.
        before: Its values before; None: it was not there.
        after: Its values after; None: it is not there any more.
        position: Of the log, inside of the transaction.
        seconds: When, since 1970.
    """

    table: LogTable
    before: list[Any] | None
    after: list[Any] | None
    position: Position
    seconds: int


class Log:
    """The changes of the tables.

    Args:
        source: The settings.
        server: Where the log is.
    """

    def __init__(self, source: MySqlChangeSource, server: Server) -> None:
        self._source, self._server = source, server
        self._checked: set[tuple[str, str]] = set()

    def changes(self, begin: Position, end: Position, zone: str) -> Generator[Change, None, None]:
        """The changes between two positions, in order.

        Args:
            begin: Between two transactions.
            end: Also.
            zone: In which TIMESTAMPs are told.

        Raises:
            CheckpointDamaged: The log has not all of it any more.
            ConnectionError: The server is away.
            FormatError: The log does not tell all of a change.
        """
        import pymysql

        try:
            yield from self._read(begin, end, zone_of(zone))
        except pymysql.MySQLError as error:
            raise self._server.explained(error) from error
        except OSError as error:
            raise ConnectionError(f"{self._server.shown()}: {error}") from error

    def _read(self, begin: Position, end: Position, zone: tzinfo) -> Iterator[Change]:
        from pymysqlreplication.event import QueryEvent, RotateEvent, XAPrepareEvent, XidEvent
        from pymysqlreplication.row_event import DeleteRowsEvent, RowsEvent, UpdateRowsEvent, WriteRowsEvent

        tables: dict[Any, tuple[Any, LogTable | None]] = {}
        touched = False  # the transaction has rows of the tables
        with closing(self._stream(begin)) as stream:
            while (event := stream.fetchone()) is not None:
                here = Position(stream.log_file, stream.log_pos)
                if here > end:
                    return
                if isinstance(event, RowsEvent):
                    table = self._table(tables, event, here, zone)
                    if table is not None:
                        touched = True
                        kinds = (WriteRowsEvent, DeleteRowsEvent, UpdateRowsEvent)
                        shape = next((kind for kind in kinds if type(event) is kind), None)
                        if shape is None:
                            raise FormatError(f"{_what(table, here)}: the log holds parts of JSON values alone")
                        for before, after in _rows(event, table, here, shape is not DeleteRowsEvent):
                            yield Change(table, before, after, here, event.timestamp)
                elif isinstance(event, XAPrepareEvent) and touched:
                    raise FormatError(
                        f"{self._server.shown()}, {here}: a transaction of XA changes tables that are read, and the "
                        "log does not tell there whether it is committed; XA is not read"
                    )
                elif isinstance(event, QueryEvent):
                    self._check(event, here)
                    touched = touched and event.query not in ("BEGIN", "COMMIT", "ROLLBACK")
                elif isinstance(event, XidEvent):
                    touched = False
                if here == end and not isinstance(event, RotateEvent):
                    return
            if Position(stream.log_file, stream.log_pos) < end:
                raise ConnectionError(f"{self._server.shown()}: the log ended before {end}, where it had been longer")

    def _stream(self, begin: Position) -> Any:
        from pymysqlreplication import BinLogStreamReader
        from pymysqlreplication.event import QueryEvent, RotateEvent, XAPrepareEvent, XidEvent
        from pymysqlreplication.row_event import (
            DeleteRowsEvent,
            PartialUpdateRowsEvent,
            TableMapEvent,
            UpdateRowsEvent,
            WriteRowsEvent,
        )

        def connect(**settings: Any) -> Any:
            given = {"database" if name == "db" else name: value for name, value in settings.items()}
            return self._server.connect(**{**given, "charset": "utf8mb4", "read_timeout": _SILENCE_S})

        rows = [WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent, PartialUpdateRowsEvent, TableMapEvent]
        low, high = self._source.server_ids
        return BinLogStreamReader(
            connection_settings={},
            pymysql_wrapper=connect,
            server_id=random.randint(low, high),
            only_events=[*rows, QueryEvent, RotateEvent, XAPrepareEvent, XidEvent],
            resume_stream=True,
            log_file=begin.file,
            log_pos=begin.at,
            enable_logging=False,
        )

    def _table(self, known: dict[Any, Any], event: Any, here: Position, zone: tzinfo) -> LogTable | None:
        described = event.table_map.get(event.table_id)
        if described is None:
            return None
        found = known.get(event.table_id)
        if found is None or found[0] is not described:
            concerned = self._source.concerns(described.schema, described.table)
            found = known[event.table_id] = (described, self._made(described, here, zone) if concerned else None)
        made: LogTable | None = found[1]
        return made

    def _made(self, described: Any, here: Position, zone: tzinfo) -> LogTable:
        schema, name, columns = described.schema, described.table, described.columns
        if any(column.name is None for column in columns):
            raise FormatError(
                f"{self._server.shown()}, {here}: the log does not name the columns of {schema}.{name}: it was written "
                "before binlog_row_metadata was FULL, or by a session that set it; start the job anew"
            )
        if (schema, name) not in self._checked:
            self._server.check_types(schema, name)
            self._checked.add((schema, name))
        readers = []
        for column in columns:
            try:
                readers.append(reader_of(column, zone))
            except JobError as error:
                raise JobError(
                    f"{self._server.shown()}, {here}: column {column.name!r} of {schema}.{name}: {error}"
                ) from None
        key = tuple(i for i, column in enumerate(columns) if column.is_primary)
        if not key:
            raise FormatError(
                f"{self._server.shown()}, {here}: {schema}.{name} has no primary key, and its rows are known by that"
            )
        return LogTable(schema, name, tuple(column.name for column in columns), key, tuple(readers))

    def _check(self, event: Any, here: Position) -> None:
        """See that a statement is none that changes rows without the log telling which."""
        schema = event.schema.decode() if isinstance(event.schema, bytes) else event.schema
        if STATEMENT.match(event.query) and self._source.concerns_database(schema):
            raise FormatError(
                f"{self._server.shown()}, {here}: the log holds a statement instead of the rows that it changed, "
                f"{cut(event.query)}: a session had set binlog_format to another than ROW; start the job anew"
            )


def _what(table: LogTable, here: Position) -> str:
    return f"{table.schema}.{table.name}, {here}"


def _rows(
    event: Any, table: LogTable, here: Position, has_after: bool
) -> Iterator[tuple[list[Any] | None, list[Any] | None]]:
    """The rows of an event, before and after."""
    masks = [event.columns_present_bitmap, *filter(None, [getattr(event, "columns_present_bitmap2", None)])]
    count = len(table.columns)
    whole = (1 << count) - 1
    if any(int.from_bytes(mask, "little") & whole != whole for mask in masks):
        raise FormatError(
            f"{_what(table, here)}: the log does not hold all columns of a row: a session had set binlog_row_image to "
            "another than FULL; start the job anew"
        )
    data = event.packet.read(event.event_size - event.packet.read_bytes)
    at = 0
    while at < len(data):
        first, at = _row(data, at, table, here)
        if len(masks) == 2:
            second, at = _row(data, at, table, here)
            yield first, second
        else:
            yield (None, first) if has_after else (first, None)


def _row(data: bytes, at: int, table: LogTable, here: Position) -> tuple[list[Any], int]:
    readers: Sequence[Read] = table.readers
    size = (len(readers) + 7) // 8
    nulls = int.from_bytes(data[at : at + size], "little")
    at += size
    values: list[Any] = []
    for i, read in enumerate(readers):
        if nulls >> i & 1:
            values.append(None)
            continue
        try:
            value, at = read(data, at)
        except (ValueError, IndexError, JobError) as error:
            raise FormatError(f"{_what(table, here)}: column {table.columns[i]!r} cannot be read: {error}") from None
        values.append(value)
    return values, at
