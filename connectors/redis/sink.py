"""`RedisSink`: commands for each record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.io import Backoff, BatchingSink, Consumed, Sink, SinkWriter, TransactionalSink, WriterContext

from .commands import RedisCommand
from .connection import RedisConnection
from .failures import failure

Commands = RedisCommand | Sequence[RedisCommand] | None
"""What a record becomes; None: nothing."""

#: Keys whose kinds are asked for in one request.
_AT_ONCE = 5000
_GUARANTEES = (DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE)


class RedisSink(Sink):
    """Does commands for each record.

    Exactly once: the commands of an epoch and subtask, and a marker with the epoch's number, are one transaction
    (MULTI, EXEC). A subtask that runs again finds the marker, and writes nothing. At least once: commands go in
    pipelines, and an epoch that runs again does its commands again. SET, HSET, SADD and the commands that delete then
    leave what they left before.

    Args:
        connection: The server, or its URL.
        command: The command of a record, several, or None: nothing.
        delivery_guarantee: EXACTLY_ONCE or AT_LEAST_ONCE.
        marker_prefix: What the keys of markers begin with.
        batch_size: Records of a pipeline; with AT_LEAST_ONCE.
        backoff: Pauses between tries of a pipeline; with AT_LEAST_ONCE.

    Raises:
        ValidationError: A value is wrong.
    """

    def __init__(
        self,
        connection: RedisConnection | str,
        command: Callable[[Any], Commands],
        delivery_guarantee: DeliveryGuarantee = DeliveryGuarantee.EXACTLY_ONCE,
        marker_prefix: str = "datastream:epoch:",
        batch_size: int = 1000,
        backoff: Backoff | None = None,
    ) -> None:
        what = type(self).__name__
        if not callable(command):
            raise ValidationError(f"{what}: command must be a function of a record, got {cut(command)}")
        if delivery_guarantee not in _GUARANTEES:
            raise ValidationError(f"{what}: expected EXACTLY_ONCE or AT_LEAST_ONCE, got {cut(delivery_guarantee)}")
        if not isinstance(marker_prefix, str) or not marker_prefix:
            raise ValidationError(f"{what}: marker_prefix must be a text, and not empty, got {cut(marker_prefix)}")
        checked_number(batch_size, f"{what}: batch_size", 1)
        self.connection = checked_connection(RedisConnection, connection, what)
        self._sink: TransactionalSink | BatchingSink
        if delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            self._sink = ExactlyOnceRedisSink(self.connection, command, marker_prefix)
        else:
            self._sink = AtLeastOnceRedisSink(self.connection, command, batch_size, backoff or Backoff())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.connection})"

    @property
    def consumed(self) -> Consumed:
        return self._sink.consumed

    def validate(self) -> None:
        self.connection.validate()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return self._sink.create_writer(context)


@dataclass(frozen=True)
class ExactlyOnceRedisSink(TransactionalSink):
    """Exactly once."""

    reached: RedisConnection
    command: Callable[[Any], Commands]
    marker_prefix: str

    def connect(self) -> _Transaction:
        return _Transaction(self.reached, self.marker_prefix)

    def last_epoch(self, connection: _Transaction, name: str) -> int | None:
        return connection.begin(name)

    def write(self, connection: _Transaction, records: list[Any]) -> None:
        for record in records:
            connection.commands += commands_of(self.command, record)

    def commit(self, connection: _Transaction, name: str, epoch: int) -> None:
        connection.commit(name, epoch)


class _Transaction:
    """The commands of an epoch, kept until they are done all at once.

    Attributes:
        commands: They.
    """

    def __init__(self, connection: RedisConnection, prefix: str) -> None:
        self._connection, self._prefix = connection, prefix
        self._client: Any = connection.writer()
        self._marked: int | None = None
        self.commands: list[RedisCommand] = []

    def begin(self, name: str) -> int | None:
        """Begin an epoch.

        Returns:
            The marker of a name; None: there is none.
        """
        self.commands.clear()
        try:
            self._marked = _epoch_of(self._client.get(self._prefix + name))
        except Exception as error:
            raise failure(error, self._connection, f"the marker {self._prefix + name!r}") from error
        return self._marked

    def commit(self, name: str, epoch: int) -> None:
        """Do all commands, and set the marker.

        A transaction of Redis goes on after a command that fails. So it is not begun where a key holds another kind.

        Raises:
            ConnectionError: The server is away, or another attempt is faster.
            ValidationError: A key holds another kind of value.
        """
        marker = self._prefix + name
        pipeline: Any = self._client.pipeline(transaction=True)
        try:
            pipeline.watch(marker)
            if _epoch_of(pipeline.get(marker)) != self._marked:
                raise ConnectionError(f"{self._connection}: another attempt has written the epoch {epoch} of {name!r}")
            self._check_kinds()
            pipeline.multi()
            for command in self.commands:
                for words in command.words:
                    pipeline.execute_command(*words)
            pipeline.set(marker, epoch)
            answers = pipeline.execute(raise_on_error=False)
        except (ConnectionError, ValidationError):
            raise
        except Exception as error:
            raise failure(error, self._connection, f"the epoch {epoch} of {name!r}") from error
        finally:
            pipeline.reset()
        wrong = [answer for answer in answers if isinstance(answer, Exception)]
        if wrong:
            raise ValidationError(
                f"{self._connection}: {len(wrong)} commands of the epoch {epoch} failed, and the others are done: "
                f"{cut(str(wrong[0]))}; a key was given another kind of value in the same moment. Do by hand what "
                "these commands were to do: the epoch does not run again"
            )
        self.commands.clear()

    def close(self) -> None:
        """Leave the server."""
        self.commands.clear()
        self._client.close()

    def _check_kinds(self) -> None:
        """See that keys hold what their commands need, after what the commands before have done."""
        first: dict[bytes, str] = {}
        now: dict[bytes, str | None] = {}
        for command in self.commands:
            key = command.key.encode() if isinstance(command.key, str) else command.key
            if command.kind is None:
                now[key] = "string" if command.words[0][0] == "SET" else None
            elif key not in now:
                first[key] = now[key] = command.kind
            elif now[key] not in (None, command.kind):
                raise self._other_kind(key, str(now[key]), command.kind)
            else:
                now[key] = command.kind
        keys = list(first)
        for begin in range(0, len(keys), _AT_ONCE):
            some = keys[begin : begin + _AT_ONCE]
            pipeline = self._client.pipeline(transaction=False)
            for key in some:
                pipeline.type(key)
            for key, answer in zip(some, pipeline.execute(), strict=True):
                found = answer.decode()
                if found not in ("none", first[key]):
                    raise self._other_kind(key, found, first[key])

    def _other_kind(self, key: bytes, found: str, needed: str) -> ValidationError:
        return ValidationError(
            f"{self._connection}: the key {cut(key.decode(errors='replace'))} holds a {found}, and the sink writes a "
            f"{needed}; nothing of the epoch is written. Delete the key, or write to another one"
        )


@dataclass(frozen=True)
class AtLeastOnceRedisSink(BatchingSink):
    """At least once."""

    reached: RedisConnection
    command: Callable[[Any], Commands]
    batch_size: int
    backoff: Backoff

    def connect(self, context: WriterContext) -> Any:
        return self.reached.writer()

    def write(self, connection: Any, records: list[Any]) -> None:
        pipeline = connection.pipeline(transaction=False)
        for record in records:
            for command in commands_of(self.command, record):
                for words in command.words:
                    pipeline.execute_command(*words)
        try:
            pipeline.execute()
        except Exception as error:
            raise failure(error, self.reached, "a pipeline") from error


def commands_of(command: Callable[[Any], Commands], record: Any) -> Iterator[RedisCommand]:
    """The commands of a record.

    Raises:
        ValidationError: The function returns something else.
    """
    found = command(record)
    if isinstance(found, RedisCommand):
        yield found
        return
    if found is None:
        return
    if isinstance(found, Iterable):
        several = list(found)
        if all(isinstance(each, RedisCommand) for each in several):
            yield from several
            return
    raise ValidationError(
        f"RedisSink: the function must return a RedisCommand, a list of them, or None, got {cut(found)} for the record "
        f"{cut(record)}"
    )


def _epoch_of(marker: bytes | None) -> int | None:
    return None if marker is None else int(marker)
