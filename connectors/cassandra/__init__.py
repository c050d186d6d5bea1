"""Cassandra, by the names of Flink's connector over the driver of Python: no jar, no Java.

`CassandraSink` writes a stream by a statement of the user's or dataclass objects to their table; `CassandraRowSink` is the
same for ``sink_to``. Needs cassandra-driver (``pip install cassandra-driver``).
"""

from .cluster import CassandraSettings, ClusterBuilder
from .committer import CassandraCommitter
from .consistency_level import ConsistencyLevel
from .failure_handler import CassandraFailureHandler
from .log_sink import CassandraLogSink
from .mapper_options import MapperOptions
from .row_sink import CassandraRowSink
from .sink import CassandraSink

__all__ = [
    "CassandraCommitter",
    "CassandraFailureHandler",
    "CassandraLogSink",
    "CassandraRowSink",
    "CassandraSettings",
    "CassandraSink",
    "ClusterBuilder",
    "ConsistencyLevel",
    "MapperOptions",
]
