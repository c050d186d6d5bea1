"""Puts records into a stream, by requests within the service's limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.contents import contents_of, unwritable
from datastream.io import WriterContext

from .failures import failure
from .sink_settings import SinkSettings

_PASSING = frozenset(
    (
        "InternalFailure",
        "KMSThrottlingException",
        "ProvisionedThroughputExceededException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "ThrottlingException",
    )
)


class Putting:
    """A client that puts records.

    Args:
        settings: The sink's.
        context: The place.
    """

    def __init__(self, settings: SinkSettings, context: WriterContext) -> None:
        self._settings, self._subtask = settings, context.subtask
        self._bytes = context.metrics.counter("numBytesOut")
        self._client = settings.service.client("firehose" if settings.keys is None else "kinesis")

    def put(self, records: list[Any]) -> list[Any]:
        """Put records, in order but for those that are left.

        Returns:
            The records that the service had no room for.

        Raises:
            ConnectionError: The service is away.
            FormatError: A record cannot be written, or is too large.
            ValidationError: The service refuses one, or a function of the user's failed.
        """
        left: list[Any] = []
        sent, what = False, self._settings.what
        for some, entries in self._requests(records):
            try:
                answers = self._request(entries)
            except ConnectionError:
                if not sent:
                    raise
                # What earlier requests have put must not be put again.
                left += some
                continue
            sent = True
            for record, entry, answer in zip(some, entries, answers, strict=True):
                code = answer.get("ErrorCode")
                if not code:
                    self._bytes.inc(len(entry["Data"]))
                elif code in _PASSING and not self._settings.fail_on_error:
                    left.append(record)
                else:
                    why = f"{code}: {cut(answer.get('ErrorMessage'))}"
                    raise ValidationError(f"{self._settings.service}: {what} does not take {cut(record)}: {why}")
        return left

    def close(self) -> None:
        """End the client."""
        self._client.close()

    def _request(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The service's answer for each entry."""
        settings = self._settings
        try:
            if settings.keys is None:
                answer = self._client.put_record_batch(DeliveryStreamName=settings.stream.name, Records=entries)
                found: list[dict[str, Any]] = answer["RequestResponses"]
            else:
                found = self._client.put_records(Records=entries, **settings.stream.key)["Records"]
        except Exception as error:
            raise failure(error, settings.service, settings.what) from error
        return found

    def _requests(self, records: list[Any]) -> Iterator[tuple[list[Any], list[dict[str, Any]]]]:
        """Records and their entries, by request. All are made first: a record that cannot be put leaves no others."""
        settings = self._settings
        limits, keys = settings.limits, settings.keys
        requests: list[tuple[list[Any], list[dict[str, Any]]]] = []
        size = 0
        for record, data in zip(records, contents_of(settings.schema, records, settings.sink), strict=True):
            entry: dict[str, Any] = {"Data": data}
            own = len(data)
            if keys is not None:
                entry["PartitionKey"] = key = keys.key(record, self._subtask)
                own += len(key.encode())
            if own > limits.record_bytes:
                why = f"it has {own:,} bytes; at most {limits.record_bytes:,} are possible"
                raise unwritable(settings.sink, record, why)
            if not requests or len(requests[-1][0]) >= limits.batch_size or size + own > limits.batch_bytes:
                requests.append(([], []))
                size = 0
            requests[-1][0].append(record)
            requests[-1][1].append(entry)
            size += own
        yield from requests
