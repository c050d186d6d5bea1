"""Formats whose messages are changes of rows, as tools of change data capture write them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from datastream.errors import FormatError
from datastream.formats import SerializationSchema
from datastream.formats.dead_letters import DeadLetter
from datastream.formats.positions import one_by_one
from datastream.formats.schema import Position
from datastream.functions import OutputTag
from datastream.table.types.logical_types import DataType

from .format import DROPPED, Decoder, Layout, TableFormat

#: What a table needs, for errors.
CHANGES = "with a format of changes such as debezium-json"
INSERT, BEFORE, AFTER, DELETE = range(4)
_NOWHERE = (None, None, None)


class ChangeFormat(TableFormat):
    """A format whose messages are changes; `decoder` gives the rows of all of them, and `encoder` writes new rows.

    Attributes:
        metadata: Keys of metadata that messages have -> type of the values.
    """

    metadata: ClassVar[Mapping[str, DataType]] = {}

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> ChangeDecoder:
        return self.change_decoder(layout, wanted, options, ())

    @abstractmethod
    def change_decoder(
        self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any], metadata: Sequence[str]
    ) -> ChangeDecoder:
        """What reads messages.

        Args:
            layout: The columns.
            wanted: Which of them, in order; the values of `metadata` come after them.
            options: All of `options`, read.
            metadata: Which keys.
        """

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return _NewRows(self.change_encoder(layout, options))

    @abstractmethod
    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        """What writes tuples with their kind (0 +I, 1 -U, 2 +U, 3 -D) in front."""


class ChangeDecoder(Decoder):
    """Reads messages as changes: the rows of a message are a list of tuples with their kind in front."""

    @abstractmethod
    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        """A list of rows for each message, or None: it holds none."""

    @abstractmethod
    def row(self, data: bytes) -> Any:
        """The list of rows of one message, or None. Raises as that of every decoder."""

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        try:
            found = self.rows([data for data in messages if data is not None])
        except Exception:  # one is unusual: read alone it gives rows, or a good error
            if self.drops_errors:
                return self._kept(messages, position)
            found = one_by_one(self.deserialize, messages, position)
        return [row for rows in found if rows is not None for row in rows]

    def _kept(self, messages: Sequence[bytes | None], position: Position | None) -> list[Any]:
        kept: list[Any] = []
        for index, data in enumerate(messages):
            if data is None:
                continue
            try:
                kept += self.deserialize(data) or ()
            except FormatError as error:
                where = _NOWHERE if position is None else position(index)
                kept.append((DROPPED, DeadLetter(data, str(error), *where)))
        return kept

    @property
    def schema(self) -> ChangeDecoder:
        return self

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        return (DROPPED,) if self.drops_errors else ()


class ChangeEncoder(SerializationSchema):
    """Writes tuples with their kind in front.

    Args:
        inner: Writes the values of a message's fields.
        message: Makes them: (the row comes, the row) -> values.
    """

    def __init__(self, inner: SerializationSchema, message: Callable[[bool, tuple[Any, ...]], tuple[Any, ...]]) -> None:
        self._inner, self._message = inner, message

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        message = self._message
        return self._inner.serialize_block([message(kind in (INSERT, AFTER), tuple(row)) for kind, *row in values])


class _NewRows(SerializationSchema):
    """Writes rows without a kind as rows that come."""

    def __init__(self, inner: SerializationSchema) -> None:
        self._inner = inner

    def serialize(self, value: Any) -> bytes:
        return self._inner.serialize((INSERT, *value))

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        return self._inner.serialize_block([(INSERT, *value) for value in values])
