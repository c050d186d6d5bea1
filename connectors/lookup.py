"""Rows of a table for each record of a stream: the base of the connectors' lookup functions."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from datastream.errors import ValidationError, cut
from datastream.functions import RuntimeContext
from datastream.functions.async_function import CachingAsyncFunction


@dataclass(frozen=True)
class LookupCache:
    """How long each process keeps the rows of a key, for its subtasks. The names are those of Flink's lookup options.

    Attributes:
        max_rows: Keys that are kept, the ones used last; 0: none; None: all.
        expire_after_write_ms: How long; None: until another key needs the place.
        cache_missing_key: Whether it is kept, too, that a key has no rows.
        expire_after_access_ms: How long after they were asked for last; None: until another key needs the place.

    Raises:
        ValidationError: A negative number.
    """

    max_rows: int | None = 10_000
    expire_after_write_ms: int | None = None
    cache_missing_key: bool = True
    expire_after_access_ms: int | None = None

    def __post_init__(self) -> None:
        if min(self.max_rows or 0, self.expire_after_write_ms or 0, self.expire_after_access_ms or 0) < 0:
            raise ValidationError(f"numbers of a lookup cache must be at least 0, got {self!r}")


@dataclass
class _Cached:
    """The rows of a key.

    Attributes:
        rows: Them.
        written: When they were read, in seconds.
        used: When they were asked for last.
    """

    rows: list[Any]
    written: float
    used: float


class _CachedRows(OrderedDict[Hashable, _Cached]):
    """The rows of keys, used last at the end.

    In a process, copies of a function that come of one pickle share them: those of the subtasks. What is pickled again
    begins with none: the next attempt of a job.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _rows_of_copies, (uuid4().hex,)


_of_copies: WeakValueDictionary[str, _CachedRows] = WeakValueDictionary()


def _rows_of_copies(name: str) -> _CachedRows:
    return _of_copies.setdefault(name, _CachedRows())


