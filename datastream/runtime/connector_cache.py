"""Readers and writers of connectors that this process keeps over epochs."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from datastream.errors import ProcessLost
from datastream.io import SinkWriter, SourceReader
from datastream.metrics import MetricGroup, MetricRegistry

T = TypeVar("T", SourceReader, SinkWriter)

Key = tuple[str, str, int]
"""Run, uid and subtask: what makes two of them interchangeable. Readers serve any subtask: theirs is -1."""

MOST = 128
"""Objects without use that a process keeps; one too many is closed, the one that was used longest ago.

More than the subtasks times sinks that one process may come to run: else each epoch would open all writers again."""

#: Readers that fetch ahead do so in vain by then, and ask their brokers some hundred times a second.
IDLE_S = 5.0

#: Firewalls forget connections at about that time.
UNUSED_S = 300.0

_LOGGER = logging.getLogger("datastream")


@dataclass(eq=False)
class Kept(Generic[T]):
    """A reader or writer, and what the engine knows of it.

    Attributes:
        key: What it is kept under.
        value: The reader or writer.
        metrics: What it counts.
        since: When it was last used, by the monotonic clock.
        idle: `SourceReader.idle` was called since then.
        last: No later epoch will want it.
    """

    key: Key
    value: T
    metrics: MetricRegistry
    since: float = 0.0
    idle: bool = False
    last: bool = False

    def close(self) -> None:
        """Close it. A failure is logged: what it has read or written does not depend on it."""
        try:
            self.value.close()
        except ProcessLost:
            raise
        except BaseException:
            _LOGGER.warning("'%s': close failed", self.key[1], exc_info=True)


class ConnectorCache:
    """Those that no task uses, in the order in which they were given back."""

    def __init__(self) -> None:
        self._unused: list[Kept[Any]] = []
        self._resting: list[Kept[Any]] = []
        self._of_parents: list[Kept[Any]] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def take(self, key: Key, metrics: Callable[[], MetricRegistry], create: Callable[[MetricGroup], T]) -> Kept[T]:
        """One for the caller alone, kept from before or a new one. Goes back by `give_back`, or is closed.

        Args:
            key: What makes two of them interchangeable.
            metrics: Makes the registry of a new one.
            create: Makes a new one.
        """
        with self._lock:
            for i in reversed(range(len(self._unused))):
                if self._unused[i].key == key:
                    found = self._unused.pop(i)
                    found.metrics.rewind()
                    return found
        registry = metrics()
        return Kept(key, create(registry.group), registry)

    def give_back(self, kept: Kept[Any], last: bool = False) -> None:
        """Keep one whose epoch ended well.

        Args:
            kept: Of `take`.
            last: Only for other tasks of the same epoch: close it soon.
        """
        kept.since, kept.idle, kept.last = time.monotonic(), False, last
        with self._lock:
            self._unused.append(kept)
            surplus = self._unused[: max(len(self._unused) - MOST, 0)]
            del self._unused[: len(surplus)]
            self._watch()
        for one in surplus:
            one.close()

    def close(self, run: str | None = None) -> None:
        """Close what no task uses.

        Args:
            run: Of this run only; None: all.
        """
        with self._lock:
            ended = [one for one in self._unused if run is None or one.key[0] == run]
            self._unused = [one for one in self._unused if one not in ended]
            for one in self._resting:
                one.last = one.last or run is None or one.key[0] == run
        for one in ended:
            one.close()

    def forget(self) -> None:
        """In a process made by a fork: connections and their threads are the parent's, so not even destroy them."""
        self._of_parents += self._unused + self._resting
        self._unused, self._resting = [], []
        self._lock = threading.Lock()
        self._timer = None

    def _watch(self) -> None:
        if self._timer is None and self._unused:
            self._timer = threading.Timer(IDLE_S, self._sweep)
            self._timer.daemon = True
            self._timer.start()

    def _sweep(self) -> None:
        now = time.monotonic()
        with self._lock:
            self._timer = None
            ended = [one for one in self._unused if now - one.since >= (IDLE_S if one.last else UNUSED_S)]
            resting = [one for one in self._unused if one not in ended and not one.idle and now - one.since >= IDLE_S]
            self._resting += resting  # another sweep may begin before these are done
            self._unused = [one for one in self._unused if one not in ended and one not in resting]
        for one in ended:
            one.close()
        for one in resting:  # without the lock: other tasks take theirs meanwhile
            self._stop_fetching(one)
        with self._lock:
            self._resting = [one for one in self._resting if one not in resting]
            self._unused[:0] = [one for one in resting if not one.last]
            self._watch()
        for one in resting:
            if one.last:
                one.close()

    def _stop_fetching(self, kept: Kept[Any]) -> None:
        kept.idle = True
        if isinstance(kept.value, SourceReader):
            try:
                kept.value.idle()
            except ProcessLost:
                raise
            except BaseException:
                _LOGGER.warning("'%s': idle failed", kept.key[1], exc_info=True)


CACHE = ConnectorCache()
"""This process's."""

atexit.register(CACHE.close)
os.register_at_fork(after_in_child=CACHE.forget)
