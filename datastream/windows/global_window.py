"""One window for everything."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from datastream.errors import FormatError
from datastream.stored_types import stored_as
from datastream.time import MAX_WATERMARK
from datastream.types import TypeSerializer
from datastream.windows.window import Window


@stored_as("global_window")
@dataclass(frozen=True, order=True, slots=True)
class GlobalWindow(Window):
    """The window that holds every record of a key; all of them are equal."""

    @staticmethod
    def get() -> GlobalWindow:
        """Return the window."""
        return _GLOBAL

    def __repr__(self) -> str:
        return "GlobalWindow"

    def max_timestamp(self) -> int:
        """Return the highest timestamp there is: the window ends with bounded input."""
        return MAX_WATERMARK


_GLOBAL = GlobalWindow()


class GlobalWindowSerializer(TypeSerializer[GlobalWindow]):
    """Writes a `GlobalWindow` as one byte of zero."""

    def serialize(self, element: GlobalWindow, stream: BytesIO) -> None:
        """Write the window."""
        stream.write(b"\0")

    def deserialize(self, stream: BytesIO) -> GlobalWindow:
        """Read the window.

        Raises:
            FormatError: The stream is at its end.
        """
        if not stream.read(1):
            raise FormatError("expected the byte of a GlobalWindow, found none: the stream ends.")
        return _GLOBAL
