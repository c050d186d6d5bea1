"""Kafka's records into tuples of keys, values and metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datastream.codegen import SourceText
from datastream.connectors.kafka import ConsumerRecord, KafkaRecordDeserializationSchema
from datastream.errors import FormatError, cut
from datastream.formats.dead_letters import DeadLetter
from datastream.functions import OutputTag

from .connector import TableConnector, TableInfo
from .formats.changes import ChangeDecoder
from .formats.format import DROP_ADVICE, DROPPED, Decoder

_KINDS = ("NoTimestampType", "CreateTime", "LogAppendTime")

#: The kinds of rows of upserts.
_UPDATE, _DELETE = 2, 3

#: Key of metadata -> the text of its value for the message ``m`` of confluent-kafka.
METADATA = {
    "topic": "topic",
    "partition": "partition",
    "offset": "m.offset()",
    "timestamp": "times(m)",
    "timestamp-type": "kinds[m.timestamp()[0]]",
    "headers": "dict(m.headers() or ())",
}


@dataclass(frozen=True)
class Source:
    """Where a column comes from.

    Attributes:
        kind: ``value``, ``key`` or ``metadata``.
        at: Index in the tuple of the value or the key; or the key of metadata.
    """

    kind: str
    at: int | str


def column_sources(
    connector: TableConnector,
    table: TableInfo,
    wanted: Sequence[str],
    of_value: Sequence[str],
    of_key: Sequence[str],
    of_format: Sequence[str] = (),
) -> list[Source]:
    """Where the wanted columns come from: the value, else the key, else the metadata of the format, or of the record.

    Raises:
        ValidationError: The connector has no such metadata.
    """
    found = []
    for name in wanted:
        if name in of_value:
            found.append(Source("value", of_value.index(name)))
        elif name in of_key:
            found.append(Source("key", of_key.index(name)))
        elif table.metadata[name] in of_format:
            found.append(Source("value", len(of_value) + of_format.index(table.metadata[name])))
        else:
            connector.metadata_type(table.metadata[name], table)
            found.append(Source("metadata", table.metadata[name]))
    return found


class TableDeserializer(KafkaRecordDeserializationSchema):
    """Reads blocks of records; a record without a value is no row, or of upserts one that is deleted.

    A record whose value holds changes gives all rows of these, with their kind in front.

    Args:
        value: Reads values.
        key: Reads keys; None: they are not wanted.
        columns: Where each column comes from.
        deleted: Of upserts: where each column of a row that is deleted comes from; None: it is NULL. Rows then have
            their kind in front.
    """

    _records_fit = True

    def __init__(
        self,
        value: Decoder,
        key: Decoder | None,
        columns: Sequence[Source],
        deleted: Sequence[Source | None] | None = None,
    ) -> None:
        self._value, self._key, self._columns = value, key, tuple(columns)
        self._deleted = None if deleted is None else tuple(deleted)
        self._changes = isinstance(value, ChangeDecoder)
        self._drops = value.drops_errors or (key is not None and key.drops_errors)
        self._plain = deleted is None and all(c.kind == "value" and c.at == i for i, c in enumerate(self._columns))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_joined"}

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        return (DROPPED,) if self._drops else ()

    def deserialize(self, record: ConsumerRecord) -> Any:
        raise NotImplementedError("records are read in blocks")

    def _kafka_records(self, messages: Sequence[Any], topic: str, partition: int) -> list[Any]:
        return self._read(messages, topic, partition, None)

    def _timed_kafka_records(
        self, messages: Sequence[Any], topic: str, partition: int
    ) -> tuple[list[Any], list[int | None]]:
        times: list[int | None] = []
        found = self._read(messages, topic, partition, times)
        return found, times

    def _read(self, messages: Sequence[Any], topic: str, partition: int, times: list[int | None] | None) -> list[Any]:
        upserts = self._deleted is not None
        present = [message for message in messages if upserts or message.value() is not None]
        try:
            values = self._values(present)
            if self._changes:
                present, values = _each_change(present, values)
            if self._key is not None:
                keys = [message.key() for message in present]
                read = iter(self._key.rows([key for key in keys if key is not None]))
                keys = [None if key is None else next(read) for key in keys]
                rows = self._joined(present, values, keys, topic, partition)
            else:
                rows = values if self._plain else self._joined(present, values, values, topic, partition)
        except Exception:  # one is unusual: read alone it gives a row, or a good error
            present, rows = _each_change(present, [self._one(each, topic, partition) for each in present])
        if None not in rows:
            if times is not None:
                times += map(_time, present)
            return rows
        if times is not None:
            times += [_time(message) for message, row in zip(present, rows, strict=True) if row is not None]
        return [row for row in rows if row is not None]

    def _values(self, messages: Sequence[Any]) -> list[Any]:
        """What is in the values, None for those that are none."""
        found = self._value.rows([message.value() for message in messages if message.value() is not None])
        if len(found) == len(messages):
            return found
        rows = iter(found)
        return [None if message.value() is None else next(rows) for message in messages]

    def _one(self, message: Any, topic: str, partition: int) -> Any:
        try:
            gone = message.value() is None
            value = None if gone else self._value.deserialize(message.value())
            if (value is None and not gone) or self._plain:
                return value
            key = None if self._key is None or message.key() is None else self._key.deserialize(message.key())
            if self._deleted is not None and key is None:
                raise FormatError("a record of upserts needs a key")
            if self._changes:
                assert value is not None
                count = len(value)
                return self._joined([message] * count, value, [key] * count, topic, partition)
            return self._joined([message], [value], [key], topic, partition)[0]
        except FormatError as error:
            place = f"topic {topic!r}, partition {partition}, offset {message.offset()}"
            if self._drops:
                why = f"{place}: {error}"
                return DROPPED, DeadLetter(message.value(), why, topic, partition, message.offset())
            raise FormatError(f"{place}: {error}; its key: {cut(message.key())}; {DROP_ADVICE}") from None

    @cached_property
    def _joined(self) -> Callable[[Sequence[Any], Sequence[Any], Sequence[Any], str, int], list[Any]]:
        code = SourceText(kinds=_KINDS, times=_micros)
        with code.function("def joined(messages, values, keys, topic, partition)"):
            code.lines("found = []", "add = found.append")
            with code.block("for m, v, k in zip(messages, values, keys)"):
                if self._deleted is not None:
                    with code.block("if k is None"):
                        code.line("raise ValueError('no key')")
                    with code.block("if m.value() is None"):
                        texts = ["None" if column is None else self._text(column) for column in self._deleted]
                        code.lines(f"add(({_DELETE}, {', '.join(texts)}))", "continue")
                with code.block("if v is None"):
                    code.lines("add(None)", "continue")
                texts = [self._text(column) for column in self._columns]
                kind = "v[0], " if self._changes else "" if self._deleted is None else f"{_UPDATE}, "
                code.line(f"add(({kind}{', '.join(texts)}{',' if texts else ''}))")
            code.line("return found")
        return code.compiled("joined", "rows of Kafka's records")

    def _text(self, column: Source) -> str:
        if column.kind == "metadata":
            return METADATA[str(column.at)]
        if column.kind == "value":
            return f"v[{int(column.at) + 1 if self._changes else column.at}]"  # after the kind
        return f"(None if k is None else k[{column.at}])"


def _each_change(messages: Sequence[Any], found: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Messages and what they hold, a row at a time where that is a list of them."""
    pairs = [
        (message, row)
        for message, rows in zip(messages, found, strict=True)
        for row in (rows if isinstance(rows, list) else (rows,))
    ]
    return [message for message, _ in pairs], [row for _, row in pairs]


def _time(message: Any) -> int | None:
    kind, time = message.timestamp()
    return None if kind == 0 else int(time)


def _micros(message: Any) -> int:
    """µs since 1970; a record without a timestamp has -1 ms, as in Kafka's client of Java."""
    kind, time = message.timestamp()
    return -1000 if kind == 0 else time * 1000
