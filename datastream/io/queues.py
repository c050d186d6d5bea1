"""Queues as sources: systems that forget a message once it is acknowledged, such as RabbitMQ or PubSub."""

from __future__ import annotations

import pickle
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from datastream.errors import ValidationError, cut

from .contexts import EnumeratorContext, ReaderContext
from .sources import Batch, Source, SourceReader, SplitEnumerator
from .spool import Spool

#: How long a message may stay unacknowledged before it counts as new: longer than queues wait to deliver it again.
REMEMBERED_S = 3600.0

#: More time than this between two commits does not count: the queue may be away, and deliver messages again later.
_STEP_S = 1.0

_ACKNOWLEDGED = "acknowledged"
_DONE = b""
_NOTHING = pickle.dumps([], 5)
_ANY = 1 << 31


class Message(NamedTuple):
    """A message of a queue.

    Attributes:
        id: What distinguishes it from all others, also when it is delivered again; None: it has nothing of the kind.
        body: Its content: plain data, as it is kept.
        receipt: What `QueueConnection.acknowledge` needs, if anything. Not kept.
    """

    id: str | None
    body: Any
    receipt: Any = None


class QueueConnection(ABC):
    """A connection to a queue, in a worker. Messages that it pulled and did not acknowledge are delivered again."""

    @abstractmethod
    def pull(self, most: int) -> list[Message]:
        """At most this number of messages, as they are there or come within some 100 ms; none where there are none.

        Raises:
            ConnectionError: The queue is away; the connection is closed, and the job restarts as its strategy says.
        """

    def held(self, messages: list[Message]) -> list[Message]:
        """Those of some messages that the queue will not deliver to another consumer yet.

        Default: all, until it is closed.

        Asked right before messages are stored: the others are left to the consumers that they are delivered to.
        """
        return messages

    @abstractmethod
    def acknowledge(self, messages: list[Message]) -> None:
        """The queue may forget these, which `pull` of this connection gave: one or more.

        One that is gone already is no error.
        """

    @abstractmethod
    def close(self) -> None:
        """End the connection: what was not acknowledged goes back to the queue. Perhaps in another thread."""


