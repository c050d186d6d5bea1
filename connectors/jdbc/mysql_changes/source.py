"""`MySqlChangeSource`: tables of MySQL as they are, then their changes, each once."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Self
from urllib.parse import quote

from datastream.errors import ValidationError, cut
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation

from ..dialects import dialect_of
from ..options import JdbcConnectionOptions
from .positions import FIRST, Position
from .zones import zone_of

METADATA = ("__database_name", "__table_name", "__op_ts")
#: Ids that are not those of servers: these have small ones.
_IDS = (2**24, 2**32 - 1)
_RANGE = re.compile(r"(\d{1,10})(?:\s*-\s*(\d{1,10}))?")


@dataclass(frozen=True)
class StartupOptions:
    """Where a source begins.

    Attributes:
        snapshot: With the rows that are there.
        earliest: With the first change that the log has.
        file: With a file of the log; None: with none.
        at: And a place in it, between two transactions.
        since: Changes before are left out; in seconds since 1970.
        ends: It ends with what is committed when the job starts.
    """

    snapshot: bool = False
    earliest: bool = False
    file: str | None = None
    at: int = FIRST
    since: float = 0
    ends: bool = False

    @staticmethod
    def initial() -> StartupOptions:
        """With the rows that are there, then each change. The default."""
        return StartupOptions(snapshot=True)

    @staticmethod
    def snapshot_only() -> StartupOptions:
        """With the rows that are there; it ends with what is committed when the job starts. Flink's ``snapshot()``."""
        return StartupOptions(snapshot=True, ends=True)

    @staticmethod
    def latest() -> StartupOptions:
        """With changes from now on."""
        return StartupOptions()

    @staticmethod
    def earliest_offset() -> StartupOptions:
        """With all changes that the log has. Flink's ``earliest()``."""
        return StartupOptions(earliest=True)

    @staticmethod
    def specific_offset(file: str, at: int) -> StartupOptions:
        """With changes after a place in the log: between two transactions, as ``SHOW MASTER STATUS`` tells."""
        Position(file, at).order()
        if isinstance(at, bool) or not isinstance(at, int) or at < FIRST:
            raise ValidationError(f"a place in a file of the log is a number, at least {FIRST}, got {cut(at)}")
        return StartupOptions(file=file, at=at)

    @staticmethod
    def timestamp(millis: int) -> StartupOptions:
        """With changes from a time on, in ms since 1970. All of the log is looked through."""
        return StartupOptions(earliest=True, since=millis / 1000)


@dataclass(frozen=True)
class MySqlChangeSource(Source):
    """The rows of tables when the job starts, and every change from then on; exactly once. Made by `builder`.

    Records are `Row`s with the names of the columns. Their kind says what happened: INSERT, UPDATE_BEFORE in front of
    UPDATE_AFTER, DELETE. A row whose primary key changed is deleted and inserted. Values are those that `JdbcSource`
    reads. The offset is a position in the binary log, between two transactions.

    Attributes:
        databases: Regular expressions of whole names.
        tables: Of names with the database in front, such as ``shop\\.orders``.
        connection_options: The server.
        startup: Where it begins.
        time_zone: In which TIMESTAMPs are told; None: the server's.
        server_ids: The lowest and highest number by which it reads the log; others of the server's replicas have
            other ones.
        metadata: Columns after those of the table.
        type_info: Of the rows; None: unknown.
        poll_ms: The log is looked at this often.
        lock: Lock a table while its snapshot is taken, also where the server can do without.
    """

    databases: tuple[str, ...]
    tables: tuple[str, ...]
    connection_options: JdbcConnectionOptions
    startup: StartupOptions = StartupOptions(snapshot=True)
    time_zone: str | None = None
    server_ids: tuple[int, int] = _IDS
    metadata: tuple[str, ...] = ()
    type_info: TypeInformation | None = None
    poll_ms: int = 100
    lock: bool = False

    @staticmethod
    def builder() -> Builder:
        """A builder of sources."""
        return Builder()

    @property
    def ends(self) -> bool:
        """Whether it ends with what is committed when the job starts."""
        return self.startup.ends

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        return self.ends

    @property
    def produced(self) -> Produced:
        return Produced(self.type_info)

    def concerns(self, database: str, table: str) -> bool:
        """Whether a table is read."""
        return _matches(self.databases, database) and _matches(self.tables, f"{database}.{table}")

    def concerns_database(self, database: str) -> bool:
        """Whether tables of a database may be read."""
        return _matches(self.databases, database)

    def validate(self) -> None:
        dialect_of(self.connection_options).check()
        try:
            importlib.import_module("pymysqlreplication")
        except ImportError:
            raise ValidationError(
                "MySqlChangeSource needs the package mysql-replication: pip install mysql-replication"
            ) from None

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import ChangeEnumerator

        return ChangeEnumerator(self, context.spool)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import ChangeReader

        return ChangeReader(self, context.spool)


