"""Avro: messages of rows or of generic records, by PyFlink's names (``pyflink.datastream.formats.avro``)."""

from datastream.formats.avro.bulk_writers import AvroBulkWriters
from datastream.formats.avro.confluent import (
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from datastream.formats.avro.from_type import from_row_type
from datastream.formats.avro.generic_schemas import (
    AvroDeserializationSchema,
    AvroSerializationSchema,
    GenericRecordAvroTypeInfo,
)
from datastream.formats.avro.row_schemas import AvroRowDeserializationSchema, AvroRowSerializationSchema
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.to_type import to_row_type

__all__ = [
    "AvroBulkWriters",
    "AvroDeserializationSchema",
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "AvroSchema",
    "AvroSerializationSchema",
    "ConfluentRegistryAvroDeserializationSchema",
    "ConfluentRegistryAvroSerializationSchema",
    "GenericRecordAvroTypeInfo",
    "from_row_type",
    "to_row_type",
]
