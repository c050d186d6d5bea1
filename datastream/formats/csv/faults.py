"""Errors inside a field, before the record and the field are known."""

from __future__ import annotations

from datastream.types import TypeInformation


class BadText(ValueError):
    """A text inside a field is not of its type.

    Attributes:
        path: Where in the field, such as ``[2]`` or ``.price``.
        kind: The type of that place.
        text: What is there.
    """

    def __init__(self, path: str, kind: TypeInformation, text: str) -> None:
        super().__init__(path, kind, text)
        self.path, self.kind, self.text = path, kind, text


class NoText(ValueError):
    """A value has no text that would be read as the same value.

    Attributes:
        reason: Why, and what to do.
        path: Where in the field.
    """

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(reason, path)
        self.reason, self.path = reason, path
