"""MySQL and MariaDB."""

from __future__ import annotations

import importlib
import ssl
import urllib.parse
from collections.abc import Sequence
from typing import Any, ClassVar

from datastream.connectors.server_settings import url_parts
from datastream.errors import ValidationError

from ..options import JdbcConnectionOptions
from .base import Dialect, MarkerStatements, first_line

#: What the server says to those whom it does not let in: a wrong name or password, no right, no such database.
_REFUSED = (1044, 1045, 1049, 1698)
#: Many connections, a shutdown, a lock that was waited for too long, a deadlock; and the client's own: it is away.
_AWAY = (1040, 1053, 1080, 1152, 1158, 1159, 1160, 1161, 1203, 1205, 1213, 1927, 2002, 2003, 2006, 2013, 2055)


class MySQL(Dialect):
    """MySQL and MariaDB, by PyMySQL."""

    parameter = "%s"
    quote = "`"
    #: Times of Java's driver, there in ms, here in seconds; parameters that are not known here are dropped.
    _SECONDS: ClassVar[dict[str, str]] = {"connectTimeout": "connect_timeout", "socketTimeout": "read_timeout"}

    def __init__(self, options: JdbcConnectionOptions) -> None:
        super().__init__(options)
        expected = f"expected a URL such as jdbc:mysql://localhost:3306/shop, got {self.shown()}"
        self._parts = url_parts(options.url.removeprefix("jdbc:"), expected)

    def check(self) -> None:
        try:
            importlib.import_module("pymysql")
        except ImportError:
            raise ValidationError("MySQL needs the package PyMySQL: pip install pymysql") from None

    def connect(self, **more: Any) -> Any:
        """A connection.

        Args:
            more: Arguments of PyMySQL's, instead of those of the URL.
        """
        import pymysql

        try:
            return pymysql.connect(**{"charset": "utf8mb4", **self._arguments(), **more})
        except pymysql.MySQLError as error:
            if error.args and error.args[0] in _REFUSED:  # waiting does not help
                raise ValidationError(f"{self.shown()}: {first_line(error)}") from None
            raise ConnectionError(f"{self.shown()}: {first_line(error)}") from None

    def cursor(self, connection: Any, streams: bool) -> Any:
        from pymysql.cursors import Cursor, SSCursor

        return connection.cursor(SSCursor if streams else Cursor)

    def marker_statements(self, table: str) -> MarkerStatements:
        # A text without a length can not be a key, and others take capital letters for small ones.
        return MarkerStatements(table, self.parameter, "VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")

    def _arguments(self) -> dict[str, Any]:
        """The URL as PyMySQL takes it."""
        parts, query = self._parts, dict(urllib.parse.parse_qsl(self._parts.query))
        own: dict[str, Any] = {
            "host": parts.hostname or "localhost",
            "port": parts.port or 3306,
            "user": self._options.user_name or parts.username or query.get("user"),
            "password": self._options.password or parts.password or query.get("password") or "",
            "database": urllib.parse.unquote(parts.path.lstrip("/")) or None,
        }
        for theirs, ours in self._SECONDS.items():
            if query.get(theirs, "").isdigit():
                own[ours] = max(int(query[theirs]) // 1000, 1)
        asked = {"true": "REQUIRED", "false": "DISABLED"}.get(query.get("useSSL", ""), "")
        mode = query.get("sslMode", asked).upper()
        if mode == "DISABLED":
            own["ssl_disabled"] = True
        if mode in ("REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"):
            context = own["ssl"] = ssl.create_default_context()
            context.check_hostname = mode == "VERIFY_IDENTITY"
            context.verify_mode = ssl.CERT_NONE if mode == "REQUIRED" else ssl.CERT_REQUIRED
        return own

    def upsert(self, table: str, columns: Sequence[str], key: Sequence[str]) -> str:
        changed = [self.quoted(name) for name in columns if name not in key] or [self.quoted(key[0])]
        change = ", ".join(f"{name} = VALUES({name})" for name in changed)
        return f"{self.insert(table, columns)} ON DUPLICATE KEY UPDATE {change}"

    def check_key(self, cursor: Any, table: str, key: Sequence[str]) -> None:
        if not key:
            return
        schema, _, name = table.rpartition(".")
        cursor.execute(
            "SELECT index_name, column_name FROM information_schema.statistics WHERE non_unique = 0 "
            "AND table_name = %s AND table_schema = COALESCE(%s, DATABASE())",
            (name, schema or None),
        )
        indexes: dict[str, set[str]] = {}
        for index, column in cursor.fetchall():
            indexes.setdefault(index, set()).add(column.lower())
        if {column.lower() for column in key} not in indexes.values():
            raise self.no_key(table, key)

    def is_away(self, error: Exception) -> bool:
        import pymysql

        if isinstance(error, pymysql.InterfaceError):  # the connection was closed
            return True
        return isinstance(error, pymysql.MySQLError) and bool(error.args) and error.args[0] in _AWAY
