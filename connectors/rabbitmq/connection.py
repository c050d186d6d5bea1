"""A connection with one channel, driven by the thread that uses it.

pika's blocking connection confirms one message at a time, and hands out one message at a time. Its asynchronous one has
neither limit; here the caller's thread runs its loop while it waits for something.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .connection_config import RMQConnectionConfig
from .failures import failure
from .parameters import connect_limit_s, parameters_of

if TYPE_CHECKING:
    from pika.channel import Channel

_LOGGER = logging.getLogger("datastream.connectors.rabbitmq")
_ANSWER_S = 30.0
_CLOSE_S = 2.0


class Connection:
    """A connection with one channel.

    Args:
        config: The server.
        queue: The queue that is used, for messages.

    Attributes:
        channel: pika's channel.
        blocked: Why the server takes no messages at the moment; None: it does.

    Raises:
        ConnectionError: The server is away.
        ValidationError: It refuses the user or the virtual host.
    """

    channel: Channel

    def __init__(self, config: RMQConnectionConfig, queue: str | None) -> None:
        from pika import SelectConnection
        from pika.adapters.select_connection import IOLoop

        # At INFO it tells each step of each connection.
        logging.getLogger("pika").setLevel(logging.WARNING)
        self._config, self._queue = config, queue
        self._error: BaseException | None = None
        self._open = self._gone = self._ended = False
        self.blocked: str | None = None
        parameters = parameters_of(config)
        self._loop = IOLoop()
        self._loop.activate_poller()
        try:
            self._connection = SelectConnection(
                parameters, self._on_open, self._on_open_error, self._on_close, custom_ioloop=self._loop
            )
            limit_s = connect_limit_s(config)
            self.wait_for(lambda: self._open, None if limit_s is None else limit_s + 1, "connect")
            self._connection.add_on_connection_blocked_callback(self._on_blocked)
            self._connection.add_on_connection_unblocked_callback(self._on_unblocked)
            opened: list[Channel] = []
            self._connection.channel(on_open_callback=opened.append)
            self.wait_for(lambda: bool(opened), what="open a channel")
            self.channel = opened[0]
            self.channel.add_on_close_callback(lambda _, reason: self._fail(reason))
        except BaseException:
            self.close()
            raise

    def call(self, start: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """The answer to a method of the channel that takes a ``callback``."""
        answers: list[Any] = []
        self.check()
        start(*arguments, callback=answers.append, **options)
        self.wait_for(lambda: bool(answers), what="answer")
        return answers[0].method

    def declare_queue(self, queue: str, passive: bool, arguments: Mapping[str, Any] | None) -> None:
        """Make a durable queue unless it is there; if `passive`, only see that it is there.

        Raises:
            ValidationError: It is not, or with other settings.
        """
        declare = self.channel.queue_declare
        self.call(declare, queue, passive=passive, durable=not passive, arguments=dict(arguments or {}))

    def wait_for(self, done: Callable[[], bool], limit_s: float | None = _ANSWER_S, what: str = "answer") -> None:
        """Run the loop until something is so.

        Raises:
            ConnectionError: The connection broke, or it took too long.
            ValidationError: The server refused something.
        """
        if not self.wait_until(done, limit_s):
            late = TimeoutError(f"it did not {what} within {limit_s:.0f} s")
            raise failure(late, self._config, self._queue) from late

    def wait_until(self, done: Callable[[], bool], limit_s: float | None) -> bool:
        """Run the loop until something is so, or for so long; whether it is so. Raises like `wait_for`."""
        deadline = None if limit_s is None else time.monotonic() + limit_s
        alarm = None if limit_s is None else self._loop.call_later(limit_s, _nothing)
        try:
            self.check()
            while not done():
                self._loop.poll()
                self._loop.process_timeouts()
                self.check()
                if deadline is not None and time.monotonic() >= deadline:
                    return done()
            return True
        finally:
            if alarm is not None and not self._ended:
                self._loop.remove_timeout(alarm)

    def refresh(self) -> bool:
        """Take what has come, heartbeats too; whether the connection still stands."""
        from datastream.errors import DataStreamError

        with suppress(ConnectionError, DataStreamError):
            self.wait_until(lambda: False, 0)
            return True
        return False

    def check(self) -> None:
        """See that nothing has failed. Raises like `wait_for`."""
        if self._error is not None:
            raise failure(self._error, self._config, self._queue) from self._error

    def close(self) -> None:
        """End the connection: what was not acknowledged goes back to the queue."""
        if self._ended:
            return
        connection = getattr(self, "_connection", None)
        try:
            if connection is not None and not self._gone:
                if not connection.is_closed and not connection.is_closing:
                    connection.close()
                if not self._run_to_end(_CLOSE_S):
                    # pika has no public way to close the socket of a server that does not answer.
                    connection._terminate_stream(TimeoutError("the server does not answer"))  # noqa: SLF001
                    self._run_to_end(_CLOSE_S)
        except Exception as error:  # it may be broken in any way
            _LOGGER.debug("closing the connection: %s", error)
        finally:
            self._ended = True
            self._loop.deactivate_poller()
            self._loop.close()

    def _run_to_end(self, limit_s: float) -> bool:
        """Run the loop until the connection has ended, or for so long; whether it has."""
        deadline = time.monotonic() + limit_s
        self._loop.call_later(limit_s, _nothing)
        while not self._gone and time.monotonic() < deadline:
            self._loop.poll()
            self._loop.process_timeouts()
        return self._gone

    def _on_open(self, _: Any) -> None:
        self._open = True

    def _on_open_error(self, _: Any, error: BaseException) -> None:
        self._gone = True
        self._fail(error)

    def _on_close(self, _: Any, reason: BaseException) -> None:
        self._gone = True
        self._fail(reason)

    def _on_blocked(self, _: Any, frame: Any) -> None:
        self.blocked = str(frame.method.reason)

    def _on_unblocked(self, _: Any, frame: Any) -> None:
        self.blocked = None

    def _fail(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error


def _nothing() -> None:
    """Wakes the loop."""
