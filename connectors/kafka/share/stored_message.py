"""A message as it is stored beside the checkpoint."""

from __future__ import annotations


class StoredMessage:
    """A stored message, with the methods of one of confluent-kafka."""

    __slots__ = ("_data", "_headers", "_key", "_offset", "_timestamp")

    def __init__(
        self,
        offset: int,
        timestamp: tuple[int, int],
        key: bytes | None,
        data: bytes | None,
        headers: list[tuple[str, bytes | None]] | None,
    ) -> None:
        self._offset, self._timestamp, self._key, self._data, self._headers = offset, timestamp, key, data, headers

    def offset(self) -> int:
        return self._offset

    def timestamp(self) -> tuple[int, int]:
        return self._timestamp

    def key(self) -> bytes | None:
        return self._key

    def value(self) -> bytes | None:
        return self._data

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self._headers
