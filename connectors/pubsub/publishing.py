"""Publishes messages and waits until the service has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.contents import contents_of, reason_of, unwritable
from datastream.io import WriterContext

from .failures import failure
from .sink_settings import SinkSettings

_SINK = "PubSubSink"
_MOST_BYTES = 10_000_000
_MOST_KEY_BYTES = 1024
_MOST_ATTRIBUTES, _MOST_NAME_BYTES, _MOST_VALUE_BYTES = 100, 256, 1024
#: Google's client takes attributes as arguments by name, beside its own.
_TAKEN = frozenset(("topic", "data", "ordering_key", "retry", "timeout"))


class Publishing:
    """A client that publishes.

    Args:
        settings: The sink's.
        context: The place.
    """

    def __init__(self, settings: SinkSettings, context: WriterContext) -> None:
        from google.api_core.exceptions import Aborted, InternalServerError, ServiceUnavailable, TooManyRequests
        from google.api_core.retry import Retry, if_exception_type
        from google.cloud.pubsub_v1.types import BatchSettings, PublisherOptions

        self._settings, self._path = settings, settings.path
        self._bytes = context.metrics.counter("numBytesOut")
        passing = if_exception_type(Aborted, InternalServerError, ServiceUnavailable, TooManyRequests)
        self._client = settings.service.publisher(
            batch_settings=BatchSettings(
                max_bytes=settings.max_bytes,
                max_latency=settings.max_latency_ms / 1000,
                max_messages=settings.max_messages,
            ),
            publisher_options=PublisherOptions(
                enable_message_ordering=settings.ordering_key is not None,
                retry=Retry(passing, initial=0.1, maximum=5.0, timeout=settings.confirm_s),
                timeout=settings.confirm_s,
            ),
        )

    def publish(self, records: list[Any]) -> None:
        """Publish records, in order, and wait for the service.

        Raises:
            ConnectionError: The service is away.
            FormatError: A record cannot be written, or its message is too large.
            ValidationError: The service refuses it, or a function of the user's failed.
        """
        bodies = self._bodies(records)
        settings, publish, path = self._settings, self._client.publish, self._path
        sent: list[Any] = []
        try:
            if settings.ordering_key is None and settings.attributes is None:
                sent += [publish(path, body) for body in bodies]
            else:
                for record, body in zip(records, bodies, strict=True):
                    key, attributes = self._key(record), self._attributes(record)
                    sent.append(publish(path, body, ordering_key=key, **attributes))
            for future in sent:
                future.result(timeout=2 * settings.confirm_s)
        except (FormatError, ValidationError):
            raise
        except Exception as error:
            raise failure(error, settings.service, f"the topic {settings.topic!r}") from error
        self._bytes.inc(sum(map(len, bodies)))

    def close(self) -> None:
        """End the client."""
        self._client.close()

    def _bodies(self, records: list[Any]) -> list[bytes]:
        """The content of records.

        Raises:
            FormatError: One cannot be written, or is too large; names it.
        """
        bodies = contents_of(self._settings.schema, records, _SINK)
        for record, body in zip(records, bodies, strict=True):
            if len(body) > _MOST_BYTES:
                why = f"its message has {len(body):,} bytes; Pub/Sub takes {_MOST_BYTES:,} at most"
                raise unwritable(_SINK, record, why)
            if not body and self._settings.attributes is None:
                raise unwritable(_SINK, record, "its message would be empty, which Pub/Sub refuses")
        return bodies

    def _key(self, record: Any) -> str:
        function = self._settings.ordering_key
        if function is None:
            return ""
        key = _called(function, "with_ordering_key", record)
        if not isinstance(key, str) or len(key.encode()) > _MOST_KEY_BYTES:
            raise ValidationError(
                f"PubSubSink: with_ordering_key returned {cut(key)}, expected a text of at most {_MOST_KEY_BYTES} "
                f"bytes, for the record {cut(record)}"
            )
        return key

    def _attributes(self, record: Any) -> Mapping[str, str]:
        function = self._settings.attributes
        if function is None:
            return {}
        found = _called(function, "with_attributes", record)
        if found is None:
            return {}
        if (
            not isinstance(found, Mapping)
            or len(found) > _MOST_ATTRIBUTES
            or not all(map(_is_attribute, found.items()))
        ):
            raise ValidationError(
                f"PubSubSink: with_attributes returned {cut(found)}, expected at most {_MOST_ATTRIBUTES} texts of at "
                f"most {_MOST_VALUE_BYTES} bytes, by names of at most {_MOST_NAME_BYTES}, for the record {cut(record)}"
            )
        if taken := _TAKEN.intersection(found):
            raise ValidationError(
                f"PubSubSink: Google's client for Python can send no attribute of the name {sorted(taken)[0]!r}; "
                f"choose another name for that of the record {cut(record)}"
            )
        return found


def _is_attribute(pair: tuple[Any, Any]) -> bool:
    name, value = pair
    return (
        isinstance(name, str)
        and isinstance(value, str)
        and 0 < len(name.encode()) <= _MOST_NAME_BYTES
        and len(value.encode()) <= _MOST_VALUE_BYTES
    )


def _called(function: Any, name: str, record: Any) -> Any:
    try:
        return function(record)
    except Exception as error:
        raise ValidationError(
            f"PubSubSink: the function of {name} raised {reason_of(error)}, for the record {cut(record)}"
        ) from error
