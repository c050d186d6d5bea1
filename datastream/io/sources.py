"""Sources: which data an epoch holds, and how a split of it is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from datastream.errors import UnsupportedOperation, cut
from datastream.formats.schema import ReadingSchema, dead_letter_tags, records_fit
from datastream.functions import OutputTag
from datastream.types import TypeInformation

from .contexts import EnumeratorContext, ReaderContext

Offset = Any
"""Position of a source: any JSON value, whose meaning its `SplitEnumerator` defines."""

Split = Any
"""A part of an epoch's data that one task reads: any value that pickle takes.

Where the source has lanes, it has an attribute ``lane``: the name of the one lane that its records belong to.
"""


class Batch(NamedTuple):
    """Some records, in order: thousands at once where that is possible, as a batch costs about as much as a record.

    Attributes:
        records: The records.
        timestamps: As many, in ms since 1970, None for a record without one; or None: no record has one.
    """

    records: list[Any]
    timestamps: list[int | None] | None = None


@dataclass(frozen=True)
class Produced:
    """What a source produces.

    Attributes:
        type: The type of the records; None where it is not known.
        exact: All records are sure to fit the type, so nothing tests them. Default: each one is tested.
        side_tags: The side outputs that records go to, as pairs (tag, value) among the others.
        timestamps: Whether records have timestamps of their own.
        lanes: Whether the source has parts with watermarks of their own; see `SplitEnumerator.lanes`.
    """

    type: TypeInformation | None = None
    exact: bool = False
    side_tags: tuple[OutputTag, ...] = ()
    timestamps: bool = False
    lanes: bool = False

    @staticmethod
    def by(schema: ReadingSchema, timestamps: bool = False, lanes: bool = False) -> Produced:
        """What a source produces whose records a schema makes.

        Args:
            schema: The schema.
            timestamps: As above.
            lanes: As above.
        """
        return Produced(schema.get_produced_type(), records_fit(schema), dead_letter_tags(schema), timestamps, lanes)


class Source(ABC):
    """A place that records come from: settings only, never changed once the job runs.

    It is pickled to the process beside the driver and to the workers, so it holds no connection.
    """

    #: Whether the source ends. A job ends when all of its sources have ended.
    bounded: bool = True

    #: Whether a job that has finished finds more when it is started again: files in a folder, records of a topic.
    #: False: what is read is fixed by the settings, or the enumerator cannot distinguish new data from what was read.
    grows: bool = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Source:
            raise UnsupportedOperation(
                f"Source({cut(args[0]) if args else ''}): Java sources cannot run here; "
                "use a connector of datastream.connectors, or write a subclass (docs/connectors.md)"
            )
        return super().__new__(cls)

    @property
    def produced(self) -> Produced:
        """What the source produces. Default: records of unknown type, without timestamps."""
        return Produced()

    def validate(self) -> None:  # noqa: B027 - optional
        """Check what can be checked before anything runs. Called once, in the driver.

        Raises:
            ValidationError: for instance a path that does not exist.
        """

    @abstractmethod
    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        """What decides which data an epoch holds."""

    @abstractmethod
    def create_reader(self, context: ReaderContext) -> SourceReader:
        """What reads splits in a worker."""

    @property
    def _kind(self) -> str:
        """What a checkpoint calls it: a source of another kind does not understand its offsets."""
        return type(self).__name__

    @property
    def _ends(self) -> bool:
        """Whether the source ends; also one that counts as unbounded."""
        return self.bounded


def kind_of(source: Source) -> str:
    """What a checkpoint calls a source: a source of another kind does not understand its offsets."""
    return source._kind  # noqa: SLF001 - users' sources have attributes of any name


def ends(source: Source) -> bool:
    """Whether a source ends; also one that counts as unbounded."""
    return source._ends  # noqa: SLF001 - users' sources have attributes of any name


class SplitEnumerator(ABC):
    """Decides which data an epoch holds. One lives beside the driver for the whole run of a job.

    All calls must be quick (well below a second): the sources of a job are called in turn, and no epoch starts
    meanwhile. What takes longer belongs into a thread. Calls come from one thread. An offset may come from an earlier
    run of the job, and be the first thing that the object hears of.
    """

    #: Whether `latest_offset` may be called twice for an epoch of a bounded source, the second time with a larger
    #: budget: if that reaches the end, the epoch does so, as a small one after it would take nearly as long.
    repeatable: bool = False

    @abstractmethod
    def initial_offset(self) -> Offset:
        """Where a new job starts. Not called after a restart from a checkpoint."""

    def reopen(self, offset: Offset) -> Offset:
        """Where a job continues that is started again after it had finished, or from a savepoint.

        An enumerator that keeps the source's end in its offsets moves it to where the end is now, and never back.
        Nothing is read by this: what lies between the two offsets is nothing. Default: the offset, as `finished` looks
        at the end that is there now. Called where `Source.grows` is true.

        Args:
            offset: End of the last epoch.
        """
        return offset

    @abstractmethod
    def latest_offset(self, start: Offset, budget: int) -> Offset:
        """How far the next epoch reads. Called some hundred times a second while there is nothing new.

        Args:
            start: End of the epoch before.
            budget: About how many records the epoch should hold at most; a hint.

        Returns:
            The new end; equal to `start` when there is nothing new.
        """

    @abstractmethod
    def splits(self, start: Offset, end: Offset, parallelism: int) -> Sequence[Split]:
        """Cut the data between two offsets into at most about `parallelism` splits, for as many tasks.

        May be called twice, in another run as well. All splits together hold the same data then.
        """

    def lanes(self, offset: Offset) -> Sequence[str]:
        """The parts of the source, at an offset, that have watermarks of their own; also those without data.

        A lane lasts (the partition of a topic, say), unlike a split. In an epoch all records of a lane are in one
        split. Called where `Produced.lanes` is true; else the splits of a task share its watermark.
        """
        return ()

    def finished(self, offset: Offset) -> bool:
        """Whether nothing can come after this offset. Only ever true for a bounded source."""
        return False

    def backlog(self, offset: Offset) -> Mapping[str, int] | None:
        """How many records wait after an offset, by the source's part (a partition, say); None: not known.

        For people to look at. Must not ask anybody: what the last `latest_offset` has learned is good enough.
        """
        return None

    def commit(self, offset: Offset) -> None:  # noqa: B027 - optional
        """All epochs up to this offset are committed for good; a hint to the outside system.

        May be left out for some offsets and repeated for others. At the job's end it is called in the driver, on an
        object made for that.
        """

    def close(self) -> None:  # noqa: B027 - optional
        """The run is over: finish what `commit` began, end connections. Not called where the process is killed."""


class SourceReader(ABC):
    """Reads splits in a worker process, one after the other, of any subtask. Kept over epochs by the engine.

    A reader whose task fails is closed and replaced. In a process made by a fork the parent's readers are let go, never
    closed or used.
    """

    def begin(self, epoch: int, attempt: int) -> None:  # noqa: B027 - optional
        """A task that reads with this reader starts.

        Args:
            epoch: Number of the micro-batch, from 0; the same when it runs again.
            attempt: A number that differs between attempts at the same task.
        """

    @abstractmethod
    def read(self, split: Split) -> Iterator[Batch]:
        """The records of a split, in order. The iterator may be dropped before its end; the reader is closed then."""

    def idle(self) -> None:  # noqa: B027 - optional
        """Nothing was read for some seconds: stop what costs something meanwhile, such as fetching ahead.

        Called at most once between two tasks, perhaps from another thread; must be quick. Reading may go on later.
        """

    def close(self) -> None:  # noqa: B027 - optional
        """Let go of connections: at the job's end, after an error, or unused for minutes; perhaps in another thread."""
