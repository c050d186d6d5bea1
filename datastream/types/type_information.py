"""The base class of all type information."""

from __future__ import annotations

from typing import Any

from datastream.errors import UnsupportedOperation


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
        """Not supported: no JVM object stands behind a type.

        Raises:
            UnsupportedOperation: Always.
        """
        raise UnsupportedOperation(
            f"{self!r} has no Java type information: types are plain Python here. Use the TypeInformation itself."
        )
