"""JSON: rows of a declared type, and values without one."""

from datastream.formats.json.deserialization import JsonRowDeserializationSchema
from datastream.formats.json.json_schema import row_type_of
from datastream.formats.json.plain_values import JsonDeserializationSchema, JsonSerializationSchema
from datastream.formats.json.serialization import JsonRowSerializationSchema

__all__ = [
    "JsonDeserializationSchema",
    "JsonRowDeserializationSchema",
    "JsonRowSerializationSchema",
    "JsonSerializationSchema",
    "row_type_of",
]
