"""Pieces of collections that have outgrown their page, each a store entry of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datastream.runtime.pages import Store
from datastream.runtime.state_format import decode, encode
from datastream.runtime.state_format.layout import piece_key
from datastream.runtime.state_format.records import CHUNK

#: A piece: key group, number of the collection in the key group, number of the piece.
Spot = tuple[int, int, int]

#: About how many bytes a piece has. A request costs more than reading so little.
CHUNK_BYTES = 4096

_MEMORY = 8 * 1024 * 1024
_BATCH = 1024


class Chunks:
    """The chunks of one operator in one subtask, for the length of one epoch.

    Holds about 8 MiB of them, pickled; then those that were not used for longest go to the store, which is rid of
    them when the epoch's attempt fails.

    Attributes:
        touched: The collections in use, each with the content and the slot that it is in.
        cleaned: Chunks that expired entries were looked for in.
    """

    def __init__(self, store: Store, prefix: bytes) -> None:
        self._store = store
        self._prefix = prefix
        self._loaded: dict[Spot, Any] = {}  # in the order of use
        self._sizes: dict[Spot, int] = {}
        self._total = 0
        self._dirty: set[Spot] = set()
        self.touched: dict[tuple[int, int], tuple[dict[Any, Any], str, Any]] = {}
        self.cleaned: set[Spot] = set()
        self._condemned: list[tuple[int, int, range]] = []

    def get(self, spot: Spot, change: bool = False) -> Any:
        """A chunk; an empty dict if there is none. Use it before the next call: it may go then.

        Args:
            spot: Which.
            change: It is going to be changed.
        """
        chunk = self._loaded.pop(spot, None)
        if chunk is None:
            self._read([spot])
            chunk = self._loaded.pop(spot)
        self._loaded[spot] = chunk
        if change:
            self._dirty.add(spot)
        return chunk

    def prefetch(self, spots: Iterable[Spot]) -> None:
        """Read some chunks at once, as they are about to be asked for."""
        self._read([s for s in spots if s not in self._loaded])

    def put(self, spot: Spot, chunk: Any) -> None:
        """Set a chunk."""
        self._dirty.add(spot)
        self._hold(spot, chunk, CHUNK_BYTES)
        self._make_room()

    def condemn(self, group: int, collection: int, indices: range) -> None:
        """Remove chunks at the end of the epoch: until then, whoever iterates them may go on."""
        self._condemned.append((group, collection, indices))

    def drop(self, spots: Iterable[Spot]) -> None:
        """Remove chunks, here and in the store."""
        keys = []
        for spot in spots:
            self._forget(spot)
            keys.append(self._key(spot))
            if len(keys) >= _BATCH:
                self._store.delete(keys)
                keys = []
        if keys:
            self._store.delete(keys)

    def flush(self) -> None:
        """Write what was changed."""
        self.drop((group, collection, i) for group, collection, indices in self._condemned for i in indices)
        self._condemned.clear()
        self._save(list(self._dirty))
        self._loaded.clear()
        self._sizes.clear()
        self._total = 0
        self.touched.clear()
        self.cleaned.clear()

    def _read(self, spots: list[Spot]) -> None:
        if not spots:
            return
        for spot, data in zip(spots, self._store.get([self._key(s) for s in spots]), strict=True):
            self._hold(spot, {} if data is None else decode(CHUNK, data), 0 if data is None else len(data))
        self._make_room(len(spots))

    def _hold(self, spot: Spot, chunk: Any, size: int) -> None:
        self._forget_size(spot)
        self._loaded.pop(spot, None)
        self._loaded[spot] = chunk
        self._sizes[spot] = size = max(size, CHUNK_BYTES)
        self._total += size

    def _make_room(self, keep: int = 1) -> None:
        if self._total <= _MEMORY:
            return
        oldest = list(self._loaded)[: -max(keep, 8)]
        going: list[Spot] = []
        total = self._total
        for spot in oldest:
            if total <= _MEMORY * 3 // 4:
                break
            total -= self._sizes[spot]
            going.append(spot)
        self._save([s for s in going if s in self._dirty])
        for spot in going:
            self._forget(spot)

    def _save(self, spots: list[Spot]) -> None:
        for start in range(0, len(spots), _BATCH):
            part = sorted(spots[start : start + _BATCH])
            entries = [(self._key(s), encode(CHUNK, self._loaded[s])) for s in part if self._loaded[s]]
            empty = [self._key(s) for s in part if not self._loaded[s]]
            if entries:
                self._store.put(entries)
            if empty:
                self._store.delete(empty)
        self._dirty.difference_update(spots)

    def _forget(self, spot: Spot) -> None:
        self._loaded.pop(spot, None)
        self._dirty.discard(spot)
        self._forget_size(spot)

    def _forget_size(self, spot: Spot) -> None:
        self._total -= self._sizes.pop(spot, 0)

    def _key(self, spot: Spot) -> bytes:
        return piece_key(self._prefix, *spot)
