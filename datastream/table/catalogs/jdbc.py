"""`JdbcCatalog`: the databases and tables of a PostgreSQL or MySQL server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.errors import TableNotExistException
from datastream.table.catalogs.jdbc_types import ColumnOfDatabase, mysql_type, postgres_type
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.read_only import ReadOnlyCatalog
from datastream.table.catalogs.schema import Schema

if TYPE_CHECKING:
    from datastream.connectors.jdbc import JdbcConnectionOptions

_POSTGRES, _MYSQL = "jdbc:postgresql:", ("jdbc:mysql:", "jdbc:mariadb:")
_HIDDEN = {True: ("template0", "template1"), False: ("information_schema", "mysql", "performance_schema", "sys")}
_COLUMNS = """
SELECT column_name, {kind}, is_nullable, character_maximum_length, numeric_precision, numeric_scale, datetime_precision
FROM information_schema.columns WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"""
_KEY = """
SELECT k.column_name, k.constraint_name FROM information_schema.table_constraints AS t
JOIN information_schema.key_column_usage AS k ON k.constraint_name = t.constraint_name
AND k.table_schema = t.table_schema AND k.table_name = t.table_name
WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = %s AND t.table_name = %s ORDER BY k.ordinal_position"""
_TABLES = "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"


class JdbcCatalog(ReadOnlyCatalog):
    """A catalog whose databases and tables are those of a server. It makes none, and keeps functions itself.

    Of PostgreSQL the names of tables have their schema in front, ``sales.orders``; ``public`` may be left out.

    Args:
        catalog_name: Its name.
        default_database: The current database at first.
        username: The user.
        pwd: The user's password. Never shown.
        base_url: The server: ``jdbc:postgresql://host:port`` or ``jdbc:mysql://host:port``.
        comment: For people. An addition to PyFlink's parameters.

    Raises:
        ValidationError: The URL is of something else, or the server has no such database.
        ConnectionError: The server is away.
    """

    def __init__(
        self,
        catalog_name: str,
        default_database: str,
        username: str,
        pwd: str,
        base_url: str,
        comment: str | None = None,
    ) -> None:
        self._url = base_url.rstrip("/")
        self._is_postgres = self._url.startswith(_POSTGRES)
        if not self._is_postgres and not self._url.startswith(_MYSQL):
            raise ValidationError(
                f"catalog {catalog_name}: the base URL must be such as jdbc:postgresql://host:port or "
                f"jdbc:mysql://host:port, got {cut(self._url)}"
            )
        super().__init__(catalog_name, default_database, comment)
        self.options = {
            "type": "jdbc",
            "default-database": default_database,
            "username": username,
            "password": pwd,
            "base-url": base_url,
        }
        if not self.database_exists(default_database):
            raise ValidationError(f"catalog {catalog_name}: the server has no database {default_database!r}")

    def list_databases(self) -> list[str]:
        query = "SELECT datname FROM pg_database" if self._is_postgres else "SHOW DATABASES"
        hidden = _HIDDEN[self._is_postgres]
        return sorted(found for (found,) in self._asked(self.get_default_database(), query) if found not in hidden)

    def list_tables(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        if self._is_postgres:
            query = f"{_TABLES} AND table_schema NOT IN ('pg_catalog', 'information_schema')"
            return sorted(f"{schema}.{table}" for schema, table in self._asked(database_name, query))
        return sorted(table for _, table in self._asked(database_name, f"{_TABLES} AND table_schema = DATABASE()"))

    def table_exists(self, table_path: ObjectPath) -> bool:
        return self.database_exists(table_path.database) and bool(self._columns(table_path))

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        found = self._columns(table_path) if self.database_exists(table_path.database) else []
        if not found:
            raise TableNotExistException(f"Table (or view) {table_path} does not exist in Catalog {self.name}.")
        place, builder = f"catalog {self.name}, table {table_path}", Schema.new_builder()
        for column in found:
            kind = postgres_type(column, place) if self._is_postgres else mysql_type(column, place)
            builder.column(column.name, kind)
        key = self._asked(table_path.database, _KEY, self._place(table_path))
        if key:
            # MySQL calls each of them PRIMARY.
            builder.primary_key_named(str(key[0][1]), *(str(column) for column, _ in key))
        schema, table = self._place(table_path)
        options = {
            "connector": "jdbc",
            "url": self._options(table_path.database).url,
            "username": self.options["username"],
            "password": self.options["password"],
            "table-name": f"{schema}.{table}" if self._is_postgres else table,
        }
        return CatalogBaseTable(builder.build(), options)

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedOperation(
            f"catalog {self.name}: {what} by the database's own statements; here they can only be read and written"
        )

    def _columns(self, path: ObjectPath) -> list[ColumnOfDatabase]:
        query = _COLUMNS.format(kind="udt_name" if self._is_postgres else "column_type")
        rows = self._asked(path.database, query, self._place(path))
        return [ColumnOfDatabase(name, str(kind), null == "YES", *sizes) for name, kind, null, *sizes in rows]

    def _place(self, path: ObjectPath) -> tuple[str, str]:
        """The schema and the table of a path; of MySQL the schema is the database."""
        if not self._is_postgres:
            return path.database, path.name
        schema, _, table = path.name.rpartition(".")
        return schema or "public", table

    def _options(self, database: str) -> JdbcConnectionOptions:
        from datastream.connectors.jdbc import JdbcConnectionOptions

        url = f"{self._url}/{quote(database, safe='')}"
        return JdbcConnectionOptions(url, None, self.options["username"], self.options["password"])

    def _asked(self, database: str, query: str, parameters: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        from datastream.connectors.jdbc.dialects import dialect_of

        dialect = dialect_of(self._options(database))
        dialect.check()
        with closing(dialect.connect()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(query, tuple(parameters) or None)
            return [tuple(_text(value) for value in row) for row in cursor.fetchall()]


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
