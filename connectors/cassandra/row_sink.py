"""The sink: a statement for each record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Backoff, BatchingSink, WriterContext

from .cluster import Reach, checked_reach
from .connection import Connection
from .failure_handler import CassandraFailureHandler
from .failures import described, has_no_room
from .library import cassandra
from .requests import Limits, Requests
from .statement import Mapping, Query, Statement, checked_query


@dataclass(frozen=True)
class CassandraRowSink(BatchingSink):
    """Executes a statement for each record. At least once, and exactly once if the statement can be repeated.

    An ``INSERT``, or an ``UPDATE`` that sets values, leaves the same when an epoch writes it once more. Counters and
    lists that grow do not: see `CassandraSinkBuilder.enable_write_ahead_log`.

    Attributes:
        cluster: How the cluster is reached.
        statement: The statement, with a ``?`` for each field of a record.
        failure_handler: What happens to a record that is refused.
        max_requests: Requests that are on their way at once.
        max_wait_ms: How long to wait until another request may be sent; None: for ever.
        rows_per_request: Rows that share a request, if they have the same replicas; 1: each row has its own.
        batch_size: Records after which all requests are waited for.
        backoff: Tries when the cluster is away or has no room.

    Raises:
        ValidationError: A setting is wrong.
    """

    cluster: Reach
    statement: Statement | str
    failure_handler: CassandraFailureHandler = field(default_factory=CassandraFailureHandler)
    max_requests: int = 64
    max_wait_ms: int | None = None
    rows_per_request: int = 10
    batch_size: int = 5_000
    backoff: Backoff = Backoff()

    def __post_init__(self) -> None:
        checked_reach("CassandraRowSink", self.cluster)
        if not isinstance(self.statement, (Query, Mapping)):
            object.__setattr__(self, "statement", Query(checked_query(self.statement)))
        for name in ("max_requests", "rows_per_request", "batch_size"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValidationError(f"CassandraRowSink: {name} must be a whole number, at least 1, got {cut(value)}")

    def validate(self) -> None:
        cassandra()

    def connect(self, context: WriterContext) -> Table:
        metrics = context.metrics
        return Table(self, metrics.counter("numBytesOut"), metrics.counter("numRecordsSendErrors"))

    def write(self, connection: Table, records: list[Any]) -> list[Any] | None:
        return connection.write(records)


class Table:
    """A connection that writes records by a sink's statement.

    Args:
        sink: The sink.
        sent: Counts the bytes of values.
        dropped: Counts the records that the failure handler has dropped.

    Raises:
        ConnectionError: No node answers.
        ValidationError: The credentials are refused; or the statement is wrong, or what it names is not there.
    """

    def __init__(self, sink: CassandraRowSink, sent: Any = None, dropped: Any = None) -> None:
        assert not isinstance(sink.statement, str)
        self._sink, self._statement, self._sent, self._dropped = sink, sink.statement, sent, dropped
        self._unset = cassandra().query.UNSET_VALUE
        self._connection = Connection(sink.cluster)
        self._requests: dict[type | None, Requests] = {}
        try:
            if isinstance(self._statement, Query):
                self._requests[None] = self._prepared(self._statement.cql)
        except BaseException:
            self.close()
            raise

    def write(self, records: list[Any]) -> list[Any] | None:
        """Write records; those that the cluster had no room for.

        Raises:
            ConnectionError: It is away.
            ValidationError: It refuses a record.
        """
        if isinstance(self._statement, Query):
            return self._write(self._requests[None], records)
        left: list[Any] = []
        for cls in dict.fromkeys(map(type, records)):
            same = [record for record in records if type(record) is cls]
            if cls not in self._requests:
                self._requests[cls] = self._prepared(self._statement.of_first(same[0]))
            left += self._write(self._requests[cls], same) or ()
        return left

    def repeatable(self, record: Any) -> bool:
        """Whether writing such a record once more leaves the same."""
        key = None if isinstance(self._statement, Query) else type(record)
        return self._requests[key].repeatable if key in self._requests else True

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _prepared(self, cql: str) -> Requests:
        sink, options = self._sink, self._statement.options
        limits = Limits(
            sink.max_requests, sink.rows_per_request, None if sink.max_wait_ms is None else sink.max_wait_ms / 1000
        )
        if options is None:
            return Requests(self._connection, cql, limits)
        level = options.consistency_level
        return Requests(self._connection, cql, limits, None if level is None else level.value, options.tracing)

    def _write(self, requests: Requests, records: list[Any]) -> list[Any] | None:
        before = requests.bytes
        failures = requests.execute([self._row(requests, record) for record in records])
        if self._sent is not None:
            self._sent.inc(requests.bytes - before)
        if not failures:
            return None
        crowded = sorted(place for place, error in failures.items() if has_no_room(error))
        for place, error in sorted(failures.items()):
            if not has_no_room(error):
                self._refused(records[place], error)
        if not crowded:
            return None
        # What is written again gets a later time. So all that follows has to be, lest it loses to an older record of
        # its row; but not where that would count twice.
        return records[crowded[0] :] if requests.repeatable else [records[place] for place in crowded]

    def _row(self, requests: Requests, record: Any) -> Any:
        values = self._statement.values(record)
        if len(values) != requests.parameters:
            raise ValidationError(
                f"CassandraSink: the statement has {requests.parameters} parameters, and a record {len(values)} "
                f"fields: {cut(record)}"
            )
        if self._statement.ignore_nulls:
            return [self._unset if value is None else value for value in values]
        return values

    def _refused(self, record: Any, error: Exception) -> None:
        said = str(error) if isinstance(error, ValidationError) else described(error)
        refused = ValidationError(f"Cassandra at {self._connection.address} refuses the record {cut(record)}: {said}")
        refused.__cause__ = error
        self._sink.failure_handler.on_failure(refused)
        if self._dropped is not None:
            self._dropped.inc()
