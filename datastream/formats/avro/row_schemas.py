"""Rows as Avro messages: PyFlink's AvroRowDeserializationSchema and AvroRowSerializationSchema."""

from __future__ import annotations

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.formats.avro.from_type import from_row_type
from datastream.formats.avro.messages import AvroReader, AvroWriter
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.to_type import to_row_type
from datastream.types import RowTypeInfo


class AvroRowDeserializationSchema(AvroReader):
    """Reads Avro messages as named rows.

    The rows' type is derived from the schema; see `to_row_type`. Timestamps become datetimes without a zone, in UTC.

    Args:
        record_class: Not supported: the name of a Java class that Avro has generated.
        avro_schema_string: The schema of the rows, as JSON; its top is a record.
        writer_schema_string: The schema that the bytes are in, where it is another: fields may be added with
            defaults, left out, reordered, renamed by alias or promoted. An addition to PyFlink's.

    Raises:
        ValidationError: a schema is not valid, or the one cannot be read as the other.
        UnsupportedOperation: `record_class` is given.
    """

    _records_fit = True

    def __init__(
        self,
        record_class: str | None = None,
        avro_schema_string: str | None = None,
        writer_schema_string: str | None = None,
    ) -> None:
        schema = _schema(type(self).__name__, record_class, avro_schema_string)
        writer = None if writer_schema_string is None else AvroSchema(writer_schema_string)
        super().__init__(schema, writer, to_row_type(schema))

    @staticmethod
    def for_type(type_info: RowTypeInfo) -> AvroRowDeserializationSchema:
        """Reads what `AvroRowSerializationSchema.for_type` writes. An addition to PyFlink's names.

        Raises:
            ValidationError: the type has no form in Avro, or holds a PICKLED_BYTE_ARRAY.
        """
        schema = object.__new__(AvroRowDeserializationSchema)
        AvroReader.__init__(schema, from_row_type(type_info), None, type_info)
        return schema

    def get_produced_type(self) -> RowTypeInfo:
        """The type of the rows."""
        assert isinstance(self._kind, RowTypeInfo)
        return self._kind


class AvroRowSerializationSchema(AvroWriter):
    """Writes rows as Avro messages.

    A row may have the schema's names in any order, or none: then its fields are taken by position. A value that the
    schema cannot hold exactly is a FormatError.

    Args:
        record_class: Not supported: the name of a Java class that Avro has generated.
        avro_schema_string: The schema, as JSON; its top is a record.

    Raises:
        ValidationError: the schema is not valid.
        UnsupportedOperation: `record_class` is given.
    """

    def __init__(self, record_class: str | None = None, avro_schema_string: str | None = None) -> None:
        schema = _schema(type(self).__name__, record_class, avro_schema_string)
        super().__init__(schema, to_row_type(schema))

    @staticmethod
    def for_type(type_info: RowTypeInfo) -> AvroRowSerializationSchema:
        """Writes rows of a type, by the schema that `from_row_type` returns. An addition to PyFlink's names.

        Raises:
            ValidationError: the type has no form in Avro.
        """
        schema = object.__new__(AvroRowSerializationSchema)
        AvroWriter.__init__(schema, from_row_type(type_info), type_info)
        return schema


def _schema(who: str, record_class: object, text: str | None) -> AvroSchema:
    if record_class is not None:
        raise UnsupportedOperation(
            f"{who}: record_class={cut(record_class)} names a class that Avro generated for Java, and no Java code "
            "runs here. Pass avro_schema_string= with the schema's JSON."
        )
    if text is None:
        raise ValidationError(f"{who}: pass avro_schema_string=, the schema's JSON.")
    return AvroSchema(text)
