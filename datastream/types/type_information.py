"""The base class of all type information."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from datastream.errors import TypeMismatch, UnsupportedOperation

if TYPE_CHECKING:
    from datastream.types.serializers import TypeSerializer


class TypeInformation:
    """Describes the values of a stream, a state or a field.

    Subclasses are frozen dataclasses: they compare by value, hash and pickle.
    Between Python stages values travel pickled, so no type needs a conversion there.
    """

    def need_conversion(self) -> bool:
        """Whether values differ between user code and the engine; always false here."""
        return False

    def to_internal_type(self, obj: Any) -> Any:
        """Return the engine's form of `obj`, which is `obj` itself."""
        return obj

    def from_internal_type(self, obj: Any) -> Any:
        """Return the user's form of `obj`, which is `obj` itself."""
        return obj

    def get_java_type_info(self) -> Any:
        """Not supported: types have no JVM object.

        Raises:
            UnsupportedOperation: Always.
        """
        raise UnsupportedOperation(
            f"{type(self).__name__} has no Java type information: types are plain Python here. "
            "Use the TypeInformation itself."
        )

    def create_serializer(self) -> TypeSerializer[Any]:
        """What writes and reads single values of this type as bytes. An addition to PyFlink's names."""
        from datastream.types.serializers import serializer_of

        return serializer_of(self)


def as_type(kind: Any) -> TypeInformation:
    """The type itself; of a factory that was not called, such as `Types.STRING`, the type that it makes.

    Raises:
        TypeMismatch: It is neither.
    """
    if isinstance(kind, TypeInformation):
        return kind
    if isinstance(kind, FunctionType) and kind.__qualname__.startswith("Types.") and not kind.__code__.co_argcount:
        made: TypeInformation = kind()
        return made
    hint = f"use Types.from_hint({kind.__name__})" if isinstance(kind, type) else ""
    raise TypeMismatch("", "a type such as Types.STRING()", kind, hint)
