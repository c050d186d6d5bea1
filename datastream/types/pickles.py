"""Values as bytes, for any Python object."""

from __future__ import annotations

import copyreg
import io
import pickle
import sys
from typing import Any, Protocol

import cloudpickle

from datastream.errors import FormatError


class NotPicklableError(Exception):
    """A record cannot be pickled. The cause says why.

    Attributes:
        record: The record.
    """

    def __init__(self, record: Any) -> None:
        super().__init__()
        self.record = record


class Serializer(Protocol):
    """How objects of one class are written and read: a `TypeSerializer`."""

    def serialize(self, element: Any, stream: io.BytesIO) -> None: ...

    def deserialize(self, stream: io.BytesIO) -> Any: ...


def use_serializer(cls: type, serializer: Serializer) -> None:
    """Pickle objects of exactly this class by a serializer, in this process, wherever they stand in a record."""

    def reduce(element: Any) -> tuple[Any, ...]:
        stream = io.BytesIO()
        serializer.serialize(element, stream)
        return _read, (serializer, stream.getvalue())

    copyreg.pickle(cls, reduce)


def _read(serializer: Serializer, data: bytes) -> Any:
    stream = io.BytesIO(data)
    name = type(serializer).__qualname__
    try:
        value = serializer.deserialize(stream)
    except Exception as error:
        raise FormatError(f"{name}.deserialize failed: {type(error).__name__}: {error}") from error
    if left := len(data) - stream.tell():
        raise FormatError(
            f"{name}.deserialize left {left} of {len(data)} bytes unread: it must read all it has written"
        )
    return value


def main_classes() -> tuple[str, ...]:
    """Names of the classes that are defined at the top of this process's main module."""
    main = vars(sys.modules["__main__"])
    return tuple(
        name
        for name, cls in list(main.items())
        if isinstance(cls, type) and cls.__module__ == "__main__" and cls.__qualname__ == name
    )


def adopt_main_classes(names: tuple[str, ...]) -> None:
    """Make classes of the driver's main module known by name in a worker's own.

    They came with the job by value. Their objects can then be pickled by the name of their class; without it each
    block of them would carry the whole class.

    Args:
        names: What `main_classes` gave in the driver.
    """
    found: dict[str, list[type]] = {}
    for cls in list(cloudpickle.cloudpickle._DYNAMIC_CLASS_TRACKER_BY_CLASS):
        if cls.__module__ == "__main__" and cls.__name__ in names:
            found.setdefault(cls.__name__, []).append(cls)
    for name, classes in found.items():
        if len(classes) == 1:  # a class inside another one loses the name of the outer on its way
            setattr(sys.modules["__main__"], name, classes[0])


def dumps(value: Any) -> bytes:
    """Pickle; classes that only the user's main module knows travel by value."""
    try:
        return pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError):
        data: bytes = cloudpickle.dumps(value, 5)
        return data


loads = pickle.loads


def dumps_records(records: list[Any], keys: list[Any] | None = None) -> bytes:
    """Pickle records, or the pair (keys, records).

    Raises:
        NotPicklableError: the first record that cannot be pickled.
    """
    try:
        return dumps(records if keys is None else (keys, records))
    except Exception:
        for record in (*records, *(keys or ())):
            try:
                dumps(record)
            except Exception as error:
                raise NotPicklableError(record) from error
        raise
