"""Sources and a sink in memory: what the outside world of a simulated job keeps."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from datastream.io import (
    Batch,
    Committer,
    CommitterContext,
    EnumeratorContext,
    Produced,
    ReaderContext,
    Sink,
    SinkWriter,
    Source,
    SourceReader,
    SplitEnumerator,
    WriterContext,
)
from datastream.io.queues import Message, QueueConnection, QueueSource

from .faults import point


class Record(NamedTuple):
    """What jobs read.

    Attributes:
        key: Each key is in one lane only.
        time: Event time in ms.
        value: A small number.
    """

    key: str
    time: int
    value: int


@dataclass
class Ledger:
    """What a sink has written: the outside system.

    Attributes:
        prepared: (epoch, subtask, attempt) -> what a writer left there, which nobody can see yet.
        visible: (epoch, subtask) -> records.
        committed: The last epoch.
    """

    prepared: dict[tuple[int, int, int], list[Any]] = field(default_factory=dict)
    visible: dict[tuple[int, int], list[Any]] = field(default_factory=dict)
    committed: int = -1

    @property
    def records(self) -> list[Any]:
        """All that can be seen; those of a subtask in their order."""
        return [record for place in sorted(self.visible) for record in self.visible[place]]


@dataclass
class World:
    """The outside world of a run.

    Attributes:
        inputs: Source's name -> lanes -> records.
        seed: How epochs and batches are cut.
        ledger: What the sink has written.
        clock_ms: Processing time.
        queue: What was not acknowledged, by its id; None: nobody reads a queue.
        delivered: To which connections that was delivered.
        pulls: How often somebody has pulled.
        looks: How often somebody has looked for more.
    """

    inputs: dict[str, list[list[Record]]]
    seed: int
    ledger: Ledger = field(default_factory=Ledger)
    clock_ms: int = 1_000_000
    queue: dict[str, Record] | None = None
    delivered: dict[str, Connection] = field(default_factory=dict)
    pulls: int = 0
    looks: int = 0

    @property
    def is_drained(self) -> bool:
        """Whether a queue has nothing more."""
        return self.queue is not None and not self.queue


#: The world of the run in hand. Sources and sinks are pickled with the job, their systems are not.
world = World({}, 0)


def enter(new: World) -> None:
    """From now on jobs read and write this world."""
    global world
    world = new


def clock() -> int:
    """Processing time of the world."""
    point("clock")
    return world.clock_ms


@dataclass(frozen=True)
class Split:
    """Records of one lane."""

    lane: str
    number: int
    start: int
    end: int


@dataclass(frozen=True)
class Script(Source):
    """Reads an input of the world. Its epochs are cut by the world's seed, another way each time.

    Attributes:
        name: Of the input.
        lanes: Whether its lanes have watermarks of their own.
    """

    name: str
    lanes: bool = True
    grows = False

    @property
    def produced(self) -> Produced:
        return Produced(lanes=self.lanes)

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self)


class _Enumerator(SplitEnumerator):
    def __init__(self, source: Script) -> None:
        self._source = source

    @property
    def _sizes(self) -> list[int]:
        return [len(lane) for lane in world.inputs[self._source.name]]

    def initial_offset(self) -> list[int]:
        point("initial_offset")
        return [0] * len(self._sizes)

    def latest_offset(self, start: list[int], budget: int) -> list[int]:
        point("latest_offset")
        world.looks += 1
        draw = Random(f"{world.seed} {self._source.name} {start} {world.looks}")
        most = draw.choice((1, 2, 4, 8))
        end = [min(size, at + draw.randint(0, most)) for at, size in zip(start, self._sizes, strict=True)]
        return end if end != start else [min(size, at + 1) for at, size in zip(start, self._sizes, strict=True)]

    def splits(self, start: list[int], end: list[int], parallelism: int) -> list[Split]:
        point("splits")
        return [
            Split(str(lane), lane, first, last)
            for lane, (first, last) in enumerate(zip(start, end, strict=True))
            if last > first
        ]

    def lanes(self, offset: list[int]) -> list[str]:
        return [str(lane) for lane in range(len(offset))]

    def finished(self, offset: list[int]) -> bool:
        return offset == self._sizes

    def commit(self, offset: list[int]) -> None:
        point("commit of the enumerator")


class _Reader(SourceReader):
    def __init__(self, source: Script) -> None:
        self._source = source

    def begin(self, epoch: int, attempt: int) -> None:
        point("begin of a reader")

    def read(self, split: Split) -> Iterator[Batch]:
        point("read")
        records = world.inputs[self._source.name][split.number][split.start : split.end]
        size = Random(f"{world.seed} {split}").choice((1, 2, 100))
        for at in range(0, len(records), size):
            yield Batch(list(records[at : at + size]))
            point("behind a batch")


class Queue(QueueSource):
    """Reads the queue of the world. Its messages are delivered again until they are acknowledged."""

    poll_ms = 0

    def connect(self) -> Connection:
        point("connect")
        return Connection()

    def records(self, bodies: list[bytes]) -> list[Any]:
        return [Record(*pickle.loads(body)) for body in bodies]


class Connection(QueueConnection):
    def pull(self, most: int) -> list[Message]:
        point("pull")
        world.pulls += 1
        assert world.queue is not None
        draw = Random(f"{world.seed} {world.pulls}")
        free = [id for id in world.queue if id not in world.delivered or draw.random() < 0.2]  # it waits no longer
        pulled = draw.sample(free, min(len(free), most, draw.randint(0, 8)))
        world.delivered.update(dict.fromkeys(pulled, self))
        point("behind pull")
        return [Message(id, pickle.dumps(tuple(world.queue[id]))) for id in pulled]

    def acknowledge(self, messages: list[Message]) -> None:
        point("acknowledge")
        assert world.queue is not None
        for message in messages:
            world.queue.pop(str(message.id), None)
            point("amid acknowledge")

    def close(self) -> None:
        world.delivered = {id: of for id, of in world.delivered.items() if of is not self}


@dataclass(frozen=True)
class LedgerSink(Sink):
    """Writes to the ledger of the world, exactly once."""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(context.subtask)

    def create_committer(self, context: CommitterContext) -> Committer:
        return _Committer()


class _Writer(SinkWriter):
    def __init__(self, subtask: int) -> None:
        self._subtask = subtask

    def begin(self, epoch: int, attempt: int) -> None:
        point("begin of a writer")
        self._place = (epoch, self._subtask, attempt)
        self._records: list[Any] = []

    def write(self, batch: Batch) -> None:
        point("write")
        self._records += batch.records

    def prepare_commit(self) -> tuple[int, int, int]:
        point("before prepare_commit")
        world.ledger.prepared[self._place] = list(self._records)
        point("after prepare_commit")
        return self._place


class _Committer(Committer):
    def commit(self, epoch: int, committables: list[tuple[int, int, int]], final: bool) -> None:
        point("before commit")
        ledger = world.ledger
        if epoch > ledger.committed:
            for place in committables:
                ledger.visible[place[:2]] = ledger.prepared[place]
                point("amid commit")
            ledger.committed = epoch
        point("after commit")

    def abort(self, epoch: int, committables: list[Any]) -> None:
        point("abort")
