"""Protobuf: messages as objects of their class, or as rows. Additions to PyFlink's names, as in Flink's formats."""

from datastream.formats.protobuf.message_schemas import ProtobufDeserializationSchema, ProtobufSerializationSchema
from datastream.formats.protobuf.row_schemas import ProtobufRowDeserializationSchema, ProtobufRowSerializationSchema
from datastream.formats.protobuf.row_types import row_type

__all__ = [
    "ProtobufDeserializationSchema",
    "ProtobufRowDeserializationSchema",
    "ProtobufRowSerializationSchema",
    "ProtobufSerializationSchema",
    "row_type",
]
