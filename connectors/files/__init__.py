"""Files as sources and sinks, by PyFlink's names (``pyflink.datastream.connectors.file_system``)."""

import importlib
from typing import Any

from .bucket_commits import BucketCommits
from .buckets import BucketAssigner
from .builder import FileEnumeratorProvider, FileSourceBuilder, FileSplitAssignerProvider
from .compaction import FileCompactor, FileCompactStrategy
from .formats import BulkFormat, FileFormat, StreamFormat
from .output_config import OutputFileConfig
from .overwriting import Overwrite
from .parts import FilePart
from .rolling import DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy
from .sink import FileSink, StreamingFileSink
from .sink_builder import BulkFormatBuilder, RowFormatBuilder
from .source import FileSource

#: Formats that bring a library of their own with them; imported when they are asked for.
_LAZY = {
    "AvroFormat": "avro_format",
    "AvroInputFormat": "avro_format",
    "AvroParquetReaders": "parquet_format",
    "CsvReaderFormat": "csv_reader",
    "OrcColumnarRowInputFormat": "orc_format",
    "ParquetColumnarRowInputFormat": "parquet_format",
}

__all__ = [
    *_LAZY,
    "BucketAssigner",
    "BucketCommits",
    "BulkFormat",
    "BulkFormatBuilder",
    "FileCompactStrategy",
    "FileCompactor",
    "FileEnumeratorProvider",
    "FileFormat",
    "FilePart",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "DefaultRollingPolicy",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "Overwrite",
    "RollingPolicy",
    "RowFormatBuilder",
    "StreamFormat",
    "StreamingFileSink",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'datastream.connectors.files' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
