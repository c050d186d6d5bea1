"""The last epoch of a run whose job may be continued: what it does to state does not last."""

from __future__ import annotations

from .pages import Store


class ForgettingStore:
    """A store; from `forget` on, what is written to it is seen by the epoch, and gone with it.

    Args:
        store: What is written to until then.
    """

    def __init__(self, store: Store) -> None:
        self.metered, self.copies = store.metered, store.copies
        self._store = store
        self._written: dict[bytes, bytes | None] | None = None

    def forget(self) -> None:
        """Write nothing more."""
        self._written = {}

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        written = self._written
        if not written:
            return self._store.get(keys)
        stored = iter(self._store.get([key for key in keys if key not in written]))
        return [written[key] if key in written else next(stored) for key in keys]

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        if self._written is None:
            self._store.put(entries)
        else:
            self._written.update(entries)

    def delete(self, keys: list[bytes]) -> None:
        if self._written is None:
            self._store.delete(keys)
        else:
            self._written.update(dict.fromkeys(keys))
