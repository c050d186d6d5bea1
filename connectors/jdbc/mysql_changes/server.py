"""The tables and the log of a MySQL, as statements to the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from datastream.errors import CheckpointDamaged, DataStreamError, ValidationError

from ..dialects import MySQL
from ..dialects.base import first_line
from .keys import FIT, Key, quoted
from .positions import FIRST, Position
from .zones import zone_of

if TYPE_CHECKING:
    from .source import MySqlChangeSource

#: Databases of the server itself.
_OWN = ("mysql", "information_schema", "performance_schema", "sys")
_SHAPES = ("point", "linestring", "polygon", "geometry")
_UNREAD = frozenset({*_SHAPES, *(f"multi{shape}" for shape in _SHAPES), "geometrycollection", "geomcollection"}) | {
    "vector",
    "uuid",
    "inet4",
    "inet6",
}
#: Variables of the server and what they must be, so that the log tells all of each row; without the variable none
#: needs to be set, but for those that are required.
_SETTINGS = {
    "log_bin": ("ON",),
    "binlog_format": ("ROW",),
    "binlog_row_image": ("FULL",),
    "binlog_row_metadata": ("FULL",),
    "binlog_row_value_options": ("",),
    "binlog_transaction_compression": ("OFF",),
    "log_bin_compress": ("OFF",),
}
_REQUIRED = ("log_bin", "binlog_row_metadata")
_TIMESTAMP = 7  # number of the type in results
_SYNTAX, _CHANGED_TABLE, _NO_LOG = 1064, 1412, (1220, 1236, 1373)


@dataclass(frozen=True)
class Table:
    """A table that is read.

    Attributes:
        schema: Its database.
        name: Its name there.
        key: The primary key.
    """

    schema: str
    name: str
    key: Key

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def quoted(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"


@dataclass(frozen=True)
class Part:
    """The rows of a range of keys at a moment.

    Attributes:
        position: Transactions that end until here have been seen, later ones not.
        columns: Names.
        rows: Values as PyMySQL has them.
    """

    position: Position
    columns: tuple[str, ...]
    rows: list[list[Any]]


@dataclass(frozen=True)
class LogEvent:
    """An event of the log, without its data: its type, where it ends, and what the server tells of it."""

    type: str
    end: int
    info: str


class Server:
    """What the source asks of the server, by one connection, made when it is needed and again after an error.

    Args:
        source: The settings.
    """

    def __init__(self, source: MySqlChangeSource) -> None:
        self._source = source
        self._dialect = MySQL(source.connection_options)
        self._connection: Any = None
        self._status: str | None = None

    # -- before the start --------------------------------------------------------------------------

    def check(self) -> None:
        """See that the log has all that is needed.

        Raises:
            ValidationError: It has not; says what to do.
        """
        names = ", ".join(f"'{name}'" for name in _SETTINGS)
        found = dict(self.ask(f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})"))
        for name, allowed in _SETTINGS.items():
            value = found.get(name)
            if value is None and name in _REQUIRED:
                raise ValidationError(
                    f"{self.shown()}: the server has no {name}, so its log does not name columns: change capture needs "
                    "MySQL 8.0.14 or MariaDB 10.5, or later"
                )
            if value is not None and value.upper() not in allowed:
                needed = allowed[0] or "''"
                how = "start the server with --log-bin" if name == "log_bin" else f"SET GLOBAL {name} = {needed}"
                raise ValidationError(f"{self.shown()}: {name} is {value!r}, and change capture needs {needed}: {how}")

    def zone(self) -> str:
        """The server's own time zone.

        Raises:
            ValidationError: Its name does not say which it is.
        """
        ((zone, system),) = self.ask("SELECT @@global.time_zone, @@global.system_time_zone")
        name = str(system if zone == "SYSTEM" else zone)
        with suppress(ValidationError):
            zone_of(name)
            return name
        raise ValidationError(
            f"{self.shown()}: the server's time zone is {name!r}, which may be several: call server_time_zone with its "
            "name, such as Europe/Berlin"
        )

    def tables(self) -> list[Table]:
        """The tables whose names match, in order of their names.

        Raises:
            ValidationError: There is none, one has no primary key or one that does not do, or a type that is not read.
        """
        own = ", ".join(f"'{name}'" for name in _OWN)
        names = self.ask(
            "SELECT table_schema, table_name FROM information_schema.tables "
            f"WHERE table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') AND table_schema NOT IN ({own}) ORDER BY 1, 2"
        )
        chosen = [(schema, name) for schema, name in names if self._source.concerns(schema, name)]
        if not chosen:
            raise ValidationError(
                f"{self.shown()}: no table matches database_list {list(self._source.databases)} and table_list "
                f"{list(self._source.tables)}, which are regular expressions of whole names"
            )
        return [self._table(schema, name) for schema, name in chosen]

    def _table(self, schema: str, name: str) -> Table:
        self.check_types(schema, name)
        key = self.ask(
            "SELECT s.column_name, c.data_type, s.sub_part FROM information_schema.statistics s "
            "JOIN information_schema.columns c USING (table_schema, table_name, column_name) "
            "WHERE s.table_schema = %s AND s.table_name = %s AND s.index_name = 'PRIMARY' ORDER BY s.seq_in_index",
            schema,
            name,
        )
        if not key:
            raise ValidationError(
                f"{schema}.{name} has no primary key, and its rows are known by that: ALTER TABLE {schema}.{name} ADD "
                "PRIMARY KEY (...)"
            )
        if any(part is not None for _, _, part in key):
            raise ValidationError(f"{schema}.{name}: its primary key holds a part of a column alone, which is not read")
        table = Table(schema, name, Key(tuple(column for column, _, _ in key), tuple(str(type) for _, type, _ in key)))
        if self._source.startup.snapshot:
            for column, type in zip(table.key.columns, table.key.types, strict=True):
                if type not in FIT:
                    raise ValidationError(
                        f"{table}: column {column!r} of its primary key is a {type}, and a table is read by ranges of "
                        f"its key, which may be {', '.join(sorted(FIT))}; or start with StartupOptions.latest()"
                    )
        return table

    def check_types(self, schema: str, name: str) -> None:
        """See that no column of a table has a type that is not read.

        Raises:
            ValidationError: One has.
        """
        for column, type in self.ask(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = %s AND table_name = %s",
            schema,
            name,
        ):
            if type.lower() in _UNREAD:
                raise ValidationError(
                    f"{schema}.{name}: column {column!r} is a {type}, and change capture does not read that type"
                )

    # -- the log -----------------------------------------------------------------------------------

    def position(self) -> Position:
        """Where the log ends."""
        ((file, at, *_),) = self._log_status()
        return Position(file, int(at))

    def _log_status(self) -> list[Any]:
        if self._status is None:  # MySQL renamed it in version 8.2, and dropped the old name in 8.4
            try:
                found = self.ask("SHOW BINARY LOG STATUS")
                self._status = "SHOW BINARY LOG STATUS"
            except ValidationError as error:
                if getattr(error.__cause__, "args", (0,))[0] != _SYNTAX:
                    raise
                self._status = "SHOW MASTER STATUS"
                found = self.ask(self._status)
        else:
            found = self.ask(self._status)
        if not found:
            raise ValidationError(f"{self.shown()}: the server writes no log: start it with --log-bin")
        return found

    def files(self) -> list[tuple[str, int]]:
        """The files of the log and their sizes, in order."""
        return [(row[0], int(row[1])) for row in self.ask("SHOW BINARY LOGS")]

    def first(self) -> Position:
        """Where the log begins."""
        return Position(self.files()[0][0], FIRST)

    def require(self, position: Position) -> list[tuple[str, int]]:
        """See that the log still has all from a position on; its files.

        Raises:
            CheckpointDamaged: It has not.
        """
        files = self.files()
        size = dict(files).get(position.file)
        if size is None:
            raise CheckpointDamaged(
                f"{self.shown()}: the log does not have {position} any more, where the job is to go on, so changes are "
                f"missing: its first file is {files[0][0] if files else 'none'}; the server keeps it for "
                "binlog_expire_logs_seconds (expire_logs_days); start the job anew"
            )
        if size < position.at:
            raise CheckpointDamaged(
                f"{self.shown()}: {position.file} of the log has {size} bytes, and the job is to go on at {position}: "
                "it is the log of another server, or was reset; start the job anew"
            )
        return files

    def events(self, position: Position, count: int) -> list[LogEvent]:
        """The next events of a file, at most so many."""
        file = position.file.replace("'", "''").replace("%", "%%")
        found = self.ask(f"SHOW BINLOG EVENTS IN '{file}' FROM {position.at} LIMIT {count}")
        return [LogEvent(type, int(end), info or "") for _, _, type, _, end, info, *_ in found]

    # -- the tables --------------------------------------------------------------------------------

    def last_keys(self, tables: Sequence[Table]) -> tuple[Position, list[list[Any] | None]]:
        """The highest key of each table, None where it is empty; and the position of that moment."""
        lasts: list[list[Any] | None] = []
        with self._snapshot(tables) as (cursor, position):
            for table in tables:
                key = table.key
                cursor.execute(
                    f"SELECT {', '.join(key.expressions())} FROM {table.quoted} ORDER BY {key.order(' DESC')} LIMIT 1",
                    (),
                )
                found = cursor.fetchone()
                lasts.append(None if found is None else key.of_result(found))
        return position, lasts

    def nth_key(self, table: Table, after: list[Any] | None, n: int) -> list[Any] | None:
        """The n-th key after another one; None: there are not as many."""
        key = table.key
        where, parameters = key.range(after, None)
        found = self.ask(
            f"SELECT {', '.join(key.expressions())} FROM {table.quoted} {where} ORDER BY {key.order()} "
            f"LIMIT 1 OFFSET {n - 1}",
            *parameters,
        )
        return key.of_result(found[0]) if found else None

    def part(self, table: Table, after: list[Any] | None, last: list[Any], zone: str) -> Part:
        """The rows after a key up to another one.

        Args:
            table: Of it.
            after: A key; None: from the first on.
            last: The last key.
            zone: In which TIMESTAMPs are told.
        """
        where, parameters = table.key.range(after, last)
        with self._snapshot([table]) as (cursor, position):
            cursor.execute("SET time_zone = '+00:00'")
            cursor.execute(f"SELECT * FROM {table.quoted} {where} ORDER BY {table.key.order()}", parameters)
            rows = [list(row) for row in cursor.fetchall()]
            described = [(column[0], column[1]) for column in cursor.description]
        told = zone_of(zone)
        for i, (_, type) in enumerate(described):
            if type == _TIMESTAMP:
                for row in rows:
                    if isinstance(row[i], datetime):  # else NULL, or the text of a day that is none
                        row[i] = row[i].replace(tzinfo=UTC).astimezone(told).replace(tzinfo=None)
        return Part(position, tuple(name for name, _ in described), rows)

    @contextmanager
    def _snapshot(self, tables: Sequence[Table]) -> Iterator[tuple[Any, Position]]:
        """A transaction that sees the tables at one moment, and the position of that moment.

        MariaDB tells the position of a snapshot, and nothing is locked. In MySQL the tables are locked against writes
        while the snapshot is taken, not while it is read.
        """
        with self._cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SHOW STATUS LIKE 'binlog_snapshot_file'")
            if cursor.fetchall() and not self._source.lock:
                cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
                cursor.execute("SHOW STATUS LIKE 'binlog_snapshot_%'")
                found = {name.lower(): value for name, value in cursor.fetchall()}
                yield cursor, Position(found["binlog_snapshot_file"], int(found["binlog_snapshot_position"]))
                return
            with (
                closing(Server(self._source)) as other,
                closing(self._dialect.connect()) as locking,
                closing(locking.cursor()) as lock,
            ):
                other.position()  # it is connected
                lock.execute(f"LOCK TABLES {', '.join(f'{table.quoted} READ' for table in tables)}", ())
                cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
                position = other.position()
            yield cursor, position

    # -- statements --------------------------------------------------------------------------------

    def shown(self) -> str:
        """The server's URL without secrets."""
        return self._dialect.shown()

    def connect(self, **more: Any) -> Any:
        """Another connection."""
        return self._dialect.connect(**more)

    def ask(self, statement: str, *parameters: Any) -> list[Any]:
        """All rows of a statement."""
        with self._cursor() as cursor:
            cursor.execute(statement, parameters)
            return list(cursor.fetchall())

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor in a transaction of its own."""
        try:
            with self._dialect.away():
                if self._connection is None:
                    self._connection = self._dialect.connect()
                with closing(self._connection.cursor()) as cursor:
                    yield cursor
                self._connection.rollback()
        except (ConnectionError, DataStreamError):
            self.close()
            raise
        except Exception as error:
            self.close()
            raise self.explained(error) from error
        except BaseException:
            self.close()
            raise

    def explained(self, error: Exception) -> Exception:
        """What an error of the driver means."""
        import pymysql

        if not isinstance(error, pymysql.MySQLError):
            return error
        code = error.args[0] if error.args else None
        says = f"{self.shown()}: {first_line(error)}"
        if self._dialect.is_away(error) or code == _CHANGED_TABLE:
            return ConnectionError(says)
        if code in _NO_LOG:
            return CheckpointDamaged(f"{says}; the log does not have what is to be read any more: start the job anew")
        return ValidationError(says)

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken
                connection.close()


#: A statement that changes rows, which the log should have as rows.
STATEMENT = re.compile(r"\s*(/\*.*?\*/\s*)*(insert|update|delete|replace|load)\b", re.IGNORECASE | re.DOTALL)
