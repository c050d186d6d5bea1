"""Two streams as one, whose records say which stream they are of: (0, record) and (1, record)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.api.callables import resolve
from datastream.api.data_stream import DataStream, check_environment
from datastream.api.keyed_stream import KeyedStream, without_keys
from datastream.errors import ValidationError, cut
from datastream.functions import KeySelector
from datastream.types import TypeInformation
from datastream.types.type_information import as_type


class TwoStreams:
    """Two streams, and by which keys they belong together.

    Args:
        first: The first stream.
        second: The second stream.
        what: The API call that brought them together, for messages.

    Raises:
        ValidationError: the second is no stream, or the two are of two environments.
    """

    def __init__(self, first: DataStream, second: DataStream, what: str) -> None:
        if not isinstance(second, DataStream):
            raise ValidationError(f"{what} needs a DataStream, got {cut(second)}")
        check_environment(what, first, second)
        self._first, self._second, self._what = first, second, what
        self._keys: list[Callable[[Any], Any]] = []
        self._types: list[TypeInformation | None] = []

    def by(self, where: str, key_selector: Callable[[Any], Any] | KeySelector, key_type: Any) -> None:
        """Take the key selector of the first stream, then that of the second."""
        self._keys.append(resolve(key_selector, "get_key", ("value",), where)[0])
        self._types.append(None if key_type is None else as_type(key_type))

    def keyed(self) -> KeyedStream:
        """The two as one keyed stream.

        Raises:
            ValidationError: the keys are declared to be of different types.
        """
        first, second = self._types
        if first is not None and second is not None and first != second:
            raise ValidationError(f"{self._what} needs keys of one type, got {first!r} and {second!r}")
        one = without_keys(self._first).map(_first).name(f"{self._what}: first")
        two = without_keys(self._second).map(_second).name(f"{self._what}: second")
        return one.union(two).key_by(_TaggedKey(*self._keys), first or second)


class _TaggedKey:
    """The key of a record that says which stream it is of."""

    def __init__(self, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> None:
        self._selectors = first, second

    def __call__(self, tagged: tuple[int, Any]) -> Any:
        side, record = tagged
        return self._selectors[side](record)


def _first(record: Any) -> tuple[int, Any]:
    return 0, record


def _second(record: Any) -> tuple[int, Any]:
    return 1, record
