"""PostgreSQL."""

from __future__ import annotations

import importlib
import re
import urllib.parse
from typing import Any, ClassVar

from datastream.errors import ValidationError

from ..options import JdbcConnectionOptions
from .base import Dialect, first_line

#: What PostgreSQL says to those whom it does not let in.
_REFUSED = re.compile(
    r"authentication failed|no password supplied|no pg_hba.conf entry|(role|database) .* does not exist|"
    r"does not support SSL"
)


class PostgreSQL(Dialect):
    """PostgreSQL, by psycopg 3."""

    parameter = "%s"
    #: Parameters of Java's driver that are libpq's by other names, or not needed.
    _RENAMED: ClassVar[dict[str, str]] = {"ApplicationName": "application_name", "loginTimeout": "connect_timeout"}
    _DROPPED = ("reWriteBatchedInserts", "stringtype", "prepareThreshold", "defaultRowFetchSize", "tcpKeepAlive")

    def __init__(self, options: JdbcConnectionOptions) -> None:
        super().__init__(options)
        try:  # what is wrong with a host or port libpq tells, which takes several of them
            self._parts = urllib.parse.urlsplit(options.url.removeprefix("jdbc:"))
        except ValueError as error:
            expected = "expected a URL such as jdbc:postgresql://localhost:5432/shop"
            raise ValidationError(f"{expected}, got {self.shown()}: {error}") from None

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
                raise ValidationError(f"{self.shown()}: {first_line(error)}") from None
            raise ConnectionError(f"{self.shown()}: {first_line(error)}") from None
        except psycopg.ProgrammingError as error:
            raise ValidationError(f"{self.shown()}: {first_line(error)}") from None

    def cursor(self, connection: Any, streams: bool) -> Any:
        return connection.cursor("datastream") if streams else connection.cursor()

    def _conninfo(self) -> str:
        """The URL as libpq takes it."""
        query = []
        for key, value in urllib.parse.parse_qsl(self._parts.query):
            if key == "ssl":
                query.append(("sslmode", "require" if value != "false" else "prefer"))
            elif key == "currentSchema":
                query.append(("options", f"-csearch_path={value}"))
            elif key not in self._DROPPED:
                query.append((self._RENAMED.get(key, key), value))
        return urllib.parse.urlunsplit(
            self._parts._replace(query=urllib.parse.urlencode(query, quote_via=urllib.parse.quote))
        )

    def is_away(self, error: Exception) -> bool:
        import psycopg

        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))

    def took_too_long(self, error: Exception) -> bool:
        import psycopg

        return isinstance(error, psycopg.errors.QueryCanceled)
