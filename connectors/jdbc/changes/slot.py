"""The replication slot, the publication and the table, as statements to the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from datastream.errors import CheckpointDamaged, ValidationError

from ..dialects import PostgreSQL
from .keys import Key, quoted

if TYPE_CHECKING:
    from .source import PostgresChangeSource

_PLUGIN = "pgoutput"
#: How long another client may use the slot, such as a task that was declared lost.
_BUSY_S = 30.0
_PAUSE_S = 0.1
_SESSION = {
    "TimeZone": "'UTC'",
    "DateStyle": "'ISO, MDY'",
    "IntervalStyle": "'postgres'",
    "bytea_output": "'hex'",
    "extra_float_digits": "1",
}


class Slot:
    """What the source asks of the server, by one connection, made when it is needed and again after an error.

    A slot keeps the log from where all before is committed. Peeking reads it and leaves it there.

    Args:
        source: The settings.
        alone: Keep other jobs from the slot.
    """

    def __init__(self, source: PostgresChangeSource, alone: bool = False) -> None:
        self._source, self._alone = source, alone
        self._dialect = PostgreSQL(source.connection_options)
        self._connection: Any = None
        self._table = ".".join(map(quoted, source.table.split(".")))
        self._key: Key | None = None

    # -- before the start --------------------------------------------------------------------------

    def prepare(self) -> int:
        """Make publication and slot unless they are there; where the log begins.

        Raises:
            ValidationError: The server or the table is not fit for it; says what to do.
        """
        source = self._source
        level = self._one("SHOW wal_level")
        if level != "logical":
            raise ValidationError(
                f"{self._dialect.shown()}: wal_level is {level!r}, and change capture needs logical: ALTER SYSTEM SET "
                "wal_level = 'logical', and restart the server"
            )
        _ = self.key  # the table is there, and has one
        ((identity,),) = self._rows("SELECT relreplident::text FROM pg_class WHERE oid = %s::regclass", self._table)
        if identity not in ("d", "f"):
            raise ValidationError(
                f"changes of {source.table} do not have its primary key: ALTER TABLE {source.table} REPLICA IDENTITY "
                "DEFAULT, or FULL"
            )
        if not self._rows("SELECT 1 FROM pg_publication WHERE pubname = %s", source.publication):
            name, published = quoted(source.publication), "publish = 'insert, update, delete'"
            try:
                self._rows(f"CREATE PUBLICATION {name} FOR TABLE {self._table} WITH ({published})")
            except ValidationError as error:
                raise ValidationError(
                    f"{error}; it was to make a publication, for which its user must own the table and have the right "
                    f"CREATE in the database; or have its owner run CREATE PUBLICATION {source.publication} FOR TABLE "
                    f"{source.table} WITH ({published})"
                ) from None
        self._check_publication()
        if not self._rows("SELECT 1 FROM pg_replication_slots WHERE slot_name = %s", source.slot):
            self._rows("SELECT pg_create_logical_replication_slot(%s, %s)", source.slot, _PLUGIN)
        return self.begin()

    def _check_publication(self) -> None:
        """See that the publication has all changes of the table.

        Raises:
            ValidationError: It has not.
        """
        name, table = self._source.publication, self._source.table
        found = self._rows(
            "SELECT bool_and(pubinsert AND pubupdate AND pubdelete), bool_or(t.pubname IS NOT NULL) "
            "FROM pg_publication p LEFT JOIN "
            "(SELECT t.pubname FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname "
            "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename WHERE c.oid = ANY(%s)) t "
            "ON t.pubname = p.pubname WHERE p.pubname = %s",
            list(self.relations()),
            name,
        )
        ((whole, has_table),) = found
        if not has_table:
            raise ValidationError(
                f"the publication {name!r} is there, but not for {table}: ALTER PUBLICATION {name} ADD TABLE {table}, "
                "or set_publication_name"
            )
        if not whole:
            raise ValidationError(
                f"the publication {name!r} leaves changes out: ALTER PUBLICATION {name} SET (publish = 'insert, "
                "update, delete')"
            )

    @property
    def key(self) -> Key:
        """The table's primary key.

        Raises:
            ValidationError: It has none, or is not there.
        """
        if self._key is None:
            found = self._rows(
                "SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_index i "
                "CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, n) "
                "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum "
                "WHERE i.indrelid = %s::regclass AND i.indisprimary ORDER BY k.n",
                self._table,
            )
            if not found:
                raise ValidationError(
                    f"{self._source.table} has no primary key, and its rows are known by that: ALTER TABLE "
                    f"{self._source.table} ADD PRIMARY KEY (...)"
                )
            self._key = Key(tuple(name for name, _ in found), tuple(type for _, type in found))
        return self._key

    def relations(self) -> frozenset[int]:
        """The table and its partitions as they are now, by their numbers in the catalog."""
        found = self._rows(
            "SELECT %s::regclass::oid UNION SELECT relid::oid FROM pg_partition_tree(%s::regclass)",
            self._table,
            self._table,
        )
        return frozenset(int(oid) for (oid,) in found)

    # -- the log -----------------------------------------------------------------------------------

    def begin(self) -> int:
        """Where the slot's log begins: all before is committed.

        Raises:
            CheckpointError: The slot has gone, or the server has dropped what it held.
        """
        found = self._rows(
            "SELECT confirmed_flush_lsn - '0/0'::pg_lsn, wal_status FROM pg_replication_slots WHERE slot_name = %s",
            self._source.slot,
        )
        if not found or found[0][1] == "lost":
            what = "is not there any more" if not found else "has lost its log (see max_slot_wal_keep_size)"
            raise CheckpointDamaged(
                f"the replication slot {self._source.slot!r} {what}, so changes since the checkpoint may be missing; "
                "start the job with another slot and a new --checkpoint-dir: it reads the whole table again"
            )
        return int(found[0][0])

    def end(self) -> int:
        """Where the log that can be read ends now."""
        return int(self._one("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"))

    def written(self) -> int:
        """Where the log ends now: a commit that others see may not be on the disk yet."""
        return int(self._one("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))

    def oldest(self) -> int:
        """The oldest transaction that is under way."""
        return int(self._one("SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))

    def end_of(self, messages: int, after: int) -> int | None:
        """Where whole transactions after a place, with about this number of messages, end; None: there are none.

        What is before that place is in the log, too, until the slot is moved on.
        """
        counts = "max(lsn) - '0/0'::pg_lsn, count(*), count(*) FILTER (WHERE lsn - '0/0'::pg_lsn <= %s)"
        peek = f"SELECT {counts} FROM {self._peek}"
        asked = messages
        while True:
            ((end, found, before),) = self._rows(peek, after, None, asked, *self._options)
            if found < asked or (before and asked == before + messages) or not before:
                return int(end) if end is not None and end > after else None
            asked = before + messages

    def messages(self, until: int, size: int) -> Iterator[list[tuple[bytes]]]:
        """The messages of all transactions whose commits begin before, some at a time."""
        with self._cursor(binary=True) as cursor:  # the server makes all of them before it gives the first
            lsn = f"{until >> 32:X}/{until & 0xFFFFFFFF:X}"
            self._patiently(cursor, f"SELECT data FROM {self._peek}", (lsn, None, *self._options))
            while some := cursor.fetchmany(size):
                yield some

    def advance(self, to: int) -> None:
        """The server may forget what is before."""
        self._rows("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s::numeric)", self._source.slot, to)

    # -- the table ---------------------------------------------------------------------------------

    def last_key(self) -> list[Any] | None:
        """The highest key of the table; None: it is empty."""
        found = self._rows(
            f"SELECT {self.key.expressions()} FROM {self._table} ORDER BY {self.key.expressions(' DESC')} LIMIT 1"
        )
        return list(found[0]) if found else None

    def nth_key(self, after: list[Any] | None, n: int) -> list[Any] | None:
        """The n-th key after another one; None: there are not as many."""
        where, parameters = self._range(after, None)
        key, nth = self.key.expressions(), f"ORDER BY {self.key.expressions()} LIMIT 1 OFFSET {n - 1}"
        found = self._rows(f"SELECT {key} FROM {self._table} {where} {nth}", *parameters)
        return list(found[0]) if found else None

    def rows(self, after: list[Any] | None, last: list[Any]) -> tuple[str, tuple[str, ...], list[tuple[Any, ...]]]:
        """The rows after a key up to another one: their snapshot, the names of the columns, the rows."""
        where, parameters = self._range(after, last)
        with self._cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_current_snapshot()::text")
            (snapshot,) = cursor.fetchone()
            cursor.execute(f"SELECT * FROM {self._table} {where} ORDER BY {self.key.expressions()}", parameters)
            return snapshot, tuple(column.name for column in cursor.description), cursor.fetchall()

    def load(self, type: int) -> Callable[[bytes], Any]:
        """What makes a value of a type, by its number in the catalog, of its text; as a query returns it."""
        from psycopg.adapt import Transformer
        from psycopg.pq import Format

        with self._cursor() as cursor:
            load: Callable[[bytes], Any] = Transformer(cursor.connection).get_loader(type, Format.TEXT).load
            return load

    def _range(self, after: list[Any] | None, last: list[Any] | None) -> tuple[str, list[Any]]:
        row, parameters = f"({self.key.expressions()})", f"({self.key.parameters()})"
        parts = [f"{row} {sign} {parameters}" for sign, at in ((">", after), ("<=", last)) if at is not None]
        return f"WHERE {' AND '.join(parts)}" if parts else "", [*(after or ()), *(last or ())]

    # -- statements --------------------------------------------------------------------------------

    @property
    def _peek(self) -> str:
        return f"pg_logical_slot_peek_binary_changes({self._literal(self._source.slot)}, %s, %s, VARIADIC %s::text[])"

    @property
    def _options(self) -> tuple[list[str]]:
        return (["proto_version", "1", "publication_names", quoted(self._source.publication)],)

    @staticmethod
    def _literal(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def _one(self, statement: str, *parameters: Any) -> Any:
        return self._rows(statement, *parameters)[0][0]

    def _rows(self, statement: str, *parameters: Any) -> list[Any]:
        with self._cursor() as cursor:
            self._patiently(cursor, statement, parameters)
            found = cursor.fetchall() if cursor.description else []
            self._connection.commit()
            return found

    @staticmethod
    def _patiently(cursor: Any, statement: str, parameters: Any) -> None:
        """Run a statement once no other client uses the slot."""
        import psycopg

        deadline = time.monotonic() + _BUSY_S
        while True:
            try:
                cursor.execute(statement, parameters)
                return
            except psycopg.errors.ObjectInUse as error:
                if time.monotonic() > deadline:
                    raise ConnectionError(f"another client reads the replication slot: {error}") from error
                cursor.connection.rollback()
                time.sleep(_PAUSE_S)

    @contextmanager
    def _cursor(self, binary: bool = False) -> Iterator[Any]:
        import psycopg

        try:
            with self._dialect.away():
                if self._connection is None:
                    self._connection = self._connect()
                with self._connection.cursor(binary=binary) as cursor:
                    yield cursor
                self._connection.rollback()
        except psycopg.Error as error:
            self.close()
            said = next(iter(str(error).splitlines()), type(error).__name__)
            raise ValidationError(f"{self._dialect.shown()}: {said}") from error
        except BaseException:
            self.close()
            raise

    def _connect(self) -> Any:
        connection = self._dialect.connect()
        try:
            # Texts of keys are kept in offsets, so they must not depend on where the job runs.
            for name, value in _SESSION.items():
                connection.execute(f"SET {name} TO {value}")
            connection.commit()
            if self._alone:
                self._lock(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock(self, connection: Any) -> None:
        """Keep other jobs from the slot, for as long as the connection lasts.

        Raises:
            ConnectionError: Another job has it.
        """
        deadline = time.monotonic() + _BUSY_S
        while True:
            query = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
            (locked,) = connection.execute(query, (f"datastream {self._source.slot}",)).fetchone()
            connection.commit()
            if locked:
                return
            if time.monotonic() > deadline:
                raise ConnectionError(
                    f"{self._dialect.shown()}: another job reads the replication slot {self._source.slot!r}; each job "
                    "needs a slot of its own"
                )
            time.sleep(_PAUSE_S)

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken
                connection.close()
