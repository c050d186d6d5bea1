"""What a table that can be looked up in gives, and the options of its cache."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from datastream.connectors.lookup import LookupCache
from datastream.errors import ValidationError

from .options import Option, Settings

#: Names and meanings are Flink's.
LOOKUP_OPTIONS = (
    Option("lookup.cache", default="NONE", doc="NONE, or PARTIAL: each process keeps the rows of keys it looked up."),
    Option(
        "lookup.partial-cache.max-rows", "integer", doc="How many keys a process keeps, those used last. Default: all."
    ),
    Option("lookup.partial-cache.expire-after-write", "duration", doc="How long rows are kept. Default: for good."),
    Option("lookup.partial-cache.expire-after-access", "duration", doc="The same, since they were used last."),
    Option("lookup.partial-cache.cache-missing-key", "boolean", True, doc="Keep also that a key has no rows."),
    Option("lookup.max-retries", "integer", 3, doc="How often a lookup that failed is tried again."),
    Option("lookup.cache.max-rows", "integer", doc="The older name of 'lookup.partial-cache.max-rows'."),
    Option("lookup.cache.ttl", "duration", doc="The older name of 'lookup.partial-cache.expire-after-write'."),
    Option("lookup.cache.caching-missing-key", "boolean", doc="The older name of the option for missing keys."),
)
_PARTIAL = "lookup.partial-cache."


class TableLookup(ABC):
    """Finds the rows of keys in a table. It travels to the tasks, where it is opened.

    Attributes:
        cache: What tasks keep.
        most_keys: How many keys `fetch_many` is asked for at most; 1: `fetch` is asked for each.
    """

    cache: LookupCache
    most_keys: int = 1

    @abstractmethod
    def open(self) -> None:
        """Make ready for lookups."""

    @abstractmethod
    def close(self) -> None:
        """Leave the system."""

    @abstractmethod
    async def fetch(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """The rows of a key as they are now.

        Args:
            key: Values in the form that they have inside, none of them NULL.
        """

    async def fetch_many(self, keys: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
        """The rows of each of some keys, as `LookupFunction.fetch_many` gives them."""
        raise NotImplementedError(f"{type(self).__name__} has most_keys = {self.most_keys}, but no fetch_many")


def lookup_cache(settings: Settings, of: str) -> LookupCache:
    """The cache that a table's options ask for.

    Raises:
        ValidationError: They contradict each other, or a number is below 0.
    """
    kind = settings["lookup.cache"].upper()
    if kind not in ("NONE", "PARTIAL", "FULL"):
        raise ValidationError(
            f"{of}: option 'lookup.cache': expected NONE or PARTIAL, got '{settings['lookup.cache']}'"
        )
    if kind == "FULL":
        raise ValidationError(
            f"{of}: 'lookup.cache' = 'FULL' is not supported: set 'PARTIAL', or read the table as a whole by a join"
        )
    old = settings["lookup.cache.max-rows"], settings["lookup.cache.ttl"]
    if kind == "NONE" and None not in old:
        return LookupCache(old[0], old[1], settings["lookup.cache.caching-missing-key"] is not False)
    if old != (None, None) and kind == "NONE":
        raise ValidationError(
            f"{of}: either all or none of the options 'lookup.cache.max-rows' and 'lookup.cache.ttl' must be set"
        )
    if kind == "NONE":
        return LookupCache(max_rows=0)
    names = ("max-rows", "expire-after-write", "expire-after-access")
    rows, write, access = (settings[_PARTIAL + name] for name in names)
    if rows is None and write is None and access is None:
        listed = ", ".join(f"'{_PARTIAL}{name}'" for name in names)
        raise ValidationError(f"{of}: 'lookup.cache' = 'PARTIAL' needs one of the options {listed}")
    try:
        return LookupCache(rows, write, settings[f"{_PARTIAL}cache-missing-key"], access)
    except ValidationError as error:
        raise ValidationError(f"{of}: {error}") from None
