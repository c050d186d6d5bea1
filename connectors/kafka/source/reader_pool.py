"""Consumers that live on over epochs in their worker process."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..client.secret_values import fingerprint
from .partition_reader import PartitionReader, Place
from .splits import KafkaSplit

MOST = 4
"""Readers of one source that a process keeps."""

_MOST_IN_ALL = 16

#: A reader that is assigned asks its broker some hundred times a second, also when nobody reads on.
_REST_S = 5.0
_CLOSE_S = 120.0


@dataclass(frozen=True)
class _Idle:
    """A reader that nobody uses.

    Attributes:
        key: Fingerprint of its properties.
        reader: The reader.
        since: When it was given back.
    """

    key: str
    reader: PartitionReader
    since: float = field(default_factory=time.monotonic)


class ReaderPool:
    """Readers by the fingerprint of their properties, those used last at the end."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._idle: list[_Idle] = []
        self._lock = threading.Lock()
        self._sweeper: threading.Timer | None = None

    @contextmanager
    def reader(self, properties: Mapping[str, Any], split: KafkaSplit) -> Iterator[PartitionReader]:
        """A reader that fetches a split already, or does from now on; what comes after the split is fetched meanwhile.

        A reader whose split was not read to its end is closed.
        """
        if self._process != os.getpid():
            self.__init__()  # type: ignore[misc]  # clients do not survive a fork
        key = fingerprint(properties)
        place = (split.topic, split.partition, split.start)
        ahead = split.ahead[: MOST - 1]
        reader = self._take(key, properties, place, ahead)
        try:
            reader.begin(place)
            for next_place in ahead:
                other = self._take(key, properties, next_place, ahead)
                other.begin(next_place)
                self._put(key, other)
            yield reader
        except BaseException:
            reader.close()
            raise
        self._put(key, reader)

    def close(self) -> None:
        """Close all that nobody uses."""
        if self._process != os.getpid():
            return  # they belong to the process that forked
        with self._lock:
            idle, self._idle = self._idle, []
            if self._sweeper is not None:
                self._sweeper.cancel()
                self._sweeper = None
        for one in idle:
            one.reader.close()

    def places(self) -> list[Place]:
        """What is fetched though nobody reads it yet."""
        with self._lock:
            return [one.reader.place for one in self._idle if one.reader.place is not None]

    def _take(self, key: str, properties: Mapping[str, Any], place: Place, keep: tuple[Place, ...]) -> PartitionReader:
        """The reader that is at a place already, else one at rest, else the one idle longest, else a new one."""
        with self._lock:
            same = [one for one in self._idle if one.key == key]
            chosen = next((one for one in same if one.reader.place == place), None)
            if chosen is None:
                chosen = next((one for one in same if one.reader.place is None), None)
            if chosen is None and len(same) >= MOST - 1:
                chosen = next((one for one in same if one.reader.place not in keep), None)
            if chosen is not None:
                self._idle.remove(chosen)
        return PartitionReader(properties) if chosen is None else chosen.reader

    def _put(self, key: str, reader: PartitionReader) -> None:
        with self._lock:
            self._idle.append(_Idle(key, reader))
            same = [one for one in self._idle if one.key == key]
            too_many = same[:1] if len(same) > MOST else self._idle[: len(self._idle) > _MOST_IN_ALL]
            for one in too_many:
                self._idle.remove(one)
            self._sweep_later()
        for one in too_many:
            one.reader.close()

    def _sweep_later(self) -> None:
        if self._sweeper is None and self._idle:
            self._sweeper = threading.Timer(_REST_S, self._sweep)
            self._sweeper.daemon = True
            self._sweeper.start()

    def _sweep(self) -> None:
        """Let readers rest, and close them in the end, that nobody comes back for."""
        now = time.monotonic()
        with self._lock:
            self._sweeper = None
            for one in [one for one in self._idle if now - one.since >= _CLOSE_S]:
                self._idle.remove(one)
                one.reader.close()
            for one in self._idle:
                if now - one.since >= _REST_S:
                    one.reader.rest()
            self._sweep_later()


POOL = ReaderPool()
"""This process's. Readers are made when they are first used, never at import: workers are forked."""

atexit.register(POOL.close)
