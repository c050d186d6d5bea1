"""What differs between databases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, ClassVar

from datastream.environments.secret_values import hide
from datastream.errors import ValidationError

from ..options import JdbcConnectionOptions
from ..statement import parse


class MarkerStatements:
    """What is asked of a table of markers.

    Args:
        table: Its name.
        parameter: How the driver marks a parameter.
        name: Type of the column of names.

    Attributes:
        create: Creates it unless it is there.
        read: Reads a marker by its name.
        first: Makes a marker: name and epoch. Fails if there is one.
        move: Moves a marker: new epoch, name and old epoch. Changes no row if it is another one.
    """

    def __init__(self, table: str, parameter: str, name: str = "TEXT") -> None:
        self.create = f"CREATE TABLE IF NOT EXISTS {table} (name {name} PRIMARY KEY, epoch BIGINT NOT NULL)"
        self.read = f"SELECT epoch FROM {table} WHERE name = {parameter}"
        self.first = f"INSERT INTO {table} VALUES ({parameter}, {parameter})"
        self.move = f"UPDATE {table} SET epoch = {parameter} WHERE name = {parameter} AND epoch = {parameter}"


class Dialect(ABC):
    """One kind of database.

    Attributes:
        parameter: How the driver marks a parameter.
        quote: What names stand in.
        typed: Whether all values of a column are of its type.
    """

    parameter: ClassVar[str]
    quote: ClassVar[str] = '"'
    typed: ClassVar[bool] = True

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
            ConnectionError: The database is away, or refuses connections.
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
            if self.is_away(error):
                raise ConnectionError(f"{self.shown()}: {first_line(error)}") from error
            raise

    @abstractmethod
    def is_away(self, error: Exception) -> bool:
        """Whether an error of the driver says that the database is away, which may pass."""

    def took_too_long(self, error: Exception) -> bool:
        """Whether `is_away` is true of a statement that the database ended for its length alone."""
        return False

    def quoted(self, name: str) -> str:
        """The name of a column or table in a statement."""
        mark = self.quote
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def quoted_path(self, name: str) -> str:
        """The name of a table, perhaps with that of its schema and a dot before it."""
        return ".".join(map(self.quoted, name.split(".")))

    def upsert(self, table: str, columns: Sequence[str], key: Sequence[str]) -> str:
        """A statement with ``?`` for each column that makes a row, or changes the one of its key."""
        others = [self.quoted(name) for name in columns if name not in key]
        change = f"UPDATE SET {', '.join(f'{name} = EXCLUDED.{name}' for name in others)}" if others else "NOTHING"
        return f"{self.insert(table, columns)} ON CONFLICT ({', '.join(map(self.quoted, key))}) DO {change}"

    def insert(self, table: str, columns: Sequence[str]) -> str:
        """A statement with ``?`` for each column that makes a row."""
        names = ", ".join(map(self.quoted, columns))
        return f"INSERT INTO {self.quoted_path(table)} ({names}) VALUES ({', '.join('?' for _ in columns)})"

    def check_table(self, connection: Any, table: str, columns: Sequence[str], key: Sequence[str]) -> None:
        """See that a table has columns, and that `upsert` finds the rows of a key.

        Raises:
            ValidationError: It has not, or does not.
        """
        names = ", ".join(map(self.quoted, columns))
        with self.away(), closing(connection.cursor()) as cursor:
            try:
                cursor.execute(f"SELECT {names} FROM {self.quoted_path(table)} WHERE 1 = 0")
                cursor.fetchall()
                self.check_key(cursor, table, key)
            except ValidationError:
                raise
            except Exception as error:
                if self.is_away(error):
                    raise
                remedy = "create the table in the database first, with the columns that are declared"
                raise ValidationError(f"{self.shown()}, table {table!r}: {first_line(error)}; {remedy}") from None
            finally:
                with suppress(Exception):  # it may be broken
                    connection.rollback()

    def check_key(self, cursor: Any, table: str, key: Sequence[str]) -> None:
        """See that the rows of a key are found. Default: the database does so itself, by ON CONFLICT.

        Raises:
            ValidationError: They are not.
        """
        if key:
            try:
                cursor.execute("EXPLAIN " + parse(self.upsert(table, key, key)).of_driver("NULL"))
            except Exception as error:
                if "ON CONFLICT" not in str(error):
                    raise
                raise self.no_key(table, key) from None

    def no_key(self, table: str, key: Sequence[str]) -> ValidationError:
        """The error of a table whose rows are not found by a key."""
        names = ", ".join(map(self.quoted, key))
        return ValidationError(
            f"{self.shown()}, table {table!r}: it has no PRIMARY KEY and no unique index of ({names}), which is the "
            f"PRIMARY KEY that is declared: CREATE UNIQUE INDEX ... ON {self.quoted_path(table)} ({names})"
        )

    def delete(self, table: str, key: Sequence[str]) -> str:
        """A statement with ``?`` for each column of a key that removes its row."""
        same = " AND ".join(f"{self.quoted(name)} = ?" for name in key)
        return f"DELETE FROM {self.quoted_path(table)} WHERE {same}"

    def value(self, value: Any) -> Any:
        """A value as the driver takes it."""
        return value

    def takes(self, values: Sequence[Any]) -> bool:
        """Whether `value` would change none of the values."""
        return True

    def shown(self) -> str:
        """The database's URL without secrets."""
        return hide(self._options.url)


def first_line(error: Exception) -> str:
    """What a driver says, in a line, without secrets."""
    return hide((str(error).splitlines() or [type(error).__name__])[0])
