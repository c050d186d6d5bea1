"""HTTP/1.1 of one connection: uvicorn's, which knows no deadlines, with the gateway's limits."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from .connections import Connections, Held, Phase

#: Bytes that are read at once, and that wait for a client to read them.
_BUFFER = 32 << 10
#: How much longer a stranger waits after each request that was refused, and at most.
_LATER_S, _LATEST_S = 0.2, 5.0
_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
#: Where a request's scope has its connection.
CONNECTION = "datastream.connection"


class LimitedProtocol(H11Protocol):
    """One connection.

    Args:
        config: uvicorn's.
        state: uvicorn's.
        app_state: Of the lifespan.
        connections: All of them.
        held: This one.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        state: ServerState,
        app_state: dict[str, Any],
        connections: Connections,
        held: Held,
    ) -> None:
        super().__init__(config, state, app_state)
        self._connections, self._held = connections, held
        self._answer, self.app = self.app, self._with_connection

    async def _with_connection(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[CONNECTION] = self._held
        await self._answer(scope, receive, send)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._held.close, self._held.time_out = transport.abort, self._time_out
        transport.set_write_buffer_limits(_BUFFER)
        if hasattr(transport, "max_size"):  # asyncio's: 256 KiB, which each of many connections may fill
            transport.max_size = _BUFFER

    def data_received(self, data: bytes) -> None:
        if self._held.phase in (Phase.NEW, Phase.IDLE):
            self._connections.note(self._held, Phase.HEAD)
        super().data_received(data)
        self._note_phase()

    def on_response_complete(self) -> None:
        self._connections.note(self._held, Phase.IDLE)
        if self._held.refusals:
            if self.conn.trailing_data[0]:  # it does not even wait for answers
                self.transport.close()
            else:
                self.flow.pause_reading()
                self.loop.call_later(min(_LATEST_S, self._held.refusals * _LATER_S), self._read_again)
                self._note_phase()
                return
        super().on_response_complete()
        self._note_phase()

    def _read_again(self) -> None:
        if not self.transport.is_closing():
            super().on_response_complete()
            self._note_phase()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._connections.block(self._held, True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._connections.block(self._held, False)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.release(self._held)
        super().connection_lost(exc)

    def _note_phase(self) -> None:
        if self.transport.is_closing():
            if self._held.phase is not Phase.CLOSING:
                self._connections.note(self._held, Phase.CLOSING)
        elif self.cycle is not None and not self.cycle.response_complete and self._held.phase is not Phase.ANSWER:
            self._connections.note(self._held, Phase.ANSWER)

    def _time_out(self) -> None:
        """The head of a request, or what was left of a refused one, has not come in time."""
        if self._held.phase is Phase.HEAD and self.conn.our_state.__name__ == "IDLE":
            self.transport.write(_TIMED_OUT)
        self.transport.close()
        self._note_phase()
