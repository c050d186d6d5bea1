"""Pages of values that come and go."""

from __future__ import annotations

from datastream.runtime.pages import PagedState, Place


class RemovablePages(PagedState):
    """Values by key, where None is no value: such keys are not stored."""

    def _store_values(self) -> set[Place]:
        dirty = super()._store_values()
        for place in dirty:
            page = self._pages[place]
            for key in self._members[place]:
                if key in page and page[key] is None:
                    del page[key]
        return dirty
