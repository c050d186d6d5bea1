"""The key in hand and what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from datastream.errors import ValidationError

if TYPE_CHECKING:
    from .chunks import Chunks
    from .timed_pages import TimedPages


class _NoContent(dict[Any, Any]):
    """Placeholder of the content while no key is in hand."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise ValidationError(
            "keyed state and timers belong to the key of a record or timer: use them in process_element, on_timer "
            "and the like, not in open() or close()"
        )

    get = pop = __getitem__ = __setitem__ = __delitem__ = __contains__ = _refuse


class Cell:
    """Points all handles of an operator at the current key.

    Attributes:
        key: The key in hand.
        content: What it keeps; see the package.
        clock: Returns the machine's time in ms.
        pages: This epoch's pages.
        chunks: This epoch's pieces of large collections.
    """

    __slots__ = ("key", "content", "clock", "pages", "chunks")

    pages: TimedPages
    chunks: Chunks

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.leave()

    def leave(self) -> None:
        """Have no key in hand."""
        self.key: Any = None
        self.content: dict[Any, Any] = _NoContent()
