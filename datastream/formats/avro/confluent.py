"""Avro messages whose schema is in a registry: Confluent's wire format.

A message is a byte 0, the schema's number in the registry in four bytes, big end first, and the Avro bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.avro.generic_schemas import GenericRecordAvroTypeInfo
from datastream.formats.avro.messages import AvroWriter, check_schema, unreadable
from datastream.formats.avro.reading import ReadMessages, message_reader
from datastream.formats.avro.registry import Registry
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.to_type import to_row_type
from datastream.formats.positions import place_of
from datastream.formats.schema import DeserializationSchema, Position
from datastream.types import TypeInformation

_HEAD = 5


class ConfluentRegistryAvroDeserializationSchema(DeserializationSchema):
    """Reads Avro messages by the schema whose number they bear; made by `for_generic` or `for_row`.

    Whatever schema a message was written with, its record has the schema given here: fields may be added with
    defaults, left out, reordered, renamed by alias or promoted. Each schema is asked for once a task.
    """

    def __init__(self, schema: AvroSchema, registry: Registry, kind: TypeInformation | None) -> None:
        check_schema(schema)
        self._schema = schema
        self._registry = registry
        self._kind = kind
        # That what the schema itself writes can be read shows its faults before anything runs.
        message_reader(schema.node, schema.node, kind)
        self._readers: dict[bytes, ReadMessages] = {}

    @staticmethod
    def for_generic(
        schema: AvroSchema, url: str, registry_configs: dict[str, Any] | None = None
    ) -> ConfluentRegistryAvroDeserializationSchema:
        """Reads records as dicts; see `AvroDeserializationSchema.for_generic`.

        Args:
            schema: The schema of the records.
            url: The registry's address, or several with commas between.
            registry_configs: Properties of confluent_kafka's SchemaRegistryClient, such as ``basic.auth.user.info``.

        Raises:
            ValidationError: a property is not valid, or confluent-kafka is not installed.
        """
        return ConfluentRegistryAvroDeserializationSchema(schema, Registry(url, registry_configs), None)

    @staticmethod
    def for_row(
        schema: AvroSchema, url: str, registry_configs: dict[str, Any] | None = None
    ) -> ConfluentRegistryAvroDeserializationSchema:
        """Reads records as named rows; otherwise as `for_generic`. An addition to Flink's names."""
        check_schema(schema)
        registry = Registry(url, registry_configs)
        return ConfluentRegistryAvroDeserializationSchema(schema, registry, to_row_type(schema))

    def deserialize(self, data: bytes) -> Any:
        """The record in `data`.

        Raises:
            FormatError: it is not in the wire format, the registry does not know its schema, or it is not readable.
            JobError: the registry cannot be reached.
        """
        return self.deserialize_block((data,))[0]

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The records of messages; those that are None are no records."""
        heads = {data[:_HEAD] for data in messages if data is not None}
        self._prepare(heads, messages, position)
        try:
            if len(heads) == 1:
                return self._readers[heads.pop()](messages, _HEAD)
            found: list[Any] = []
            present = (data for data in messages if data is not None)
            for head, run in groupby(present, key=lambda data: data[:_HEAD]):
                found += self._readers[head](list(run), _HEAD)
            return found
        except Exception as error:  # the bytes may be anything
            raise unreadable(error, messages, position) from error

    def _prepare(self, heads: set[bytes], messages: Sequence[bytes | None], position: Position | None) -> None:
        for head in heads - self._readers.keys():
            try:
                self._readers[head] = self._reader(head)
            except FormatError as error:
                index = next(i for i, data in enumerate(messages) if data is not None and data[:_HEAD] == head)
                where = place_of(position, index)
                raise FormatError(f"cannot read Avro{f' of {where}' if where else ''}: {error}") from None

    def _reader(self, head: bytes) -> ReadMessages:
        if len(head) < _HEAD or head[0] != 0:
            raise FormatError(
                f"expected Confluent's wire format, a byte 0 and a schema's number of 4 bytes, found {cut(head)}; "
                "if the messages are plain Avro, use AvroDeserializationSchema"
            )
        number = int.from_bytes(head[1:], "big")
        writer = self._registry.schema(number)
        try:
            return message_reader(writer.node, self._schema.node, self._kind)
        except ValidationError as error:
            raise FormatError(f"the schema of number {number} cannot be read as the one given: {error}") from None

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return GenericRecordAvroTypeInfo(self._schema) if self._kind is None else self._kind

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_readers": {}}


class ConfluentRegistryAvroSerializationSchema(AvroWriter):
    """Writes records as Avro messages that bear their schema's number; made by `for_generic` or `for_row`.

    The schema is registered under the subject when the first record of a task is written.
    """

    def __init__(self, subject: str, schema: AvroSchema, registry: Registry, kind: TypeInformation | None) -> None:
        super().__init__(schema, kind)
        if not isinstance(subject, str) or not subject:
            raise ValidationError(f"the subject is a str such as 'orders-value', got {cut(subject)}")
        self._subject = subject
        self._registry = registry

    @staticmethod
    def for_generic(
        subject: str, schema: AvroSchema, url: str, registry_configs: dict[str, Any] | None = None
    ) -> ConfluentRegistryAvroSerializationSchema:
        """Writes dicts; see `AvroSerializationSchema.for_generic`.

        Args:
            subject: The subject in the registry, by custom the topic with ``-value`` after it.
            schema: The schema.
            url: The registry's address, or several with commas between.
            registry_configs: Properties of confluent_kafka's SchemaRegistryClient, such as ``basic.auth.user.info``.

        Raises:
            ValidationError: a property is not valid, or confluent-kafka is not installed.
        """
        return ConfluentRegistryAvroSerializationSchema(subject, schema, Registry(url, registry_configs), None)

    @staticmethod
    def for_row(
        subject: str, schema: AvroSchema, url: str, registry_configs: dict[str, Any] | None = None
    ) -> ConfluentRegistryAvroSerializationSchema:
        """Writes rows; otherwise as `for_generic`. An addition to Flink's names."""
        check_schema(schema)
        registry = Registry(url, registry_configs)
        return ConfluentRegistryAvroSerializationSchema(subject, schema, registry, to_row_type(schema))

    @cached_property
    def _head(self) -> bytes:
        return b"\0" + self._registry.number(self._subject, self._schema).to_bytes(4, "big")

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The bytes of each record.

        Raises:
            FormatError: a record does not fit the schema; the message names the field.
            JobError: the registry cannot be reached, or does not take the schema.
        """
        return self._serialize(values, self._head)