@lru_cache(4096)
def _matches(patterns: tuple[str, ...], name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


@dataclass(frozen=True)
class Builder:
    """Builds a `MySqlChangeSource`. The names are those of Flink CDC's ``MySqlSource``."""

    _host: str = ""
    _port: int = 3306
    _user: str | None = None
    _password: str | None = field(default=None, repr=False)
    _databases: tuple[str, ...] = ()
    _tables: tuple[str, ...] = ()
    _startup: StartupOptions = StartupOptions(snapshot=True)
    _zone: str | None = None
    _ids: tuple[int, int] = _IDS
    _metadata: tuple[str, ...] = ()
    _timeout_s: float = 30
    _type: TypeInformation | None = None

    def hostname(self, host: str) -> Self:
        """Set the server."""
        return replace(self, _host=host)

    def port(self, port: int) -> Self:
        """Set its port. Default: 3306."""
        return replace(self, _port=port)

    def username(self, name: str) -> Self:
        """Set the user, who needs SELECT, REPLICATION SLAVE and REPLICATION CLIENT (in MariaDB BINLOG MONITOR)."""
        return replace(self, _user=name)

    def password(self, password: str) -> Self:
        """Set the password. Never shown."""
        return replace(self, _password=password)

    def database_list(self, *databases: str) -> Self:
        """Set regular expressions of the whole names of databases."""
        return replace(self, _databases=databases)

    def table_list(self, *tables: str) -> Self:
        """Set regular expressions of the whole names of tables with their database, such as ``shop\\.orders``."""
        return replace(self, _tables=tables)

    def startup_options(self, startup: StartupOptions) -> Self:
        """Set where it begins. Default: `StartupOptions.initial`."""
        return replace(self, _startup=startup)

    def server_time_zone(self, zone: str) -> Self:
        """Set the zone in which TIMESTAMPs are told. Default: the server's."""
        zone_of(zone)
        return replace(self, _zone=zone)

    def server_id(self, id: str) -> Self:
        """Set the number by which it reads the log, or a range of numbers such as ``5400-5408``; no replica has it."""
        found = _RANGE.fullmatch(id) if isinstance(id, str) else None
        low = int(found[1]) if found else 0
        high = int(found[2] or low) if found else 0
        if not 0 < low <= high < 2**32:
            raise ValidationError(f"server_id is a number or a range such as '5400-5408', got {cut(id)}")
        return replace(self, _ids=(low, high))

    def connect_timeout(self, seconds: float) -> Self:
        """Set how long it waits for a connection. Default: 30 s."""
        return replace(self, _timeout_s=seconds)

    def include_metadata(self, *names: str) -> Self:
        """Add columns: ``__database_name``, ``__table_name``, ``__op_ts`` (ms since 1970; 0: of a snapshot)."""
        for name in names:
            if name not in METADATA:
                raise ValidationError(f"metadata may be {', '.join(METADATA)}, got {cut(name)}")
        return replace(self, _metadata=names)

    def set_type_information(self, type_info: TypeInformation) -> Self:
        """Set the type of the rows. Default: unknown."""
        return replace(self, _type=type_info)

    def build(self) -> MySqlChangeSource:
        """The source.

        Raises:
            ValidationError: There is no server, no database or no table.
        """
        if not isinstance(self._host, str) or not self._host:
            raise ValidationError("MySqlChangeSource: call hostname with the server")
        for call, patterns in (("database_list", self._databases), ("table_list", self._tables)):
            _check_patterns(call, patterns)
        if not isinstance(self._startup, StartupOptions):
            raise ValidationError(
                f"MySqlChangeSource: startup_options takes StartupOptions, such as StartupOptions.initial(), got "
                f"{cut(self._startup)}"
            )
        host = quote(self._host, safe=":[]")
        url = f"jdbc:mysql://{host}:{self._port}/?connectTimeout={int(self._timeout_s * 1000)}"
        return MySqlChangeSource(
            self._databases,
            self._tables,
            JdbcConnectionOptions(url, None, self._user, self._password),
            self._startup,
            self._zone,
            self._ids,
            self._metadata,
            self._type,
        )


def _check_patterns(call: str, patterns: Sequence[str]) -> None:
    if not patterns:
        raise ValidationError(f"MySqlChangeSource: call {call} with names, which are regular expressions")
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValidationError(
                f"MySqlChangeSource: {call} takes regular expressions, got {cut(pattern)}: {error}"
            ) from None
