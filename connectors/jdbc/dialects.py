"""Databases: the driver of Python for a URL of JDBC's, and what differs between them."""

from __future__ import annotations

import importlib
import re
import urllib.parse
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from datastream.errors import ValidationError
from datastream.types import Row

from .options import JdbcConnectionOptions
from .secrets import shown

#: What PostgreSQL says to those whom it does not let in.
_REFUSED = re.compile(
    r"authentication failed|no password supplied|no pg_hba.conf entry|(role|database) .* does not exist|"
    r"does not support SSL"
)


class MarkerStatements:
    """What is asked of a table of markers.

    Attributes:
        create: Creates it unless it is there.
        read: Reads a marker by its name.
        first: Makes a marker: name and epoch. Fails if there is one.
        move: Moves a marker: new epoch, name and old epoch. Changes no row if it is another one.
    """

    def __init__(self, table: str, parameter: str) -> None:
        self.create = f"CREATE TABLE IF NOT EXISTS {table} (name TEXT PRIMARY KEY, epoch BIGINT NOT NULL)"
        self.read = f"SELECT epoch FROM {table} WHERE name = {parameter}"
        self.first = f"INSERT INTO {table} VALUES ({parameter}, {parameter})"
        self.move = f"UPDATE {table} SET epoch = {parameter} WHERE name = {parameter} AND epoch = {parameter}"


class Dialect(ABC):
    """One kind of database.

    Attributes:
        parameter: How the driver marks a parameter.
    """

    parameter: ClassVar[str]

    def __init__(self, options: JdbcConnectionOptions) -> None:
        self._options = options

    @abstractmethod
    def check(self) -> None:
        """See whether the driver is there, and the URL has all that is needed.

        Raises:
            ValidationError: It is not.
        """

    @abstractmethod
    def connect(self) -> Any:
        """A connection of PEP 249, with no transaction open.

        Raises:
            ConnectionError: The database is away, or lets nobody in.
        """

    def cursor(self, connection: Any, streams: bool) -> Any:
        """A cursor; one that streams does not fetch all rows of a query at once."""
        return connection.cursor()

    def marker_statements(self, table: str) -> MarkerStatements:
        """Statements for a table of markers."""
        return MarkerStatements(table, self.parameter)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Within the block, a database that is away raises a ConnectionError, which may pass."""
        try:
            yield
        except Exception as error:
            if self._is_away(error):
                raise ConnectionError(f"{self.shown()}: {_first_line(error)}") from error
            raise

    @abstractmethod
    def _is_away(self, error: Exception) -> bool: ...

    def value(self, value: Any) -> Any:
        """A value as the driver takes it."""
        return value

    def shown(self) -> str:
        """The database's URL without secrets."""
        return shown(self._options.url)


class PostgreSQL(Dialect):
    """PostgreSQL, by psycopg 3."""

    parameter = "%s"
    #: Parameters of Java's driver that are libpq's by other names, or not needed.
    _RENAMED: ClassVar[dict[str, str]] = {"ApplicationName": "application_name", "loginTimeout": "connect_timeout"}
    _DROPPED = ("reWriteBatchedInserts", "stringtype", "prepareThreshold", "defaultRowFetchSize", "tcpKeepAlive")

    def check(self) -> None:
        try:
            importlib.import_module("psycopg")
        except ImportError:
            raise ValidationError("PostgreSQL needs the package psycopg: pip install 'psycopg[binary]'") from None

    def connect(self) -> Any:
        import psycopg

        given = {"user": self._options.user_name, "password": self._options.password}
        own: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        try:
            return psycopg.connect(self._conninfo(), **own)
        except psycopg.OperationalError as error:
            if _REFUSED.search(str(error)):  # waiting does not help
                raise ValidationError(f"{self.shown()}: {_first_line(error)}") from None
            raise ConnectionError(f"{self.shown()}: {_first_line(error)}") from None
        except psycopg.ProgrammingError as error:
            raise ValidationError(f"{self.shown()}: {_first_line(error)}") from None

    def cursor(self, connection: Any, streams: bool) -> Any:
        return connection.cursor("datastream") if streams else connection.cursor()

    def _conninfo(self) -> str:
        """The URL as libpq takes it."""
        parts = urllib.parse.urlsplit(self._options.url.removeprefix("jdbc:"))
        query = []
        for key, value in urllib.parse.parse_qsl(parts.query):
            if key == "ssl":
                query.append(("sslmode", "require" if value != "false" else "prefer"))
            elif key == "currentSchema":
                query.append(("options", f"-csearch_path={value}"))
            elif key not in self._DROPPED:
                query.append((self._RENAMED.get(key, key), value))
        return urllib.parse.urlunsplit(
            parts._replace(query=urllib.parse.urlencode(query, quote_via=urllib.parse.quote))
        )

    def _is_away(self, error: Exception) -> bool:
        import psycopg

        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


class SQLite(Dialect):
    """SQLite, of the standard library. One writer at a time: the others wait."""

    parameter = "?"
    _WAIT_S = 60.0

    def check(self) -> None:
        if self._path() in ("", ":memory:"):
            raise ValidationError(
                f"{self._options.url}: a database in memory is of one process alone, and workers are several: name a "
                "file"
            )

    def connect(self) -> Any:
        import sqlite3

        with self.away():
            return sqlite3.connect(self._path(), timeout=self._WAIT_S, check_same_thread=False)

    def _path(self) -> str:
        return self._options.url.removeprefix("jdbc:sqlite:").partition("?")[0]

    def _is_away(self, error: Exception) -> bool:
        import sqlite3

        busy = ("locked", "busy", "unable to open", "disk I/O")
        return isinstance(error, sqlite3.OperationalError) and any(word in str(error) for word in busy)

    def value(self, value: Any) -> Any:
        """SQLite knows numbers, texts and bytes: all else as text, as Java's driver writes it."""
        if isinstance(value, (datetime, date, time)):
            return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
        if isinstance(value, (Decimal, timedelta)):
            return str(value)
        return value


_DIALECTS: dict[str, type[Dialect]] = {"postgresql": PostgreSQL, "sqlite": SQLite}


def dialect_of(options: JdbcConnectionOptions) -> Dialect:
    """The kind of a database.

    Raises:
        ValidationError: The URL is none of JDBC's, or of a database without a driver here.
    """
    found = re.match(r"jdbc:([a-z0-9]+):", options.url)
    if found is None:
        example = "jdbc:postgresql://host/db"
        raise ValidationError(f"a database's URL begins with jdbc:, such as {example}, got {shown(options.url)}")
    kind = _DIALECTS.get(found[1])
    if kind is None:
        raise ValidationError(f"there is no driver for {shown(options.url)}; there are {', '.join(_DIALECTS)}")
    return kind(options)


def row_of(record: Any) -> tuple[Any, ...]:
    """The fields of a record: of a `Row`, a tuple, a list, or any other object as one field."""
    if isinstance(record, Row):
        return tuple(record._values)
    if isinstance(record, (tuple, list)):
        return tuple(record)
    return (record,)


def _first_line(error: Exception) -> str:
    return shown((str(error).splitlines() or [type(error).__name__])[0])
