"""Adds an epoch's files to a table, in one transaction that also holds the epoch's number."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from logging import Logger
from typing import Any, Protocol, TypeVar

from datastream.errors import JobError
from datastream.io import Committer, CommitterContext

from .texts import one_line


class _File(Protocol):
    @property
    def path(self) -> str: ...


FileT = TypeVar("FileT", bound=_File)

#: How often a commit is tried that another writer was faster than.
_TRIES = 20


class TransactionCommitter(Committer):
    """Commits epochs, and tries again where another writer was faster.

    Args:
        table: Names the table in errors.
        context: Whose epochs they are.
    """

    def __init__(self, table: str, context: CommitterContext) -> None:
        self._table_name = table
        self.logger: Logger = context.logger

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        files = [file for some in committables for file in some]
        error: Exception | None = None
        for tries in range(_TRIES):
            try:
                try:
                    table = self.opened_table()
                    if self.is_committed(table, epoch):
                        self.pass_over(files)
                    else:
                        self.write(table, epoch, files, final)
                    return
                except self.conflicts() as failed:
                    # Another writer was faster; perhaps it was an earlier attempt at this very commit.
                    error = failed
                    self.logger.warning("the commit to %s is tried again: %s", self._table_name, one_line(failed))
            except BaseException:
                self.forget_table()
                raise
            time.sleep(min(0.05 * 2**tries, 2.0))
        self.forget_table()
        raise JobError(
            f"epoch {epoch} could not be committed to the table {self._table_name} in {_TRIES} tries, as other "
            f"writers change it at the same time: {one_line(error) if error else ''}"
        )

    @abstractmethod
    def opened_table(self) -> Any:
        """The table as it is now, which is made unless it is there, and can be written by this sink."""

    def forget_table(self) -> None:
        """Something failed: open the table anew."""

    @abstractmethod
    def is_committed(self, table: Any, epoch: int) -> bool:
        """Whether the table has an epoch.

        Raises:
            CheckpointDamaged: It has a later one.
        """

    def pass_over(self, files: list[Any]) -> None:
        """The epoch is there. Its files stay, as these may be the ones that the table has."""

    @abstractmethod
    def write(self, table: Any, epoch: int, files: list[Any], final: bool) -> None:
        """Commit an epoch, unless the table has changed meanwhile."""

    @abstractmethod
    def conflicts(self) -> tuple[type[Exception], ...]:
        """What is raised where the table has changed meanwhile."""


class EpochNotes(Protocol[FileT]):
    """The files of epochs that wait for the end of a job that overwrites."""

    def files_of(self, epoch: int) -> list[FileT] | None:
        """What an epoch has written; None: there is no note of it."""

    def keep(self, epoch: int, files: list[FileT]) -> None:
        """Note an epoch."""


def files_until_end(
    notes: EpochNotes[FileT], epoch: int, files: list[FileT], final: bool, remove: Callable[[list[str]], None]
) -> list[FileT] | None:
    """Keep an epoch's files; with the last epoch those of all, which take the place of what is there; else None.

    Args:
        notes: Where they are kept.
        epoch: Which epoch.
        files: Its files, perhaps of another attempt than those that are kept already.
        final: It is the last one.
        remove: Removes files by their paths.
    """
    noted = notes.files_of(epoch)
    if noted is None:
        notes.keep(epoch, files)
    elif {file.path for file in noted} != {file.path for file in files}:
        remove([file.path for file in files])
    if not final:
        return None
    return [file for number in range(epoch + 1) for file in notes.files_of(number) or ()]


def last_of_keys(rows: Any, key: tuple[str, ...]) -> Any:
    """The last row of each key in an Arrow table: subtasks may have rows of one key where the query does not update."""
    import pyarrow as pa

    numbered = rows.select(list(key)).append_column("", pa.array(range(rows.num_rows), pa.int64()))
    last = numbered.group_by(list(key), use_threads=False).aggregate([("", "max")])
    return rows.take(last["_max"])
