"""What states and views give when all that they hold is asked for: one type, however much that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, SupportsIndex, TypeVar, overload

T = TypeVar("T")

_NONE: Any = object()


class Elements(Sequence[T]):
    """The elements of a list state, or the keys, values or entries of a map state, to read.

    Reads like a list: it is iterated any number of times, and has ``len``, indexes, slices, ``reversed``, ``in``, ``+``
    and ``==`` with lists. `next` returns the elements one by one, as with PyFlink's iterators. Pickled, it is a list.

    What is kept in pieces is read from them as it is iterated. ``len``, the first and the last element are found
    without reading all of it, where that can be; anything else reads it into memory, once.

    Args:
        items: The elements, if they are in memory.
        read: Reads them otherwise.
        size: Finds how many `read` returns; None: by reading them.
        last: Finds the last one; None: by reading them.
    """

    _iterator: Iterator[T]

    __slots__ = ("_iterator", "_items", "_last", "_read", "_size")

    def __init__(
        self,
        items: list[T] | None,
        read: Callable[[], Iterator[T]] = _NONE,
        size: Callable[[], int] | None = None,
        last: Callable[[], T] | None = None,
    ) -> None:
        self._items = items
        if items is None:
            self._read, self._size, self._last = read, size, last

    @property
    def in_memory(self) -> bool:
        """Whether no element is read from pieces any more."""
        return self._items is not None

    def __iter__(self) -> Iterator[T]:
        items = self._items
        return self._read() if items is None else iter(items)

    def __next__(self) -> T:
        try:
            iterator = self._iterator
        except AttributeError:
            iterator = self._iterator = iter(self)
        return next(iterator)

    def __len__(self) -> int:
        items = self._items
        if items is not None:
            return len(items)
        return len(self._all()) if self._size is None else self._size()

    def __bool__(self) -> bool:
        if self._items is None:
            return next(self._read(), _NONE) is not _NONE
        return bool(self._items)

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: Any) -> Any:
        if self._items is None:
            if index == -1 and self._last is not None:
                return self._last()
            if index == 0:
                for first in islice(self._read(), 1):
                    return first
        return self._all()[index]

    def __contains__(self, value: object) -> bool:
        return value in (self._read() if self._items is None else self._items)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Elements):
            return bool(self._all() == other._all())
        return self._all() == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Iterable[T]) -> list[T]:
        return [*self, *other] if isinstance(other, (list, Elements)) else NotImplemented

    def __radd__(self, other: Iterable[T]) -> list[T]:
        return [*other, *self] if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._all(),)

    def _all(self) -> list[T]:
        items = self._items
        if items is None:
            items = self._items = list(self._read())
        return items
