"""How records become bytes and bytes become records."""

from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.formats.byte_array import ByteArraySchema
from datastream.formats.encoder import Encoder
from datastream.formats.schema import DeserializationSchema, SerializationSchema
from datastream.formats.simple_string import SimpleStringSchema

__all__ = [
    "BulkWriter",
    "BulkWriterFactory",
    "ByteArraySchema",
    "DeserializationSchema",
    "Encoder",
    "SerializationSchema",
    "SimpleStringSchema",
]
