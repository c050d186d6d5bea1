"""A connection to the server, driven by the thread that uses it.

paho's own thread would read without end whatever the server sends. Here nothing is read, and so nothing is kept in
memory, but while the caller waits for something.
"""

from __future__ import annotations

import math
import select
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from datastream.errors import ValidationError, cut

from .connection import MqttConnection
from .failures import failure

_CLOSE_S = 2.0
_LONGEST_STEP_S = 1.0
#: Bytes that are dropped at a time.
_DROPPED_BYTES = 1 << 18
#: Packets that are read before the caller looks again whether it has enough.
_AT_ONCE = 100


class Session:
    """A connection to the server, with or without a session that outlives it.

    Args:
        connection: The server.
        client_id: The name of the session; None: the server chooses one.
        expiry_s: How long the session outlives the connection; 0: not at all, and what it held before is dropped.
        receive_maximum: Messages that the server may send before the first of them is acknowledged.
        on_message: Is called with each message, as paho's.
        on_publish: Is called with the number, the reason code and the properties of each message that was sent.

    Attributes:
        client: paho's client.
        present: Whether the server had kept the session.
        limits: The properties of the server's answer.

    Raises:
        ConnectionError: The server is away.
        ValidationError: It refuses the user, the client id or the protocol.
    """

    def __init__(
        self,
        connection: MqttConnection,
        client_id: str | None = None,
        expiry_s: int = 0,
        receive_maximum: int = 1000,
        on_message: Callable[[Any], None] | None = None,
        on_publish: Callable[[int, Any, Any], None] | None = None,
    ) -> None:
        from paho.mqtt.client import MQTTv5
        from paho.mqtt.enums import CallbackAPIVersion
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        from .client import Client

        self._server = connection
        self._limit_s = connection.timeout_ms / 1000
        self._error: Exception | None = None
        self._answered: set[int] = set()
        self._read = 0  # messages and receipts that came
        self._on_message, self._on_publish = on_message, on_publish
        self.present = False
        self.limits: Any = None
        self.client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id or "",
            protocol=MQTTv5,
            manual_ack=True,
            reconnect_on_failure=False,
        )
        # Those who publish keep to the server's limit: paho would walk its queue for each message.
        self.client.max_inflight_messages_set(0)
        self.client.connect_timeout = self._limit_s
        if connection.user_name is not None:
            self.client.username_pw_set(connection.user_name, connection.password)
        if connection.tls is not None:
            self.client.tls_set_context(connection.tls.context(connection.address))
        self.client.on_connect = self._connected
        self.client.on_disconnect = self._disconnected
        self.client.on_message = self._received
        self.client.on_publish = self._published
        self.client.on_subscribe = self._subscribed
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.ReceiveMaximum = receive_maximum
        if expiry_s:
            asked.SessionExpiryInterval = expiry_s
        try:
            self.client.connect(
                connection.host, connection.port, connection.keep_alive_s, clean_start=not expiry_s, properties=asked
            )
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError) as error:
            raise ConnectionError(f"{connection} is away: {error}") from error
        except ssl.SSLError as error:
            raise ValidationError(
                f"{connection}: TLS does not come about: {error}; check its files and name"
            ) from error
        except (OSError, ValueError) as error:
            raise ConnectionError(f"{connection} is away: {error}") from error
        opened: Any = self.client.socket()
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.wait_for(lambda: self.limits is not None, "answer")
        except BaseException:
            self.close()
            raise

    def subscribe(self, filters: Sequence[str], qos: int, retained: bool) -> None:
        """Subscribe to topics.

        The answer comes after all that the server sends ahead. A session that it had kept has its subscriptions, so
        nothing waits for the answer then: what it refuses is raised later.

        Args:
            filters: Of the topics.
            qos: The highest quality of service of messages.
            retained: Whether messages that the server has retained come at the first subscription.

        Raises:
            ConnectionError: The connection broke.
            ValidationError: The server refuses a filter, or grants a lower quality of service.
        """
        from paho.mqtt.subscribeoptions import SubscribeOptions

        retaining = SubscribeOptions.RETAIN_SEND_IF_NEW_SUB if retained else SubscribeOptions.RETAIN_DO_NOT_SEND
        self._filters, self._qos = filters, qos
        code, mid = self.client.subscribe([(each, SubscribeOptions(qos, retainHandling=retaining)) for each in filters])
        if code:
            raise self._broken("the connection broke")
        assert mid is not None
        if not self.present:
            self.wait_for(lambda: mid in self._answered, "answer a subscription")

    def confirm(self, most: int | None = None) -> bool:
        """Wait until the server has taken what was sent; raises like `wait_for` if the session is another's by now.

        Args:
            most: How many messages may come before its answer; None: any number.

        Returns:
            Whether the answer has come.
        """
        self.check()
        last = math.inf if most is None else self._read + most

        def answered() -> bool:
            return not self.client._ping_t  # noqa: SLF001

        # The answer to an earlier ping, such as paho's own, confirms nothing that was sent after it.
        for earlier in (True, False):
            if not earlier:
                # paho has no public way to send a PINGREQ. The server answers in order.
                self.client._send_pingreq()  # noqa: SLF001
            self.wait_for(lambda: answered() or self._read >= last, "answer a ping")
            if not answered():
                return False
        return True

    def finish(self, numbers: Sequence[int]) -> None:
        """Acknowledge messages, and end the connection; the server has taken it when this returns.

        A server ends the connection after it has read all that was sent. What it has sent ahead is dropped, and comes
        again with the next connection.

        Args:
            numbers: The messages'.

        Raises:
            ConnectionError: The connection broke, or the server does not end it.
        """
        self.check()
        self.client.acknowledge(numbers, last=True)
        heard = time.monotonic()
        while True:
            self.check()
            opened: Any = self.client.socket()
            if opened is None:
                raise self._broken("the connection broke")
            waiting = getattr(opened, "pending", int)()
            if not waiting:
                writes = [opened] if self.client.want_write() else []
                select.select([opened], writes, [], _LONGEST_STEP_S)
                if writes:
                    self.client.loop_write()
            try:
                if not opened.recv(_DROPPED_BYTES):
                    break
                heard = time.monotonic()
            except (BlockingIOError, ssl.SSLWantReadError):
                if time.monotonic() - heard > self._limit_s:
                    raise self._broken(f"it did not end a connection within {self._limit_s:.0f} s") from None
            except OSError as error:
                raise self._broken(f"the connection broke ({error})") from error
        self.client.release()
        self._fail(ConnectionError(f"{self._server}: the connection is closed"))

    def wait_for(self, done: Callable[[], bool], what: str, limit_s: float | None = None) -> None:
        """Read and write until something is so.

        Its answer may come behind all messages that the server may send ahead, so the limit is that of its silence.

        Raises:
            ConnectionError: The connection broke, or nothing came for too long.
            ValidationError: The server refused something.
        """
        limit_s = self._limit_s if limit_s is None else limit_s
        read = self._read
        while not self.wait_until(done, limit_s):
            if self._read == read:
                raise ConnectionError(f"{self._server} is away: it did not {what} within {limit_s:.0f} s")
            read = self._read

    def wait_until(self, done: Callable[[], bool], limit_s: float) -> bool:
        """Read and write until something is so, or for so long; whether it is so. Raises like `wait_for`."""
        deadline = time.monotonic() + limit_s
        self.check()
        while not done():
            left_s = deadline - time.monotonic()
            self._step(max(0.0, min(left_s, _LONGEST_STEP_S)), done)
            self.check()
            if left_s <= 0:
                return done()
        return True

    def refresh(self) -> bool:
        """Whether the connection still stands; reads a little of what has come."""
        with suppress(ConnectionError, ValidationError):
            self.wait_until(lambda: False, 0)
            return True
        return False

    def check(self) -> None:
        """See that nothing has failed. Raises like `wait_for`."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the connection: what was not acknowledged is delivered again, if there is a session."""
        if self.client.socket() is not None:
            with suppress(Exception):  # it may be broken in any way
                self.client.disconnect()
                deadline = time.monotonic() + _CLOSE_S
                while self.client.socket() is not None and self.client.want_write() and time.monotonic() < deadline:
                    self.client.loop(0.05)
        with suppress(OSError):
            self.client.release()
        if self._error is None:
            self._error = ConnectionError(f"{self._server}: the connection is closed")

    def _step(self, limit_s: float, done: Callable[[], bool]) -> None:
        before = self._read
        code = self.client.loop(limit_s)
        left = _AT_ONCE
        while not code and self._read > before and left and not done() and self._error is None:
            before, left = self._read, left - 1
            code = self.client.loop_read()
        if code and self._error is None:
            from paho.mqtt.client import error_string

            self._error = self._broken(error_string(code))

    def _broken(self, why: str) -> Exception:
        return ConnectionError(f"{self._server} is away: {cut(why)}")

    def _connected(self, _: Any, __: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            user = self._server.user_name
            who = "a client without a user" if user is None else f"the user {user!r}"
            self._fail(failure(reason, self._server, who, properties))
        else:
            self.present = bool(flags.session_present)
            self.limits = properties

    def _disconnected(self, _: Any, __: Any, flags: Any, reason: Any, properties: Any) -> None:
        if flags.is_disconnect_packet_from_server and reason.is_failure:
            self._fail(failure(reason, self._server, "to go on", properties))
        else:
            self._fail(self._broken(f"the connection broke ({reason})"))

    def _received(self, _: Any, __: Any, message: Any) -> None:
        self._read += 1
        if self._on_message is not None:
            self._on_message(message)

    def _published(self, _: Any, __: Any, mid: int, reason: Any, properties: Any) -> None:
        self._read += 1
        if self._on_publish is not None:
            self._on_publish(mid, reason, properties)

    def _subscribed(self, _: Any, __: Any, mid: int, reasons: Any, properties: Any) -> None:
        for each, reason in zip(self._filters, reasons, strict=False):
            if reason.is_failure:
                self._fail(failure(reason, self._server, f"the subscription to {each!r}", properties))
            elif reason.value < self._qos:
                self._fail(
                    ValidationError(
                        f"{self._server} grants only QoS {reason.value} to the subscription to {each!r}; raise the "
                        f"server's limit, or set QoS {reason.value}"
                    )
                )
        self._answered.add(mid)

    def _fail(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
