"""The DataStream API: it builds the job graph and does nothing else.

Names, parameters and meanings are those of ``pyflink.datastream``.
"""

from .async_data_stream import AsyncDataStream
from .broadcast_streams import BroadcastConnectedStream, BroadcastStream
from .connected_streams import ConnectedStreams
from .data_stream import DataStream
from .environment import StreamExecutionEnvironment
from .iterative_stream import IterativeStream
from .job_client import CloseableIterator, JobClient
from .keyed_stream import KeyedStream
from .step import DataStreamSink
from .utils import DataStreamUtils
from .windowed_stream import AllWindowedStream, WindowedStream

__all__ = [
    "AllWindowedStream",
    "AsyncDataStream",
    "BroadcastConnectedStream",
    "BroadcastStream",
    "CloseableIterator",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "DataStreamUtils",
    "IterativeStream",
    "JobClient",
    "KeyedStream",
    "StreamExecutionEnvironment",
    "WindowedStream",
]
