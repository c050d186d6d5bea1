"""An HTTP client that trusts no server: answers end at a number of bytes, and after a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import httpx


class TooMuch(Exception):
    """An answer is larger than it may be, or has another form than was asked for."""


class BoundedClient:
    """Asks peers. A thread of its own does so for all, and none waits for another."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # Peers are on this machine or network: no proxy stands between. Who asks is few, so no more limits are needed.
        self._client = httpx.AsyncClient(
            timeout=None,
            trust_env=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30),
        )
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="datastream-http")
        self._thread.start()

    def ask(
        self,
        method: str,
        url: str,
        deadline_s: float,
        most_bytes: int,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> tuple[int, bytes]:
        """Status and body of an answer.

        Args:
            method: Of the request.
            url: Whom to ask, and for what.
            deadline_s: Until the whole answer has come.
            most_bytes: Of its body.
            headers: Of the request.
            body: Of the request, for JSON; None: none.

        Raises:
            httpx.HTTPError: There is no answer.
            TimeoutError: Not in time.
            TooMuch: It is too large.
        """
        asked = self._asked(method, url, deadline_s, most_bytes, dict(headers or {}), body)
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()

    def close(self) -> None:
        """End what is asked, and close all connections."""
        asyncio.run_coroutine_threadsafe(self._closed(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._loop.is_running():
            self._loop.close()

    async def _asked(
        self, method: str, url: str, deadline_s: float, most_bytes: int, headers: dict[str, str], body: Any
    ) -> tuple[int, bytes]:
        headers["Accept-Encoding"] = "identity"  # a few bytes may unpack to gigabytes
        async with (
            asyncio.timeout(deadline_s),
            self._client.stream(method, url, json=body, headers=headers) as response,
        ):
            if response.headers.get("content-encoding", "identity") != "identity":
                raise TooMuch("it is packed")
            found = bytearray()
            async for chunk in response.aiter_raw():
                found += chunk
                if len(found) > most_bytes:
                    raise TooMuch(f"it has more than {most_bytes:,} bytes")
            return response.status_code, bytes(found)

    async def _closed(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.aclose()