class LookupFunction(CachingAsyncFunction[Any, Any]):
    """Joins each record with the rows of its key in a table that lives elsewhere, by `AsyncDataStream`.

    Records that ask for the same key at once share one request. What is read is as new as the cache allows; an epoch
    that runs again may find other rows.

    A subclass defines `fetch`, and opens its connection in `open`, calling this class's. One that can ask for several
    keys at once defines `fetch_many` as well, and says in `most_keys` for how many.

    Attributes:
        most_keys: How many keys `fetch_many` is asked for at most; 1: `fetch` is asked for each.

    Args:
        key: The key of a record; None: it has no rows.
        join: The results of a record and its rows. Default: a pair (record, row) for each row.
        left: Without a `join`, the result for a record without rows is (record, None). Default: nothing.
        cache: What is kept. Default: the rows of 10,000 keys.

    Raises:
        ValidationError: `key` or `join` cannot be called.
    """

    most_keys = 1

    def __init__(
        self,
        key: Callable[[Any], Hashable],
        join: Callable[[Any, list[Any]], list[Any]] | None = None,
        left: bool = False,
        cache: LookupCache | None = None,
    ) -> None:
        for name, given in (("key", key), ("join", join)):
            if not callable(given) and (name == "key" or given is not None):
                raise ValidationError(f"{type(self).__name__}: {name} must be a function, got {cut(given)}")
        self._key, self._join, self._left, self._cache = key, join, left, cache or LookupCache()
        self._rows = _CachedRows()

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        first = next(vars(each) for each in cls.__mro__ if "async_invoke" in vars(each) or "cached" in vars(each))
        if "cached" not in first:
            cls.cached = _nothing_at_hand  # type: ignore[method-assign, assignment]

    @abstractmethod
    async def fetch(self, key: Any) -> list[Any]:
        """The rows of a key, as they are now."""

    async def fetch_many(self, keys: list[Any]) -> list[list[Any]]:
        """The rows of each of some keys, as they are now. When it fails, `fetch` is asked for each of them.

        Args:
            keys: At least two, no two the same.

        Returns:
            A list of as many lists, in the order of the keys.

        Raises:
            ConnectionError: The system is away: so `fetch` is not asked.
        """
        raise NotImplementedError(f"{type(self).__name__} has most_keys = {self.most_keys}, but no fetch_many")

    def open(self, runtime_context: RuntimeContext) -> None:
        if not hasattr(self, "_rows"):  # a subclass's __getstate__ left it out
            self._rows = _CachedRows()
        self._asked: dict[Hashable, asyncio.Future[list[Any]]] = {}
        self._due: list[Hashable] = []
        self._requests: set[asyncio.Future[list[list[Any]] | None]] = set()
        cache = self._cache
        self._expires = cache.expire_after_write_ms is not None or cache.expire_after_access_ms is not None
        metrics = runtime_context.get_metrics_group()
        self._hits, self._misses = metrics.counter("cacheHitCount"), metrics.counter("cacheMissCount")

    def cached(self, value: Any) -> list[Any] | None:
        key = self._key(value)
        rows = [] if key is None else self._kept(key)
        return None if rows is None else self._joined(value, list(map(copy, rows)))

    async def async_invoke(self, value: Any) -> list[Any]:
        key = self._key(value)
        return self._joined(value, [] if key is None else list(map(copy, await self._of(key))))

    def _joined(self, value: Any, rows: list[Any]) -> list[Any]:
        """The results of a record and its rows, which no other record has: functions may change them."""
        if self._join is not None:
            return self._join(value, rows)
        if not rows and self._left:
            return [(value, None)]
        return [(value, row) for row in rows]

    async def _of(self, key: Hashable) -> list[Any]:
        """The rows of a key."""
        kept = self._kept(key)
        if kept is not None:
            return kept
        asked = self._asked.get(key)
        if asked is None:
            self._misses.inc()
            loop = asyncio.get_running_loop()
            asked = self._asked[key] = loop.create_future()
            asked.add_done_callback(_look_at)  # there may be no waiter any more
            self._due.append(key)
            if len(self._due) >= self.most_keys:
                self._ask_for_due()
            elif len(self._due) == 1:
                loop.call_soon(self._ask_for_due)  # when the other records that are worked on have asked
        # One record's time-out is not that of all who wait.
        return await asyncio.shield(asked)

    def _ask_for_due(self) -> None:
        """Ask for the keys that are due."""
        keys, self._due = self._due, []
        if keys:
            self._request(keys)

    def _request(self, keys: list[Hashable]) -> None:
        request = asyncio.ensure_future(self._fetch(keys))
        self._requests.add(request)  # the loop itself keeps no task alive
        request.add_done_callback(partial(self._answer, keys))

    async def _fetch(self, keys: list[Hashable]) -> list[list[Any]] | None:
        """The rows of each key; None: they are to be asked for one by one."""
        if len(keys) == 1:
            return [await self.fetch(keys[0])]
        try:
            found = await self.fetch_many(keys)
        except (ConnectionError, NotImplementedError):
            raise
        except Exception:  # one of them may be to blame
            return None
        if not isinstance(found, (list, tuple)) or len(found) != len(keys):
            raise ValidationError(
                f"{type(self).__name__}.fetch_many must return a list of the rows of each of {len(keys)} keys: "
                f"got {cut(found)}"
            )
        return list(found)

    def _answer(self, keys: list[Hashable], request: asyncio.Future[list[list[Any]] | None]) -> None:
        """Give those who wait for keys what came of a request."""
        self._requests.discard(request)
        error = asyncio.CancelledError() if request.cancelled() else request.exception()
        if error is not None:
            for key in keys:
                self._asked.pop(key).set_exception(error)
            return
        found = request.result()
        if found is None:
            for key in keys:
                self._request([key])
            return
        for key, rows in zip(keys, found, strict=True):
            self._keep(key, rows)
            self._asked.pop(key).set_result(rows)

    def _keep(self, key: Hashable, rows: list[Any]) -> None:
        most = self._cache.max_rows
        if most != 0 and (rows or self._cache.cache_missing_key):
            now = time.monotonic()
            self._rows[key] = _Cached(rows, now, now)
            self._rows.move_to_end(key)
            if most is not None and len(self._rows) > most:
                self._rows.popitem(last=False)

    def _kept(self, key: Hashable) -> list[Any] | None:
        """The rows of a key, if the cache has them and they are new enough."""
        found = self._rows.get(key)
        if found is None:
            return None
        if self._expires:
            now, cache = time.monotonic(), self._cache
            if _is_over(found.written, now, cache.expire_after_write_ms) or _is_over(
                found.used, now, cache.expire_after_access_ms
            ):
                del self._rows[key]
                return None
            found.used = now
        self._rows.move_to_end(key)
        self._hits.inc()
        return found.rows


def _is_over(since: float, now: float, length_ms: int | None) -> bool:
    """Whether this number of ms have passed; None: they never have."""
    return length_ms is not None and (now - since) * 1000 > length_ms


def _look_at(done: asyncio.Future[Any]) -> None:
    if not done.cancelled():
        done.exception()


def _nothing_at_hand(function: LookupFunction, value: Any) -> None:
    """Every record is for `async_invoke`, which a subclass has defined."""
