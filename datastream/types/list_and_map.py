"""Types of lists and dicts."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types.type_information import TypeInformation, as_type


@dataclass(frozen=True, init=False, repr=False)
class ListTypeInfo(TypeInformation):
    """Type of a list."""

    elem_type: TypeInformation

    def __init__(self, element_type: TypeInformation) -> None:
        object.__setattr__(self, "elem_type", as_type(element_type))

    def __repr__(self) -> str:
        return f"ListTypeInfo<{self.elem_type}>"


@dataclass(frozen=True, init=False, repr=False)
class MapTypeInfo(TypeInformation):
    """Type of a dict."""

    key_type: TypeInformation
    value_type: TypeInformation

    def __init__(self, key_type_info: TypeInformation, value_type_info: TypeInformation) -> None:
        object.__setattr__(self, "key_type", as_type(key_type_info))
        object.__setattr__(self, "value_type", as_type(value_type_info))

    def __repr__(self) -> str:
        return f"MapTypeInfo<{self.key_type}, {self.value_type}>"
