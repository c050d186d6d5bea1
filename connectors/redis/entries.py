"""Entries of streams, and how they become records of the job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from datastream.errors import FormatError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.contents import reason_of
from datastream.formats.schema import ContentSchema, ReadingSchema


class RedisEntry(NamedTuple):
    """An entry of a stream.

    Attributes:
        stream: The stream's key.
        id: ``milliseconds-number``; rises in the stream.
        fields: Its fields. Of a field that is there twice, the last one.
    """

    stream: str
    id: str
    fields: Mapping[bytes, bytes]

    @property
    def timestamp(self) -> int:
        """The time in the id, in ms since 1970."""
        return int(self.id.partition("-")[0])


class RedisDeserializationSchema(ReadingSchema, ABC):
    """Makes a record of the job of an entry: of several fields, or with its id."""

    @abstractmethod
    def deserialize(self, entry: RedisEntry) -> Any:
        """The record, or None: no record."""

    def records_of(self, entries: Sequence[RedisEntry]) -> list[Any]:
        """The job's record for each, or None. Sources call this.

        Raises:
            FormatError: One cannot be read; names it.
        """
        return [self._one(entry) for entry in entries]

    def _one(self, entry: RedisEntry) -> Any:
        try:
            return self.deserialize(entry)
        except Exception as error:  # a user's function may raise anything
            raise FormatError(
                f"the entry {entry.id} of the stream {entry.stream!r} cannot be read: {reason_of(error)}; its fields: "
                f"{cut(dict(entry.fields))}"
            ) from error


class FieldOnly(ContentSchema, RedisDeserializationSchema):
    """Makes records of one field.

    Args:
        schema: How.
        field: Which.
    """

    def __init__(self, schema: DeserializationSchema, field: str) -> None:
        super().__init__(schema)
        self._field, self._name = field, field.encode()

    def deserialize(self, entry: RedisEntry) -> Any:
        data = entry.fields.get(self._name)
        if data is None:
            raise FormatError(f"it has no field {self._field!r}; the source's argument `field` says which one is read")
        return self._schema.deserialize(data)

    def records_of(self, entries: Sequence[RedisEntry]) -> list[Any]:
        data = [entry.fields.get(self._name) for entry in entries]
        found = self._at_once(data, lambda i: (entries[i].stream, None, None))
        return super().records_of(entries) if found is None else found
