"""Generic records, which are dicts, as Avro messages."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.formats.avro.messages import AvroReader, AvroWriter, check_schema
from datastream.formats.avro.schema import AvroSchema
from datastream.types import TypeInformation


@dataclass(frozen=True, repr=False)
class GenericRecordAvroTypeInfo(TypeInformation):
    """Type of the generic records of a schema: dicts by field name.

    Args:
        schema: The schema.

    Raises:
        ValidationError: it is no AvroSchema.
    """

    schema: AvroSchema

    def __post_init__(self) -> None:
        check_schema(self.schema)

    def __repr__(self) -> str:
        return f"GenericRecordAvroTypeInfo({self.schema})"


class AvroDeserializationSchema(AvroReader):
    """Reads Avro messages as generic records; made by `for_generic`."""

    @staticmethod
    def for_generic(schema: AvroSchema, writer_schema: AvroSchema | None = None) -> AvroDeserializationSchema:
        """Reads records as dicts.

        Dates and times are those of `datetime`: timestamps in UTC, local timestamps without a zone, timestamps of
        nanoseconds as `Instant`. Decimals are `Decimal`, uuids `UUID`, enums str, bytes and fixed bytes. A record of
        a union in which another record has the same fields is a pair (full name, dict).

        Args:
            schema: The schema of the records.
            writer_schema: The schema that the bytes are in, where it is another: fields may be added with defaults,
                left out, reordered, renamed by alias or promoted.

        Raises:
            ValidationError: the one schema cannot be read as the other.
        """
        return AvroDeserializationSchema(schema, writer_schema, None)

    def get_produced_type(self) -> GenericRecordAvroTypeInfo:
        """The type of the records."""
        return GenericRecordAvroTypeInfo(self._schema)


class AvroSerializationSchema(AvroWriter):
    """Writes generic records as Avro messages; made by `for_generic`."""

    @staticmethod
    def for_generic(schema: AvroSchema) -> AvroSerializationSchema:
        """Writes dicts; see `AvroDeserializationSchema.for_generic` for their values.

        A missing field takes its default, or null where it may be null; an unknown one is a FormatError, as is a
        value that the schema cannot hold exactly. The branch of a union is the first that the value fits; a pair
        (full name, value) names it.
        """
        return AvroSerializationSchema(schema, None)
