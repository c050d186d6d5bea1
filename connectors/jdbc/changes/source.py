"""`PostgresChangeSource`: a table of PostgreSQL as it is, then its changes, each once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from datastream.errors import ValidationError, cut
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation

from ..connection_builder import ConnectionBuilder
from ..dialects import dialect_of
from ..options import JdbcConnectionOptions

_SLOT = re.compile(r"[a-z0-9_]{1,63}")
#: Columns of metadata that a source may add to those of the table.
METADATA = ("__op_ts",)
_TABLE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)?")


@dataclass(frozen=True)
class PostgresChangeSource(Source):
    """The rows of a table when the job starts, and every change from then on; exactly once. Made by `builder`.

    Records are `Row`s with the names of the columns. Their kind says what happened: INSERT, UPDATE_AFTER, DELETE; and
    UPDATE_BEFORE in front of UPDATE_AFTER where the table logs all of a row before (``REPLICA IDENTITY FULL``), else
    a deleted row has its key alone. A row whose key changed is deleted and inserted.

    It reads PostgreSQL's log by a replication slot, in the order of commits, with the plugin ``pgoutput``. The offset
    is a position in the log. The slot moves on when an epoch is committed: the server keeps what the job may need.

    Attributes:
        table: With or without its schema.
        slot: Name of the replication slot, made unless it is there. One job uses it.
        connection_options: The database.
        publication: Made unless it is there.
        snapshot: Whether the rows that are there at the start come first.
        ends: Whether the source ends with what is committed when the job starts.
        type_info: Of the rows; None: unknown.
        poll_ms: The log is looked at this often.
        metadata: Columns after those of the table.
    """

    table: str
    slot: str
    connection_options: JdbcConnectionOptions
    publication: str
    snapshot: bool = True
    ends: bool = False
    type_info: TypeInformation | None = None
    poll_ms: int = 100
    metadata: tuple[str, ...] = ()

    @staticmethod
    def builder() -> Builder:
        """A builder of sources."""
        return Builder()

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        return self.ends

    @property
    def produced(self) -> Produced:
        return Produced(self.type_info)

    def validate(self) -> None:
        dialect_of(self.connection_options).check()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import ChangeEnumerator

        return ChangeEnumerator(self, context.spool)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import ChangeReader

        return ChangeReader(self, context.spool)


@dataclass(frozen=True)
class Builder(ConnectionBuilder):
    """Builds a `PostgresChangeSource`.

    The user needs the right REPLICATION, and owns the table or reads a publication that is there.
    """

    _table: str = ""
    _slot: str = ""
    _publication: str | None = None
    _snapshot: bool = True
    _ends: bool = False
    _metadata: tuple[str, ...] = ()

    def set_table(self, table: str) -> Self:
        """Set the table, with or without its schema. It needs a primary key."""
        return replace(self, _table=table)

    def set_slot_name(self, slot: str) -> Self:
        """Name the replication slot of this job. Drop it when the job is gone for good: it keeps the server's log."""
        return replace(self, _slot=slot)

    def set_publication_name(self, publication: str) -> Self:
        """Name the publication. Default: that of the slot."""
        return replace(self, _publication=publication)

    def set_snapshot(self, snapshot: bool) -> Self:
        """Whether the rows that are there at the start come first. Default: they do."""
        return replace(self, _snapshot=snapshot)

    def include_metadata(self, *names: str) -> Self:
        """Add columns: ``__op_ts``, when a change was committed (ms since 1970; 0: a row was there at the start)."""
        for name in names:
            if name not in METADATA:
                raise ValidationError(f"metadata may be {', '.join(METADATA)}, got {cut(name)}")
        return replace(self, _metadata=names)

    def set_bounded(self) -> Self:
        """End with what is committed when the job starts."""
        return replace(self, _ends=True)

    def build(self) -> PostgresChangeSource:
        """The source.

        Raises:
            ValidationError: There is no PostgreSQL, no table or no slot.
        """
        if not self._options.url.startswith("jdbc:postgresql:"):
            raise ValidationError(
                "PostgresChangeSource: call set_db_url with a PostgreSQL, such as jdbc:postgresql://host/db"
            )
        if not isinstance(self._table, str) or not _TABLE.fullmatch(self._table):
            raise ValidationError(f"PostgresChangeSource: call set_table with its name, got {cut(self._table)}")
        if not isinstance(self._slot, str) or not _SLOT.fullmatch(self._slot):
            raise ValidationError(
                "PostgresChangeSource: call set_slot_name with a name of small letters, digits and underscores, got "
                f"{cut(self._slot)}"
            )
        return PostgresChangeSource(
            self._table,
            self._slot,
            self._options,
            self._publication or self._slot,
            self._snapshot,
            self._ends,
            self._type,
            metadata=self._metadata,
        )
