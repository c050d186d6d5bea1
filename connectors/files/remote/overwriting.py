"""Part files on remote file systems that take the place of those that are there.

Pieces of all epochs wait until the end of the job. Its last commit names in one state all pieces and the files that
they replace; these are removed once the pieces are visible.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from datastream.connectors.files.bucket_commits import BucketCommits
from datastream.connectors.files.overwriting import Overwrite

from .committer import RemoteCommitter
from .location import Location
from .patterns import files_in
from .state import State, save_state
from .store import RemotePiece, Store


class OverwritingRemoteCommitter(RemoteCommitter):
    """Commits the epochs of a sink that overwrites."""

    def __init__(
        self, base: Location, uid: str, job_id: str, overwrite: Overwrite, commits: BucketCommits | None = None
    ) -> None:
        super().__init__(base, uid, job_id, commits)
        self._overwrite = overwrite

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        files = self._opened()
        state, self._state = self._state or self._load(files), None
        state = self._finished(files, state)
        self._check(state, epoch)
        new = [piece for pieces in committables for piece in pieces]
        if state.epoch == epoch:
            self._discard(files, new, state)
        elif new or final:
            pieces = [*state.pieces, *new]
            replaced = self._replaced(pieces) if final and state.replaced is None else state.replaced
            complete = self._complete(state, pieces, True)[1] if final else state.complete
            state = State(state.version + 1, self._owner, epoch, pieces, replaced, {}, complete)
            save_state(files, state)
        state = self._finished(files, state)
        if not self._cleaned or final:
            self._clean(files, epoch if final else -1)
        self._state = state

    def _replaced(self, pieces: list[RemotePiece]) -> list[str]:
        """The files that vanish at the end, relative to the base path."""
        start = len(self._base.uri) + 1
        folders = self._overwrite.folders(piece.target for piece in pieces)
        return [file.path[start:] for folder in folders for file in files_in(self._base.below(folder))]

    def _finished(self, files: Store, state: State) -> State:
        """The state behind what it has decided."""
        if state.replaced is None:
            return state
        self._publish(files, state)
        for target in state.replaced:
            files.remove(target)
        if not state.pieces and not state.replaced and not state.complete:
            return state
        return self._finish_buckets(files, replace(state, pieces=[], replaced=[]))
