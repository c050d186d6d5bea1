"""`ElasticsearchSink`: records as documents, written in bulk."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from xxhash import xxh3_64_hexdigest

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import ValidationError, cut
from datastream.io import Backoff, Batch, BatchingSink, Consumed, SinkWriter, WriterContext

from .actions import ACTIONS, lines_of
from .connection import ElasticsearchConnection, reason_of
from .emitter import ElasticsearchEmitter, lines_maker
from .failures import FailedAction, FailureHandler, FailureKind, Resolution, document_of, fail, failed_action

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

    from .builder import ElasticsearchSinkBuilder

_HEADERS = {"accept": "application/json", "content-type": "application/x-ndjson"}
#: Without ids and versions an answer is a fifth as long. The status of each action keeps them in their order.
_PARAMETERS = {
    "filter_path": "errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.reason"
}
_NO_ROOM, _TOO_LARGE = 429, 413


@dataclass(frozen=True)
class ElasticsearchSink(BatchingSink):
    """Writes documents in bulk. Made by a builder: `builder`, or `Elasticsearch7SinkBuilder` as in PyFlink.

    - ``DeliveryGuarantee.AT_LEAST_ONCE``, the default: all actions of an epoch are acknowledged before it is committed.
      An epoch that runs again writes again: documents with an id are there once, those without one may be there twice.
    - ``DeliveryGuarantee.EXACTLY_ONCE``: documents without an id get one of the job's id, the sink's uid, the subtask,
      the epoch and their number in it. An epoch that runs again overwrites what it wrote before. That needs a
      checkpoint directory, and that a repeated epoch has as many documents in each subtask: functions that return
      the same for the same input, and the same parallelism.
    - ``DeliveryGuarantee.NONE``: the same as ``AT_LEAST_ONCE``.
    """

    connection: ElasticsearchConnection
    emitter: ElasticsearchEmitter
    delivery_guarantee: DeliveryGuarantee = DeliveryGuarantee.AT_LEAST_ONCE
    batch_size: int = 1000
    batch_bytes: int | None = sys.maxsize
    batch_ms: int | None = None
    backoff: Backoff = Backoff()
    failure_handler: FailureHandler = fail

    @staticmethod
    def builder() -> ElasticsearchSinkBuilder:
        """A builder of sinks."""
        from .builder import ElasticsearchSinkBuilder

        return ElasticsearchSinkBuilder()

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=self.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE)

    def validate(self) -> None:
        self.connection.check()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return ElasticsearchWriter(self, super().create_writer(context), context)

    def connect(self, context: WriterContext) -> _Link:
        return _Link(self.connection.connect(), context)

    def disconnect(self, connection: _Link) -> None:
        connection.client.close()

    def size_of(self, record: bytes) -> int:
        return len(record)

    def write(self, connection: _Link, records: list[bytes]) -> Sequence[bytes]:
        """Write actions, each given by its lines."""
        return self._write(connection, records, self.failure_handler)

    def _write(self, link: _Link, requests: list[bytes], handler: FailureHandler) -> list[bytes]:
        from elasticsearch import ApiError

        try:
            with self.connection.reached():
                answer: Any = link.client.perform_request(
                    "POST", "/_bulk", params=_PARAMETERS, headers=_HEADERS, body=b"".join(requests)
                ).body
        except ApiError as error:
            if error.meta.status == _NO_ROOM:
                link.context.logger.warning(
                    "%s at %s: %s", self.connection.product, self.connection.shown(), reason_of(error)
                )
                return requests
            if error.meta.status == _TOO_LARGE and len(requests) > 1:
                half = len(requests) // 2
                left = self._write(link, requests[:half], handler)
                # What was not taken must not come after what follows it: the last one of an id counts.
                return left + (requests[half:] if left else self._write(link, requests[half:], handler))
            said = f"{self.connection.named} refuses a batch of {len(requests)}: {reason_of(error)}"
            raise ValidationError(f"{said}; it begins with {cut(requests[0])}") from None
        return self._look_at(link, requests, answer, handler) if answer["errors"] else []

    def _look_at(self, link: _Link, requests: list[bytes], answer: Any, handler: FailureHandler) -> list[bytes]:
        """What is to be written again; the first that may not fail, does."""
        waiting: set[int] = set()
        taken: set[int] = set()
        instead: list[bytes] = []
        full: Any = None
        for number, (lines, item) in enumerate(zip(requests, answer["items"], strict=True)):
            (result,) = item.values()
            if "error" not in result:
                taken.add(number)
                continue
            if result["status"] == _NO_ROOM or result["status"] >= 500:
                waiting.add(number)
                full = full or result["error"]
                continue
            failed = failed_action(lines, result)
            decision = Resolution.FAIL if failed.status in (401, 403) else handler(failed)
            if decision is Resolution.FAIL:
                raise self._refused(failed)
            if decision is Resolution.RETRY:
                waiting.add(number)
            elif isinstance(decision, ACTIONS):
                instead.append(lines_of(decision, None))
            elif decision is not Resolution.IGNORE:
                raise ValidationError(
                    f"the failure handler of the sink gave {cut(decision)}, expected a Resolution, or an action to "
                    "write instead"
                )
            if decision is not Resolution.RETRY and not failed.is_done:
                link.context.metrics.counter("numRecordsSendErrors").inc()
        if full is not None:
            link.context.logger.warning(
                "%s at %s has no room for %d of %d actions: %s",
                self.connection.product,
                self.connection.shown(),
                len(waiting),
                len(requests),
                cut(full),
            )
        again = _with_what_follows(requests, waiting, taken) if waiting else []
        if instead:
            again += self._write(link, instead, fail)
        return again

    def _refused(self, failed: FailedAction) -> ValidationError:
        hint = ""
        if failed.error_type == "index_not_found_exception":
            hint = f"; create the index {failed.index!r}, or allow the cluster to create it (action.auto_create_index)"
        elif failed.kind is FailureKind.MISSING:
            hint = "; give the Update an upsert, or the sink a failure handler (set_failure_handler)"
        key = f" with the id {cut(failed.id)}" if failed.id is not None else ""
        return ValidationError(
            f"{self.connection.named} refuses to {failed.operation} a document of {failed.index!r}"
            f"{key}: {failed.status} {failed.error_type}: {failed.reason[:300]}{hint}; the document is "
            f"{cut(failed.document)}"
        )


def _with_what_follows(requests: list[bytes], waiting: set[int], taken: set[int]) -> list[bytes]:
    """Actions that are written again, and those after them that were taken and are of the same document.

    The last action of a document counts: the ones before must not come after it.
    """
    found, documents = [], set()
    for number, lines in enumerate(requests):
        document = document_of(lines)
        if number in waiting:
            found.append(lines)
            documents.add(document)
        elif number in taken and document is not None and document in documents:
            found.append(lines)
    return found


class _Link(NamedTuple):
    client: Elasticsearch
    context: WriterContext


class ElasticsearchWriter(SinkWriter):
    """Makes actions of records, and hands them to a writer of batches."""

    def __init__(self, sink: ElasticsearchSink, batches: SinkWriter, context: WriterContext) -> None:
        self._lines, self._batches = lines_maker(sink.emitter), batches
        self._exactly_once = sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE
        self._name = f"{xxh3_64_hexdigest(f'{context.job_id}/{context.uid}'.encode())}-{context.subtask}"
        self._ids: Iterator[str] | None = None

    def begin(self, epoch: int, attempt: int) -> None:
        if self._exactly_once:
            self._ids = map(f"{self._name}-{epoch}-%d".__mod__, count())
        self._batches.begin(epoch, attempt)

    def write(self, batch: Batch) -> None:
        lines, ids = self._lines, self._ids
        self._batches.write(Batch([request for record in batch.records for request in lines(record, ids)]))

    def prepare_commit(self) -> None:
        self._batches.prepare_commit()

    def abort(self) -> None:
        self._batches.abort()

    def close(self) -> None:
        self._batches.close()
