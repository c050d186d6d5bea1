"""Values as bytes, one after the other in a stream: `TypeSerializer`, as in `pyflink.common.serializer`."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from io import BytesIO
from typing import Any, Generic, TypeVar

from datastream.errors import FormatError, cut
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.type_information import TypeInformation

T = TypeVar("T")

_LENGTH = 4


class TypeSerializer(ABC, Generic[T]):
    """Writes and reads the values of a type. What it writes marks its own end, so that values can follow each other.

    Two of a class with the same attributes are equal.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @abstractmethod
    def serialize(self, element: T, stream: BytesIO) -> None:
        """Write a value."""

    @abstractmethod
    def deserialize(self, stream: BytesIO) -> T:
        """Read the value that starts at the stream's position, and move the position after it."""


#: What `VoidNamespaceSerializer` reads.
void = b""


class VoidNamespaceSerializer(TypeSerializer[bytes]):
    """Writes nothing: of a namespace that is always the same."""

    def serialize(self, element: bytes, stream: BytesIO) -> None:
        """Write nothing."""

    def deserialize(self, stream: BytesIO) -> bytes:
        """What stands for nothing."""
        return void


class PickleSerializer(TypeSerializer[Any]):
    """Pickles values. Reading bytes of a stranger can run any code."""

    def serialize(self, element: Any, stream: BytesIO) -> None:
        """Write a value.

        Raises:
            FormatError: it cannot be pickled.
        """
        stream.write(_pickled(element))

    def deserialize(self, stream: BytesIO) -> Any:
        """Read a value.

        Raises:
            FormatError: the stream does not hold a pickle here.
        """
        try:
            (element,) = pickle.load(stream)
        except Exception as error:  # unpickling runs the code of the classes inside
            raise FormatError(f"expected a pickled value: {type(error).__name__}: {error}") from error
        return element


class ValueSerializer(TypeSerializer[Any]):
    """Writes values of a type as their length, in 4 bytes, and their bytes.

    These are MessagePack without names where the type has a compact form, else a pickle: they are for this version
    of this project alone, and reading bytes of a stranger can run any code.

    Args:
        kind: The type; values are held against it when they are written.
    """

    def __init__(self, kind: TypeInformation) -> None:
        # Imported here, since few programs that import types ever serialize by hand.
        from datastream.types.checking import checker
        from datastream.types.compact import compact_blocks

        self._kind = kind
        self._check = checker(kind)
        self._compact = compact_blocks(kind)

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueSerializer, (self._kind,)

    def serialize(self, element: Any, stream: BytesIO) -> None:
        """Write a value.

        Raises:
            TypeMismatch: it does not fit the type.
            FormatError: it cannot be written.
        """
        value = self._check(element)
        data = _pickled(value) if self._compact is None else self._compact.dumps([value])
        if len(data) >> 8 * _LENGTH:
            raise FormatError(f"the value has {len(data)} bytes, more than {_LENGTH} bytes can count: {cut(element)}")
        stream.write(len(data).to_bytes(_LENGTH, "big") + data)

    def deserialize(self, stream: BytesIO) -> Any:
        """Read a value.

        Raises:
            FormatError: the stream ends too early, or does not hold such a value.
        """
        length = int.from_bytes(_read(stream, _LENGTH), "big")
        data = _read(stream, length)
        try:
            (element,) = pickle.loads(data) if self._compact is None else self._compact.loads(data)
        except FormatError:
            raise
        except Exception as error:  # unpickling runs the code of the classes inside
            raise FormatError(f"expected a {self._kind!r}: {type(error).__name__}: {error}") from error
        return element


def serializer_of(kind: TypeInformation) -> TypeSerializer[Any]:
    """The serializer of a type."""
    return PickleSerializer() if isinstance(kind, PickledBytesTypeInfo) else ValueSerializer(kind)


def _pickled(element: Any) -> bytes:
    from datastream.types.pickles import NotPicklableError, dumps_records

    try:
        return dumps_records([element])
    except NotPicklableError as error:
        raise FormatError(f"expected a value that pickle can write, found {cut(element)}: {error.__cause__}") from error


def _read(stream: BytesIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise FormatError(f"expected {length} bytes of a value, found {len(data)}: the stream ends inside it")
    return data
