"""Cassandra, by the names of Flink's connector over the driver of Python: no jar, no Java.

`CassandraSink` writes a stream by a statement of the user's, or dataclass objects to their table; `CassandraRowSink` is
the same for ``sink_to``. `CassandraSource` reads a table, `CassandraLookup` the rows of a key for each record. Needs
cassandra-driver (``pip install cassandra-driver``).
"""

from .cluster import CassandraSettings, ClusterBuilder
from .committer import CassandraCommitter
from .consistency_level import ConsistencyLevel
from .failure_handler import CassandraFailureHandler
from .log_sink import CassandraLogSink
from .lookup import CassandraLookup
from .mapper_options import MapperOptions
from .row_sink import CassandraRowSink
from .sink import CassandraSink
from .source import CassandraSource

__all__ = [
    "CassandraCommitter",
    "CassandraFailureHandler",
    "CassandraLogSink",
    "CassandraLookup",
    "CassandraRowSink",
    "CassandraSettings",
    "CassandraSink",
    "CassandraSource",
    "ClusterBuilder",
    "ConsistencyLevel",
    "MapperOptions",
]
