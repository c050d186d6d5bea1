"""Sources: which data an epoch holds, and how a split of it is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from datastream.functions import OutputTag
from datastream.types import TypeInformation

Offset = Any
"""Position of a source: any JSON value. ``latest_offset`` and ``plan`` give it its meaning."""

Split = Any
"""A part of an epoch's data that one task reads: any value that pickle takes."""


class Source(ABC):
    """A place that records come from.

    The object itself is pickled to the driver's planner process and to the workers, so it holds
    settings, not connections.
    """

    #: Whether the source ends. A job ends when all of its sources have ended.
    bounded: bool = True

    #: Whether records have timestamps of their own; then `read_timed` is asked for them where the job needs them.
    timestamped: bool = False

    #: Whether it has `lanes`.
    laned: bool = False

    @property
    def produced_type(self) -> TypeInformation | None:
        """The type of the records; None where it is not known. Default: None."""
        return None

    @property
    def exact(self) -> bool:
        """Whether all records are sure to fit `produced_type`, so that nothing tests them. Default: yes."""
        return True

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        """The side outputs that `read` writes to, by giving pairs (tag, value). Default: none."""
        return ()

    def validate(self) -> None:  # noqa: B027 - optional
        """Check what can be checked before anything runs, in the driver.

        Raises:
            ValidationError: for instance a path that does not exist.
        """

    @abstractmethod
    def initial_offset(self) -> Offset:
        """Where a new job starts."""

    @abstractmethod
    def latest_offset(self, start: Offset, budget: int) -> Offset:
        """How far the next epoch should read.

        Args:
            start: End of the epoch before.
            budget: About how many records the epoch should hold at most; a hint.

        Returns:
            The new end; equal to `start` when there is nothing new.
        """

    @abstractmethod
    def plan(self, start: Offset, end: Offset, parallelism: int) -> Sequence[Split]:
        """Cut the data between two offsets into at most about `parallelism` splits, for as many tasks."""

    @abstractmethod
    def read(self, split: Split) -> Iterator[list[Any]]:
        """The records of a split, in blocks of up to some thousands, in order."""

    def read_timed(self, split: Split) -> Iterator[tuple[list[Any], list[int | None]]]:
        """What `read` gives, with the timestamps of the records in ms since 1970; None: it has none."""
        for records in self.read(split):
            yield records, [None] * len(records)

    def lanes(self, offset: Offset) -> Sequence[str]:
        """The parts of the source, at an offset, that have watermarks of their own; also those without data.

        A lane is for ever (the partition of a topic, say), unlike a split. In an epoch all records of a lane are in
        one split. Asked for where `laned` is true; else the splits of a task share its watermark.
        """
        return ()

    def lane(self, split: Split) -> str | None:
        """The lane that a split belongs to; None where the source is not `laned`."""
        return None

    def finished(self, offset: Offset) -> bool:
        """Whether nothing can come behind this offset. Only ever true for a bounded source."""
        return False

    def commit(self, offset: Offset) -> None:  # noqa: B027 - optional
        """An epoch up to this offset is committed for good; a hint to the outside system, which may go on by itself."""

    def close(self) -> None:  # noqa: B027 - optional
        """The job is over: finish what `commit` began."""
