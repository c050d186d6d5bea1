"""Transactions with a port."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress

import httpx

from datastream.errors import ValidationError

from .answers import Ended, decoded
from .client_config import SiteToSiteClientConfig
from .connection import BAD_CHECKSUM, Answer, Connection, host

_LIMIT = "x-nifi-site-to-site-batch-"
_CONFIRM, _FINISHED, _FINISHED_BUT_FULL, _CANCEL = 12, 13, 14, 15


class Transaction:
    """A transaction, which ends by itself if it is neither confirmed nor cancelled within some 30 s.

    Args:
        connection: To the NiFi.
        url: Of the transaction.
        config: How the port is reached.
    """

    def __init__(self, connection: Connection, url: str, config: SiteToSiteClientConfig) -> None:
        self._connection, self._url, self._config = connection, url, config

    def receive(self, most: int, most_bytes: int) -> bytes | None:
        """Flow files, as packets; None: there are none, and the transaction has ended.

        Args:
            most: How many at most.
            most_bytes: How many bytes at most.

        Raises:
            ConnectionError: The NiFi is away.
            AnswerTooLong: There are more bytes; NiFi keeps the flow files.
        """
        limits = {f"{_LIMIT}count": str(most), f"{_LIMIT}size": str(self._config.batch_size)}
        if self._config.batch_duration_ms is not None:
            limits[f"{_LIMIT}duration"] = str(self._config.batch_duration_ms)
        answer = self._connection.request("GET", f"{self._url}/flow-files", most_bytes, headers=limits)
        return answer.content if answer.status == httpx.codes.ACCEPTED else None

    def extend(self) -> None:
        """Have it last for another 30 s, from now on.

        Raises:
            ConnectionError: The NiFi is away.
            TransactionLost: It has ended: what it held is given to others.
        """
        self._connection.request("PUT", self._url)

    def confirm_received(self, data: bytes) -> None:
        """Have the NiFi forget the flow files.

        Raises:
            ConnectionError: It is away, or it got another checksum.
            TransactionLost: The flow files come again.
        """
        self._end(_CONFIRM, checksum=str(zlib.crc32(data)))

    def send(self, blocks: Iterable[bytes], size: int) -> None:
        """Send packets, which the NiFi keeps aside.

        Args:
            blocks: Their bytes.
            size: How many bytes there are.

        Raises:
            ConnectionError: The NiFi is away, or it got something else.
        """
        checksum = 0

        def checked() -> Iterator[bytes]:
            nonlocal checksum
            for block in blocks:
                checksum = zlib.crc32(block, checksum)
                yield block

        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        answer = self._connection.request("POST", f"{self._url}/flow-files", content=checked(), headers=headers)
        told = answer.content.decode(errors="replace").strip()
        if told != str(checksum):
            with suppress(ConnectionError):
                self._end(BAD_CHECKSUM)
            raise ConnectionError(
                f"NiFi at {host(self._url)} got other bytes than were sent: its checksum is {told[:30]!r}, "
                f"expected {checksum}"
            )

    def confirm_sent(self) -> None:
        """Have the NiFi make flow files of the packets.

        Raises:
            ConnectionError: It is away: perhaps it has done so.
            TransactionLost: It is not known whether it has.
        """
        code = decoded(self._end(_CONFIRM).content, Ended, self._url).response_code
        if code not in (_FINISHED, _FINISHED_BUT_FULL):
            raise ConnectionError(f"NiFi at {host(self._url)} answered code {code} to the end of a transaction")

    def cancel(self) -> None:
        """Give all back. What cannot be cancelled ends by itself."""
        with suppress(ConnectionError, ValidationError):
            self._end(_CANCEL)

    def _end(self, code: int, **parameters: str) -> Answer:
        return self._connection.request("DELETE", self._url, params={"responseCode": str(code), **parameters})
