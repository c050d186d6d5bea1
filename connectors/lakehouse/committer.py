"""Adds an epoch's files to a table, in one transaction that also holds the epoch's number."""

from __future__ import annotations

import time
from abc import abstractmethod
from logging import Logger
from typing import Any

from datastream.errors import JobError
from datastream.io import Committer, CommitterContext

from .texts import one_line

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


def last_of_keys(rows: Any, key: tuple[str, ...]) -> Any:
    """The last row of each key in an Arrow table: subtasks may have rows of one key where the query does not update."""
    import pyarrow as pa

    numbered = rows.select(list(key)).append_column("", pa.array(range(rows.num_rows), pa.int64()))
    last = numbered.group_by(list(key), use_threads=False).aggregate([("", "max")])
    return rows.take(last["_max"])
