"""The type of any Python object."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types.type_information import TypeInformation


@dataclass(frozen=True, repr=False)
class PickledBytesTypeInfo(TypeInformation):
    """Type of a Python object that pickle can write; what a stream has when nothing is declared."""

    def __repr__(self) -> str:
        return "PickledByteArrayTypeInfo"
