"""Requests for messages, of which one is open at any time, and the deadlines of what has come."""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from datastream.io import Message, QueueConnection

from .failures import failure
from .source_settings import SourceSettings

#: A request that finds no message ends after this part of a deadline.
_OPEN = 0.4
#: As long as messages come, this is how long they are waited for.
_GATHER_S = 0.25
#: More ids than that are not in one request: the service takes no more than 512 KiB.
_IDS = 1000
#: A call that acknowledges or extends may take so long.
_CALL_S = 10.0
#: This part of a deadline is left when a message is stored.
_MARGIN = 0.1


class Pulling(QueueConnection):
    """Messages of a subscription. One request is open while the task works on what came before.

    The deadline of a message is counted from when its request began, so that a process that was stopped, or a network
    that was, takes no message for its own that is delivered to another task by now. A thread extends deadlines.

    Args:
        settings: The source's.
        wait_s: How long a pull waits for the first message.
    """

    def __init__(self, settings: SourceSettings, wait_s: float) -> None:
        self._settings, self._wait_s = settings, wait_s
        self._service, self._path = settings.service, settings.path
        self._client = settings.service.subscriber()
        self._lock = threading.Lock()
        self._waiting: deque[Message] = deque()
        self._deadlines: dict[str, float] = {}
        self._request: Any = None
        self._began = 0.0
        self._closed = threading.Event()
        arguments = weakref.ref(self), self._closed, settings.deadline_s / 5
        threading.Thread(target=_extend, args=arguments, daemon=True, name="pubsub deadlines").start()

    def pull(self, most: int) -> list[Message]:
        until = time.monotonic() + _GATHER_S
        while len(self._waiting) < most and time.monotonic() < until and self._look():
            pass
        with self._lock:
            pulled = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
        return self.held(pulled)

    def _look(self) -> bool:
        """Wait for the answer to the open request; whether it had messages.

        Raises:
            ConnectionError: The service is away.
            ValidationError: It refuses.
        """
        import grpc

        if self._request is None:
            self._ask()
        try:
            answer = self._request.result(timeout=self._wait_s)
        except grpc.FutureTimeoutError:
            return False
        except grpc.RpcError as error:
            self._request = None
            if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:  # there were none
                self._ask()
                return False
            raise self._failed(error) from error
        found, deadline = list(_messages(answer)), self._began + self._settings.deadline_s
        with self._lock:
            self._waiting += found
            self._deadlines.update((message.receipt, deadline) for message in found)
        self._ask()
        return bool(found)

    def _ask(self) -> None:
        from google.pubsub_v1.types import PullRequest

        request = PullRequest(subscription=self._path, max_messages=self._settings.max_messages)
        self._began = time.monotonic()
        self._request = self._client.transport.pull.future(
            request,
            timeout=_OPEN * self._settings.deadline_s,
            metadata=(("x-goog-request-params", f"subscription={self._path}"),),
        )

    def held(self, messages: list[Message]) -> list[Message]:
        """Those whose deadlines have not passed. The deadlines of the others are not extended any more."""
        now = time.monotonic() + _MARGIN * self._settings.deadline_s
        with self._lock:
            found = [message for message in messages if self._deadlines.get(message.receipt, 0.0) > now]
            if len(found) < len(messages):
                kept = {message.receipt for message in found}
                for message in messages:
                    if message.receipt not in kept:
                        self._deadlines.pop(message.receipt, None)
        return found

    def acknowledge(self, messages: list[Message]) -> None:
        """Acknowledge messages.

        Raises:
            ConnectionError: The service is away.
        """
        for ids in _chunks(message.receipt for message in messages):
            try:
                self._client.acknowledge(subscription=self._path, ack_ids=ids, timeout=_CALL_S)
            except Exception as error:
                raise self._failed(error) from error
        with self._lock:
            for message in messages:
                self._deadlines.pop(message.receipt, None)

    def extend(self) -> None:
        """Extend the deadlines of all messages that are here for a while."""
        now, left_s = time.monotonic(), self._settings.deadline_s / 2
        with self._lock:
            for id in [id for id, deadline in self._deadlines.items() if deadline < now]:
                del self._deadlines[id]  # it is delivered again
            old = [id for id, deadline in self._deadlines.items() if deadline < now + left_s]
        for ids in _chunks(old):
            began = time.monotonic()
            self._modify(ids, self._settings.extension_s)
            with self._lock:
                self._deadlines.update((id, began + self._settings.extension_s) for id in ids if id in self._deadlines)

    def close(self) -> None:
        """Give back what was not acknowledged, and end the connection."""
        self._closed.set()
        if self._request is not None:
            self._request.cancel()
        with self._lock:
            left = list(self._deadlines)
            self._deadlines.clear()
            self._waiting.clear()
        with suppress(Exception):  # they come back by themselves when their deadlines have passed
            for ids in _chunks(left):
                self._modify(ids, 0)
        self._client.transport.close()

    def _modify(self, ids: list[str], seconds: int) -> None:
        self._client.modify_ack_deadline(
            subscription=self._path, ack_ids=ids, ack_deadline_seconds=seconds, timeout=_CALL_S
        )

    def _failed(self, error: BaseException) -> Exception:
        return failure(error, self._service, f"the subscription {self._settings.subscription!r}")


def _extend(pulling: weakref.ref[Pulling], closed: threading.Event, every_s: float) -> None:
    """Extend deadlines until the end; not even once if the messages are no longer used."""
    while not closed.wait(every_s):
        found = pulling()
        if found is None:
            return
        with suppress(Exception):  # a message whose deadline was not extended is not taken
            found.extend()
        del found


def _messages(answer: Any) -> Iterator[Message]:
    from google.pubsub_v1.types import PullResponse

    # The messages of protobuf itself: a proxy's attributes take 20 times as long.
    for received in PullResponse.pb(answer).received_messages:
        message = received.message
        time_of = message.publish_time
        body = (
            message.data,
            dict(message.attributes),
            message.message_id,
            time_of.seconds * 1000 + time_of.nanos // 1_000_000,
            message.ordering_key,
        )
        yield Message(message.message_id, body, received.ack_id)


def _chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    left = iter(ids)
    while some := list(islice(left, _IDS)):
        yield some
