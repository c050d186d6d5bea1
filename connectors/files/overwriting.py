"""Part files that take the place of those that are there.

Nothing is visible before the end of the job. Its last commit names in one state the part files and the files that they
replace; these are removed once the new ones are there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from datastream.errors import CheckpointDamaged

from .committer import FileCommitter, remove_file
from .listing import is_hidden
from .staging import Hold, State, save_state


class Overwrite(Enum):
    """Which files are replaced.

    Attributes:
        ALL: Those below the base path, also if there are no records.
        BUCKETS: Those of the buckets that get records.
    """

    ALL = "all"
    BUCKETS = "buckets"

    def folders(self, targets: Iterable[str]) -> list[str]:
        """The folders whose files are replaced by these part files; paths are relative to the base path."""
        if self is Overwrite.ALL:
            return [""]
        return sorted({target.rpartition("/")[0] for target in targets})


class OverwritingFileCommitter(FileCommitter):
    """Commits the epochs of a sink that overwrites."""

    def __init__(self, *settings: Any, overwrite: Overwrite) -> None:
        super().__init__(*settings)
        self._overwrite = overwrite

    def _check(self, hold: Hold, state: State, epoch: int) -> None:
        if state.dropped:
            raise CheckpointDamaged(
                f"FileSink: another job that overwrites {self._base} has dropped what this one had written: start it "
                "anew, with another --checkpoint-dir"
            )
        super()._check(hold, state, epoch)

    def _finish_ended(self, folder: str, state: State) -> None:
        # An end that another job came to counts; what it had before is not its result.
        self._finish_rolls(folder, state)
        if state.pending:
            dropped = state.piece_names()
            state.pending, state.dropped = [], True
            save_state(folder, state, self._fsync)
            for name in dropped:
                remove_file(os.path.join(self._staging, name))

    def _opened_by_ended_jobs(self) -> dict[str, int]:
        return {}

    def _decide(self, state: State, now: int, final: bool) -> None:
        if not final:
            return
        super()._decide(state, now, final)
        if state.replaced is None:
            targets = [roll.target for roll in state.rolls]
            folders = self._overwrite.folders(targets)
            state.replaced = sorted({name for folder in folders for name in self._below(folder, targets)})

    def _below(self, folder: str, targets: list[str]) -> Iterator[str]:
        """What is below a folder, relative to the base path.

        A link to a folder without new part files is one thing: what it leads to is not the sink's.
        """
        for root, folders, files in os.walk(os.path.join(self._base, folder)):
            folders[:] = [name for name in folders if not is_hidden(name)]
            place = os.path.relpath(root, self._base)
            yield from (os.path.normpath(os.path.join(place, name)) for name in files if not is_hidden(name))
            for name in folders:
                if os.path.islink(os.path.join(root, name)):
                    link = os.path.normpath(os.path.join(place, name))
                    within = any(target.startswith(f"{link}/") for target in targets)
                    yield from self._below(link, targets) if within else [link]

    def _finish_rolls(self, folder: str, state: State) -> None:
        super()._finish_rolls(folder, state)
        if state.replaced:
            for name in state.replaced:
                self._remove_visible(name)
            state.replaced = []
            save_state(folder, state, self._fsync)

    def _remove_visible(self, name: str) -> None:
        remove_file(os.path.join(self._base, name))
        with contextlib.suppress(OSError):  # a folder that is not empty stays
            while name := os.path.dirname(name):
                os.rmdir(os.path.join(self._base, name))
