"""The DataStream API: it builds the job graph and does nothing else.

Names, parameters and meanings are those of ``pyflink.datastream``.
"""

from .data_stream import DataStream, DataStreamSink
from .environment import StreamExecutionEnvironment
from .job_client import CloseableIterator, JobClient
from .keyed_stream import KeyedStream

__all__ = [
    "CloseableIterator",
    "DataStream",
    "DataStreamSink",
    "JobClient",
    "KeyedStream",
    "StreamExecutionEnvironment",
]
