"""The gateway's tables, in SQLite or PostgreSQL."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from datastream.environments.secret_values import hide, secrets_of
from datastream.errors import DataStreamError

#: Of the tables below. A database of a newer version is refused.
VERSION = 1
_TRIED_CHARS = 32 << 10

_tables = MetaData()

meta = Table("meta", _tables, Column("key", String(40), primary_key=True), Column("value", Text, nullable=False))

tokens = Table(
    "tokens",
    _tables,
    Column("id", String(32), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("scopes", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
)

artifacts = Table(
    "artifacts",
    _tables,
    Column("id", String(300), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("entries", JSON, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False, index=True),
    Column("uploaded_ms", BigInteger, nullable=False),
)

jobs = Table(
    "jobs",
    _tables,
    Column("id", String(32), primary_key=True),
    Column("name", String(200)),
    Column("given_name", String(200), index=True),
    Column("state", String(20), nullable=False, index=True),
    Column("wanted", String(10), nullable=False),
    Column("artifact_id", String(300), nullable=False, index=True),
    Column("artifact_name", String(200), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("request", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("launcher", String(20), nullable=False),
    Column("control_token", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False, index=True),
    Column("ended_ms", BigInteger),
    Column("modified_ms", BigInteger, nullable=False),
    Column("error", Text),
    Column("trace", Text),
    Column("exit_code", Integer),
    # What lists show of the snapshot, which may be large.
    Column("brief", JSON, nullable=False),
    Column("plan", JSON),
    Column("snapshot", JSON),
)

samples = Table(
    "samples",
    _tables,
    Column("job", String(32), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("content", JSON, nullable=False),
)

exceptions = Table(
    "exceptions",
    _tables,
    Column("job", String(32), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", JSON, nullable=False),
)

savepoints = Table(
    "savepoints",
    _tables,
    Column("id", String(32), primary_key=True),
    Column("job", String(32), nullable=False, index=True),
    Column("kind", String(10), nullable=False),
    Column("status", String(12), nullable=False),
    Column("directory", Text, nullable=False),
    Column("location", Text),
    Column("error", Text),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
)


class DatabaseError(DataStreamError):
    """The database cannot be used."""


class Database:
    """Connections to the tables, which are made on first use.

    Args:
        url: SQLAlchemy's; ``sqlite:////path`` or ``postgresql+psycopg://user@host/name``.

    Raises:
        DatabaseError: There is none at the URL, it is of a newer version, or not ours.
    """

    def __init__(self, url: str) -> None:
        # One writer at a time: SQLite has no more, and it makes read and write of a row one step.
        self._writing = threading.RLock()
        try:
            place = make_url(url)
            # Readers wait for a connection rather than open hundreds of them.
            # An error does not quote the values of a row: settings and control tokens are among them.
            self._engine = create_engine(
                place, pool_size=16, max_overflow=0, pool_timeout=60, poolclass=QueuePool, hide_parameters=True
            )
            if place.get_backend_name() == "sqlite":
                event.listen(self._engine, "connect", _set_up_sqlite)
                if place.database and not os.path.exists(place.database):
                    os.close(os.open(place.database, os.O_CREAT | os.O_WRONLY, 0o600))
            self._open()
        except (ArgumentError, NoSuchModuleError, ImportError, SQLAlchemyError, OSError) as error:
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise DatabaseError(
                f"the database {hide(url)} cannot be used: {hide(why, secrets_of({'url': url}))}"
            ) from None

    def _open(self) -> None:
        with self._engine.begin() as connection:
            known = None
            if self._engine.dialect.has_table(connection, meta.name):
                known = connection.execute(select(meta.c.value).where(meta.c.key == "version")).scalar()
            elif self._engine.dialect.has_table(connection, jobs.name):
                raise DatabaseError("the database has a table 'jobs' of another program; use a separate database")
            if known is not None and int(known) > VERSION:
                raise DatabaseError(
                    f"the database is of version {known}, made by a later datastream; this one knows versions up to "
                    f"{VERSION}. Install the later one, or restore a copy of the database from before"
                )
            _tables.create_all(connection)
            if known is None:
                connection.execute(insert(meta).values(key="version", value=str(VERSION)))

    def claim(self, gateway: str) -> bool:
        """Note whose database it is; whether it is theirs.

        Args:
            gateway: An id that stays with a data folder.
        """
        with self.write() as connection:
            owner = connection.execute(select(meta.c.value).where(meta.c.key == "gateway")).scalar()
            if owner is None:
                connection.execute(insert(meta).values(key="gateway", value=gateway))
            return owner in (None, gateway)

    def try_to_write(self) -> None:
        """See whether something can be written.

        Raises:
            SQLAlchemyError: It cannot.
        """
        with self.write() as connection:
            connection.execute(delete(meta).where(meta.c.key == "tried"))
            connection.execute(insert(meta).values(key="tried", value="x" * _TRIED_CHARS))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection to read by."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; no other process writes meanwhile."""
        with self._writing, self._engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def sqlite_url(file: Path) -> str:
    """The URL of a database file."""
    return f"sqlite:///{file}"


def _set_up_sqlite(connection: Any, record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")
