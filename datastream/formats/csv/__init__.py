"""CSV: rows from and to messages of one line, and files of lines.

`CsvReaderFormat`, which reads files, is in ``datastream.connectors.files``.
"""

from .bulk import CsvBulkWriters
from .deserialization import CsvRowDeserializationSchema
from .schema import CsvSchema, CsvSchemaBuilder
from .serialization import CsvRowSerializationSchema

__all__ = [
    "CsvBulkWriters",
    "CsvRowDeserializationSchema",
    "CsvRowSerializationSchema",
    "CsvSchema",
    "CsvSchemaBuilder",
]
