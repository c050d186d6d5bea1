"""Windows as small values: what contents are keyed with."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from datastream.types import TypeSerializer
from datastream.windows import (
    CountWindow,
    CountWindowSerializer,
    GlobalWindow,
    GlobalWindowSerializer,
    TimeWindow,
    TimeWindowSerializer,
)

#: From a window to its key, and back.
Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]

_KNOWN: dict[type, Codec] = {
    TimeWindowSerializer: (lambda window: (window.start, window.end), lambda key: TimeWindow(*key)),
    CountWindowSerializer: (lambda window: window.id, CountWindow),
    GlobalWindowSerializer: (lambda window: 0, lambda key: GlobalWindow.get()),
}


def codec(serializer: TypeSerializer[Any]) -> Codec:
    """How windows of an assigner become keys: by themselves if we know them, else as the serializer's bytes."""
    known = _KNOWN.get(type(serializer))
    if known is not None:
        return known

    def encode(window: Any) -> bytes:
        stream = BytesIO()
        serializer.serialize(window, stream)
        return stream.getvalue()

    return encode, lambda key: serializer.deserialize(BytesIO(key))
