"""Where a write-ahead log is, and how far it was applied."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut

from .cluster import CassandraSettings, ClusterBuilder, Reach
from .connection import Connection

#: The keyspace of Flink's own table of checkpoints.
KEYSPACE = "flink_auxiliary"
_NAME = re.compile(r"[A-Za-z]\w{0,47}")


@dataclass(frozen=True)
class CassandraCommitter:
    """Where a write-ahead log is, and how far it was applied; made by `default_checkpoint_committer`.

    Attributes:
        j_checkpoint_committer: How the cluster is reached.
        key_space: The keyspace. It is made, with one replica, unless it is there, and so are its tables
            ``datastream_epochs`` and ``datastream_log``.

    Raises:
        UnsupportedOperation: An object of Java is given.
        ValidationError: The keyspace's name is none.
    """

    j_checkpoint_committer: Reach
    key_space: str = KEYSPACE

    def __post_init__(self) -> None:
        if not isinstance(self.j_checkpoint_committer, (CassandraSettings, ClusterBuilder)):
            raise UnsupportedOperation(
                f"CassandraCommitter({cut(self.j_checkpoint_committer)}): objects of Java cannot be used; call "
                "CassandraCommitter.default_checkpoint_committer"
            )
        if not isinstance(self.key_space, str) or not _NAME.fullmatch(self.key_space):
            raise ValidationError(f"CassandraCommitter: {cut(self.key_space)} is no name of a keyspace")

    @staticmethod
    def default_checkpoint_committer(
        builder: ClusterBuilder | CassandraSettings, key_space: str | None = None
    ) -> CassandraCommitter:
        """Where the log of a sink is.

        Args:
            builder: How the cluster is reached.
            key_space: The keyspace. Default: ``flink_auxiliary``.
        """
        return CassandraCommitter(builder, KEYSPACE if key_space is None else key_space)


@dataclass(frozen=True)
class Progress:
    """How far a sink's log was applied.

    Attributes:
        epoch: The last epoch that was applied as a whole; -1: none.
        applying: The epoch that is being applied; None: none.
        parts: Of this epoch: what is applied; see `parts_of`.
        done: Of this epoch: how many of its chunks are applied for sure.
    """

    epoch: int = -1
    applying: int | None = None
    parts: bytes | None = None
    done: int = 0


class LogTables:
    """The tables of a log, made unless they are there.

    Args:
        committer: Where they are.

    Raises:
        ConnectionError: The cluster is away.
        ValidationError: They are not there, and cannot be made.
    """

    #: How long a chunk stays that has not been removed, in seconds: one of a task that was killed.
    KEPT_S = 10 * 24 * 3600

    def __init__(self, committer: CassandraCommitter) -> None:
        self.connection = Connection(committer.j_checkpoint_committer)
        space = committer.key_space.lower()
        self._epochs, self._log = f"{space}.datastream_epochs", f"{space}.datastream_log"
        try:
            try:
                self._prepare()
            except ValidationError:
                self._make(space)
                self._prepare()
        except BaseException:
            self.close()
            raise

    def _make(self, space: str) -> None:
        if not self.connection.execute(
            "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = %s", (space,)
        ):
            self.connection.execute(
                f"CREATE KEYSPACE IF NOT EXISTS {space} "
                "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
            )
        self.connection.execute(
            f"CREATE TABLE IF NOT EXISTS {self._epochs} "
            "(name text PRIMARY KEY, epoch bigint, applying bigint, parts blob, done int)"
        )
        self.connection.execute(
            f"CREATE TABLE IF NOT EXISTS {self._log} "
            "(name text, part text, chunk int, records blob, PRIMARY KEY ((name, part), chunk)) "
            f"WITH default_time_to_live = {self.KEPT_S} AND gc_grace_seconds = 3600"
        )

    def _prepare(self) -> None:
        prepare = self.connection.prepare
        self._read = prepare(f"SELECT epoch, applying, parts, done FROM {self._epochs} WHERE name = ?")
        self._begin = prepare(
            f"INSERT INTO {self._epochs} (name, epoch, applying, parts, done) VALUES (?, ?, ?, ?, ?) IF NOT EXISTS"
        )
        self._change = prepare(
            f"UPDATE {self._epochs} SET epoch = ?, applying = ?, parts = ?, done = ? WHERE name = ? "
            "IF epoch = ? AND applying = ? AND done = ?"
        )
        self._append = prepare(f"INSERT INTO {self._log} (name, part, chunk, records) VALUES (?, ?, ?, ?)")
        self._chunk = prepare(f"SELECT records FROM {self._log} WHERE name = ? AND part = ? AND chunk = ?")
        self._drop = prepare(f"DELETE FROM {self._log} WHERE name = ? AND part = ?")
        for statement in (self._append, self._drop):
            statement.is_idempotent = True

    def progress(self, name: str) -> Progress | None:
        """How far a sink's log was applied; None: it is new."""
        # Serial: with what a change has begun whose answer did not arrive.
        statement = self._read.bind((name,))
        statement.consistency_level = 9
        rows = self.connection.execute(statement)
        return None if not rows else Progress(rows[0].epoch, rows[0].applying, rows[0].parts, rows[0].done)

    def advance(self, name: str, before: Progress | None, after: Progress) -> bool:
        """Note how far the log is applied; False: another process has changed it meanwhile."""
        new = (after.epoch, after.applying, after.parts, after.done)
        if before is None:
            rows = self.connection.execute(self._begin.bind((name, *new)))
        else:
            was = (before.epoch, before.applying, before.done)
            rows = self.connection.execute(self._change.bind((*new, name, *was)))
        return bool(rows[0].applied)

    def append(self, name: str, part: str, chunk: int, records: bytes) -> None:
        """Keep a chunk."""
        self.connection.execute(self._append.bind((name, part, chunk, records)))

    def chunk(self, name: str, part: str, chunk: int) -> bytes | None:
        """A chunk; None: it is not there."""
        rows: list[Any] = self.connection.execute(self._chunk.bind((name, part, chunk)))
        return bytes(rows[0].records) if rows else None

    def drop(self, name: str, part: str) -> None:
        """Remove all chunks of a part."""
        self.connection.execute(self._drop.bind((name, part)))

    def close(self) -> None:
        """End the connection."""
        self.connection.close()
