"""Publishes messages and waits for their confirmations, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.formats.contents import contents_of
from datastream.io import WriterContext

from .connection import MqttConnection
from .failures import QUOTA_EXCEEDED, failure
from .session import Session

#: Messages and bytes that wait for a confirmation; servers may allow fewer messages.
_WINDOW, _WINDOW_BYTES = 1000, 4 << 20


@dataclass(frozen=True)
class Publication:
    """What a sink publishes, and how.

    Attributes:
        connection: The server.
        topic: Of the messages, or a function of the record.
        serializer: How records become payloads.
        qos: 0, 1 or 2.
        retain: Whether the server retains messages.
        message_expiry: How long the server keeps a message, in s; None: for ever.
        content_type: Of payloads; None: nothing is said.
        user_properties: Names and values, or a function of the record.
    """

    connection: MqttConnection
    topic: str | Callable[[Any], str]
    serializer: SerializationSchema
    qos: int = 1
    retain: bool = False
    message_expiry: int | None = None
    content_type: str | None = None
    user_properties: Mapping[str, str] | Callable[[Any], Mapping[str, str]] | None = None


class Publisher:
    """A connection that publishes. One that was lost while idle is made again.

    Args:
        publication: The settings.
        context: The place.
    """

    def __init__(self, publication: Publication, context: WriterContext) -> None:
        self._settings = publication
        self._bytes = context.metrics.counter("numBytesOut")
        self._open: dict[int, tuple[Any, str, int]] = {}
        self._open_bytes = 0
        self._full: list[Any] = []
        self._wrong: Exception | None = None
        self._window = _WINDOW
        self._most_bytes: int | None = None
        self._session = self._connect()

    def publish(self, records: list[Any]) -> Sequence[Any]:
        """Publish records; those that the server has no room for.

        Raises:
            ConnectionError: The server is away, or does not confirm.
            FormatError: A record cannot be written.
            ValidationError: The server refuses a message, or a function of the user's failed.
        """
        if not self._session.refresh():
            self._session.close()
            self._session = self._connect()
        settings, session = self._settings, self._session
        payloads = contents_of(settings.serializer, records, "MqttSink")
        topics = [self._topic(record) for record in records]
        for topic, payload in zip(topics, payloads, strict=True):
            if self._most_bytes is not None and len(payload) + len(topic) > self._most_bytes:
                raise ValidationError(
                    f"{settings.connection}: a message for the topic {topic!r} has {len(payload)} bytes, and the "
                    f"server takes packets of at most {self._most_bytes}; make it smaller, or raise the server's limit"
                )
        for record, topic, payload in zip(records, topics, payloads, strict=True):
            properties = self._properties(record)
            if len(self._open) >= self._window or self._open_bytes + len(payload) > _WINDOW_BYTES:
                size = len(payload)
                session.wait_for(lambda size=size: self._has_room(size), "confirm messages")  # type: ignore[misc]
                self._check()
            info = session.client.publish(topic, payload, settings.qos, settings.retain, properties)
            if info.rc:
                session.check()
                raise ConnectionError(f"{settings.connection} is away: the connection broke")
            self._bytes.inc(len(payload))
            if settings.qos:
                self._open[info.mid] = (record, topic, len(payload))
                self._open_bytes += len(payload)
        session.wait_for(lambda: not self._open, "confirm messages")
        self._check()
        if not settings.qos:
            session.wait_for(lambda: not session.client.want_write(), "take messages")
            session.confirm()
        full, self._full = self._full, []
        return full

    def close(self) -> None:
        """End the connection."""
        self._session.close()

    def _connect(self) -> Session:
        settings = self._settings
        self._open.clear()
        self._full.clear()
        self._open_bytes, self._wrong = 0, None
        session = Session(settings.connection, on_publish=self._confirmed)
        limits = session.limits
        self._window = min(_WINDOW, getattr(limits, "ReceiveMaximum", 65_535))
        self._most_bytes = getattr(limits, "MaximumPacketSize", None)
        most_qos = getattr(limits, "MaximumQoS", 2)
        try:
            if settings.qos > most_qos:
                raise ValidationError(
                    f"{settings.connection} takes messages of QoS {most_qos} at most; set QoS {most_qos}, or raise the "
                    "server's limit"
                )
            if settings.retain and not getattr(limits, "RetainAvailable", 1):
                raise ValidationError(f"{settings.connection} retains no messages; write without retain")
        except BaseException:
            session.close()
            raise
        return session

    def _has_room(self, size: int) -> bool:
        if self._wrong is not None or not self._open:
            return True
        return len(self._open) < self._window and self._open_bytes + size <= _WINDOW_BYTES

    def _check(self) -> None:
        if self._wrong is not None:
            wrong, self._wrong = self._wrong, None
            self._session.close()
            raise wrong

    def _confirmed(self, mid: int, reason: Any, properties: Any) -> None:
        sent = self._open.pop(mid, None)
        if sent is None:
            return
        record, topic, size = sent
        self._open_bytes -= size
        if reason.is_failure:
            if reason.value == QUOTA_EXCEEDED:
                self._full.append(record)
            elif self._wrong is None:
                self._wrong = failure(
                    reason, self._settings.connection, f"a message for the topic {topic!r}", properties
                )

    def _topic(self, record: Any) -> str:
        topic = self._settings.topic
        return topic if isinstance(topic, str) else check_topic(_of(topic, record, "topic"), "MqttSink", record)

    def _properties(self, record: Any) -> Any:
        settings = self._settings
        if settings.user_properties is None and settings.message_expiry is None and settings.content_type is None:
            return None
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        found = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if settings.message_expiry is not None:
            found.MessageExpiryInterval = settings.message_expiry
        if settings.content_type is not None:
            found.ContentType = settings.content_type
        named = settings.user_properties
        if callable(named):
            named = _of(named, record, "user_properties")
        if named:
            if not isinstance(named, Mapping) or not all(
                isinstance(each, str) for pair in named.items() for each in pair
            ):
                raise ValidationError(
                    f"MqttSink: user_properties must be a dict of texts, got {cut(named)} for the record {cut(record)}"
                )
            found.UserProperty = list(named.items())
        return found


def check_topic(topic: Any, what: str, record: Any = None) -> str:
    """A topic that can be published to.

    Raises:
        ValidationError: It cannot.
    """
    if not isinstance(topic, str) or not topic or any(each in topic for each in "+#\0") or len(topic.encode()) > 65_535:
        of = "" if record is None else f" for the record {cut(record)}"
        raise ValidationError(
            f"{what}: {cut(topic)} is no topic{of}: it must be a text, not empty, without '+' and '#', of at most "
            "65,535 bytes"
        )
    return topic


def _of(function: Callable[[Any], Any], record: Any, name: str) -> Any:
    try:
        return function(record)
    except Exception as error:
        raise ValidationError(
            f"MqttSink: {name} raised {type(error).__name__}: {error}, for the record {cut(record)}"
        ) from error
