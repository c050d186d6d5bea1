"""Pulls messages of one session."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Message, QueueConnection

from .connection import MqttConnection
from .message import MqttMessage
from .session import Session

#: Messages that come one after the other are no further apart.
_PAUSE_S = 0.01
#: A pull ends after this time, however many come.
_LONGEST_PULL_S = 1.0
#: Bytes after which a pull ends.
_MOST_BYTES = 64 << 20
#: Messages that may come before the answer of a server that is asked whether a session is still ours.
_AHEAD = 100


@dataclass(frozen=True)
class Subscription:
    """What a source subscribes to.

    Attributes:
        connection: The server.
        topics: Filters of topics.
        client_id: What the names of sessions begin with.
        qos: 0 or 1.
        session_expiry: How long, in s, sessions outlive their connections.
        receive_maximum: Messages that the server sends ahead.
        max_payload_size: The largest payload, in bytes.
        retained: Whether retained messages come at the first subscription.
        id_property: The user property that holds a message's id; None: messages have no ids.
    """

    connection: MqttConnection
    topics: tuple[str, ...]
    client_id: str
    qos: int = 1
    session_expiry: int = 86_400
    receive_maximum: int = 10_000
    max_payload_size: int = 16 << 20
    retained: bool = False
    id_property: str | None = None


class Consumer(QueueConnection):
    """A session of the server. It connects at the first pull, and again where the connection was lost.

    The server sends messages ahead, and all of them again to the worker that takes the session over. So it may send no
    more than a pull takes, and a connection whose pull left something behind ends with its acknowledgements. Mosquitto
    2.0.11 sends far more than it may after an acknowledgement: none of that is read.

    Args:
        subscription: The settings.
        task: The index of the task that pulls: part of the session's name.
        wait_ms: How long a pull waits for the first message.
    """

    def __init__(self, subscription: Subscription, task: int, wait_ms: int) -> None:
        self._settings = subscription
        self._client_id = f"{subscription.client_id}-{task}"
        self._wait_s = wait_ms / 1000
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._wrong: Exception | None = None
        self._session: Session | None = None
        self._window = 0
        self._full = False  # the last pull took as much as it might
        self.found_session: bool | None = None
        """Whether the server had kept the session when it was last connected to; None: it never was."""

    def pull(self, most: int) -> list[Message]:
        if self._session is not None and not self._session.refresh():
            self.close()
        session = self._session or self._connect(most)
        waiting = self._waiting

        def enough(count: int = most) -> bool:
            return len(waiting) >= count or self._bytes >= _MOST_BYTES or self._wrong is not None

        session.wait_until(lambda: enough(1), self._wait_s)
        began, count = time.monotonic(), 0
        while (more := count < len(waiting)) and not enough():  # more come as long as some do
            count, took_s = len(waiting), time.monotonic() - began
            if took_s >= _LONGEST_PULL_S:
                break
            session.wait_until(enough, _PAUSE_S if took_s < self._wait_s else 0)
        self._full = more or enough(min(most, self._window))
        pulled = [waiting.popleft() for _ in range(min(most, len(waiting)))]
        self._bytes -= sum(len(message.body.payload) for message in pulled)
        if self._wrong is not None and not pulled:
            wrong, self._wrong = self._wrong, None
            self.close()
            raise wrong
        return pulled

    def held(self, messages: list[Message]) -> list[Message]:
        # The server may have given the session to another worker, and these messages with it.
        if self._settings.qos and messages:
            assert self._session is not None
            self._full = not self._session.confirm(_AHEAD) or self._full
        return messages

    def acknowledge(self, messages: list[Message]) -> None:
        numbers = [message.receipt for message in messages if message.receipt is not None]
        if not numbers:
            return
        session = self._session
        assert session is not None
        # Messages of QoS 0 come to no session that is not connected.
        lasting = len(numbers) == len(messages) and all(message.receipt is not None for message in self._waiting)
        if self._full and lasting:
            session.finish(numbers)
            self.close()
            return
        session.client.acknowledge(numbers)
        if not session.confirm(max(_AHEAD, self._window)):
            session.finish([])
            self.close()

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()
        self._waiting.clear()
        self._bytes, self._wrong = 0, None

    def _connect(self, most: int) -> Session:
        settings = self._settings
        self._window = min(settings.receive_maximum, most)
        session = Session(
            settings.connection,
            self._client_id,
            settings.session_expiry,
            self._window,
            on_message=self._take,
        )
        self._session = session
        try:
            session.subscribe(settings.topics, settings.qos, settings.retained)
        except BaseException:
            self.close()
            raise
        self.found_session = session.present
        return session

    def _take(self, received: Any) -> None:
        if self._wrong is not None:
            return  # what comes after it stays unacknowledged, too
        message = MqttMessage.of(received)
        size, most = len(message.payload), self._settings.max_payload_size
        where = f"{self._settings.connection}: a message of the topic {message.topic!r}"
        if size > most:
            self._wrong = ValidationError(
                f"{where} has {size} bytes, and max_payload_size is {most}; raise it. The message stays on the server"
            )
            return
        id = None
        name = self._settings.id_property
        if name is not None:
            id = next((value for each, value in message.user_properties if each == name), None)
            if id is None:
                self._wrong = ValidationError(
                    f"{where} has no user property {name!r}: {cut(message.payload)}; have its sender set one, or leave "
                    "out set_id_property, which promises at least once"
                )
                return
        self._bytes += size
        self._waiting.append(Message(id, message, received.mid if received.qos else None))
