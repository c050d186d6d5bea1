"""A number of records of a key."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from struct import Struct

from datastream.errors import FormatError
from datastream.stored_types import stored_as
from datastream.time import MAX_WATERMARK
from datastream.types import TypeSerializer
from datastream.windows.window import Window

_ID = Struct(">q")


@stored_as("count_window")
@dataclass(frozen=True, order=True, slots=True)
class CountWindow(Window):
    """The window of a key with the number `id`, from 0. It has no place in time."""

    id: int

    def max_timestamp(self) -> int:
        """Return the highest timestamp there is: time never ends the window."""
        return MAX_WATERMARK


class CountWindowSerializer(TypeSerializer[CountWindow]):
    """Writes a `CountWindow` as its number, 8 bytes, the high byte first."""

    def serialize(self, element: CountWindow, stream: BytesIO) -> None:
        """Write a window."""
        stream.write(_ID.pack(element.id))

    def deserialize(self, stream: BytesIO) -> CountWindow:
        """Read a window.

        Raises:
            FormatError: The stream ends inside it.
        """
        data = stream.read(_ID.size)
        if len(data) != _ID.size:
            raise FormatError(f"expected {_ID.size} bytes of a CountWindow, found {len(data)}: the stream ends.")
        return CountWindow(*_ID.unpack(data))