class QueueSource(Source):
    """A source of messages that cannot be read twice.

    A task pulls its share of the epoch, writes it to the `Spool`, acknowledges it and only then emits it; an epoch that
    runs again reads the spool. So nothing is lost. A crash between spool and acknowledgement makes the queue deliver
    messages again: those with an id are dropped then (exactly once), others come twice (at least once).

    Give it `connect`, and `records` where they are not the bodies of the messages. The offset counts epochs.

    Attributes:
        poll_ms: A source that found nothing looks again so much later; one that found messages looks at once.
        kept_s: How long the ids of acknowledged messages are kept. A queue that dies may forget the acknowledgements of
            its last moment, and deliver their messages again.
    """

    bounded = False
    poll_ms: int = 200
    kept_s: float = 10.0

    @abstractmethod
    def connect(self) -> QueueConnection:
        """A connection, made in a worker and kept over epochs, but not while nothing is read for some seconds."""

    def records(self, bodies: list[Any]) -> list[Any]:
        """The records of some messages. Default: the bodies."""
        return list(bodies)

    def start(self, context: EnumeratorContext) -> None:
        """Prepare the queue, before a new job reads anything. Possibly repeated; not called after a restart."""

    def most_tasks(self, context: EnumeratorContext) -> int | None:
        """How many tasks may pull at a time; None: as many as the source has. Asked once in a run. Default: None."""
        return None

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        if self.bounded and type(self).create_enumerator is QueueSource.create_enumerator:
            raise ValidationError(
                f"{type(self).__name__} is a QueueSource, which has no end: leave out `bounded`, or override "
                "create_enumerator, too, with an enumerator that knows when the queue is empty (`finished`)"
            )
        return _QueueEnumerator(self, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return QueueReader(self, context.spool)


@dataclass(frozen=True)
class QueueSplit:
    """A task's share of an epoch.

    Attributes:
        epoch: Number of the pull, from 1.
        task: Index among those that pull.
        most: How many messages to pull.
    """

    epoch: int
    task: int
    most: int


class _QueueEnumerator(SplitEnumerator):
    def __init__(self, source: QueueSource, context: EnumeratorContext) -> None:
        self._source, self._context = source, context
        self._poll_s, self._kept_s = source.poll_ms / 1000, source.kept_s
        self._spool = context.spool
        self._planned: tuple[int, float] | None = None
        self._found = False
        self._committed: deque[tuple[float, int]] = deque()
        self._committed_at = time.monotonic()
        self._clock = 0.0

    def initial_offset(self) -> dict[str, int]:
        self._source.start(self._context)
        return {"epoch": 0, "most": 0}

    def latest_offset(self, start: dict[str, int], budget: int) -> dict[str, int]:
        now = time.monotonic()
        if self._planned is not None:
            epoch, planned_at = self._planned
            self._found = self._found or self._has_messages(epoch)
            if not self._found and now - planned_at < self._poll_s:
                return start
        end = {"epoch": start["epoch"] + 1, "most": max(budget, 1)}
        self._planned, self._found = (end["epoch"], now), False
        return end

    def _has_messages(self, epoch: int) -> bool:
        notes = (self._spool.read(epoch, task) for task in self._spool.tasks(epoch))
        return any(note is not None and note != _NOTHING for note in notes)

    def splits(self, start: dict[str, int], end: dict[str, int], parallelism: int) -> list[QueueSplit]:
        found = []
        pulling = min(parallelism, self._most_tasks)
        for epoch in range(start["epoch"] + 1, end["epoch"] + 1):
            # An epoch may run again with another parallelism: what was spooled is read in any case.
            tasks = max([pulling, *(task + 1 for task in self._spool.tasks(epoch))])
            most = -(-end["most"] // pulling)
            found += [QueueSplit(epoch, task, most) for task in range(tasks)]
        return found

    @cached_property
    def _most_tasks(self) -> int:
        most = self._source.most_tasks(self._context)
        return _ANY if most is None else most

    def commit(self, offset: dict[str, int]) -> None:
        """Drop notes that are no longer needed: of epochs committed some time ago, and acknowledged or old."""
        now = time.monotonic()
        self._clock += min(now - self._committed_at, _STEP_S)
        self._committed_at = now
        self._committed.append((self._clock, offset["epoch"]))
        old = None
        while self._committed and self._clock - self._committed[0][0] >= self._kept_s:
            _, old = self._committed.popleft()
        if old is not None:
            self._forget(old)

    def _forget(self, epoch: int) -> None:
        """Forget notes before an epoch."""
        acknowledged = self._spool.part(_ACKNOWLEDGED)
        done = set(acknowledged.notes())
        for before, task in self._spool.notes():
            if before < epoch:
                written = self._spool.written_at(before, task)
                if (before, task) in done or (written is not None and time.time() - written > REMEMBERED_S):
                    self._spool.remove(before, task)
        left = set(self._spool.notes())
        for before, task in done - left:
            acknowledged.remove(before, task)


class QueueReader(SourceReader):
    """Pulls, spools, acknowledges, and emits.

    Args:
        source: The settings.
        spool: Where the notes are.

    Attributes:
        call: Makes the calls of a connection: takes a method and its arguments. A trial sets one that may crash.
    """

    def __init__(self, source: QueueSource, spool: Spool) -> None:
        self.call: Callable[..., Any] = _call
        self._source = source
        self._spool = spool
        self._acknowledged = spool.part(_ACKNOWLEDGED)
        self._connection: QueueConnection | None = None
        self._known: dict[tuple[int, int], frozenset[str]] = {}
        self._seen: Counter[str] = Counter()  # id -> number of notes that have it

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        note = self._spool.read(split.epoch, split.task)
        if note is None:
            if self._acknowledged.read(split.epoch, split.task) is not None:
                self._spool.require(split.epoch, split.task)  # it was there, and the queue has forgotten its messages
            messages = self._pull(split)
        else:
            messages = pickle.loads(note)
        if messages:
            yield Batch(self._source.records([body for _, body in messages]))

    def idle(self) -> None:
        self.close()  # heartbeats of a queue would not be answered meanwhile

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _pull(self, split: QueueSplit) -> list[tuple[str | None, Any]]:
        if self._connection is None:
            self._connection = self._source.connect()
        pulled = self.call(self._connection.pull, split.most)
        wrong = next((message for message in pulled if not isinstance(message, Message)), None)
        if wrong is not None:
            whose = f"{type(self._connection).__name__}.pull of {type(self._source).__name__}"
            raise ValidationError(f"{whose} gave {cut(wrong)}, expected Message(id, body, receipt) of datastream.io")
        new = self._new(pulled)
        held = self.call(self._connection.held, pulled) if pulled else []
        if len(held) < len(pulled):
            kept = set(map(id, held))
            pulled, new = held, [message for message in new if id(message) in kept]
        messages = [(message.id, message.body) for message in new]
        mine = pickle.dumps(messages, 5)
        note = self._spool.write(split.epoch, split.task, mine)
        if note is not mine:  # even if it reads the same: messages without ids may have equal bodies
            # Another attempt at this task pulled other messages: these go back to the queue.
            self.close()
            found: list[tuple[str | None, Any]] = pickle.loads(note)
            return found
        self._know(split.epoch, split.task, messages)
        if pulled:
            self.call(self._connection.acknowledge, pulled)
        self._acknowledged.write(split.epoch, split.task, _DONE)
        return messages

    def _new(self, pulled: list[Message]) -> list[Message]:
        """What was not spooled before: by a task that died before it could acknowledge."""
        if not pulled:
            return []
        seen = self._kept()
        new = []
        own = set()
        for message in pulled:
            if message.id is None or (message.id not in seen and message.id not in own):
                new.append(message)
                own.add(message.id)
        return new

    def _kept(self) -> Container[str]:
        """The ids in all notes that are there, of acknowledged messages, too."""
        notes = set(self._spool.notes())
        for at in self._known.keys() - notes:
            for id in self._known.pop(at):
                self._seen[id] -= 1
                if not self._seen[id]:
                    del self._seen[id]
        for at in notes - self._known.keys():
            note = self._spool.read(*at)
            if note is not None:
                self._know(*at, pickle.loads(note))
        return self._seen

    def _know(self, epoch: int, task: int, messages: list[tuple[str | None, Any]]) -> None:
        """Know the ids of a note, which is read once: whoever wrote it need not read it."""
        ids = frozenset(id for id, _ in messages if id is not None)
        self._known[epoch, task] = ids
        self._seen.update(ids)


def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    return method(*arguments)
