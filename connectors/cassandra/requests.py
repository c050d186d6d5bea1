"""Rows in requests, many of them at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError

from .connection import Connection
from .failures import has_no_room, is_away
from .library import cassandra
from .statement import is_conditional, is_repeatable

#: Above this Cassandra logs a warning for each batch (``batch_size_warn_threshold``: 5 KiB).
_BYTES = 4_000


@dataclass(frozen=True)
class Limits:
    """How much is on its way at once.

    Attributes:
        requests: Requests that wait for their answer.
        rows: Rows of one request, of those with the same replicas; above 10 Cassandra warns.
        wait_s: How long to wait until another request may be sent; None: for ever.
    """

    requests: int
    rows: int
    wait_s: float | None


@dataclass
class _Group:
    """Rows that travel together."""

    places: list[int] = field(default_factory=list)
    bound: list[Any] = field(default_factory=list)
    keys: set[Any] = field(default_factory=set)
    size: int = 0


class Requests:
    """Executes one prepared statement for many rows.

    Rows with the same replicas share an unlogged batch, as a request costs far more than a row. Writes of one row of
    the table stay in order: no batch holds two of them, as all of a batch have the same time; of two requests the one
    that was sent later has the later time.

    Args:
        connection: The session.
        cql: The statement.
        limits: How much is on its way at once.
        consistency: Number of a consistency level; None: of the session.
        trace: Whether Cassandra traces each request.

    Attributes:
        repeatable: Whether executing it once more leaves the same.
        parameters: How many values a row has.
        bytes: Bytes of values that were sent.
    """

    def __init__(
        self,
        connection: Connection,
        cql: str,
        limits: Limits,
        consistency: int | None = None,
        trace: bool = False,
    ) -> None:
        self._connection, self._limits, self._consistency, self._trace = connection, limits, consistency, trace
        self._query = query = cassandra().query
        self._prepared = connection.prepare(cql)
        columns = self._prepared.column_metadata
        self.parameters = len(columns)
        self.bytes = 0
        place = (columns[0].keyspace_name, columns[0].table_name) if columns else None
        kinds = {row.column_name: row for row in connection.columns(*place)} if place else {}
        types = {name: row.type for name, row in kinds.items()}
        self.repeatable = is_repeatable(cql, types)
        self._prepared.is_idempotent = self.repeatable
        if consistency is not None:
            self._prepared.consistency_level = consistency
        counters = "counter" in types.values()
        self._type = query.BatchType.COUNTER if counters else query.BatchType.UNLOGGED
        self._rows = 1 if is_conditional(cql) else limits.rows
        bound = [kinds.get(column.name) for column in columns]
        # A static column is shared by the rows of its partition.
        share = (
            ("partition_key",)
            if any(row and row.kind == "static" for row in bound)
            else ("partition_key", "clustering")
        )
        self._key = [i for i, row in enumerate(bound) if row is not None and row.kind in share]
        self._keyspace = place[0] if place else None
        self._many_nodes = len(connection.cluster.metadata.all_hosts()) > 1
        if self._many_nodes and self._keyspace and not connection.cluster.schema_metadata_enabled:
            # Where the replicas of a row are; the driver, too, sends it there then.
            connection.cluster.refresh_keyspace_metadata(self._keyspace)

    def execute(self, rows: Sequence[Sequence[Any]]) -> dict[int, Exception]:
        """Execute the statement for each row; the errors, by the place of their row.

        Raises:
            ConnectionError: No node could be reached.
            TimeoutError: No request could be sent for too long.
        """
        failures: dict[int, Exception] = {}
        self._send(self._grouped(rows, failures), failures)
        refused = [
            place
            for place, error in failures.items()
            if not (isinstance(error, ValidationError) or has_no_room(error) or is_away(error))
        ]
        if self._rows > 1 and refused:
            # A batch is refused for one of its rows: each of them alone. What follows has to be later than they are.
            again = range(min(refused), len(rows)) if self.repeatable else sorted(refused)
            places = [place for place in again if not isinstance(failures.get(place), ValidationError)]
            for place in places:
                failures.pop(place, None)
            self._send(self._singly(rows, places), failures)
        return failures

    def _grouped(self, rows: Sequence[Sequence[Any]], failures: dict[int, Exception]) -> Iterator[_Group]:
        bind, most = self._prepared.bind, self._rows
        groups: dict[Any, _Group] = {}
        for place, row in enumerate(rows):
            try:
                bound = bind(row)
            except Exception as error:
                failures[place] = ValidationError(" ".join(str(error).split()))
                continue
            values = bound.values
            size = sum([len(value) for value in values if type(value) is bytes])
            self.bytes += size
            if most == 1:
                yield _Group([place], [bound])
                continue
            nodes = self._nodes(bound) if self._many_nodes else None
            group = groups.get(nodes)
            key = tuple([values[i] for i in self._key])
            if group is None or group.size + size > _BYTES or len(group.places) >= most or key in group.keys:
                if group is not None:
                    yield group
                group = groups[nodes] = _Group()
            group.places.append(place)
            group.bound.append(bound)
            group.keys.add(key)
            group.size += size
        yield from groups.values()

    def _singly(self, rows: Sequence[Sequence[Any]], places: list[int]) -> Iterator[_Group]:
        for place in places:
            yield _Group([place], [self._prepared.bind(rows[place])])

    def _nodes(self, bound: Any) -> Any:
        """The replicas of a row."""
        metadata, key = self._connection.cluster.metadata, bound.routing_key
        return None if key is None else tuple(metadata.get_replicas(self._keyspace, key))

    def _statement(self, group: _Group) -> Any:
        if len(group.bound) == 1:
            return group.bound[0]
        batch = self._query.BatchStatement(self._type, consistency_level=self._consistency)
        batch.is_idempotent = self.repeatable
        for bound in group.bound:
            batch.add(bound)
        return batch

    def _send(self, groups: Iterator[_Group], failures: dict[int, Exception]) -> None:
        limits, session = self._limits, self._connection.session
        free = threading.Semaphore(limits.requests)

        def done(_: Any) -> None:
            free.release()

        def failed(error: Exception, group: _Group) -> None:
            for place in group.places:
                failures[place] = error
            free.release()

        try:
            for group in groups:
                self._wait(free)
                future = session.execute_async(self._statement(group), trace=self._trace)
                future.add_callbacks(done, failed, errback_args=(group,))
            for _ in range(limits.requests):
                self._wait(free)
        except Exception as error:
            if is_away(error):
                raise self._connection.translated(error) from error
            raise
        away = next((error for error in list(failures.values()) if is_away(error)), None)
        if away is not None:
            raise self._connection.translated(away) from away

    def _wait(self, free: threading.Semaphore) -> None:
        if not free.acquire(timeout=self._limits.wait_s):
            raise TimeoutError(
                f"Cassandra at {self._connection.address}: none of {self._limits.requests} requests ended within "
                f"{self._limits.wait_s:g} s"
            )
