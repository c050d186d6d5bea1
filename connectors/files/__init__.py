"""Files as sources and sinks, by PyFlink's names (``pyflink.datastream.connectors.file_system``)."""

from .buckets import BucketAssigner
from .builder import FileEnumeratorProvider, FileSourceBuilder, FileSplitAssignerProvider
from .formats import BulkFormat, FileFormat, StreamFormat
from .output_config import OutputFileConfig
from .parts import FilePart
from .rolling import OnCheckpointRollingPolicy, RollingPolicy
from .sink import FileSink, StreamingFileSink
from .sink_builder import BulkFormatBuilder, RowFormatBuilder
from .source import FileSource

__all__ = [
    "BucketAssigner",
    "BulkFormat",
    "BulkFormatBuilder",
    "FileEnumeratorProvider",
    "FileFormat",
    "FilePart",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "RollingPolicy",
    "RowFormatBuilder",
    "StreamFormat",
    "StreamingFileSink",
]
