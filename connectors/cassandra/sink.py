"""`CassandraSink`: Flink's builder of a sink."""

from __future__ import annotations

from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.io import Sink
from datastream.time import Duration
from datastream.without_effect import without_effect

from .cluster import CassandraSettings, ClusterBuilder, Reach, checked_reach
from .committer import CassandraCommitter
from .failure_handler import CassandraFailureHandler
from .log_sink import CassandraLogSink
from .mapper_options import MapperOptions, settings_of
from .row_sink import CassandraRowSink
from .statement import Mapping, Query, checked_query


class CassandraSink:
    """The end of a stream that is written to Cassandra; `add_sink` begins one.

    Args:
        j_cassandra_sink: What ``sink_to`` of the stream returned.
    """

    def __init__(self, j_cassandra_sink: Any) -> None:
        self._step = j_cassandra_sink

    def name(self, name: str) -> Self:
        """Name the sink, for people."""
        self._step.name(name)
        return self

    def uid(self, uid: str) -> Self:
        """Give the sink the stable name under which it is known over restarts."""
        self._step.uid(uid)
        return self

    def set_uid_hash(self, uid_hash: str) -> Self:
        """Like `uid`; Flink's hash has no other meaning here."""
        self._step.set_uid_hash(uid_hash)
        return self

    def set_parallelism(self, parallelism: int) -> Self:
        """Set the number of subtasks."""
        self._step.set_parallelism(parallelism)
        return self

    def disable_chaining(self) -> Self:
        """Never fuse the sink with what comes before it."""
        self._step.disable_chaining()
        return self

    @without_effect("Spark schedules whole stages; give executors their size with spark.executor.*")
    def slot_sharing_group(self, slot_sharing_group: str) -> Self:
        """Kept, without effect: Spark schedules whole stages."""
        self._step.slot_sharing_group(slot_sharing_group)
        return self

    @staticmethod
    def add_sink(input: Any) -> CassandraSinkBuilder:
        """A builder of a sink for a stream of tuples, rows or dataclass objects.

        Raises:
            ValidationError: It is no stream.
        """
        return CassandraSinkBuilder(input)


class CassandraSinkBuilder:
    """Builds a `CassandraSink`.

    Args:
        j_cassandra_sink_builder: The stream.
    """

    def __init__(self, j_cassandra_sink_builder: Any) -> None:
        if not callable(getattr(j_cassandra_sink_builder, "sink_to", None)):
            raise ValidationError(f"CassandraSink.add_sink needs a DataStream, got {cut(j_cassandra_sink_builder)}")
        self._stream = j_cassandra_sink_builder
        self._query: str | None = None
        self._host: CassandraSettings | None = None
        self._builder: Reach | None = None
        self._options: MapperOptions | None = None
        self._handler = CassandraFailureHandler()
        self._committer: CassandraCommitter | None = None
        self._logs = self._ignores_nulls = False
        self._max_requests = CassandraRowSink.max_requests
        self._max_wait_ms: int | None = None

    def set_query(self, query: str) -> Self:
        """Set the statement, with a ``?`` for each field of a record. Not needed for dataclass objects.

        Raises:
            ValidationError: It is none, or has no parameter.
        """
        self._query = checked_query(query)
        return self

    def set_host(self, host: str, port: int = 9042) -> Self:
        """Set a node of the cluster. Use `set_cluster_builder` for a user, TLS, or several nodes.

        Raises:
            ValidationError: `set_cluster_builder` was called.
        """
        if self._builder is not None:
            raise ValidationError("CassandraSink: call set_host or set_cluster_builder, not both")
        self._host = CassandraSettings((host,), port)
        return self

    def set_cluster_builder(self, builder: ClusterBuilder | CassandraSettings) -> Self:
        """Set how the cluster is reached.

        Raises:
            ValidationError: `set_host` was called.
        """
        if self._host is not None:
            raise ValidationError("CassandraSink: call set_host or set_cluster_builder, not both")
        self._builder = checked_reach("CassandraSink: set_cluster_builder", builder)
        return self

    def enable_write_ahead_log(self, committer: CassandraCommitter | None = None) -> Self:
        """Write records only once all of their epoch are known, and those of one attempt only.

        Args:
            committer: Where the log and the number of the last epoch are. Default: in the keyspace ``flink_auxiliary``
                of the same cluster.
        """
        if committer is not None and not isinstance(committer, CassandraCommitter):
            raise ValidationError(
                f"CassandraSink: enable_write_ahead_log needs a CassandraCommitter, got {cut(committer)}"
            )
        self._logs, self._committer = True, committer
        return self

    def set_mapper_options(self, options: MapperOptions) -> Self:
        """Set how dataclass objects are written; no effect with `set_query`."""
        if not isinstance(options, MapperOptions):
            raise ValidationError(f"CassandraSink: set_mapper_options needs MapperOptions, got {cut(options)}")
        self._options = options
        return self

    def set_failure_handler(self, failure_handler: CassandraFailureHandler) -> Self:
        """Set what happens to a record that is refused. Default: the job fails."""
        if not isinstance(failure_handler, CassandraFailureHandler):
            raise ValidationError(
                f"CassandraSink: set_failure_handler needs a CassandraFailureHandler, got {cut(failure_handler)}"
            )
        self._handler = failure_handler
        return self

    def set_max_concurrent_requests(self, max_concurrent_requests: int, duration: Duration | None = None) -> Self:
        """Set how many requests are on their way at once.

        Args:
            max_concurrent_requests: Of each subtask. Default: 64.
            duration: How long to wait for room, before the batch is tried again. Default: for ever.
        """
        if duration is not None and not isinstance(duration, Duration):
            raise ValidationError(f"CassandraSink: the longest wait must be a Duration, got {cut(duration)}")
        if (
            isinstance(max_concurrent_requests, bool)
            or not isinstance(max_concurrent_requests, int)
            or max_concurrent_requests < 1
        ):
            raise ValidationError(
                "CassandraSink: set_max_concurrent_requests needs a whole number, at least 1, got "
                f"{cut(max_concurrent_requests)}"
            )
        self._max_requests = max_concurrent_requests
        self._max_wait_ms = None if duration is None else duration.to_millis()
        return self

    def enable_ignore_null_fields(self) -> Self:
        """A None leaves its column alone, where it would delete what the column held."""
        self._ignores_nulls = True
        return self

    def build(self) -> CassandraSink:
        """Add the sink to the job.

        Raises:
            ValidationError: No cluster was set.
        """
        return CassandraSink(self._stream.sink_to(self._sink()))

    def _sink(self) -> Sink:
        reach = self._builder or self._host
        if reach is None:
            raise ValidationError("CassandraSink: no cluster is named: call set_host or set_cluster_builder")
        settings = settings_of(self._options or MapperOptions())
        statement: Query | Mapping
        if self._query is not None:
            statement = Query(self._query, self._ignores_nulls)
        else:
            statement = Mapping(settings, self._ignores_nulls or not settings.save_null_fields)
        sink = CassandraRowSink(
            reach,
            statement,
            self._handler,
            max_requests=self._max_requests,
            max_wait_ms=self._max_wait_ms,
        )
        if not self._logs:
            return sink
        return CassandraLogSink(sink, self._committer or CassandraCommitter.default_checkpoint_committer(reach))


CassandraSink.CassandraSinkBuilder = CassandraSinkBuilder  # type: ignore[attr-defined]  # Flink nests them
