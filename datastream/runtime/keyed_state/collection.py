"""What handles of lists and maps share: a small collection is in the content itself, a large one in chunks."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError
from datastream.state import StateDescriptor
from datastream.types.pickles import dumps

from .cell import Cell
from .lifetime import slot_of

#: A collection moves to chunks when it has more entries, or more bytes, pickled, at the end of an epoch.
MOST_ENTRIES = 1000
MOST_BYTES = 64 * 1024


class Collection:
    """A list or a map a key.

    Args:
        cell: The key in hand.
        descriptor: Of the state.
        small: The type of a small collection.
        large: The type of one in chunks.
    """

    _cell: Cell

    def __init__(self, cell: Cell, descriptor: StateDescriptor, small: Any, large: Any) -> None:
        self._cell = cell
        self._slot = slot_of(descriptor)
        self._small = small
        self._large = large

    def clear(self) -> None:
        content = self._cell.content
        stored = content.pop(self._slot, None)
        if stored is not None and type(stored) is not self._small:
            self._opened(content, stored).drop()

    def _opened(self, content: dict[Any, Any], stored: Any) -> Any:
        """A stored collection that is not a small one, ready for use."""
        if type(stored) is not self._large:
            name = self._slot.partition("\0")[0]
            raise ValidationError(
                f"state '{name}' is declared as a {'map' if self._small is dict else 'list'}, but this name already "
                f"holds a value of type {type(stored).__name__}; give the new state another name"
            )
        chunks = self._cell.chunks
        stored.cache = chunks
        chunks.touched[stored.group, stored.id] = (content, self._slot, stored)
        return stored

    def _spill(self, content: dict[Any, Any], group: int, latest: int | None) -> Any:
        """Move a small collection to chunks."""
        chunks = self._cell.chunks
        spilled = self._large.of(content[self._slot], group, self._cell.pages.new_collection(group), chunks, latest)
        content[self._slot] = spilled
        chunks.touched[spilled.group, spilled.id] = (content, self._slot, spilled)
        return spilled

    def _latest(self) -> int | None:
        """The time to note for a collection that was touched now."""
        return None

    def lighten(self, content: dict[Any, Any], group: int) -> bool:
        """Move the collection of one content to chunks when it has many bytes; whether it did."""
        stored: Any = content.get(self._slot)
        if type(stored) is not self._small or len(stored) < 2 or len(dumps(stored)) <= MOST_BYTES:
            return False
        self._spill(content, group, self._latest())
        return True
