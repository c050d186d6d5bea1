"""How records become bytes and bytes become records.

The formats of JSON, CSV, Avro, Protobuf, Parquet and ORC are packages inside this one; their names are imported when
they are asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.formats.byte_array import ByteArraySchema
from datastream.formats.dead_letters import DeadLetter
from datastream.formats.encoder import Encoder
from datastream.formats.row_field_extractor import RowFieldExtractorSchema
from datastream.formats.schema import DeserializationSchema, SerializationSchema
from datastream.formats.simple_string import SimpleStringSchema

_HOMES = {
    "avro": (
        "AvroBulkWriters AvroDeserializationSchema AvroRowDeserializationSchema AvroRowSerializationSchema AvroSchema "
        "AvroSerializationSchema ConfluentRegistryAvroDeserializationSchema ConfluentRegistryAvroSerializationSchema "
        "GenericRecordAvroTypeInfo"
    ),
    "csv": ("CsvBulkWriters CsvRowDeserializationSchema CsvRowSerializationSchema CsvSchema CsvSchemaBuilder"),
    "json": (
        "JsonDeserializationSchema JsonRowDeserializationSchema JsonRowSerializationSchema JsonSerializationSchema"
    ),
    "orc": "OrcBulkWriters",
    "parquet": "AvroParquetWriters ParquetBulkWriters",
    "protobuf": (
        "ProtobufDeserializationSchema ProtobufRowDeserializationSchema ProtobufRowSerializationSchema "
        "ProtobufSerializationSchema"
    ),
    "raw": "RawDeserializationSchema RawSerializationSchema",
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    *_MODULE_OF,
    "BulkWriter",
    "BulkWriterFactory",
    "ByteArraySchema",
    "DeadLetter",
    "DeserializationSchema",
    "Encoder",
    "RowFieldExtractorSchema",
    "SerializationSchema",
    "SimpleStringSchema",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'datastream.formats' has no attribute {name!r}")
    return getattr(importlib.import_module(f"datastream.formats.{_MODULE_OF[name]}"), name)
