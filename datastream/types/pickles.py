"""Values as bytes, for any Python object."""

from __future__ import annotations

import copyreg
import io
import itertools
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType
from typing import Any, Protocol, TypeVar

import cloudpickle

from datastream.errors import FormatError
from datastream.stored_types import reader

T = TypeVar("T")


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


#: Classes that pickle writes by itself, whatever is registered.
BUILT_IN = frozenset(
    {type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, type}
)

_reducers: dict[type, Callable[[Any], Any]] = {}


def use_serializers(serializers: Iterable[tuple[type, Serializer]]) -> None:
    """From now on, and for our own pickles only, write objects of exactly these classes by these serializers."""
    _reducers.clear()
    _reducers.update((cls, partial(_reduce, serializer)) for cls, serializer in serializers)


def _reduce(serializer: Serializer, element: Any) -> tuple[Any, ...]:
    stream = io.BytesIO()
    serializer.serialize(element, stream)
    return _read, (serializer, stream.getvalue())


@reader("serialized")
def _read(serializer: Serializer, data: bytes) -> Any:
    stream = io.BytesIO(data)
    name = type(serializer).__qualname__
    try:
        value = serializer.deserialize(stream)
    except BaseException as error:
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
    for cls in list(cloudpickle.cloudpickle._DYNAMIC_CLASS_TRACKER_BY_CLASS):  # noqa: SLF001 - they are nowhere else
        if cls.__module__ == "__main__" and cls.__name__ in names:
            found.setdefault(cls.__name__, []).append(cls)
    for name, classes in found.items():
        if len(classes) == 1:  # a class inside another one loses the name of the outer on its way
            setattr(sys.modules["__main__"], name, classes[0])


def dumps(value: Any) -> bytes:
    """Pickle; classes that only the user's main module knows travel by value."""
    try:
        return pickle.dumps(value, 5) if not _reducers else _dumps(pickle.Pickler, value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return dumps_by_value(value)


def dumps_each(values: Iterable[Any]) -> list[bytes]:
    """Pickle each of some values, as `dumps` does."""
    values = list(values)
    if not _reducers:
        try:
            return [pickle.dumps(value, 5) for value in values]
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    return [dumps(value) for value in values]


def dumps_plain(value: Any) -> bytes:
    """Pickle without looking for objects that occur twice, in a quarter of the time: each is written where it occurs.

    So what is read again may have two equal objects where there was one. For rows and accumulators of tables, whose
    values are what they are equal to. Any but objects of built-in types, and what contains itself, are written by
    `dumps`.
    """
    stream = io.BytesIO()
    pickler = _PlainPickler(stream, 5)
    pickler.fast = True
    try:
        pickler.dump(value)
    except (_NotPlainError, ValueError, RecursionError):
        return dumps(value)
    return stream.getvalue()


def plain_key(key: Any) -> int | str | None:
    """The whole number or text of Python's own class that a key is equal to: those of numpy have other pickles."""
    return key if key is None else str.__str__(key) if isinstance(key, str) else int(key)


def trace_of(key: Any) -> bytes:
    """What each pickle of protocol 5 contains that the `plain_key` of this whole number or text is in."""
    data = dumps_plain(plain_key(key))
    return data[_FRAMED:-1] if data[_HEADER:].startswith(pickle.FRAME) else data[_HEADER:-1]


#: Bytes in front of what is pickled: the protocol; with the length of a frame, which small pickles have none of.
_HEADER, _FRAMED = 2, 11


class _NotPlainError(Exception):
    """An object is not of a built-in type."""


class _PlainPickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        raise _NotPlainError


def dumps_by_value(value: Any, here: bool = False) -> bytes:
    """Pickle with functions and classes of the main module by value.

    Args:
        value: Any object.
        here: It is read in this very process, where classes are found by their names.
    """
    return _dumps(_HerePickler if here else _ValuePickler, value)


def _dumps(pickler_class: Any, value: Any) -> bytes:
    stream = io.BytesIO()
    pickler = pickler_class(stream, 5)
    pickler.dispatch_table = ChainMap(_reducers, getattr(pickler, "dispatch_table", copyreg.dispatch_table))
    pickler.dump(value)
    return stream.getvalue()


def _reduce_code(code: CodeType) -> tuple[Any, ...]:
    make, arguments = cloudpickle.Pickler.dispatch_table[CodeType](code)
    return _code_of_file, (code.co_filename, make, arguments)


def _code_of_file(filename: str, make: Callable[..., CodeType], arguments: tuple[Any, ...]) -> CodeType:
    return make(*arguments).replace(co_filename=filename)


class _ValuePickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Code keeps the name of its file, for error reports, debuggers and logs: cloudpickle 3.1.3 leaves it out."""

    dispatch_table = ChainMap({CodeType: _reduce_code}, cloudpickle.Pickler.dispatch_table)


class _HerePickler(_ValuePickler):
    """Classes by name where they have one: cloudpickle would set their attributes anew, which some enums refuse."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type):
            found: Any = sys.modules.get(obj.__module__)
            for name in obj.__qualname__.split("."):
                found = getattr(found, name, None)
            if found is obj:
                return NotImplemented
        return super().reducer_override(obj)


loads = pickle.loads


def as_now(value: T) -> T:
    """A function, or an object with functions, as it is now: variables that it refers to may change later.

    A copy, as pickling makes it. What pickles name, and all classes, stay the same. So does what cannot be pickled.
    """
    stream = io.BytesIO()
    pickler = _CopyPickler(stream, 5)
    try:
        pickler.dump(value)
        found: T = pickle.loads(stream.getvalue())
    except Exception:  # whatever an object's own pickling raises; it comes again, explained, when the job starts
        return value
    finally:
        for number in pickler.numbers:
            del _classes[number]
    return found


#: Classes of copies that are being made.
_classes: dict[int, type] = {}
_numbers = itertools.count()


def _class(number: int) -> type:
    return _classes[number]


class _CopyPickler(_ValuePickler):
    """Classes are not copied."""

    def __init__(self, stream: io.BytesIO, protocol: int) -> None:
        super().__init__(stream, protocol)
        self.numbers: list[int] = []

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type):
            number = next(_numbers)
            _classes[number] = obj
            self.numbers.append(number)
            return _class, (number,)
        return super().reducer_override(obj)


def dumps_records(records: list[Any], keys: list[Any] | None = None) -> bytes:
    """Pickle records, or the pair (keys, records).

    Raises:
        NotPicklableError: the first record that cannot be pickled.
    """
    try:
        return dumps(records if keys is None else (keys, records))
    except BaseException:
        for record in (*records, *(keys or ())):
            try:
                dumps(record)
            except BaseException as error:
                raise NotPicklableError(record) from error
        raise
