"""Keys whose equality is not known: lists, dicts, objects with an ``__eq__`` of their own. Their bytes decide."""

from __future__ import annotations

import io
import pickle
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.stored_types import stored_as

_PROTOCOL = 4  # for good: other bytes would be another key


@stored_as("pickled_key", lambda key: (key.data,))
class PickledKey:
    """Represents a key: two are equal when their pickles are, as in Flink.

    The pickles are the same in all processes: nothing in them depends on which parts are one object, or on the order
    of a set.

    Attributes:
        data: The pickle.
    """

    __slots__ = ("_value", "data")

    _value: Any

    def __init__(self, data: bytes) -> None:
        self.data = data

    @property
    def value(self) -> Any:
        """The user's key."""
        try:
            return self._value
        except AttributeError:
            self._value = _loads(self.data)
            return self._value

    def __eq__(self, other: object) -> bool:
        return type(other) is PickledKey and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return repr(self.value)


def pickled_key(key: Any) -> PickledKey:
    """What stands for a key.

    Raises:
        ValidationError: it cannot be pickled.
    """
    try:
        return PickledKey(_dumps(key))
    except BaseException as error:  # whatever an object's own pickling raises
        raise ValidationError(
            f"the key {cut(key)} cannot be pickled ({type(error).__name__}: {error}); return a str, a number or a tuple"
        ) from error


def user_key(key: Any) -> Any:
    """A key as the user knows it."""
    return key.value if type(key) is PickledKey else key


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> Any:
        kind = type(obj)
        return (kind.__name__, sorted(map(_dumps, obj))) if kind is set or kind is frozenset else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: tuple[str, list[bytes]]) -> Any:
        kind, parts = pid
        return (set if kind == "set" else frozenset)(map(_loads, parts))


def _dumps(key: Any) -> bytes:
    stream = io.BytesIO()
    pickler = _Pickler(stream, _PROTOCOL)
    pickler.fast = True  # no memo: identical and merely equal parts must look the same
    pickler.dump(key)
    return stream.getvalue()


def _loads(data: bytes) -> Any:
    return _Unpickler(io.BytesIO(data)).load()
