"""The name and type of a side output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from datastream.errors import ValidationError
from datastream.stored_types import stored_as
from datastream.types import RowTypeInfo, TypeInformation, Types


@stored_as(
    "output_tag",
    lambda tag: (tag.tag_id,) if tag.type_info == Types.PICKLED_BYTE_ARRAY() else (tag.tag_id, tag.type_info),
)
@dataclass(frozen=True, init=False)
class OutputTag:
    """Names a side output; functions yield `(tag, value)` to write to it.

    Args:
        tag_id: The name, not empty.
        type_info: The type of the records; a list of types means a row of them, None for any
            Python object.

    Raises:
        ValidationError: The name is empty.
        TypeError: `type_info` is something else.
    """

    tag_id: str
    type_info: TypeInformation

    def __init__(self, tag_id: str, type_info: TypeInformation | Sequence[TypeInformation] | None = None) -> None:
        if not tag_id:
            raise ValidationError("OutputTag tag_id cannot be None or empty string")
        if type_info is None:
            type_info = Types.PICKLED_BYTE_ARRAY()
        elif isinstance(type_info, list):
            type_info = RowTypeInfo(type_info)
        elif not isinstance(type_info, TypeInformation):
            raise TypeError(f"OutputTag type_info must be None, list or TypeInformation: got {type_info!r}")
        object.__setattr__(self, "tag_id", tag_id)
        object.__setattr__(self, "type_info", type_info)
