"""paho's client, which reports a message of QoS 2 that the server refuses."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

_FAILURE = 0x80
_PUBACK = struct.Struct("!BBH")
_DISCONNECT = b"\xe0\x00"


class Client(paho.Client):
    """paho's client.

    Its own does not look at the reason code of a PUBREC: what was refused counts as sent. And it leaves sockets open:
    that of a TLS handshake that failed, and the pair by which it wakes itself.
    """

    def release(self) -> None:
        """Close all sockets, however the connection ended."""
        self._reset_sockets()

    def acknowledge(self, numbers: Iterable[int], last: bool = False) -> None:
        """Send the acknowledgements of messages of QoS 1 at once; paho sends each by itself.

        Args:
            numbers: The messages'.
            last: Whether a DISCONNECT follows. The socket stays open, unlike after paho's own.
        """
        packets = b"".join(_PUBACK.pack(paho.PUBACK, 2, number) for number in numbers)
        self._packet_queue(paho.PUBACK, packets + _DISCONNECT if last else packets, 0, 1)

    def _ssl_wrap_socket(self, tcp_sock: Any) -> Any:
        context = self._ssl_context
        assert context is not None
        wrapped = context.wrap_socket(tcp_sock, server_hostname=self._host, do_handshake_on_connect=False)
        try:
            wrapped.settimeout(self.connect_timeout)
            wrapped.do_handshake()
        except BaseException:
            wrapped.close()
            raise
        return wrapped

    def _handle_pubrec(self) -> Any:
        packet = bytes(self._in_packet["packet"])
        if len(packet) > 2 and packet[2] >= _FAILURE:
            mid = int.from_bytes(packet[:2], "big")
            with self._out_message_mutex:
                if mid in self._out_messages:
                    return self._do_on_publish(mid, ReasonCode(PacketTypes.PUBREC, identifier=packet[2]), None)  # type: ignore[arg-type]
        return super()._handle_pubrec()
